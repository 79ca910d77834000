package audit

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"solved/rules"
	"solved/tablebase"
)

const all = 1 << 30 // more violations than there can be

func check(t testing.TB, e *entries, threads, enough int) Report {
	t.Helper()
	table, err := Unpack(context.Background(), e.game.ruleset, e, threads, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Free()
	report, err := table.Check(context.Background(), e.game, All(table.Ruleset()), Options{Threads: threads, Violations: enough})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// drawGame draws a made-up game with its entries.
func drawGame(t *rapid.T) *entries {
	sizes := [rules.Sections]uint64{rapid.Uint64Range(0, 700).Draw(t, "main"), rapid.Uint64Range(0, 150).Draw(t, "opening")}
	return solved(rapid.Uint64().Draw(t, "seed"), sizes)
}

// alter changes an entry to some other.
func alter(rnd *rand.Rand, e *rules.Entry) {
	for before := *e; *e == before; {
		*e = rules.EntryOf(rules.Code(rnd.IntN(rules.MaxDistance + 1)))
		if rnd.IntN(4) == 0 {
			*e = rules.Entry{Value: rules.Draw}
		}
	}
}

// A solved game has no violation, and everything in it is counted.
func TestCheckSolved(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		e := drawGame(rt)
		report := check(t, e, rapid.IntRange(1, 3).Draw(rt, "threads"), 1)
		var want Report
		for number, entry := range e.of {
			c, moves := &want.Sections[e.game.place(uint64(number)).Section], len(e.game.moves[number])
			c.Positions++
			c.Edges += uint64(moves)
			c.MostMoves = max(c.MostMoves, moves)
			if moves == 0 {
				c.Over++
			}
			*map[rules.Value]*uint64{rules.Win: &c.Wins, rules.Loss: &c.Losses, rules.Draw: &c.Draws}[entry.Value]++
		}
		if !reflect.DeepEqual(report, want) {
			rt.Fatalf("%+v, want %+v", report, want)
		}
	})
}

// However entries are changed, what is found is what the naive audit finds, and the
// first so many of it if fewer are enough; on any number of threads. It is never
// nothing, as no other table follows from itself.
func TestCheckAgainstNaive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		e := drawGame(rt)
		if len(e.of) == 0 {
			return
		}
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "changes"), 1))
		for _, number := range rnd.Perm(len(e.of))[:1+rnd.IntN(min(len(e.of), 20))] {
			alter(rnd, &e.of[number])
		}
		want := e.wrong()
		if len(want) == 0 {
			rt.Fatal("a table that is not the game's follows from itself")
		}
		for threads := range 3 {
			if got := check(t, e, threads+1, all).Violations; !slices.Equal(got, want) {
				rt.Fatalf("%v, want %v", got, want)
			}
			enough := 1 + rnd.IntN(len(want)+1)
			if got := check(t, e, threads+1, enough).Violations; !slices.Equal(got, want[:min(enough, len(want))]) {
				rt.Fatalf("%v, want the first %d of %v", got, enough, want)
			}
		}
	})
}

// No table but the solved one passes, however much is changed: also all of it.
func TestOnlyOneTablePasses(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		e := drawGame(rt)
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "changes"), 2))
		solved := slices.Clone(e.of)
		for number := range e.of {
			if rnd.IntN(2) == 0 {
				alter(rnd, &e.of[number])
			}
		}
		if passed := len(check(t, e, 2, 1).Violations) == 0; passed != slices.Equal(e.of, solved) {
			rt.Fatal("another table passes, or the solved one does not")
		}
	})
}

