package notakto

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"solved/api"
	"solved/rules"
	"solved/rules/notakto"
	"solved/server/game"
)

// prober returns a prober of the game.
func prober(t *testing.T) game.Prober {
	t.Helper()
	g := New(notakto.Rulesets()[0])
	table, err := g.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	p := game.NewProber(g)
	p.Slot().Table.Store(table)
	return p
}

// written writes a board of the reference, nine letters from the top left, as a position string does.
func written(board string) string { return board[:3] + "/" + board[3:6] + "/" + board[6:] }

// plain answers about a position of up to three boards from the plain rules. The quotient, which
// these do not know, it leaves out.
func plain(r *notakto.Reference, id api.Rules, boards []string) *api.MisereProbe {
	text := func(boards []string) string {
		var all []string
		for _, b := range boards {
			all = append(all, written(b))
		}
		return strings.Join(all, ",")
	}
	worth := r.Of(boards...)
	x := "X"
	p := &api.MisereProbe{Rules: id, Kind: "misere", Position: text(boards), Terminal: worth.Distance == 0, Value: worth.Value.String(),
		Distance: &worth.Distance, MovesComplete: true, Moves: []api.MisereMove{}}
	for i, b := range boards {
		board := api.Board{Shape: "grid", Files: 3, Ranks: 3, Squares: make([]*string, 9)}
		live := r.Of(b) != r.Of("XXX......")
		for square := range 9 {
			at := 9 - 3*(square/3+1) + square%3 // in a text that begins at the top left
			if b[at] == 'X' {
				board.Squares[square] = &x
				continue
			}
			if !live {
				continue
			}
			next := slices.Clone(boards)
			next[i] = b[:at] + "X" + b[at+1:]
			child := r.Of(next...)
			m := api.MisereMove{Move: fmt.Sprintf("%d:%c%d", i+1, 'a'+square%3, square/3+1), Value: "win", Distance: new(child.Distance + 1),
				Child: api.MisereChild{Position: text(next), Terminal: child.Distance == 0, Value: child.Value.String(), Distance: &child.Distance}}
			if child.Value == rules.Win {
				m.Value = "loss"
			}
			m.PreservesValue = m.Value == p.Value
			p.Moves = append(p.Moves, m)
		}
		p.Boards = append(p.Boards, board)
	}
	rank := func(m api.MisereMove) int {
		if m.Value == "win" {
			return *m.Distance
		}
		return 1000 - *m.Distance
	}
	slices.SortStableFunc(p.Moves, func(a, b api.MisereMove) int { return cmp.Compare(rank(a), rank(b)) })
	for i := range p.Moves {
		p.Moves[i].Optimal = rank(p.Moves[i]) == rank(p.Moves[0])
	}
	return p
}

// TestAnswersOfSmallSums compares the probe and the line of every sum of two boards, the second
// perhaps dead, with the plain rules; and that of some sums of three.
func TestAnswersOfSmallSums(t *testing.T) {
	p, r := prober(t), notakto.NewReference()
	boards := append(slices.Clone(r.Boards()), "XXX......", "X...X...X")
	var sums [][]string
	for i, a := range boards {
		for _, b := range boards {
			sums = append(sums, []string{a, b})
		}
		sums = append(sums, []string{a}, []string{boards[(7*i)%len(boards)], a, boards[(3*i+1)%len(boards)]})
	}
	quotients := map[string]bool{}
	for _, sum := range sums {
		want := plain(r, p.ID(), sum)
		q := api.Question{Position: &want.Position}
		answer, err := game.ProbeOne(t.Context(), p, q)
		if err != nil {
			t.Fatalf("%s: %v", want.Position, err)
		}
		got := answer.(*api.MisereProbe)
		quotients[got.Quotient] = true
		checkQuotients(t, got)
		if d := gocmp.Diff(want, without(got)); d != "" {
			t.Fatalf("the probe of %s (-want +got):\n%s", want.Position, d)
		}
		line, err := p.Line(t.Context(), q, api.MaxPlies, nil)
		if err != nil {
			t.Fatalf("%s: %v", want.Position, err)
		}
		l := line.(*api.MisereLine)
		// The winner of a won position makes none of the last moves, and so their number is even.
		if l.Value != want.Value || *l.Distance != *want.Distance || len(l.Line) != *want.Distance || l.End != api.EndTerminal || (len(l.Line)%2 == 0) != (l.Value == "win") {
			t.Fatalf("%s, a %s in %d: a line of %d plies from a %s ends with %s", want.Position, want.Value, *want.Distance, len(l.Line), l.Value, l.End)
		}
		if len(l.Line) > 0 && (l.Line[0].Move != want.Moves[0].Move || l.Line[0].Position != want.Moves[0].Child.Position) {
			t.Fatalf("%s: the line begins with %s, want %s", want.Position, l.Line[0].Move, want.Moves[0].Move)
		}
	}
	if len(sums) < 2000 || len(quotients) != 18 {
		t.Errorf("%d sums, %d elements", len(sums), len(quotients))
	}
}

