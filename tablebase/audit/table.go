package audit

import (
	"context"
	"fmt"
	"sync/atomic"

	"solved/rules"
	"solved/tablebase"
)

// Table is a table unpacked for auditing: one code for each position, in memory.
type Table struct {
	ruleset rules.Ruleset
	codes   []rules.Code // by number: the main section, then the opening
	release func()
}

// unpackBlock is how many positions are unpacked at a time.
const unpackBlock = 1 << 20

// Unpack reads a whole source; with one thread in order, so that it can be a stream.
// It takes a byte for each position, which [Table.Free] gives back. A code
// that is no entry of the ruleset's is a *tablebase.CodeError. progress, if not nil,
// is told how many positions are done; it is called concurrently.
func Unpack(ctx context.Context, rs rules.Ruleset, source tablebase.Source, threads int, progress func(done uint64)) (*Table, error) {
	codes, release, err := newMemory(rs.Positions[rules.Main] + rs.Positions[rules.Opening])
	if err != nil {
		return nil, err
	}
	t := &Table{rs, codes, release}
	var done atomic.Uint64
	for section := range rules.Section(rules.Sections) {
		codes := t.section(section)
		n := (len(codes) + unpackBlock - 1) / unpackBlock
		err := parallel(ctx, threads, n, func(i int) (bool, error) {
			lo := i * unpackBlock
			dst := codes[lo:min(lo+unpackBlock, len(codes))]
			if err := source.Codes(section, uint64(lo), dst); err != nil {
				return false, err
			}
			for i, c := range dst {
				if c > rs.Longest[section] && c != rules.CodeDraw {
					return false, &tablebase.CodeError{Section: section, Index: uint64(lo + i), Code: c, Longest: rs.Longest[section]}
				}
			}
			tell(progress, done.Add(uint64(len(dst))))
			return false, nil
		})
		if err != nil {
			t.Free()
			return nil, err
		}
	}
	return t, nil
}

// Free gives the memory back. The table must not be used after it, nor meanwhile.
func (t *Table) Free() {
	t.release()
	t.codes, t.release = nil, func() {}
}

func tell(progress func(uint64), done uint64) {
	if progress != nil {
		progress(done)
	}
}

// Ruleset returns the ruleset that the table is of.
func (t *Table) Ruleset() rules.Ruleset { return t.ruleset }

// section returns the codes of a section.
func (t *Table) section(s rules.Section) []rules.Code {
	first := t.first(s)
	return t.codes[first : first+t.ruleset.Positions[s]]
}

// first returns the number of a section's position 0.
func (t *Table) first(s rules.Section) uint64 {
	if s == rules.Opening {
		return t.ruleset.Positions[rules.Main]
	}
	return 0
}

// Range is a part of a section.
type Range struct {
	Section rules.Section
	From    uint64 // index of the first position
	To      uint64 // just past that of the last
}

// All returns all ranges of a ruleset's tables: both sections.
func All(rs rules.Ruleset) []Range {
	return []Range{{rules.Main, 0, rs.Positions[rules.Main]}, {rules.Opening, 0, rs.Positions[rules.Opening]}}
}

// check refuses a range that is not one of the ruleset's.
func (r Range) check(rs rules.Ruleset) error {
	if int(r.Section) >= rules.Sections || r.From > r.To || r.To > rs.Positions[r.Section] {
		return fmt.Errorf("audit: there is no range %d to %d in the %s section", r.From, r.To, r.Section)
	}
	return nil
}
