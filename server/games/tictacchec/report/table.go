package report

import (
	"context"

	"solved/rules"
	"solved/rules/tictacchec"
	"solved/tablebase"
)

// Table is a table unpacked: one code for each position, in memory.
type Table struct {
	rules   *tictacchec.Rules
	codes   []rules.Code // by number: the main phase, then the opening
	release func()
}

// Unpack reads a whole table of a ruleset; with one thread in order, so that it can be
// a stream. It takes 2.5 GB, which [Table.Free] gives back. A code that is no entry
// of the ruleset's is a *tablebase.CodeError. tell, if not nil, is told how far it
// is, and called concurrently.
func Unpack(ctx context.Context, r *tictacchec.Rules, source tablebase.Source, threads int,
	tell func(stage string, done, total uint64)) (*Table, error) {
	t, err := newTable(r)
	if err != nil {
		return nil, err
	}
	willFill(t.codes)
	rs := r.Ruleset()
	for section := range rules.Section(rules.Sections) {
		codes := t.section(section)
		pieces := cut([]span{{0, uint64(len(codes))}}, spanSize)
		err := concurrently(ctx, threads, pieces, tell, "unpacking the "+section.String(), func(_ int, s span) error {
			dst := codes[s.from:s.to]
			if err := source.Codes(section, s.from, dst); err != nil {
				return err
			}
			for i, c := range dst {
				if c > rs.Longest[section] && c != rules.CodeDraw {
					return &tablebase.CodeError{Section: section, Index: s.from + uint64(i), Code: c, Longest: rs.Longest[section]}
				}
			}
			return nil
		})
		if err != nil {
			t.Free()
			return nil, err
		}
	}
	return t, nil
}

// newTable returns a table in which every code is 0.
func newTable(r *tictacchec.Rules) (*Table, error) {
	codes, release, err := newMemory(tictacchec.MainPositions + tictacchec.OpeningPositions)
	if err != nil {
		return nil, err
	}
	return &Table{r, codes, release}, nil
}

// Free gives the memory back. The table must not be used after it, nor meanwhile.
func (t *Table) Free() {
	t.release()
	t.codes, t.release = nil, func() {}
}

// Codes makes the table a tablebase.Source.
func (t *Table) Codes(s rules.Section, lo uint64, dst []rules.Code) error {
	copy(dst, t.section(s)[lo:])
	return nil
}

// section returns the codes of a section.
func (t *Table) section(s rules.Section) []rules.Code {
	main := uint64(tictacchec.MainPositions) // as a constant it would have to fit into an int
	if s == rules.Opening {
		return t.codes[main:]
	}
	return t.codes[:main]
}

// entry looks a position up.
func (t *Table) entry(p tictacchec.Position) rules.Entry {
	section, index := p.Index()
	return rules.EntryOf(t.section(section)[index])
}