// checkQuotients checks that the quotient elements are those that the rules give each position.
func checkQuotients(t *testing.T, p *api.MisereProbe) {
	t.Helper()
	element := func(text string) string {
		position, err := notakto.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return position.Element().String()
	}
	if p.Quotient != element(p.Position) {
		t.Errorf("%s has the element %s", p.Position, p.Quotient)
	}
	for _, m := range p.Moves {
		if m.Child.Quotient != element(m.Child.Position) {
			t.Errorf("%s has the element %s after %s of %s", m.Child.Position, m.Child.Quotient, m.Move, p.Position)
		}
	}
}

// without is a probe without its quotient elements.
func without(p *api.MisereProbe) *api.MisereProbe {
	q := *p
	q.Quotient, q.Moves = "", slices.Clone(p.Moves)
	for i := range q.Moves {
		q.Moves[i].Child.Quotient = ""
	}
	return &q
}

// empty writes so many empty boards.
func empty(boards int) string { return strings.TrimSuffix(strings.Repeat(".../.../...,", boards), ",") }

// TestAnswersOfManyBoards asks for positions past the bounds of distance, boards and moves, and
// holds the bound of an answer's bytes against each answer.
func TestAnswersOfManyBoards(t *testing.T) {
	p := prober(t)
	for _, test := range []struct {
		position, value            string
		moves                      int
		complete, boards, distance bool
	}{
		{empty(5), "win", 45, true, true, true},
		{empty(6), "loss", 54, true, true, false},
		{empty(11), "win", 99, true, true, false},
		{empty(12), "loss", 108, true, false, false},
		{empty(111), "win", 999, true, false, false},
		{empty(112), "loss", 0, false, false, false},
		{empty(1000), "loss", 0, false, false, false},
		{empty(999), "win", notakto.MaxWinning, false, false, false},
		{strings.Repeat("XXX/.../...,", 999) + "XXX/.../...", "win", 0, true, false, true},
	} {
		for _, valueOnly := range []bool{false, true} {
			answer, err := game.ProbeOne(t.Context(), p, api.Question{Position: &test.position, ValueOnly: valueOnly})
			if err != nil {
				t.Fatalf("%.20s…: %v", test.position, err)
			}
			got := answer.(*api.MisereProbe)
			moves, complete := test.moves, test.complete
			if valueOnly {
				moves, complete = 0, false
			}
			if got.Value != test.value || got.MovesComplete != complete || (got.Boards != nil) != test.boards || (got.Distance != nil) != test.distance || len(got.Moves) != moves {
				t.Errorf("%d bytes of boards: a %s with %d moves, complete %t, %d boards, distance %v",
					len(test.position), got.Value, len(got.Moves), got.MovesComplete, len(got.Boards), got.Distance)
			}
			body, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			position, err := notakto.Parse(test.position)
			if err != nil {
				t.Fatal(err)
			}
			if bound := (encoder{}).Size(position, valueOnly); len(body) > bound {
				t.Errorf("%d boards: %d bytes, bounded by %d", len(position.Boards()), len(body), bound)
			}
		}
	}
	// A thousand moves, each with a thousand boards, are too much.
	long := strings.Repeat("XXX/.../...,", 889) + empty(111)
	if _, err := game.ProbeOne(t.Context(), p, api.Question{Position: &long}); err == nil {
		t.Error("1,000 boards with 999 moves are answered")
	}
}

// TestLineOfManyBoards plays a line of six boards to its end: without a distance at first, with
// one once five live boards are left.
func TestLineOfManyBoards(t *testing.T) {
	p := prober(t)
	position := empty(6)
	answer, err := p.Line(t.Context(), api.Question{Position: &position}, api.MaxPlies, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := answer.(*api.MisereLine)
	if l.Value != "loss" || l.Distance != nil || l.End != api.EndTerminal || len(l.Line)%2 != 1 {
		t.Errorf("a %s in %v; %d plies, then %s", l.Value, l.Distance, len(l.Line), l.End)
	}
	for i, s := range l.Line {
		if s.Distance != nil && *s.Distance != len(l.Line)-1-i {
			t.Errorf("%d plies from the end: distance %d", len(l.Line)-1-i, *s.Distance)
		}
	}
}
