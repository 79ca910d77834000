package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"solved/api"
	"solved/api/apitest"
	"solved/rules"
	"solved/rules/tictactoe"
)

// answersTo is a service as a client sees it.
type answersTo struct{ http.Handler }

// get asks for an answer of status 200.
func (h answersTo) get(t *testing.T, target string, into any) {
	t.Helper()
	w := request(h, http.MethodGet, target, "")
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %.300s", target, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
		t.Fatalf("%s: %v: %.300s", target, err, w.Body)
	}
}

// batches asks for positions in batches, and returns the results in order.
func (h answersTo) batches(t *testing.T, name string, positions []string, moves bool) []api.BatchResult {
	t.Helper()
	var results []api.BatchResult
	for part := range slices.Chunk(positions, api.MaxBatch) {
		body, err := json.Marshal(api.BatchRequest{Positions: part, Moves: moves})
		if err != nil {
			t.Fatal(err)
		}
		w := request(h, http.MethodPost, "/v1/"+name+"/probe", string(body))
		var answer api.BatchAnswer
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK || len(answer.Results) != len(part) {
			t.Fatalf("%d %v: %.300s", w.Code, err, w.Body)
		}
		results = append(results, answer.Results...)
	}
	return results
}

// checkedSometimes answers as next does, and holds every nth answer against the contract's
// document.
func checkedSometimes(t *testing.T, next http.Handler, n int) http.Handler {
	t.Helper()
	contract, err := apitest.Of(next)
	if err != nil {
		t.Fatal(err)
	}
	checked := contract.Checked(next, func(err error) { t.Error(err) })
	asked := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked%n == 1 {
			checked.ServeHTTP(w, r)
		} else {
			next.ServeHTTP(w, r)
		}
	})
}

// plainMarks answers about tic-tac-toe from the plain reference rules.
type plainMarks struct{ *tictactoe.Reference }

var marksRules = api.Rules{Name: "tic-tac-toe", Tag: "0x54545401"}

// lineSquares are the squares of each line, ascending.
var lineSquares = []string{"a1 b1 c1", "a2 b2 c2", "a3 b3 c3", "a1 a2 a3", "b1 b2 b3", "c1 c2 c3", "a1 b2 c3", "c1 b2 a3"}

// plies is the distance of an entry as the contract has it.
func plies(e rules.Entry) *int {
	if e.Value == rules.Draw {
		return nil
	}
	return new(int(e.Distance))
}

// Probe is the whole answer about a board, its moves and all.
func (r plainMarks) Probe(b tictactoe.ReferenceBoard) *api.MarksProbe {
	e := r.Entry(b)
	p := &api.MarksProbe{Rules: marksRules, Kind: "marks", Position: b.String(), SideToMove: string(b.Mover()),
		Terminal: b.Result() != rules.Unknown, Value: e.Value.String(), Distance: plies(e), Moves: []api.MarksMove{}}
	p.Board = api.Board{Shape: "grid", Files: 3, Ranks: 3, Squares: make([]*string, 9)}
	for i := range p.Board.Squares {
		if mark := b.String()[4*(2-i/3)+i%3]; mark != '.' {
			p.Board.Squares[i] = new(string(mark))
		}
	}
	for _, player := range "XO" {
		for _, line := range lineSquares {
			squares := strings.Fields(line)
			if p.Winner == nil && !slices.ContainsFunc(squares, func(s string) bool {
				return b.String()[4*strings.Index("321", s[1:])+strings.Index("abc", s[:1])] != byte(player)
			}) {
				p.Winner, p.WinningLine = new(string(player)), squares
			}
		}
	}
	for i, move := range b.Moves() {
		child := b.Play(move)
		after := r.Entry(child)
		m := api.MarksMove{Move: move, Index: i, Value: after.Value.Negate().String(), PreservesValue: after.Value.Negate() == e.Value,
			Child: api.MarksChild{Position: child.String(), Terminal: child.Result() != rules.Unknown,
				Value: after.Value.String(), Distance: plies(after)}}
		if m.Child.Distance != nil {
			m.Distance = new(*m.Child.Distance + 1)
		}
		p.Moves = append(p.Moves, m)
	}
	// Wins, fast ones first; draws; losses, long ones first.
	rank := func(m api.MarksMove) int {
		switch m.Value {
		case "win":
			return *m.Distance
		case "draw":
			return 1000
		}
		return 2000 - *m.Distance
	}
	slices.SortStableFunc(p.Moves, func(a, b api.MarksMove) int { return cmp.Compare(rank(a), rank(b)) })
	for i := range p.Moves {
		p.Moves[i].Optimal = rank(p.Moves[i]) == rank(p.Moves[0])
	}
	return p
}

