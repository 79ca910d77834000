package main

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"solved/api"
	"solved/rules/inversetreblecross"
)

// plainStrip answers about Inverse Treblecross from the plain rules, for all positions of
// one length.
type plainStrip struct {
	rules     api.Rules
	length    int
	reference *inversetreblecross.Reference
	plies     map[uint64]int
}

// text writes a position by the rule of the notation: a number for empty cells, X for a mark.
func (r plainStrip) text(marks uint64) string {
	var b strings.Builder
	empty := 0
	number := func() {
		if empty > 0 {
			fmt.Fprint(&b, empty)
		}
		empty = 0
	}
	for cell := range r.length {
		if marks>>cell&1 == 1 {
			number()
			b.WriteByte('X')
		} else {
			empty++
		}
	}
	number()
	return b.String()
}

// After are the legal moves, by cell, and what they lead to.
func (r plainStrip) After(marks uint64) (cells []int, next []uint64) {
	for cell := range r.length {
		if to := marks | 1<<cell; to != marks {
			if _, ok := r.reference.Value(to); ok {
				cells, next = append(cells, cell+1), append(next, to)
			}
		}
	}
	return cells, next
}

// distance is the length of the game when the winner hurries and the loser delays.
func (r plainStrip) distance(marks uint64) int {
	if d, ok := r.plies[marks]; ok {
		return d
	}
	won, win, loss := false, 0, 0
	_, next := r.After(marks)
	for _, to := range next {
		d := r.distance(to) + 1
		if value, _ := r.reference.Value(to); value > 0 {
			loss = max(loss, d)
		} else if !won || d < win {
			won, win = true, d
		}
	}
	if !won {
		win = loss
	}
	r.plies[marks] = win
	return win
}

func (r plainStrip) Probe(marks uint64) *api.GrundyProbe {
	word := func(grundy int) string { return map[bool]string{true: "win", false: "loss"}[grundy > 0] }
	value, _ := r.reference.Value(marks)
	cells, next := r.After(marks)
	p := &api.GrundyProbe{Rules: r.rules, Kind: "grundy", Position: r.text(marks), Terminal: len(cells) == 0, Value: word(value),
		Grundy: new(uint64(value)), Source: api.SourceSearch, Distance: new(r.distance(marks)), MovesComplete: true, Moves: []api.GrundyMove{}}
	if marks == 0 && r.rules.Name == "inverse-treblecross" {
		p.Source = api.SourceClosedForm
	}
	p.Board = &api.Board{Shape: "strip", Files: r.length, Ranks: 1, Squares: make([]*string, r.length)}
	if strings.HasSuffix(r.rules.Name, "-ring") {
		p.Board.Shape = "ring"
	}
	for i := range p.Board.Squares {
		if marks>>i&1 == 1 {
			p.Board.Squares[i] = new("X")
		}
	}
	for i, to := range next {
		number, _ := r.reference.Value(to)
		further, _ := r.After(to)
		m := api.GrundyMove{Move: strconv.Itoa(cells[i]), Value: word(1 - min(number, 1)), Distance: new(r.distance(to) + 1),
			Child: api.GrundyChild{Position: r.text(to), Terminal: len(further) == 0,
				Value: word(number), Grundy: new(uint64(number)), Distance: new(r.distance(to))}}
		m.PreservesValue = m.Value == p.Value
		p.Moves = append(p.Moves, m)
	}
	rank := func(m api.GrundyMove) int {
		if m.Value == "win" {
			return *m.Distance
		}
		return 1000 - *m.Distance
	}
	slices.SortStableFunc(p.Moves, func(a, b api.GrundyMove) int { return cmp.Compare(rank(a), rank(b)) })
	for i := range p.Moves {
		p.Moves[i].Optimal = rank(p.Moves[i]) == rank(p.Moves[0])
	}
	return p
}

// TestSmallTreblecross holds every answer about all positions of up to eight cells, under some of
// the rulesets, against the plain rules, to the last field.
func TestSmallTreblecross(t *testing.T) {
	s := quietService(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	handler := answersTo{checkedSometimes(t, s.Handler(), 31)}
	asked := 0
	for _, r := range inversetreblecross.Rulesets() {
		if r.Row() > 5 && r.Row() < inversetreblecross.MaxRow {
			continue
		}
		about := r.About()
		for length := 1; length <= 8; length++ {
			plain := plainStrip{api.Rules{Name: about.Name, Tag: about.Tag.String()}, length,
				inversetreblecross.NewReference(r.Row(), length, r.Ring()), map[uint64]int{}}
			same := func(what string, marks uint64, want, got any) {
				t.Helper()
				if d := gocmp.Diff(want, got); d != "" {
					t.Fatalf("%s of %s, %s (-want +got):\n%s", what, about.Name, plain.text(marks), d)
				}
			}
			var positions []string
			var all []*api.GrundyProbe
			for marks := range uint64(1) << length {
				text := plain.text(marks)
				target := "/v1/" + about.Name + "/probe?position=" + text
				if _, ok := plain.reference.Value(marks); !ok {
					w := request(handler, http.MethodGet, target, "")
					if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), inversetreblecross.ReasonRow) {
						t.Fatalf("%s: %d %s", target, w.Code, w.Body)
					}
					continue
				}
				asked++
				want := plain.Probe(marks)
				positions, all = append(positions, text), append(all, want)
				var probe, best api.GrundyProbe
				handler.get(t, target, &probe)
				same("the probe", marks, want, &probe)
				handler.get(t, "/v1/"+about.Name+"/best?position="+text, &best)
				same("the best", marks, want.Best(), api.Probe(&best))
				var line, wantLine api.GrundyLine
				wantLine = api.GrundyLine{Rules: want.Rules, Kind: want.Kind, Position: text, Value: want.Value, Grundy: want.Grundy,
					Distance: want.Distance, Line: []api.GrundyStep{}, End: "terminal"}
				for now, at := want, marks; len(now.Moves) > 0; {
					move := now.Moves[0].Move
					cell, _ := strconv.Atoi(move)
					at |= 1 << (cell - 1)
					now = plain.Probe(at)
					wantLine.Line = append(wantLine.Line, api.GrundyStep{Ply: len(wantLine.Line) + 1, Move: move, Position: now.Position,
						Value: now.Value, Grundy: now.Grundy, Distance: now.Distance})
				}
				handler.get(t, "/v1/"+about.Name+"/line?position="+text, &line)
				same("the line", marks, wantLine, line)
			}
			for _, moves := range []bool{true, false} {
				for i, result := range handler.batches(t, about.Name, positions, moves) {
					want := *all[i]
					if !moves {
						want.Moves, want.MovesComplete = nil, false
					}
					same("the batch", 0, api.BatchResult{Probe: &want}, result)
				}
			}
		}
	}
	if asked < 1500 {
		t.Errorf("%d positions", asked)
	}
}

