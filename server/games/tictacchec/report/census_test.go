package report

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"solved/rules"
	"solved/rules/tictacchec"
)

// counted is what the passes find in a sample.
type counted struct {
	threats     bitset
	unreachable bitset
	census      *census
	over        uint64
}

func (s *sample) count(t testing.TB, threads int) (c counted) {
	t.Helper()
	var err error
	check := func() {
		if err != nil {
			t.Fatal(err)
		}
	}
	c.threats, err = findThreats(t.Context(), s.Table, s.passed, threads, nil)
	check()
	c.unreachable, err = findUnreachable(t.Context(), s.Table, s.spans[rules.Main], threads, nil)
	check()
	c.census, err = takeCensus(t.Context(), s.Table, c.threats, c.unreachable, s.spans[rules.Main], threads, nil)
	check()
	c.over, err = countOver(t.Context(), s.Table, s.spans[rules.Main], threads, nil)
	check()
	return c
}

// TestPasses holds what the passes over the positions of a sample count against what is
// counted by the plain reference rules.
func TestPasses(t *testing.T) {
	for _, r := range tictacchec.Rulesets() {
		s := newSample(t, r, 120, 4)
		t.Run(r.Ruleset().Name+" positions", s.checkCensus)
		t.Run(r.Ruleset().Name+" moves", s.checkChoices)
	}
}

func (s *sample) checkCensus(t *testing.T) {
	want := new(census)
	var over uint64
	seen := map[string]int{}
	s.each(rules.Main, func(index uint64, p plain) {
		entry, kind, set := p.entry(), 0, uint8(0)
		if p.threatened() {
			kind |= threatened
		}
		at, _ := tictacchec.FromIndex(rules.Main, index)
		if s.rules.Reachable(at) {
			kind |= reachable
		} else {
			seen["unreachable"]++
		}
		for i, letter := range []byte("PNBRpnbr") {
			if slices.Contains(p.board.Squares[:], letter) {
				set |= 1 << i
			}
		}
		if want.bySet[set] == nil {
			want.bySet[set] = new([kinds]tally)
		}
		w := drawn
		if entry.Value != rules.Draw {
			w = int(entry.Distance)
		}
		c := &want.bySet[set][kind]
		if c.count[w] == 0 {
			c.first[w] = index
		}
		c.count[w]++
		if w == 2 && kind&threatened == 0 {
			want.zugzwangs = append(want.zugzwangs, index)
			seen["zugzwang"]++
		}
		if w == 0 && p.board.WhiteOwnsLine() {
			over++
		}
		seen[entry.Value.String()]++
		if kind&threatened != 0 {
			seen["threat"]++
		}
	})
	for _, what := range []string{"win", "loss", "draw", "threat", "zugzwang", "unreachable"} {
		if seen[what] == 0 {
			t.Errorf("no %s among %v", what, seen)
		}
	}
	for _, n := range threads {
		found := s.count(t, n)
		if !cmp.Equal(found.census, want, cmp.AllowUnexported(census{}, tally{})) {
			t.Errorf("on %d goroutines: %s", n, cmp.Diff(want, found.census, cmp.AllowUnexported(census{}, tally{})))
		}
		if found.over != over {
			t.Errorf("on %d goroutines the mover owns a line in %d, want %d", n, found.over, over)
		}
	}
}

// TestTallies: what is added up in parts is what is counted at once.
func TestTallies(t *testing.T) {
	codes := []rules.Code{255, 3, 3, 0, 7, 255, 2, 3}
	whole, first, second := new(tally), new(tally), new(tally)
	for i, c := range codes {
		whole.see(c, uint64(100+i))
		if i < 4 {
			first.see(c, uint64(100+i))
		} else {
			second.see(c, uint64(100+i))
		}
	}
	second.add(first) // in whatever order
	if *second != *whole {
		t.Errorf("%v, want %v", second, whole)
	}
	if wins, losses, draws := whole.values(); wins != 4 || losses != 2 || draws != 2 || whole.first[3] != 101 || whole.first[drawn] != 100 {
		t.Errorf("%d wins, %d losses, %d draws, first %v", wins, losses, draws, whole.first)
	}
}

// TestSpans: pieces are what spans hold, in order, and none lies in two sets or plies.
func TestSpans(t *testing.T) {
	spans := []span{{0, 100}, {1_000_000, 4_000_000}, {2_462_000_000, tictacchec.MainPositions}}
	pieces, sets := cutBySet(spans)
	if !slices.Equal(joined(pieces), spans) {
		t.Errorf("%v, want %v", joined(pieces), spans)
	}
	for i, p := range pieces {
		if from, to := tictacchec.IndicesOf(sets[i]); p.from < from || p.to > to || p.to-p.from > spanSize || p.from >= p.to {
			t.Errorf("%v is not of the set %d", p, sets[i])
		}
	}
	all := []span{{0, tictacchec.OpeningPositions}}
	pieces, plies := cutByPly(all, 1000)
	if !slices.Equal(joined(pieces), all) {
		t.Errorf("%v, want %v", joined(pieces), all)
	}
	for i, p := range pieces {
		if from, to := tictacchec.OpeningPly(plies[i]); p.from < from || p.to > to || p.to-p.from > 1000 || p.from >= p.to {
			t.Errorf("%v is not of ply %d", p, plies[i])
		}
	}
}
