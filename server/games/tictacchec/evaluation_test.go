package tictacchec_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"solved/api"
	"solved/api/httpapi"
	"solved/rules"
	"solved/rules/tictacchec"
	"solved/server/game"
	tictacchecgame "solved/server/games/tictacchec"
	"solved/server/games/tictacchec/tictacchectest"
	"solved/server/tables"
)

// TestVectors gives a prober the children's values of every vector and holds the
// whole of its answer against the vector.
func TestVectors(t *testing.T) {
	for _, file := range tictacchectest.VectorFiles {
		t.Run(file.Rules, func(t *testing.T) {
			r := tictacchectest.RulesNamed(t, file.Rules)
			seen := tictacchectest.EachLine(t, file.Rules+".jsonl", func(v tictacchectest.Vector) {
				known := tictacchectest.KnownEntries{}
				for _, m := range v.Moves {
					e := tictacchectest.EntryOf(t, m.Value, m.Distance)
					e.Value = e.Value.Negate()
					if e.Value != rules.Draw {
						e.Distance--
					}
					known[tictacchectest.Parse(t, m.Position)] = e
				}
				checkVector(t, tictacchectest.ProberOn(r, known), v)
			})
			if seen != file.Lines {
				t.Errorf("saw %d positions, want %d", seen, file.Lines)
			}
		})
	}
}

// checkVector holds a prober's answer against a vector.
func checkVector(t *testing.T, p game.Prober, v tictacchectest.Vector) {
	t.Helper()
	answer, err := tictacchectest.Probe(context.Background(), p, api.Question{Position: &v.Position})
	if err != nil {
		t.Error(err)
		return
	}
	got := tictacchectest.Vector{Position: answer.Position, Key: answer.Key, Value: answer.Value, Distance: answer.Distance,
		Moves: make([]tictacchectest.VectorMove, len(answer.Moves))}
	for _, m := range answer.Moves {
		got.Moves[m.Index] = tictacchectest.VectorMove{Move: m.Move, Position: m.Child.Position, Key: m.Child.Key, Value: m.Value, Distance: m.Distance, Optimal: m.Optimal, Captures: m.Captures}
	}
	if d := cmp.Diff(v, got); d != "" {
		t.Errorf("%s: (-want +got)\n%s", v.Position, d)
	}
	checkShape(t, tictacchectest.TicTacChecRules(p), answer)
}

// checkShape checks what holds for every answer.
func checkShape(t *testing.T, r *tictacchec.Rules, a *api.PiecesProbe) {
	t.Helper()
	position := tictacchectest.Parse(t, a.Position)
	if a.SideToMove != position.Side().String() || a.Terminal != (len(a.Moves) == 0) ||
		a.Terminal != (a.Winner != nil) || a.Terminal != (len(a.WinningLine) == 4) || a.Moves == nil {
		t.Errorf("%s: side %s, terminal %v, winner %v, line %v, %d moves", a.Position, a.SideToMove, a.Terminal, a.Winner, a.WinningLine, len(a.Moves))
	}
	if !slices.IsSortedFunc(a.WinningLine, func(x, y string) int { return int(x[1])*8 + int(x[0]) - int(y[1])*8 - int(y[0]) }) {
		t.Errorf("%s: winning line %v is not ascending", a.Position, a.WinningLine)
	}
	moves := r.Moves(position, nil)
	for i, m := range a.Moves {
		move := moves[m.Index]
		if m.Move != move.String() || m.Piece != string(move.Piece.Kind().Letter()) || m.To != move.To.String() {
			t.Errorf("%s: move %+v at index %d, want %s", a.Position, m, m.Index, move)
		}
		if (m.From == nil) != (move.From == tictacchec.NoSquare) || m.From != nil && *m.From != move.From.String() {
			t.Errorf("%s: move %s comes from %v", a.Position, m.Move, m.From)
		}
		if m.Child.Position != r.Play(position, move).String() || m.Child.Terminal != r.Play(position, move).Terminal() {
			t.Errorf("%s: %s leads to %+v", a.Position, m.Move, m.Child)
		}
		if m.PreservesValue != (m.Value == a.Value) {
			t.Errorf("%s: %s preserves the value: %v", a.Position, m.Move, m.PreservesValue)
		}
		child := tictacchectest.EntryOf(t, m.Child.Value, m.Child.Distance)
		mover := tictacchectest.EntryOf(t, m.Value, m.Distance)
		if child.Value.Negate() != mover.Value || child.Value != rules.Draw && child.Distance+1 != mover.Distance {
			t.Errorf("%s: %s has %s, its child %s", a.Position, m.Move, mover, child)
		}
		if i > 0 && !inOrder(t, a.Moves[i-1], m) {
			t.Errorf("%s: %s does not come before %s", a.Position, a.Moves[i-1].Move, m.Move)
		}
	}
}

