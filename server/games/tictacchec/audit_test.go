package tictacchec_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"solved/rules"
	"solved/rules/tictacchec"
	tictacchecgame "solved/server/games/tictacchec"
	"solved/server/games/tictacchec/tictacchectest"
	"solved/tablebase"
	"solved/tablebase/audit"
)

// auditRanges are parts of both sections: at both ends of each, about the longest
// win and loss, and at random.
func auditRanges(t *testing.T, r *tictacchec.Rules) []audit.Range {
	const run = 16
	random := rand.New(rand.NewPCG(2, uint64(r.Ruleset().Tag)))
	var ranges []audit.Range
	add := func(section rules.Section, index uint64) {
		from := min(index, r.Ruleset().Positions[section]-run)
		for _, other := range ranges {
			if other.Section == section && from < other.To && other.From < from+run {
				return // it overlaps
			}
		}
		ranges = append(ranges, audit.Range{Section: section, From: from, To: from + run})
	}
	for section, n := range r.Ruleset().Positions {
		add(rules.Section(section), 0)
		add(rules.Section(section), n)
	}
	for _, text := range []string{tictacchecgame.ExtremesOf[r.Ruleset().Name].Win, tictacchecgame.ExtremesOf[r.Ruleset().Name].Loss} {
		section, index := tictacchectest.Parse(t, text).Index()
		add(section, index)
	}
	for range 24 {
		add(rules.Main, random.Uint64N(tictacchec.MainPositions))
	}
	for range 2 {
		// The last ply, whose successors the embedded table finds soon enough.
		add(rules.Opening, tictacchec.OpeningPositions-random.Uint64N(12_000_000))
	}
	if len(ranges) < 30 {
		t.Fatalf("only %d ranges", len(ranges))
	}
	// The beginning of the opening has few positions that a search finds soon.
	ranges[2].To = 2
	return ranges
}

// planted are entries of a table with errors planted in it.
type planted struct {
	tictacchecgame.EntryReader
	errors map[audit.Position]rules.Entry
}

func (p planted) Entries(positions []tictacchec.Position, out []rules.Entry) error {
	if err := p.EntryReader.Entries(positions, out); err != nil {
		return err
	}
	for i, position := range positions {
		section, index := position.Index()
		if wrong, ok := p.errors[audit.Position{Section: section, Index: index}]; ok {
			out[i] = wrong
		}
	}
	return nil
}