// Each kind of error is found at the first, the last and some other index of both
// sections, in a game of many blocks, and a sample of everything finds it too.
func TestPlantedErrors(t *testing.T) {
	sizes := [rules.Sections]uint64{3*checkBlock + 77, checkBlock + 5}
	e := solved(6, sizes)
	if report := check(t, e, 2, 1); len(report.Violations) != 0 {
		t.Fatal(report.Violations)
	}
	decided := func(e rules.Entry, by int) (rules.Entry, bool) {
		d := int(e.Distance) + by
		return rules.EntryOf(rules.Code(d)), e.Value != rules.Draw && d >= 0 && d <= rules.MaxDistance
	}
	kinds := []struct {
		name   string
		change func(rules.Entry) (rules.Entry, bool)
	}{
		{"value flipped", func(e rules.Entry) (rules.Entry, bool) { return decided(e, 1-2*int(e.Distance%2)) }},
		{"one more", func(e rules.Entry) (rules.Entry, bool) { return decided(e, 1) }},
		{"one less", func(e rules.Entry) (rules.Entry, bool) { return decided(e, -1) }},
		{"two more", func(e rules.Entry) (rules.Entry, bool) { return decided(e, 2) }},
		{"two less", func(e rules.Entry) (rules.Entry, bool) { return decided(e, -2) }},
		{"draw made a win", func(e rules.Entry) (rules.Entry, bool) { return rules.EntryOf(5), e.Value == rules.Draw }},
		{"draw made a loss", func(e rules.Entry) (rules.Entry, bool) { return rules.EntryOf(6), e.Value == rules.Draw }},
		{"decided made a draw", func(e rules.Entry) (rules.Entry, bool) { return rules.Entry{Value: rules.Draw}, e.Value != rules.Draw }},
	}
	table := unpacked(t, e, 2)
	rnd := rand.New(rand.NewPCG(1, 3))
	for _, kind := range kinds {
		name, change := kind.name, kind.change
		for section, n := range sizes {
			// The first and the last position that can be changed so, and others.
			next := func(index, step uint64) uint64 {
				for range n {
					entry := e.of[e.game.at(Position{rules.Section(section), index})]
					if _, ok := change(entry); ok {
						return index
					}
					index += step
				}
				t.Fatalf("no %s entry can be changed: %s", rules.Section(section), name)
				return 0
			}
			places := []uint64{next(0, 1), next(n-1, ^uint64(0))}
			for range 3 {
				places = append(places, next(rnd.Uint64N(n*3/4), 1))
			}
			for _, index := range places {
				p := Position{rules.Section(section), index}
				number := e.game.at(p)
				before := e.of[number]
				e.of[number], _ = change(before)
				table.codes[number] = e.of[number].Code()
				report, err := table.Check(t.Context(), e.game, All(table.ruleset), Options{Threads: 2, Violations: all})
				if err != nil {
					t.Fatal(err)
				}
				at := slices.IndexFunc(report.Violations, func(v Violation) bool { return v.Position == p })
				if at < 0 {
					// Where it leads back to itself, the error may bear itself out,
					// and shows at the positions before it.
					if !slices.Contains(e.game.moves[number], number) || len(report.Violations) == 0 {
						t.Errorf("%s at %s %d: not found", name, p.Section, index)
					}
				} else if v := report.Violations[at]; v.Found != e.of[number] || v.Spelt != e.game.Spell(p.Section, index) {
					t.Errorf("%s at %s %d: %s", name, p.Section, index, v)
				}
				if !slices.Equal(report.Violations, e.wrong()) {
					t.Errorf("%s at %s %d: the naive audit finds others", name, p.Section, index)
				}
				e.of[number] = before
				table.codes[number] = before.Code()
			}
		}
	}
}

// Ranges are audited, and nothing beside them.
func TestCheckRanges(t *testing.T) {
	e := solved(5, [rules.Sections]uint64{1000, 300})
	rnd := rand.New(rand.NewPCG(1, 4))
	for _, number := range rnd.Perm(len(e.of))[:200] {
		alter(rnd, &e.of[number])
	}
	table := unpacked(t, e, 1)
	ranges := []Range{{rules.Opening, 17, 290}, {rules.Main, 5, 5}, {rules.Main, 400, 1000}, {rules.Main, 0, 1}}
	report, err := table.Check(t.Context(), e.game, ranges, Options{Threads: 3, Violations: all})
	if err != nil {
		t.Fatal(err)
	}
	var want []Violation
	for _, r := range ranges {
		for _, v := range e.wrong() {
			if v.Section == r.Section && v.Index >= r.From && v.Index < r.To {
				want = append(want, v)
			}
		}
	}
	if !slices.Equal(report.Violations, want) || len(want) < 50 {
		t.Errorf("%v, want %v", report.Violations, want)
	}
	if n := report.Sections; n[rules.Main].Positions != 601 || n[rules.Opening].Positions != 273 {
		t.Errorf("%+v", n)
	}
	for _, bad := range []Range{{rules.Main, 2, 1}, {rules.Main, 0, 1001}, {rules.Opening, 300, 301}, {rules.Sections, 0, 0}} {
		if _, err := table.Check(t.Context(), e.game, []Range{bad}, Options{Threads: 1, Violations: 1}); err == nil {
			t.Errorf("%+v is audited", bad)
		}
	}
}

