package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"solved/server/game"
	tictacchecgame "solved/server/games/tictacchec"
	"solved/server/tables"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"solved/api"
	"solved/api/httpapi"
	"solved/rules"
	"solved/rules/tictacchec"
)

// known entries are those of the positions in it; asking for another is an
// error.
type knownEntries map[tictacchec.Position]rules.Entry

func (k knownEntries) Entries(positions []tictacchec.Position, out []rules.Entry) error {
	for i, p := range positions {
		entry, ok := k[p]
		if !ok {
			return fmt.Errorf("no entry for %s", p)
		}
		out[i] = entry
	}
	return nil
}

// drawnEntries has a draw for every position whose game is not over, and makes
// ending it a mistake, so that lines go on.
type drawnEntries struct{}

func (drawnEntries) Entries(positions []tictacchec.Position, out []rules.Entry) error {
	for i, p := range positions {
		if out[i] = (rules.Entry{Value: rules.Draw}); p.Terminal() {
			out[i] = rules.Entry{Value: rules.Win, Distance: 1}
		}
	}
	return nil
}

// vector is one line of a file of positions with known answers.
type vector struct {
	Position, Key, Value string
	Distance             *int
	Moves                []vectorMove
}

type vectorMove struct {
	Move, Position, Key, Value string
	Distance                   *int
	Optimal                    bool
	Captures                   *string
}

// vectorsDir holds the files that come with the rules.
const vectorsDir = "../rules/tictacchec/testdata/"

// eachLine decodes every line of a file and returns how many there were.
func eachLine[T any](t testing.TB, name string, f func(T)) int {
	t.Helper()
	file, err := os.Open(vectorsDir + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("%s:%d: %v", name, n+1, err)
		}
		f(v)
		n++
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}

func rulesNamed(t testing.TB, name string) *tictacchec.Rules {
	t.Helper()
	for _, r := range tictacchec.Rulesets() {
		if r.Ruleset().Name == name {
			return r
		}
	}
	t.Fatalf("there is no %s", name)
	return nil
}