// entry looks one position up.
func (p planted) entry(t *testing.T, at audit.Position) rules.Entry {
	position, _ := tictacchec.FromIndex(at.Section, at.Index)
	var out [1]rules.Entry
	if err := p.Entries([]tictacchec.Position{position}, out[:]); err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// plantedTable is a whole table with errors planted in it.
type plantedTable struct {
	tablebase.Source
	errors map[audit.Position]rules.Entry
}

func (p plantedTable) Codes(section rules.Section, lo uint64, dst []rules.Code) error {
	if err := p.Source.Codes(section, lo, dst); err != nil {
		return err
	}
	for at, entry := range p.errors {
		if at.Section == section && at.Index >= lo && at.Index-lo < uint64(len(dst)) {
			dst[at.Index-lo] = entry.Code()
		}
	}
	return nil
}

// scattered is a Source that has some entries only; the others are losses in 0.
type scattered map[audit.Position]rules.Entry

func (s scattered) Codes(section rules.Section, lo uint64, dst []rules.Code) error {
	return plantedTable{nowhere{}, s}.Codes(section, lo, dst)
}

// nowhere is a Source that has nothing, and leaves fresh memory as it is.
type nowhere struct{}

func (nowhere) Codes(rules.Section, uint64, []rules.Code) error { return nil }

// unpackPlanted unpacks a table with errors planted. There is a file of it in
// between, which has to be good in all that can be seen without the rules. Without a
// table it is made of what is needed for the ranges.
func unpackPlanted(t *testing.T, r *tictacchec.Rules, table *tablebase.Table, p planted, ranges []audit.Range) *audit.Table {
	source := tablebase.Source(nil)
	if table != nil {
		path := filepath.Join(t.TempDir(), "planted.ttb")
		defer os.Remove(path)
		err := tablebase.Create(path, func(w io.Writer) error {
			_, err := tablebase.Write(t.Context(), w, r.Ruleset(), plantedTable{table, p.errors}, runtime.GOMAXPROCS(0), nil)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		file, err := tablebase.Open(path, tablebase.Mapped, r.Ruleset())
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := file.Verify(t.Context(), runtime.GOMAXPROCS(0)); err != nil {
			t.Fatal(err)
		}
		source = file
	} else {
		source = scatter(t, r, p, ranges)
	}
	unpacked, err := audit.Unpack(t.Context(), r.Ruleset(), source, runtime.GOMAXPROCS(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	return unpacked
}

// scatter looks up all positions of the ranges and all that their moves lead to.
func scatter(t *testing.T, r *tictacchec.Rules, p planted, ranges []audit.Range) scattered {
	s := scattered{}
	for _, rg := range ranges {
		for index := rg.From; index < rg.To; index++ {
			at := audit.Position{Section: rg.Section, Index: index}
			s[at] = p.entry(t, at)
			position, _ := tictacchec.FromIndex(at.Section, at.Index)
			for _, m := range r.Moves(position, nil) {
				section, index := r.Play(position, m).Index()
				at := audit.Position{Section: section, Index: index}
				if _, ok := s[at]; !ok {
					s[at] = p.entry(t, at)
				}
			}
		}
	}
	return s
}

// violations are those that the ranges have, found one by one as a probe is
// answered.
func (p planted) violations(t *testing.T, r *tictacchec.Rules, ranges []audit.Range) (list []audit.Violation, edges [rules.Sections]uint64) {
	for _, rg := range ranges {
		for index := rg.From; index < rg.To; index++ {
			at := audit.Position{Section: rg.Section, Index: index}
			position, _ := tictacchec.FromIndex(at.Section, at.Index)
			moves := r.Moves(position, nil)
			edges[at.Section] += uint64(len(moves))
			follows := rules.Entry{Value: rules.Loss}
			if len(moves) > 0 {
				v := new(tictacchecgame.Evaluation)
				if err := v.Evaluate(r, p, position); err != nil {
					t.Fatal(err)
				}
				follows = v.Entry
			}
			if found := p.entry(t, at); found != follows {
				list = append(list, audit.Violation{Position: at, Spelt: position.String(), Found: found, Follows: follows})
			}
		}
	}
	return list, edges
}

// alone tells that no error is planted at a position or at a successor, and that
// it is a successor of none that has one. Errors planted next to one another may
// bear one another out.
func (p planted) alone(r *tictacchec.Rules, at audit.Position) bool {
	leads := func(from, to audit.Position) bool {
		position, _ := tictacchec.FromIndex(from.Section, from.Index)
		for _, m := range r.Moves(position, nil) {
			if section, index := r.Play(position, m).Index(); to == (audit.Position{Section: section, Index: index}) {
				return true
			}
		}
		return false
	}
	for other := range p.errors {
		if other == at || leads(at, other) || leads(other, at) {
			return false
		}
	}
	return true
}

// plant changes entries at the first, the last and a random index of each range, in
// all the ways there are.
func (p planted) plant(t *testing.T, r *tictacchec.Rules, ranges []audit.Range) {
	random := rand.New(rand.NewPCG(3, uint64(r.Ruleset().Tag)))
	kinds := map[string]int{}
	for _, rg := range ranges {
		longest := int(r.Ruleset().Longest[rg.Section])
		for i, index := range []uint64{rg.From, rg.To - 1, rg.From + random.Uint64N(rg.To-rg.From)} {
			at := audit.Position{Section: rg.Section, Index: index}
			if !p.alone(r, at) {
				continue
			}
			entry := p.entry(t, at)
			if entry.Value == rules.Draw {
				name, made := "draw made a win", rules.Entry{Value: rules.Win, Distance: uint8(1 + 2*random.IntN(5))}
				if i == 1 {
					name, made = "draw made a loss", rules.Entry{Value: rules.Loss, Distance: uint8(2 + 2*random.IntN(5))}
				}
				kinds[name]++
				p.errors[at] = made
				continue
			}
			kinds["decided made a draw"]++
			p.errors[at] = rules.Entry{Value: rules.Draw}
		}
		// Decisive positions, where there are more of them: distances and values.
		for k := range 6 {
			by := []int{1, -1, 2, -2}[k%4]
			index := rg.From + random.Uint64N(rg.To-rg.From)
			for ; index < rg.To; index++ {
				at := audit.Position{Section: rg.Section, Index: index}
				entry := p.entry(t, at)
				d := int(entry.Distance) + by
				if entry.Value == rules.Draw || d < 0 || d > longest || !p.alone(r, at) {
					continue
				}
				kinds[[]string{"two less", "one less", "", "one more", "two more"}[by+2]]++
				p.errors[at] = rules.EntryOf(rules.Code(d)) // by an odd number, the value is another, too
				break
			}
		}
	}
	if len(kinds) != 7 {
		t.Errorf("planted %v, want all seven kinds", kinds)
	}
	t.Logf("planted %v", kinds)
}

// TestAudit audits parts of the real game: of the table in the directory that
// SOLVED_TABLES names (see TestKernelAnswers), or else of what the embedded one
// says, of the canonical ruleset only, as each takes memory for a whole table. Errors are
// planted in a copy, and what is found are the positions whose entries do not follow by a probe's reckoning, all of them and no others: neither
// the positions before an error are missed, nor is anything else found.
func TestAudit(t *testing.T) {
	for _, r := range tictacchec.Rulesets() {
		table := tictacchectest.SolvedTable(t, r)
		if table == nil && r.Ruleset().Name != tictacchec.CanonicalName {
			continue
		}
		t.Run(r.Ruleset().Name, func(t *testing.T) {
			right := planted{tictacchectest.EntriesOf(tictacchectest.EmbeddedProber(t, r.Ruleset().Name)), nil}
			if table != nil {
				right.EntryReader = tictacchecgame.TableEntries{Table: table}
			}
			ranges := auditRanges(t, r)
			options := audit.Options{Threads: runtime.GOMAXPROCS(0), Violations: 1 << 30}

			wrong := planted{right.EntryReader, map[audit.Position]rules.Entry{}}
			wrong.plant(t, r, ranges)
			unpacked := unpackPlanted(t, r, table, wrong, ranges)
			defer unpacked.Free()
			report, err := unpacked.Check(t.Context(), tictacchecgame.AuditedGame{Rules: r}, ranges, options)
			if err != nil {
				t.Fatal(err)
			}
			want, edges := wrong.violations(t, r, ranges)
			for section, n := range edges {
				if found := report.Sections[section].Edges; found != n || n == 0 {
					t.Errorf("%d edges from the %s, want %d", found, rules.Section(section), n)
				}
			}
			if !slices.Equal(report.Violations, want) {
				t.Errorf("%v, want %v", report.Violations, want)
			}
			for at, entry := range wrong.errors {
				if !slices.ContainsFunc(report.Violations, func(v audit.Violation) bool { return v.Position == at && v.Found == entry }) {
					t.Errorf("the %s planted at %s %d is not found", entry, at.Section, at.Index)
				}
			}
		})
	}
}

// lookups looks single positions up in entries, by the reference's boards.
type lookups struct{ tictacchecgame.EntryReader }

var errNoPosition = errors.New("there is no such position")

func (l lookups) Lookup(section rules.Section, index uint64) (rules.Entry, error) {
	b, ok := tictacchec.ReferenceAt(section, index)
	if !ok {
		return rules.Entry{}, errNoPosition
	}
	p, ok := tictacchec.FromIndex(section, index)
	if !ok || p.String() != b.String() {
		return rules.Entry{}, errNoPosition
	}
	var out [1]rules.Entry
	err := l.Entries([]tictacchec.Position{p}, out[:])
	return out[0], err
}

// TestAuditSample samples the embedded tables, and finds what is planted.
func TestAuditSample(t *testing.T) {
	for _, r := range tictacchec.Rulesets() {
		t.Run(r.Ruleset().Name, func(t *testing.T) {
			reference, ok := tictacchec.ReferenceOf(r.Ruleset().Tag)
			if !ok {
				t.Fatal("no reference rules")
			}
			rs := r.Ruleset()
			sample := func(table tictacchecgame.EntryReader, n int) audit.Report {
				report, err := audit.Sample(context.Background(), rs, lookups{table}, tictacchecgame.SampledGame{Reference: reference}, n, 1,
					audit.Options{Threads: 2, Violations: 1 << 30})
				if err != nil {
					t.Fatal(err)
				}
				return report
			}
			kernel := tictacchectest.EntriesOf(tictacchectest.EmbeddedProber(t, rs.Name))
			const n = 100
			report := sample(kernel, n)
			if len(report.Violations) != 0 {
				t.Errorf("%v", report.Violations)
			}
			for section, c := range report.Sections {
				if c.Positions != n || c.Edges < 5*n || c.Draws == n {
					t.Errorf("%s: %+v", rules.Section(section), c)
				}
			}
			// Every entry wrong: nothing but draws is not the game.
			drawn := sample(allDraws{}, 20)
			mixed := 0
			for _, v := range drawn.Violations {
				if v.Found.Value == rules.Draw && v.Follows.Value != rules.Draw {
					mixed++
				}
			}
			if mixed != len(drawn.Violations) {
				t.Errorf("%v", drawn.Violations)
			}
		})
	}
}

// allDraws says of everything that it is drawn.
type allDraws struct{}

func (allDraws) Entries(positions []tictacchec.Position, out []rules.Entry) error {
	for i := range positions {
		out[i] = rules.Entry{Value: rules.Draw}
	}
	return nil
}
