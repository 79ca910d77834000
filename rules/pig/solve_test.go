package pig

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"solved/rules"
)

func TestAbout(t *testing.T) {
	all := Rulesets()
	if len(all) != 1 {
		t.Fatalf("%d rulesets", len(all))
	}
	var game rules.Game = all[0]
	about := game.About()
	if about.Name != "pig" || about.Tag.String() != "0x50494701" || about.Game != "Pig" || about.Title == "" || about.Summary == "" {
		t.Errorf("%+v", about)
	}
	if start := game.Start(); start.String() != "0,0,0" {
		t.Errorf("starts from %s", start)
	}
}

// table returns the look-up in a table of a solution.
func table(s *Solution) Lookup {
	return func(index uint64) (uint16, Action, error) {
		probability, best := s.Entry(index)
		return probability, best, nil
	}
}

// The laws of the solution.
func TestSolution(t *testing.T) {
	s := Solve()
	for index := range uint64(Positions) {
		p, _ := FromIndex(index)
		win := s.Win(p)
		switch {
		case win <= 0 || win > 1 || p.Wins() != (win == 1):
			t.Fatalf("%s is won with %v", p, win)
		case p.Wins() && s.Best(p) != Hold || p.Turn() == 0 && s.Best(p) != Roll:
			t.Fatalf("%s: %s", p, s.Best(p))
		}
		// More of one's own is better, more of the other's is worse, and so is less in this
		// turn.
		if more, ok := At(p.Mine()+1, p.Theirs(), p.Turn()); ok && s.Win(more) < win {
			t.Fatalf("%s is won with %v, and %s with %v", p, win, more, s.Win(more))
		}
		if more, ok := At(p.Mine(), p.Theirs()+1, p.Turn()); ok && s.Win(more) > win {
			t.Fatalf("%s is won with %v, and %s with %v", p, win, more, s.Win(more))
		}
		if more, ok := At(p.Mine(), p.Theirs(), p.Turn()+1); ok && s.Win(more) < win {
			t.Fatalf("%s is won with %v, and %s with %v", p, win, more, s.Win(more))
		}
	}
	over := Position{80, 20, 20}.Held()
	if s.Win(over) != 0 {
		t.Errorf("a lost game is won with %v", s.Win(over))
	}
}

// Who best responds does at least as well as any other strategy, and both sides of a match
// are the same match.
func TestMatches(t *testing.T) {
	s := Solve()
	twenty := HoldAt(20)
	best := NewMatch(nil, twenty)
	for _, one := range []Strategy{twenty, HoldAt(25), HoldAt(2), HoldAt(1000), s.Best, best.Strategy()} {
		m, reverse := NewMatch(one, twenty), NewMatch(twenty, one)
		if m.Begins() > best.Begins()+1e-14 || m.Follows() > best.Follows()+1e-14 {
			t.Errorf("%v, %v, and the best response has %v, %v", m.Begins(), m.Follows(), best.Begins(), best.Follows())
		}
		if math.Abs(m.Begins()-1+reverse.Follows()) > 1e-14 || math.Abs(m.Follows()-1+reverse.Begins()) > 1e-14 {
			t.Errorf("%v, %v; the other way round %v, %v", m.Begins(), m.Follows(), reverse.Begins(), reverse.Follows())
		}
		// Perfect play does at least as well against it as against itself.
		perfect := NewMatch(s.Best, one)
		if start := s.Win(Position{}); perfect.Begins() < start-1e-14 || perfect.Follows() < 1-start-1e-14 {
			t.Errorf("perfect play wins %v, %v", perfect.Begins(), perfect.Follows())
		}
	}
	again := NewMatch(best.Strategy(), twenty)
	if math.Abs(again.Begins()-best.Begins()) > 1e-14 {
		t.Errorf("the best response is worth %v, and as a strategy of its own %v", best.Begins(), again.Begins())
	}
}