func parse(t testing.TB, text string) tictacchec.Position {
	t.Helper()
	p, _, err := tictacchec.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func entryOf(t testing.TB, value string, distance *int) rules.Entry {
	t.Helper()
	e := rules.Entry{Value: map[string]rules.Value{"win": rules.Win, "loss": rules.Loss, "draw": rules.Draw}[value]}
	if e.Value == rules.Unknown || (e.Value == rules.Draw) != (distance == nil) {
		t.Fatalf("value %q, distance %v", value, distance)
	}
	if distance != nil {
		e.Distance = uint8(*distance)
	}
	return e
}

// proberOn returns a prober with a table that is ready.
func proberOn(r *tictacchec.Rules, e tictacchecgame.EntryReader) game.Prober {
	p := game.NewProber(tictacchecgame.New(r))
	p.Slot().Table.Store(&tables.Loaded{Contents: fakeTable{e}, State: api.StateReady})
	return p
}

// ticTacChecRules returns the rules of a prober of Tic Tac Chec.
func ticTacChecRules(p game.Prober) *tictacchec.Rules { return p.Game().(tictacchecgame.Game).Rules }

// fakeTable is a table made of entries.
type fakeTable struct{ tictacchecgame.EntryReader }

func (fakeTable) Wire() api.Table { return api.Table{} }

// entriesOf are those that a prober of Tic Tac Chec answers from.
func entriesOf(p game.Prober) tictacchecgame.EntryReader {
	return must(tictacchecgame.BindEntries(p.Slot().Table.Load().Contents))
}

// onePieces asks a prober of Tic Tac Chec one question.
func onePieces(ctx context.Context, p game.Prober, q api.Question) (*api.PiecesProbe, error) {
	answer, err := game.ProbeOne(ctx, p, q)
	if err != nil {
		return nil, err
	}
	return answer.(*api.PiecesProbe), nil
}

// linePieces asks a prober of Tic Tac Chec for a line.
func linePieces(p game.Prober, q api.Question, plies int) (*api.PiecesLine, error) {
	answer, err := p.Line(context.Background(), q, plies, nil)
	if err != nil {
		return nil, err
	}
	return answer.(*api.PiecesLine), nil
}

// vectorFiles are the files of answers, with the number of lines in each.
var vectorFiles = []struct {
	rules string
	lines int
}{
	{tictacchec.CanonicalName, 730},
	{tictacchec.OutboundName, 413},
}

// TestVectors gives a prober the children's values of every vector and holds the
// whole of its answer against the vector.
func TestVectors(t *testing.T) {
	for _, file := range vectorFiles {
		t.Run(file.rules, func(t *testing.T) {
			r := rulesNamed(t, file.rules)
			seen := eachLine(t, file.rules+".jsonl", func(v vector) {
				known := knownEntries{}
				for _, m := range v.Moves {
					e := entryOf(t, m.Value, m.Distance)
					e.Value = e.Value.Negate()
					if e.Value != rules.Draw {
						e.Distance--
					}
					known[parse(t, m.Position)] = e
				}
				checkVector(t, proberOn(r, known), v)
			})
			if seen != file.lines {
				t.Errorf("saw %d positions, want %d", seen, file.lines)
			}
		})
	}
}

// checkVector holds a prober's answer against a vector.
func checkVector(t *testing.T, p game.Prober, v vector) {
	t.Helper()
	answer, err := onePieces(context.Background(), p, api.Question{Position: &v.Position})
	if err != nil {
		t.Error(err)
		return
	}
	got := vector{Position: answer.Position, Key: answer.Key, Value: answer.Value, Distance: answer.Distance,
		Moves: make([]vectorMove, len(answer.Moves))}
	for _, m := range answer.Moves {
		got.Moves[m.Index] = vectorMove{m.Move, m.Child.Position, m.Child.Key, m.Value, m.Distance, m.Optimal, m.Captures}
	}
	if d := cmp.Diff(v, got); d != "" {
		t.Errorf("%s: (-want +got)\n%s", v.Position, d)
	}
	checkShape(t, ticTacChecRules(p), answer)
}

// checkShape checks what holds for every answer.
func checkShape(t *testing.T, r *tictacchec.Rules, a *api.PiecesProbe) {
	t.Helper()
	position := parse(t, a.Position)
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
		child := entryOf(t, m.Child.Value, m.Child.Distance)
		mover := entryOf(t, m.Value, m.Distance)
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
		known := knownEntries{}
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
	p := proberOn(tictacchec.Rulesets()[0], drawnEntries{})
	ask := func(position string, plies int) *api.PiecesLine {
		l, err := linePieces(p, api.Question{Position: &position}, plies)
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
	l, err := linePieces(p, api.Question{Moves: moves}, api.MaxPlies)
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
	p := proberOn(tictacchec.Rulesets()[0], drawnEntries{})
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
		a, err := onePieces(context.Background(), p, api.Question{Position: &c.position, Moves: c.moves})
		if err != nil {
			t.Fatal(err)
		}
		l, err := linePieces(p, api.Question{Position: &c.position, Moves: c.moves}, 1)
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

// refusal is a position that is refused, and how.
type refusal struct {
	Position, Name, Reason string
	Status                 int
}

// TestRefusals sends every refusal through the whole contract.
func TestRefusals(t *testing.T) {
	handler := httpapi.New(httpapi.Config{Probers: []api.Prober{proberOn(tictacchec.Rulesets()[0], drawnEntries{})}})
	seen := eachLine(t, "refusals.jsonl", func(c refusal) {
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
	p := proberOn(tictacchec.Rulesets()[0], drawnEntries{})
	probe := func(moves string) error {
		_, err := onePieces(context.Background(), p, api.Question{Moves: moves})
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
	p := game.NewProber(allGames()[0])
	ask := func() error {
		_, err := onePieces(context.Background(), p, api.Question{})
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
	p.Slot().Table.Store(&tables.Loaded{Contents: fakeTable{knownEntries{}}, State: api.StateReady})
	if err := ask(); !errors.Is(err, api.ErrUnavailable) {
		t.Errorf("with a table that fails: %v", err)
	}
	// What makes no sense is told as such all the same.
	bad := "x"
	var malformed *rules.MalformedPositionError
	if _, err := onePieces(context.Background(), p, api.Question{Position: &bad}); !errors.As(err, &malformed) {
		t.Errorf("a bad position: %v", err)
	}
}

// TestEvaluateAllocates holds the core to no allocation.
func TestEvaluateAllocates(t *testing.T) {
	r := tictacchec.Rulesets()[0]
	p := parse(t, "Pb2/n1R1/2rp/N3 w dd m")
	v := new(tictacchecgame.Evaluation)
	if n := testing.AllocsPerRun(100, func() {
		if err := v.Evaluate(r, drawnEntries{}, p); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestCanonical checks that a question is understood without the table as it is
// with it, so that an entity tag worked out either way is the same.
func TestCanonical(t *testing.T) {
	p := proberOn(tictacchec.Rulesets()[0], drawnEntries{})
	text := func(s string) *string { return &s }
	for _, q := range []api.Question{
		{}, {Moves: "N@a1"}, {Position: text("Pb2/n1R1/2rp/N3_w_dd_m")}, {Position: text("post:1059850930")},
		{Position: text("post:1059850930"), Moves: "B@d1"},
	} {
		canonical, err := p.Canonical(q)
		if err != nil {
			t.Fatal(err)
		}
		probe, err := onePieces(context.Background(), p, q)
		if err != nil {
			t.Fatal(err)
		}
		line, err := linePieces(p, q, 1)
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