// TestLargeTreblecross asks about strips of all lengths: the theorem values the empty ones, with
// a winning move; what is too much is a clear problem of its own, at once and in a batch.
func TestLargeTreblecross(t *testing.T) {
	handler := answersTo{contractHandler(t)}
	for _, n := range []uint64{60, 61, 999, 1000, 1001, 1234567, 1<<62 + 5, inversetreblecross.MaxLength} {
		var p api.GrundyProbe
		handler.get(t, fmt.Sprint("/v1/inverse-treblecross/probe?position=", n), &p)
		if *p.Grundy != uint64(inversetreblecross.EmptyStrip(n)) || (p.Value == "win") != (*p.Grundy > 0) {
			t.Errorf("%d cells: %s, Grundy value %d", n, p.Value, *p.Grundy)
		}
		if cell, ok := inversetreblecross.WinningReply(n); ok && !slices.ContainsFunc(p.Moves, func(m api.GrundyMove) bool {
			return m.Move == fmt.Sprint(cell) && m.Value == "win" && m.Optimal
		}) {
			t.Errorf("%d cells: cell %d is not among the moves that win", n, cell)
		}
		if !p.MovesComplete && p.Value == "loss" && len(p.Moves) > 0 {
			t.Errorf("%d cells: %d moves of a lost position are listed", n, len(p.Moves))
		}
	}
	const hard = "40X41X39X40"
	for _, operation := range []string{"probe", "best", "line"} {
		w := request(handler, http.MethodGet, "/v1/inverse-treblecross/"+operation+"?position="+hard, "")
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), `"/problems/position-too-large"`) {
			t.Errorf("%s: %d %s", operation, w.Code, w.Body)
		}
	}
	results := handler.batches(t, "inverse-treblecross", []string{"12", hard, "4X5", "XXX", "X0X"}, true)
	for i, want := range []api.ProblemType{"", api.PositionTooLarge, "", api.IllegalPosition, api.MalformedPosition} {
		if r := results[i]; (r.Probe == nil) != (want != "") || want != "" && (r.Problem == nil || r.Problem.Kind() != want) {
			t.Errorf("result %d: %+v, want %q", i, r, want)
		}
	}
}

// TestPublishedTreblecross asks for what others have published: the longest empty strips of
// their table and rings, each with all moves, the best ones, and a line to the end.
func TestPublishedTreblecross(t *testing.T) {
	handler := answersTo{contractHandler(t)}
	for _, r := range inversetreblecross.Rulesets() {
		name := r.About().Name
		positions := []string{"24", "25", "X24", "12X12"}
		if r.Ring() {
			positions = []string{"25", "31", "32", "X31"}
		}
		for _, position := range positions {
			target := "/v1/" + name + "/%s?position=" + position
			var probe, best api.GrundyProbe
			handler.get(t, fmt.Sprintf(target, "probe"), &probe)
			handler.get(t, fmt.Sprintf(target, "best"), &best)
			if !probe.MovesComplete || len(probe.Moves) < 24-1 || len(best.Moves) == 0 || *best.Grundy != *probe.Grundy {
				t.Errorf("%s %s: %d moves, %d best", name, position, len(probe.Moves), len(best.Moves))
			}
			var line api.GrundyLine
			handler.get(t, fmt.Sprintf(target, "line"), &line)
			if line.End != api.EndTerminal || (len(line.Line)%2 == 1) != (line.Value == "win") {
				t.Errorf("%s %s: a line of %d plies from a %s ends with %q", name, position, len(line.Line), line.Value, line.End)
			}
		}
		if !r.Ring() {
			continue
		}
		for _, position := range []string{"40", "47", "X43", "X46"} {
			var probe api.GrundyProbe
			handler.get(t, "/v1/"+name+"/probe?position="+position, &probe)
			if !probe.MovesComplete {
				t.Errorf("%s %s: not all moves", name, position)
			}
		}
	}
}
