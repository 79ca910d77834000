package report

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"solved/rules"
	"solved/rules/tictacchec"
)

// naive counts a position by the words of the definitions, one move after the other.
func (c *choices) naive(index uint64, p plain) {
	after := p.moves()
	if len(after) == 0 {
		return
	}
	own, threat := p.entry(), p.threatened()
	c.most = max(c.most, len(after))
	drawing, winning, completing, best, parrying, keeping := 0, 0, 0, 0, 0, 0
	for _, next := range after {
		e := next.entry()
		to := e.Value
		if next.board.Terminal() {
			to = rules.Unknown
			completing++
		}
		c.edges[own.Value][to]++
		switch e.Value {
		case rules.Draw:
			drawing++
		case rules.Loss:
			winning++
		}
		if e.Value == own.Value.Negate() {
			keeping++
			if e.Value != rules.Draw && e.Distance+1 == own.Distance {
				best++
			}
		}
		if e != (rules.Entry{Value: rules.Win, Distance: 1}) {
			parrying++
		}
	}
	if threat && (own != rules.Entry{Value: rules.Win, Distance: 1}) {
		c.parries[parrying]++
		a := &c.answers[own.Value]
		a.positions++
		a.moves += uint64(len(after))
		a.parrying += uint64(parrying)
		a.keeping += uint64(keeping)
	}
	switch own.Value {
	case rules.Draw:
		c.drawn[len(after)]++
		c.drawing[drawing]++
		if threat {
			c.answered[drawing]++
		}
		tenths := 0
		for 10*drawing >= (tenths+1)*len(after) {
			tenths++
		}
		c.shares[tenths]++
		if drawing == 1 {
			c.narrowest[len(after)] = min(c.narrowest[len(after)], index)
		}
	case rules.Win:
		c.winning[winning]++
		c.fastest[best]++
		if own.Distance == 1 {
			c.completing[completing]++
			c.besides[winning]++
		}
	case rules.Loss:
		c.resisting[best]++
	}
}

var choicesExported = cmp.AllowUnexported(choices{}, answers{})

func (s *sample) checkChoices(t *testing.T) {
	all, reached := newChoices(), newChoices()
	s.each(rules.Main, func(index uint64, p plain) {
		all.naive(index, p)
		if at, _ := tictacchec.FromIndex(rules.Main, index); s.rules.Reachable(at) {
			reached.naive(index, p)
		}
	})
	if all.drawing[1] == 0 || all.answers[rules.Draw].positions == 0 || all.answers[rules.Win].positions == 0 ||
		all.answers[rules.Loss].positions == 0 || all.shares[10] == 0 || all.completing[1] == 0 || *all == *reached {
		t.Error("the sample holds too little")
	}
	opening := [tictacchec.OpeningPlies]*choices{}
	for ply := range opening {
		opening[ply] = newChoices()
	}
	s.each(rules.Opening, func(index uint64, p plain) {
		ply := 0
		for _, c := range p.board.Squares {
			if c != '.' {
				ply++
			}
		}
		opening[ply].naive(index, p)
	})
	for _, n := range threads {
		c := s.count(t, n)
		lost, err := findLosing(t.Context(), s.Table, s.learnt(), n, nil)
		if err != nil {
			t.Fatal(err)
		}
		foundAll, foundReached, err := countChoices(t.Context(), s.Table, lost, c.threats, c.unreachable, s.spans[rules.Main], n, nil)
		if err != nil {
			t.Fatal(err)
		}
		lost.free()
		if d := cmp.Diff(all, foundAll, choicesExported); d != "" {
			t.Errorf("on %d goroutines: %s", n, d)
		}
		if d := cmp.Diff(reached, foundReached, choicesExported); d != "" {
			t.Errorf("on %d goroutines, reachable: %s", n, d)
		}
		plies, err := countOpeningChoices(t.Context(), s.Table, s.spans[rules.Opening], n, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(opening, plies, choicesExported); d != "" {
			t.Errorf("on %d goroutines, opening: %s", n, d)
		}
	}
}

// TestOpeningMoves: placements lead where the rules say, but for reflection.
func TestOpeningMoves(t *testing.T) {
	r := tictacchec.Rulesets()[0]
	random := rand.New(rand.NewPCG(6, 6))
	// number is that of a position, or of its mirror image if that is smaller.
	number := func(p tictacchec.Position) uint64 {
		section, index := p.Index()
		_, mirrored := p.Mirror().Index()
		return uint64(section)*tictacchec.MainPositions + min(index, mirrored)
	}
	moves := 0
	for ply := range tictacchec.OpeningPlies {
		from, to := tictacchec.OpeningPly(ply)
		for range 200 {
			index := from + random.Uint64N(to-from)
			p, _ := tictacchec.FromIndex(rules.Opening, index)
			var want, found []uint64
			for _, m := range r.Moves(p, nil) {
				want = append(want, number(r.Play(p, m)))
			}
			for _, n := range openingMoves(index, []uint64{7})[1:] {
				section, index := rules.Main, n
				if n >= tictacchec.MainPositions {
					section, index = rules.Opening, n-tictacchec.MainPositions
				}
				q, ok := tictacchec.FromIndex(section, index)
				if !ok {
					t.Fatalf("%s leads to %d", p, n)
				}
				found = append(found, number(q))
			}
			slices.Sort(want)
			slices.Sort(found)
			if !slices.Equal(found, want) {
				t.Fatalf("%s leads to %v, want %v", p, found, want)
			}
			moves += len(found)
		}
	}
	if moves < 10_000 {
		t.Errorf("saw %d moves", moves)
	}
}