// inOrder says, in the contract's words, whether a comes before b.
func inOrder(t *testing.T, a, b api.PiecesMove) bool {
	place := map[string]int{"win": 0, "draw": 1, "loss": 2}
	if a.Value != b.Value {
		return place[a.Value] < place[b.Value]
	}
	switch {
	case a.Value == "win" && *a.Distance != *b.Distance:
		return *a.Distance < *b.Distance
	case a.Value == "loss" && *a.Distance != *b.Distance:
		return *a.Distance > *b.Distance
	}
	return a.Index < b.Index
}

// TestEvaluation checks value, order and choice for values made up at random:
// nothing here depends on their being right.
func TestEvaluation(t *testing.T) {
	r := tictacchec.Rulesets()[0]
	rapid.Check(t, func(t *rapid.T) {
		section := rapid.SampledFrom([]rules.Section{rules.Main, rules.Opening}).Draw(t, "section")
		index := rapid.Uint64Range(0, r.Ruleset().Positions[section]-1).Draw(t, "index")
		p, _ := tictacchec.FromIndex(section, index)
		known := tictacchectest.KnownEntries{}
		moves := r.Moves(p, nil)
		codes := rapid.SliceOfN(rapid.SampledFrom([]rules.Code{0, 2, 62, 1, 3, 63, rules.CodeDraw}), len(moves), len(moves)).Draw(t, "codes")
		for i, m := range moves {
			known[r.Play(p, m)] = rules.EntryOf(codes[i])
		}
		var v tictacchecgame.Evaluation
		if err := v.Evaluate(r, known, p); err != nil {
			t.Fatal(err)
		}
		if len(moves) == 0 {
			if v.Entry != tictacchecgame.Won || len(v.Order) != 0 {
				t.Fatalf("%s: %s with %d moves", p, v.Entry, len(v.Order))
			}
			return
		}
		// The rules of values and distances, written out.
		var shortest, longest uint8 = 255, 0
		draws := false
		for _, c := range codes {
			switch e := rules.EntryOf(c); e.Value {
			case rules.Loss:
				shortest = min(shortest, e.Distance)
			case rules.Win:
				longest = max(longest, e.Distance)
			default:
				draws = true
			}
		}
		want := rules.Entry{Value: rules.Loss, Distance: longest + 1}
		if shortest != 255 {
			want = rules.Entry{Value: rules.Win, Distance: shortest + 1}
		} else if draws {
			want = rules.Entry{Value: rules.Draw}
		}
		if v.Entry != want {
			t.Fatalf("%s: %s, want %s", p, v.Entry, want)
		}
		chosen := v.Chosen()
		if v.After(chosen) != want {
			t.Fatalf("%s: chosen %s, which is %s", p, moves[chosen], v.After(chosen))
		}
		for i := range moves {
			if v.After(i) != want || i == chosen {
				continue
			}
			if want.Value == rules.Draw && tictacchecgame.LassoBefore(moves[i], moves[chosen]) || want.Value != rules.Draw && i < chosen {
				t.Fatalf("%s: chosen %s rather than %s", p, moves[chosen], moves[i])
			}
		}
	})
}

func TestLassoOrder(t *testing.T) {
	place := func(k tictacchec.Kind, to tictacchec.Square) tictacchec.Move {
		return tictacchec.Move{Piece: tictacchec.PieceOf(rules.Black, k), From: tictacchec.NoSquare, To: to}
	}
	move := func(k tictacchec.Kind, from, to tictacchec.Square) tictacchec.Move {
		return tictacchec.Move{Piece: tictacchec.PieceOf(rules.Black, k), From: from, To: to}
	}
	order := []tictacchec.Move{
		place(tictacchec.Pawn, 9), place(tictacchec.Pawn, 10), place(tictacchec.Rook, 0),
		move(tictacchec.Rook, 3, 1), move(tictacchec.Rook, 3, 2), move(tictacchec.Pawn, 5, 1),
	}
	for i, a := range order {
		for j, b := range order {
			if tictacchecgame.LassoBefore(a, b) != (i < j) {
				t.Errorf("%s before %s: %v", a, b, i >= j)
			}
		}
	}
}