// A sample finds what the naive audit finds at its positions, and the same again
// with the same seed, whatever the threads.
func TestSample(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		e := drawGame(rt)
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "changes"), 5))
		for number := range e.of {
			if rnd.IntN(3) == 0 {
				alter(rnd, &e.of[number])
			}
		}
		sample := func(seed uint64, n, threads, enough int) Report {
			report, err := Sample(t.Context(), e.game.ruleset, e, plain{e.game}, n, seed, Options{Threads: threads, Violations: enough})
			if err != nil {
				t.Fatal(err)
			}
			return report
		}
		wrong := e.wrong()
		few := sample(rnd.Uint64(), 40, 2, all)
		at := 0
		for _, v := range few.Violations {
			for at < len(wrong) && wrong[at] != v {
				at++
			}
		}
		if len(few.Violations) > 0 && at == len(wrong) {
			rt.Fatalf("%v, not all in order among %v", few.Violations, wrong)
		}
		seed := rnd.Uint64()
		one, three := sample(seed, 300, 1, all), sample(seed, 300, 3, all)
		if !reflect.DeepEqual(one, three) {
			rt.Fatalf("%v with one thread, %v with three", one, three)
		}
		if first := sample(seed, 300, 3, 2).Violations; !slices.Equal(first, one.Violations[:min(2, len(one.Violations))]) {
			rt.Fatalf("%v, want the first of %v", first, one.Violations)
		}
	})
}

// So many positions are taken that all of a small game's are among them.
func TestSampleReachesEverything(t *testing.T) {
	e := solved(8, [rules.Sections]uint64{90, 40})
	rnd := rand.New(rand.NewPCG(1, 6))
	for number := range e.of {
		if rnd.IntN(2) == 0 {
			alter(rnd, &e.of[number])
		}
	}
	report, err := Sample(t.Context(), e.game.ruleset, e, plain{e.game}, 5000, 1, Options{Threads: 2, Violations: all})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(report.Violations, e.wrong()) {
		t.Errorf("%v, want %v", report.Violations, e.wrong())
	}
	if n := report.Sections; n[rules.Main].Positions != 90 || n[rules.Opening].Positions != 40 {
		t.Errorf("%+v", n)
	}
}

// strange is a game that contradicts itself at one position, or gives a number that
// is none.
type strange struct {
	*madeUp
	strangeAt uint64
	says      rules.Value // there
	bad       bool
}

func (g strange) Result(s rules.Section, index uint64) rules.Value {
	if g.at(Position{s, index}) == g.strangeAt {
		return g.says
	}
	return g.madeUp.Result(s, index)
}

func (g strange) Successors(s rules.Section, lo uint64, n int, dst []uint64, ends []int) ([]uint64, []int) {
	dst, ends = g.madeUp.Successors(s, lo, n, dst, ends)
	if g.bad {
		dst[len(dst)-1] = uint64(len(g.moves))
	}
	return dst, ends
}

type strangePlain struct {
	plain
	strangeAt uint64
	says      rules.Value // there
}

func (g strangePlain) Successors(p Position) ([]Position, rules.Value) {
	successors, result := g.plain.Successors(p)
	if g.at(p) == g.strangeAt {
		result = g.says
	}
	return successors, result
}

// Rules that contradict themselves are found out.
func TestContradictions(t *testing.T) {
	e := solved(9, [rules.Sections]uint64{100, 30})
	table := unpacked(t, e, 1)
	options := Options{Threads: 1, Violations: all}
	over := uint64(slices.IndexFunc(e.game.moves, func(m []uint64) bool { return len(m) == 0 }))
	not := uint64(slices.IndexFunc(e.game.moves, func(m []uint64) bool { return len(m) > 0 }))
	// Who cannot move may have lost or drawn; a table has no win in 0.
	for _, says := range []rules.Value{rules.Unknown, rules.Win} {
		report, err := table.Check(t.Context(), strange{e.game, over, says, false}, All(table.ruleset), options)
		if err != nil || len(report.Violations) != 1 || report.Violations[0].Index != over || report.Violations[0].Follows != (rules.Entry{}) {
			t.Errorf("%s: %v, %v", says, report.Violations, err)
		}
	}
	if _, err := table.Check(t.Context(), strange{e.game, all, rules.Unknown, true}, All(table.ruleset), options); err == nil {
		t.Error("a number that is none is taken")
	}
	for _, c := range []struct {
		at   uint64
		says rules.Value
	}{{over, rules.Unknown}, {over, rules.Win}, {not, rules.Loss}, {not, rules.Draw}, {not, rules.Win}} {
		at := c.at
		report, err := Sample(t.Context(), e.game.ruleset, e, strangePlain{plain{e.game}, at, c.says}, 5000, 1, options)
		if err != nil || len(report.Violations) != 1 || report.Violations[0].Index != at || report.Violations[0].Follows != (rules.Entry{}) {
			t.Errorf("%v, %v", report.Violations, err)
		}
	}
}