func TestEvaluate(t *testing.T) {
	s := Solve()
	lookup := table(s)
	for _, c := range []struct {
		position string
		best     Action
		holds    []Interval
	}{
		{"0,0,0", Roll, []Interval{{21, 99}}},
		{"0,0,20", Roll, []Interval{{21, 99}}},
		{"0,0,21", Hold, []Interval{{21, 99}}},
		{"5,76,29", Roll, []Interval{{30, 32}, {45, 81}, {95, 99}}},
		{"5,76,30", Hold, []Interval{{30, 32}, {45, 81}, {95, 99}}},
		{"5,76,33", Roll, []Interval{{30, 32}, {45, 81}, {95, 99}}},
		{"0,95,60", Roll, []Interval{}},
		{"99,99,0", Roll, []Interval{{2, 99}}},
		{"99,99,2", Hold, []Interval{{2, 99}}},
	} {
		p := parse(t, c.position)
		e, err := Evaluate(p, lookup)
		if err != nil || e.Best != c.best || !slices.Equal(e.Holds, c.holds) || e.Holds == nil {
			t.Errorf("%s: %+v, %v; want %s, %v", p, e, err, c.best, c.holds)
		}
	}
	e, err := Evaluate(Position{80, 20, 20}.Held(), lookup)
	if err != nil || e.Win != 0 || e.Roll != 0 || e.Hold != 0 || e.Holds != nil {
		t.Errorf("after the end: %+v, %v", e, err)
	}
}

// An error of the look-up comes back, at whichever look-up it is.
func TestEvaluateError(t *testing.T) {
	lookup, broken := table(Solve()), errors.New("broken")
	p := parse(t, "5,76,33")
	for fails := 0; ; fails++ {
		n := 0
		e, err := Evaluate(p, func(index uint64) (uint16, Action, error) {
			if n++; n > fails {
				return 0, Roll, broken
			}
			return lookup(index)
		})
		if err == nil {
			if fails < 100 {
				t.Errorf("only %d look-ups", fails)
			}
			return
		}
		if !errors.Is(err, broken) || e.Holds != nil || n > fails+1 {
			t.Errorf("look-up %d fails: %+v, %v after %d look-ups", fails, e, err, n)
		}
	}
}

// Any table gives an evaluation in which the best action is worth what the position is.
func TestEvaluateAnyTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		mix := func(index uint64) uint64 {
			x := (index + seed) * 0x9e3779b97f4a7c15
			return x ^ x>>29
		}
		lookup := func(index uint64) (uint16, Action, error) {
			if index >= Positions {
				t.Fatalf("looked up %d", index)
			}
			return uint16(mix(index)), Action(mix(index) >> 20 & 1), nil
		}
		p, _ := FromIndex(rapid.Uint64Range(0, Positions-1).Draw(t, "index"))
		e, err := Evaluate(p, lookup)
		if err != nil || max(e.Roll, e.Hold) != e.Win || min(e.Roll, e.Hold) < 0 {
			t.Fatalf("%s: %+v, %v", p, e, err)
		}
		least := 0
		for _, i := range e.Holds {
			if i.From > i.To || i.From < least || i.To > MaxTurn {
				t.Fatalf("%s: %v", p, e.Holds)
			}
			least = i.To + 2
		}
		for slot := range Turns {
			q, _ := At(p.Mine(), p.Theirs(), turnOf(slot))
			_, best, _ := lookup(q.Index())
			in := slices.ContainsFunc(e.Holds, func(i Interval) bool { return i.From <= q.Turn() && q.Turn() <= i.To })
			if in != (best == Hold) {
				t.Fatalf("%s: %s, and the intervals are %v", q, best, e.Holds)
			}
		}
	})
}

func TestThreshold(t *testing.T) {
	for _, c := range []struct {
		holds []Interval
		want  bool
	}{
		{nil, true},
		{[]Interval{{21, 99}}, true},
		{[]Interval{{21, 98}}, false},
		{[]Interval{{21, 22}, {30, 99}}, false},
	} {
		if Threshold(c.holds) != c.want {
			t.Errorf("%v: %v", c.holds, !c.want)
		}
	}
}

func TestExamples(t *testing.T) {
	s := Solve()
	want := map[string]Action{"start": Roll, "twenty": Roll, "islands": Roll, "all-or-nothing": Roll, "won": Hold}
	for _, e := range Examples() {
		if best, ok := want[e.Name]; !ok || s.Best(e.Position) != best || e.Summary == "" || parse(t, e.Position.String()) != e.Position {
			t.Errorf("%+v: %s", e, s.Best(e.Position))
		}
		delete(want, e.Name)
	}
	if len(want) > 0 {
		t.Errorf("no example %v", want)
	}
}

func BenchmarkSolve(b *testing.B) {
	for b.Loop() {
		Solve()
	}
}

func BenchmarkEvaluate(b *testing.B) {
	s := Solve()
	p := parse(b, "5,76,33")
	for b.Loop() {
		if _, err := Evaluate(p, table(s)); err != nil {
			b.Fatal(err)
		}
	}
}