// TestLineEnds checks how a line ends, with every position drawn, so that the
// line is the least move each time.
func TestLineEnds(t *testing.T) {
	p := tictacchectest.ProberOn(tictacchec.Rulesets()[0], tictacchectest.DrawnEntries{})
	ask := func(position string, plies int) *api.PiecesLine {
		l, err := tictacchectest.Line(p, api.Question{Position: &position}, plies)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	full := ask("4/4/4/4 w -- o", api.MaxPlies)
	if full.End != api.EndCycle {
		t.Fatalf("the line of least moves ends with %s after %d plies", full.End, len(full.Line))
	}
	n := len(full.Line)
	last := full.Line[n-1]
	start := *full.CycleStart
	if start == 0 || full.Line[start-1].Position != last.Position {
		t.Errorf("the cycle starts at ply %d, and ends in %s", start, last.Position)
	}
	for i, s := range full.Line[:n-1] {
		if s.Ply != i+1 || s.Position == last.Position && s.Ply != start {
			t.Errorf("ply %d: %+v", i+1, s)
		}
	}
	// A cycle wins over the limit, but there is none before it is closed.
	if l := ask("4/4/4/4 w -- o", n); l.End != api.EndCycle {
		t.Errorf("with a limit of %d the line ends with %s", n, l.End)
	}
	if l := ask("4/4/4/4 w -- o", n-1); l.End != api.EndLimit || l.CycleStart != nil || len(l.Line) != n-1 {
		t.Errorf("with a limit of %d the line ends with %s after %d", n-1, l.End, len(l.Line))
	}
	// Positions before the question do not count.
	moves := full.Line[0].Move
	for _, s := range full.Line[1:start] {
		moves += "," + s.Move
	}
	l, err := tictacchectest.Line(p, api.Question{Moves: moves}, api.MaxPlies)
	if err != nil {
		t.Fatal(err)
	}
	if l.End != api.EndCycle || *l.CycleStart != 0 || len(l.Line) != n-start {
		t.Errorf("from the start of the cycle: %s, %v, %d plies; want a cycle of %d", l.End, l.CycleStart, len(l.Line), n-start)
	}
	// A game that is over has an empty line.
	if l := ask("4/4/4/PNBR b u- m", 1); l.End != api.EndTerminal || l.Line == nil || len(l.Line) != 0 || l.Value != "loss" || *l.Distance != 0 {
		t.Errorf("a finished game: %+v", l)
	}
}

func TestNormalised(t *testing.T) {
	p := tictacchectest.ProberOn(tictacchec.Rulesets()[0], tictacchectest.DrawnEntries{})
	for _, c := range []struct {
		position, moves string
		want            bool
		side            string
	}{
		{"4/4/4/4 w -- o", "", false, "white"},
		{"opening:1", "", false, "black"},
		{"opening:1", "N@a2", false, "white"},
		{"post:0", "", true, "white"},
		{"post:0", "P@a1", true, "black"},
		{"4/4/4/4 b -- m", "", false, "black"},
	} {
		a, err := tictacchectest.Probe(context.Background(), p, api.Question{Position: &c.position, Moves: c.moves})
		if err != nil {
			t.Fatal(err)
		}
		l, err := tictacchectest.Line(p, api.Question{Position: &c.position, Moves: c.moves}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if a.Normalised != c.want || l.Normalised != c.want || a.SideToMove != c.side {
			t.Errorf("%s %s: normalised %v and %v, %s to move", c.position, c.moves, a.Normalised, l.Normalised, a.SideToMove)
		}
		if a.Position != l.Position || a.Key != l.Key || a.SideToMove != l.SideToMove || a.Value != l.Value {
			t.Errorf("%s %s: probe and line disagree", c.position, c.moves)
		}
	}
}

// TestRefusals sends every refusal through the whole contract.
func TestRefusals(t *testing.T) {
	handler := httpapi.New(httpapi.Config{Probers: []api.Prober{tictacchectest.ProberOn(tictacchec.Rulesets()[0], tictacchectest.DrawnEntries{})}})
	seen := tictacchectest.EachLine(t, "refusals.jsonl", func(c tictacchectest.Refusal) {
		for _, route := range []string{"probe", "best", "line"} {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet,
				"/v1/tic-tac-chec/"+route+"?position="+url.QueryEscape(c.Position), nil))
			var p api.Problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
				t.Fatal(err)
			}
			if w.Code != c.Status || p.Status != c.Status || p.Type != "/problems/"+c.Name || p.Position == nil || *p.Position != c.Position {
				t.Errorf("%q: %d %s", c.Position, w.Code, w.Body)
			}
			if c.Reason != "" && (p.Reason == nil || *p.Reason != c.Reason) || c.Reason == "" && p.Offset == nil {
				t.Errorf("%q: %s", c.Position, w.Body)
			}
		}
	})
	if seen != 56 {
		t.Errorf("saw %d refusals, want 56", seen)
	}
}