// A game can end in a loss or in a draw, and neither passes for the other.
func TestEnds(t *testing.T) {
	e := solved(11, [rules.Sections]uint64{200, 50})
	options := Options{Threads: 1, Violations: all}
	ends := map[rules.Value]int{}
	for number, right := range e.of {
		if len(e.game.moves[number]) > 0 {
			continue
		}
		ends[right.Value]++
		wrong := rules.Entry{Value: rules.Draw}
		if right.Value == rules.Draw {
			wrong.Value = rules.Loss
		}
		e.of[number] = wrong
		p := e.game.place(uint64(number))
		want := Violation{p, e.game.Spell(p.Section, p.Index), wrong, right}
		checked := check(t, e, 1, all)
		sampled, err := Sample(t.Context(), e.game.ruleset, e, plain{e.game}, 5000, 1, options)
		if err != nil || !slices.Contains(checked.Violations, want) || !slices.Contains(sampled.Violations, want) {
			t.Errorf("%v is not among %v, or among %v, %v", want, checked.Violations, sampled.Violations, err)
		}
		e.of[number] = right
	}
	if ends[rules.Loss] == 0 || ends[rules.Draw] == 0 || len(ends) != 2 {
		t.Errorf("ends: %v", ends)
	}
}

// broken is a source that fails, and looks nothing up.
type broken struct{ err error }

func (b broken) Codes(rules.Section, uint64, []rules.Code) error { return b.err }
func (b broken) Lookup(rules.Section, uint64) (rules.Entry, error) {
	return rules.Entry{}, b.err
}

// constant gives one code for everything.
type constant rules.Code

func (c constant) Codes(_ rules.Section, _ uint64, dst []rules.Code) error {
	for i := range dst {
		dst[i] = rules.Code(c)
	}
	return nil
}

func TestErrors(t *testing.T) {
	e := solved(10, [rules.Sections]uint64{100, 30})
	rs := e.game.ruleset
	failed := errors.New("failed")
	options := Options{Threads: 2, Violations: 1}
	if _, err := Unpack(t.Context(), rs, broken{failed}, 2, nil); !errors.Is(err, failed) {
		t.Error(err)
	}
	if _, err := Sample(t.Context(), rs, broken{failed}, plain{e.game}, 10, 1, options); !errors.Is(err, failed) {
		t.Error(err)
	}
	var code *tablebase.CodeError
	if _, err := Unpack(t.Context(), rs, constant(64), 1, nil); !errors.As(err, &code) || code.Code != 64 || code.Index != 0 {
		t.Error(err)
	}
	if table, err := Unpack(t.Context(), rs, constant(rules.MaxDistance), 1, nil); err != nil {
		t.Error(err)
	} else {
		table.Free()
	}
	if _, err := Sample(t.Context(), rs, e, plain{e.game}, 0, 1, options); err == nil {
		t.Error("a sample of nothing is taken")
	}
	table := unpacked(t, e, 1)
	if _, err := table.Check(t.Context(), e.game, All(rs), Options{Threads: 1}); err == nil {
		t.Error("no violations are enough")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := table.Check(ended, e.game, All(rs), options); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Unpack(ended, rs, e, 2, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Sample(ended, rs, e, plain{e.game}, 10, 1, options); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What was found before the end of the context is not lost.
func TestInterrupted(t *testing.T) {
	e := solved(11, [rules.Sections]uint64{2*checkBlock + 1, 30})
	at := slices.IndexFunc(e.of[:checkBlock], func(e rules.Entry) bool { return e.Value == rules.Draw })
	e.of[at] = rules.Entry{Value: rules.Loss}
	table := unpacked(t, e, 1)
	defer table.Free()
	ctx, end := context.WithCancel(t.Context())
	report, err := table.Check(ctx, e.game, All(table.ruleset), Options{1, all, func(uint64) { end() }})
	if !errors.Is(err, context.Canceled) || len(report.Violations) == 0 || report.Sections[rules.Main].Positions != checkBlock {
		t.Errorf("%v, %v", report, err)
	}
}

// Progress is told of everything in the end.
func TestProgress(t *testing.T) {
	e := solved(11, [rules.Sections]uint64{2*checkBlock + 1, 30})
	var most atomic.Uint64
	progress := func(done uint64) {
		for before := most.Load(); done > before && !most.CompareAndSwap(before, done); before = most.Load() {
		}
	}
	table, err := Unpack(t.Context(), e.game.ruleset, e, 2, progress)
	if err != nil || most.Swap(0) != uint64(len(e.of)) {
		t.Fatal(err)
	}
	defer table.Free()
	if _, err := table.Check(t.Context(), e.game, All(table.ruleset), Options{2, 1, progress}); err != nil || most.Swap(0) != uint64(len(e.of)) {
		t.Error(err)
	}
	report, err := Sample(t.Context(), e.game.ruleset, e, plain{e.game}, 100, 1, Options{2, 1, progress})
	if n := report.Sections[0].Positions + report.Sections[1].Positions; err != nil || most.Load() != n || n < 110 {
		t.Error(err, n)
	}
}
