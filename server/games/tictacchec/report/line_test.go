package report

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"solved/rules"
	"solved/rules/tictacchec"
)

// learnLine learns what a line from a position looks at. Positions that follow are found
// by the search, not by the line.
func (p *partial) learnLine(t testing.TB, from tictacchec.Position) {
	t.Helper()
	seen := map[tictacchec.Position]bool{}
	for at := from; !seen[at]; {
		seen[at] = true
		p.learnMoves(at)
		own := p.ahead.Entry(at)
		var best tictacchec.Move
		found := false
		for _, m := range p.rules.Moves(at, nil) {
			e := p.ahead.Entry(p.rules.Play(at, m))
			if e.Value != own.Value.Negate() || own.Value != rules.Draw && e.Distance+1 != own.Distance {
				continue
			}
			if !found || own.Value == rules.Draw && leastFirst(m) < leastFirst(best) {
				best, found = m, true
			}
		}
		if !found {
			return
		}
		at = p.rules.Play(at, best)
	}
}

// leastFirst spells a move so that texts are in the order of the drawing lasso.
func leastFirst(m tictacchec.Move) string {
	square := func(s tictacchec.Square) string { return s.String()[1:] + s.String()[:1] }
	if m.From == tictacchec.NoSquare {
		return "0" + string("0123"[m.Piece.Kind()]) + square(m.To)
	}
	return "1" + square(m.From) + square(m.To)
}

// learnLasso learns what the line from the empty board looks at. The search takes long in
// the first plies, of which enough is known: all that can be seen from there is drawn.
func (p *partial) learnLasso(t testing.TB) {
	t.Helper()
	r, at := p.rules, tictacchec.Start()
	drawn := func(at tictacchec.Position) {
		section, index := at.Index()
		p.section(section)[index] = rules.CodeDraw
	}
	for range 3 {
		drawn(at)
		for _, m := range r.Moves(at, nil) {
			drawn(r.Play(at, m))
		}
		at = r.Play(at, r.Moves(at, nil)[0])
	}
	p.learnLine(t, at)
}

func TestDrawingLasso(t *testing.T) {
	p := newPartial(t, tictacchec.Rulesets()[0])
	p.learnLasso(t)
	l, err := p.line(tictacchec.Start())
	if err != nil {
		t.Fatal(err)
	}
	if l.End != "cycle" || l.Prefix != 32 || l.Cycle != 18 || l.Returns != "post:2148899478" || len(l.Steps) != 50 {
		t.Errorf("%d plies, %s, %d and %d, %s", len(l.Steps), l.End, l.Prefix, l.Cycle, l.Returns)
	}
	i := slices.IndexFunc(l.Narrow, func(c Choice) bool { return c.Ply == 19 })
	if i < 0 {
		t.Fatalf("ply 19 is not among the narrow choices: %+v", l.Narrow)
	}
	c := l.Narrow[i]
	slices.Sort(c.Holding)
	if c.Position != "4/1Nn1/BPRr/b3 b u- m" || c.Key != "post:1276048331" || c.Legal != 18 ||
		!slices.Equal(c.Holding, []string{"a1-b2", "c3-a2", "d2-c2"}) || !slices.Equal(c.Others, []Worth{{"loss in 2", 15}}) {
		t.Errorf("%+v", c)
	}
	if len(l.Narrow) > narrowest || !slices.IsSortedFunc(l.Narrow, func(a, b Choice) int { return a.Ply - b.Ply }) {
		t.Errorf("narrow choices: %+v", l.Narrow)
	}
}

func TestLongestLines(t *testing.T) {
	lines := 0
	for _, r := range tictacchec.Rulesets() {
		p := newPartial(t, r)
		for text, entry := range longestOf[r.Ruleset().Name] {
			at, _, err := tictacchec.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			p.learnLine(t, at)
			l, err := p.line(at)
			if err != nil {
				t.Fatal(err)
			}
			lines++
			if l.Entry != entry || l.End != "over" || !strings.HasSuffix(entry, " "+written(len(l.Steps))) || l.Cycle != 0 {
				t.Errorf("%s: %s, %d plies, %s", text, l.Entry, len(l.Steps), l.End)
			}
			var moves []string
			for i, s := range l.Steps {
				moves = append(moves, s.Move)
				if s.Ply != i+1 || s.Equal < 1 || s.Holds < s.Equal || s.Legal < s.Holds {
					t.Errorf("%s: %+v", text, s)
				}
			}
			end, _, err := r.PlayMoves(at, strings.Join(moves, ","))
			if err != nil || !end.Terminal() || end.String() != l.Steps[len(l.Steps)-1].Result {
				t.Errorf("%s ends at %s, %v", text, end, err)
			}
		}
	}
	if lines != 6 {
		t.Errorf("saw %d lines", lines)
	}
}

// longestOf has the longest win and the longest loss of each ruleset.
var longestOf = map[string]map[string]string{
	tictacchec.CanonicalName:      {"Pb2/n1R1/2rp/N3 w dd m": "win in 41", "b2n/PR2/1r1N/2Bp w uu m": "loss in 40"},
	tictacchec.OutboundName:       {"3R/1P1n/1p2/1Bb1 w dd m": "win in 41", "1bBn/1P2/1p1N/3r w ud m": "loss in 40"},
	tictacchec.TowardOpponentName: {"P3/Np1b/r3/2n1 w du m": "win in 43", "2N1/R3/nP1B/pb2 w du m": "loss in 42"},
}

// TestContradiction: an entry on the line that does not follow is found.
func TestContradiction(t *testing.T) {
	p := newPartial(t, tictacchec.Rulesets()[0])
	at, _, err := tictacchec.Parse("Pb2/n1R1/2rp/N3 w dd m")
	if err != nil {
		t.Fatal(err)
	}
	p.learnLine(t, at)
	good, err := p.line(at)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []int{0, 1, 20, len(good.Steps) - 1} {
		q, _, err := tictacchec.Parse(good.Steps[step].Result)
		if err != nil {
			// The last position is over.
			q, _, _ = p.rules.PlayMoves(at, joinedMoves(good))
		}
		section, index := q.Index()
		right := p.section(section)[index]
		for _, wrong := range []rules.Code{rules.CodeDraw, right + 2, right ^ 1} {
			p.section(section)[index] = wrong
			var contradiction *ContradictionError
			if _, err := p.line(at); !errors.As(err, &contradiction) {
				t.Errorf("step %d, %d for %d: %v", step, wrong, right, err)
			}
		}
		p.section(section)[index] = right
	}
}

func joinedMoves(l *Line) string {
	var moves []string
	for _, s := range l.Steps {
		moves = append(moves, s.Move)
	}
	return strings.Join(moves, ",")
}