// TestMoves checks what is told of a bad list of moves.
func TestMoves(t *testing.T) {
	p := tictacchectest.ProberOn(tictacchec.Rulesets()[0], tictacchectest.DrawnEntries{})
	probe := func(moves string) error {
		_, err := tictacchectest.Probe(context.Background(), p, api.Question{Moves: moves})
		return err
	}
	var malformed *rules.MalformedMoveError
	if err := probe("N@a1,"); !errors.As(err, &malformed) || malformed.Ply != 2 || malformed.Move != "" || malformed.Offset != 5 {
		t.Errorf("a trailing comma: %v", err)
	}
	var illegal *rules.IllegalMoveError
	if err := probe("N@a1,N@a1"); !errors.As(err, &illegal) || illegal.Ply != 2 || illegal.Move != "N@a1" || len(illegal.Legal) != 60 {
		t.Errorf("a square that is taken: %v", err)
	}
	if err := probe("N@a1,N@a2,B@b1,B@b2,R@c1,R@c2,P@d1,P@d2"); !errors.As(err, &illegal) || illegal.Ply != 8 || len(illegal.Legal) != 0 {
		t.Errorf("a move after the end: %v", err)
	}
}

// TestTableStates checks what is answered while there is no table to answer.
func TestTableStates(t *testing.T) {
	p := game.NewProber(tictacchecgame.New(tictacchec.Rulesets()[0]))
	ask := func() error {
		_, err := tictacchectest.Probe(context.Background(), p, api.Question{})
		_, lineErr := p.Line(context.Background(), api.Question{}, 1, nil)
		if errors.Is(err, api.ErrNoTable) != errors.Is(lineErr, api.ErrNoTable) || errors.Is(err, api.ErrUnavailable) != errors.Is(lineErr, api.ErrUnavailable) {
			t.Errorf("probe: %v, line: %v", err, lineErr)
		}
		return err
	}
	if err := ask(); !errors.Is(err, api.ErrNoTable) {
		t.Errorf("without a table: %v", err)
	}
	p.Slot().Table.Store(&tables.Loaded{State: api.StateVerifying})
	if err := ask(); !errors.Is(err, api.ErrUnavailable) {
		t.Errorf("while verifying: %v", err)
	}
	p.Slot().Table.Store(&tables.Loaded{Contents: tictacchectest.Table{EntryReader: tictacchectest.KnownEntries{}}, State: api.StateReady})
	if err := ask(); !errors.Is(err, api.ErrUnavailable) {
		t.Errorf("with a table that fails: %v", err)
	}
	// What makes no sense is told as such all the same.
	bad := "x"
	var malformed *rules.MalformedPositionError
	if _, err := tictacchectest.Probe(context.Background(), p, api.Question{Position: &bad}); !errors.As(err, &malformed) {
		t.Errorf("a bad position: %v", err)
	}
}

// TestEvaluateAllocates holds the core to no allocation.
func TestEvaluateAllocates(t *testing.T) {
	r := tictacchec.Rulesets()[0]
	p := tictacchectest.Parse(t, "Pb2/n1R1/2rp/N3 w dd m")
	v := new(tictacchecgame.Evaluation)
	if n := testing.AllocsPerRun(100, func() {
		if err := v.Evaluate(r, tictacchectest.DrawnEntries{}, p); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestCanonical checks that a question is understood without the table as it is
// with it, so that an entity tag worked out either way is the same.
func TestCanonical(t *testing.T) {
	p := tictacchectest.ProberOn(tictacchec.Rulesets()[0], tictacchectest.DrawnEntries{})
	text := func(s string) *string { return &s }
	for _, q := range []api.Question{
		{}, {Moves: "N@a1"}, {Position: text("Pb2/n1R1/2rp/N3_w_dd_m")}, {Position: text("post:1059850930")},
		{Position: text("post:1059850930"), Moves: "B@d1"},
	} {
		canonical, err := p.Canonical(q)
		if err != nil {
			t.Fatal(err)
		}
		probe, err := tictacchectest.Probe(context.Background(), p, q)
		if err != nil {
			t.Fatal(err)
		}
		line, err := tictacchectest.Line(p, q, 1)
		if err != nil {
			t.Fatal(err)
		}
		if canonical != (api.Canonical{Position: probe.Position, Normalised: probe.Normalised}) ||
			canonical != (api.Canonical{Position: line.Position, Normalised: line.Normalised}) {
			t.Errorf("%+v: canonical %+v, probe %s %v, line %s %v", q, canonical, probe.Position, probe.Normalised, line.Position, line.Normalised)
		}
	}
	if _, err := p.Canonical(api.Question{Position: text("")}); err == nil {
		t.Error("an empty position is understood")
	}
	if _, err := p.Canonical(api.Question{Moves: "a1-a2"}); err == nil {
		t.Error("an illegal move is understood")
	}
}