// Line is the whole line from a board.
func (r plainMarks) Line(b tictactoe.ReferenceBoard, most int) *api.MarksLine {
	first := r.Probe(b)
	l := &api.MarksLine{Rules: marksRules, Kind: "marks", Position: first.Position, SideToMove: first.SideToMove,
		Value: first.Value, Distance: first.Distance, Line: []api.MarksStep{}, End: "terminal"}
	for now := first; len(now.Moves) > 0; {
		if len(l.Line) == most {
			l.End = "limit"
			break
		}
		move := now.Moves[0].Move
		b = b.Play(move)
		now = r.Probe(b)
		l.Line = append(l.Line, api.MarksStep{Ply: len(l.Line) + 1, Move: move, Position: now.Position,
			Value: now.Value, Distance: now.Distance})
	}
	return l
}

// TestAllOfTicTacToe holds every answer that there is about every position of tic-tac-toe
// against the plain reference rules, to the last field, and the counts of what was answered
// with them. Some are held against the contract's document, too.
func TestAllOfTicTacToe(t *testing.T) {
	s := quietService(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	handler := answersTo{checkedSometimes(t, s.Handler(), 101)}
	reference := plainMarks{tictactoe.NewReference()}
	same := func(what string, want, got any) {
		t.Helper()
		if d := gocmp.Diff(want, got); d != "" {
			t.Fatalf("%s (-want +got):\n%s", what, d)
		}
	}
	counted := map[string]int{}
	var positions []string
	longest := 0
	for index := range uint64(reference.Boards()) {
		board := reference.At(index)
		text := board.String()
		positions = append(positions, text)
		query := "?position=" + text

		want := reference.Probe(board)
		var probe, best api.MarksProbe
		handler.get(t, "/v1/tic-tac-toe/probe"+query, &probe)
		same(text, want, &probe)
		handler.get(t, "/v1/0x54545401/best"+query, &best)
		same("the best of "+text, want.Best(), api.Probe(&best))
		counted[want.Value] += 2

		wantLine := reference.Line(board, 200)
		var line, cut api.MarksLine
		handler.get(t, "/v1/tic-tac-toe/line"+query, &line)
		same("the line from "+text, wantLine, &line)
		handler.get(t, "/v1/tic-tac-toe/line"+query+"&max_plies=2", &cut)
		wantCut := reference.Line(board, 2)
		same("the beginning of the line from "+text, wantCut, &cut)
		for _, l := range []*api.MarksLine{wantLine, wantCut} {
			counted[l.Value]++
			for _, step := range l.Line {
				counted[step.Value]++
			}
		}
		if want.Distance != nil && want.Value != "draw" {
			if len(line.Line) != *want.Distance {
				t.Errorf("the line from %s has %d moves, for a %s in %d", text, len(line.Line), want.Value, *want.Distance)
			}
			longest = max(longest, *want.Distance)
		}
	}
	if len(positions) != 5478 || longest != 5 {
		t.Fatalf("%d positions, the longest with %d plies", len(positions), longest)
	}

	for _, moves := range []bool{true, false} {
		for i, result := range handler.batches(t, "tic-tac-toe", positions, moves) {
			want := reference.Probe(reference.At(uint64(i)))
			if counted[want.Value]++; !moves {
				want.Moves = nil
			}
			same(fmt.Sprintf("%s in a batch, moves %t", positions[i], moves), api.BatchResult{Probe: want}, result)
		}
	}
	for _, value := range []string{"win", "loss", "draw"} {
		if got := testutil.ToFloat64(s.Metrics.Probes.WithLabelValues("tic-tac-toe", value)); got != float64(counted[value]) {
			t.Errorf("%v answers are counted as a %s, want %d", got, value, counted[value])
		}
	}
}

// TestMarksBatch asks for good and bad positions at once: each gets what it would get alone.
func TestMarksBatch(t *testing.T) {
	handler := contractHandler(t)
	positions := []string{".../.../...", "", "XXX/OOO/...", "XX./OO./...", "XXX/.../...", "X",
		"XXX/OO./...", "XXX/OO./O..", "3,5,7", "\x00\xff", ".../.../...\n"}
	const malformed, illegal = "malformed-position", "illegal-position"
	problems := []string{"", malformed, illegal, "", illegal, malformed, "", illegal, malformed, malformed, malformed}
	for i, result := range (answersTo{handler}).batches(t, "tic-tac-toe", positions, true) {
		kind := ""
		if result.Problem != nil {
			kind = string(result.Problem.Kind())
		}
		if kind != problems[i] || (result.Probe == nil) != (kind != "") {
			t.Errorf("%q: %+v", positions[i], result)
		}
	}
}
