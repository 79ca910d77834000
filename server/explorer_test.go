package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"solved/api"
	"solved/api/httpapi"
	"solved/rules/tictacchec"
	"solved/server/game"
	tictacchecgame "solved/server/games/tictacchec"
	"solved/server/games/tictacchec/tictacchectest"
	"solved/server/tables"
)

func exploreHandler(t testing.TB, p game.Prober) http.Handler {
	t.Helper()
	return httpapi.New(httpapi.Config{Probers: []api.Prober{p}, Explorer: tictacchecgame.Explorer{Prober: p, Rules: tictacchectest.TicTacChecRules(p)}})
}

func explorePath(h http.Handler, path string) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/probe?path="+path, nil))
	return w.Code, w.Body.String()
}

// pathOf finds the path of a list of moves.
func pathOf(t testing.TB, r *tictacchec.Rules, list string) string {
	t.Helper()
	position := tictacchec.Start()
	var path []string
	for text := range strings.SplitSeq(list, ",") {
		move, err := r.ParseMove(position, text)
		if err != nil {
			t.Fatal(err)
		}
		path = append(path, strconv.Itoa(slices.Index(r.Moves(position, nil), move)))
		position = r.Play(position, move)
	}
	return strings.Join(path, ",")
}

// TestExplorerGolden holds whole answers, from the embedded table, byte for byte.
func TestExplorerGolden(t *testing.T) {
	h := exploreHandler(t, tictacchectest.EmbeddedProber(t, tictacchec.CanonicalName))
	r := tictacchec.Rulesets()[0]
	cases := map[string]string{
		"start": "",
		// Black has answered: two pieces of different kinds stand, White is to move.
		"opening": pathOf(t, r, "N@a1,P@b3"),
		// The first turn of the main phase, both pawns placed on the edge row
		// that they would leave by, so that they have turned round.
		"turned-pawns": pathOf(t, r, "P@a4,P@d1,N@b1,N@c4,B@c1,B@b4"),
		// A capture has sent a piece back to its owner's hand; Black is to move,
		// and the key is that of the position with the colours swapped.
		"capture": pathOf(t, r, "R@a1,R@a4,N@b1,N@b4,B@d1,B@d4,a1-a4"),
		// White owns row 1, and Black has lost.
		"over": pathOf(t, r, "N@a1,N@a2,B@b1,B@b2,R@c1,R@c2,P@d1"),
		// The longest loss of the opening, opening:2594484.
		"loss": pathOf(t, r, "N@b3,B@c3,B@d1,P@b2,P@a4"),
	}
	seen := map[string]bool{}
	for name, path := range cases {
		status, body := explorePath(h, path)
		if status != 200 {
			t.Errorf("%s: %d %s", name, status, body)
			continue
		}
		file := filepath.Join("testdata", "explorer", name+".json")
		seen[name+".json"] = true
		if *update {
			if err := os.WriteFile(file, []byte(body), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), body); d != "" {
			t.Errorf("%s differs from %s (-want +got)\n%s", path, file, d)
		}
		if status, encoded := explorePath(h, strings.ReplaceAll(path, ",", "%2C")+"&lang=en&path_=%"); status != 200 || encoded != body {
			t.Errorf("%s percent-encoded: %d %s", path, status, encoded)
		}
	}
	files, err := os.ReadDir("testdata/explorer")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !seen[f.Name()] {
			t.Errorf("no case uses testdata/explorer/%s", f.Name())
		}
	}
}

// TestExplorerVectors says every vector in the published explorer's words, and
// holds what comes out against the vector and against its position string.
func TestExplorerVectors(t *testing.T) {
	p := tictacchectest.EmbeddedProber(t, tictacchec.CanonicalName)
	seen := tictacchectest.EachLine(t, tictacchec.CanonicalName+".jsonl", func(v tictacchectest.Vector) {
		checkExplored(t, v, tictacchecgame.Explored(tictacchectest.Parse(t, v.Position), tictacchectest.ProbeOf(t, p, v.Position)))
	})
	if seen != tictacchectest.VectorFiles[0].Lines {
		t.Errorf("saw %d positions, want %d", seen, tictacchectest.VectorFiles[0].Lines)
	}
}

// checkExplored holds an answer against a vector. It reads the position string by
// itself, not as package tictacchec does.
func checkExplored(t *testing.T, v tictacchectest.Vector, got *api.Explored) {
	t.Helper()
	word := map[string]string{"win": "Win", "loss": "Loss", "draw": "Draw"}
	fields := strings.Fields(v.Position)
	want := &api.Explored{
		Position: v.Key, SideToMove: map[string]string{"w": "White", "b": "Black"}[fields[1]],
		Value: word[v.Value], Distance: v.Distance, Board: make([]*api.PlacedPiece, 16),
		Hands: api.HeldPieces{White: []string{}, Black: []string{}}, History: got.History,
		Moves: make([]api.ExploredMove, len(v.Moves)),
	}
	names := map[byte]string{'P': "Pawn", 'N': "Knight", 'B': "Bishop", 'R': "Rook"}
	directions := map[byte]string{'u': "up", 'd': "down"}
	for i, row := range strings.Split(fields[0], "/") {
		square := 4 * (3 - i)
		for _, c := range []byte(row) {
			if c >= '1' && c <= '4' {
				square += int(c - '0')
				continue
			}
			piece := &api.PlacedPiece{Color: "White", Symbol: strings.ToUpper(string(c))}
			direction := directions[fields[2][0]]
			if c >= 'a' {
				piece.Color, direction = "Black", directions[fields[2][1]]
			}
			piece.Piece = names[piece.Symbol[0]]
			if piece.Symbol == "P" {
				piece.Direction = &direction
			}
			want.Board[square] = piece
			square++
		}
	}
	for _, c := range []byte("PNBR") {
		if !strings.Contains(fields[0], string(c)) {
			want.Hands.White = append(want.Hands.White, names[c])
		}
		if !strings.Contains(fields[0], strings.ToLower(string(c))) {
			want.Hands.Black = append(want.Hands.Black, names[c])
		}
	}
	for i, m := range v.Moves {
		want.Moves[i] = api.ExploredMove{Index: i, Notation: m.Move, Child: m.Key, Result: word[m.Value], Distance: m.Distance,
			PreservesResult: m.Value == v.Value, Optimal: m.Optimal}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s: (-want +got)\n%s", v.Position, d)
	}
}

// TestExplorerWalks plays games at random by path, to their end or to the longest
// path, and holds every answer against that of probe for the same moves.
func TestExplorerWalks(t *testing.T) {
	p := tictacchectest.EmbeddedProber(t, tictacchec.CanonicalName)
	h := exploreHandler(t, p)
	random := rand.New(rand.NewPCG(3, 1))
	over := 0
	for range 10 {
		position := tictacchec.Start()
		var path, moves []string
		for len(path) < 60 {
			status, body := explorePath(h, strings.Join(path, ","))
			var got api.Explored
			if err := json.Unmarshal([]byte(body), &got); err != nil || status != 200 {
				t.Fatalf("%v: %d %s", path, status, body)
			}
			probe := tictacchectest.ProbeOf(t, p, position.String())
			v := tictacchectest.Vector{Position: probe.Position, Key: probe.Key, Value: probe.Value, Distance: probe.Distance, Moves: make([]tictacchectest.VectorMove, len(probe.Moves))}
			for _, m := range probe.Moves {
				v.Moves[m.Index] = tictacchectest.VectorMove{Move: m.Move, Key: m.Child.Key, Value: m.Value, Distance: m.Distance, Optimal: m.Optimal}
			}
			checkExplored(t, v, &got)
			if !slices.Equal(got.History, moves) || got.History == nil {
				t.Errorf("%v: the history is %v, want %v", path, got.History, moves)
			}
			legal := tictacchectest.TicTacChecRules(p).Moves(position, nil)
			if len(legal) == 0 {
				over++
				break
			}
			i := random.IntN(len(legal))
			path, moves = append(path, strconv.Itoa(i)), append(moves, legal[i].String())
			position = tictacchectest.TicTacChecRules(p).Play(position, legal[i])
		}
	}
	if over == 0 {
		t.Error("no game came to its end")
	}
}

// TestExplorerPaths checks which paths cannot be played, and the longest that can.
func TestExplorerPaths(t *testing.T) {
	p := tictacchectest.ProberOn(tictacchec.Rulesets()[0], tictacchectest.DrawnEntries{})
	h := exploreHandler(t, p)
	over := pathOf(t, tictacchectest.TicTacChecRules(p), "N@a1,N@a2,B@b1,B@b2,R@c1,R@c2,P@d1")
	for path, want := range map[string]string{
		"64":                     "Move 1 of the path is out of range: there are 64 moves there, numbered from 0.",
		"0,60":                   "Move 2 of the path is out of range: there are 60 moves there, numbered from 0.",
		"0,99999999999999999999": "Move 2 of the path is out of range: there are 60 moves there, numbered from 0.",
		"0,":                     "Move 2 of the path is not a number: it must be digits only, without a leading zero.",
		over + ",0":              "The game is over after 7 moves, but the path has 8.",
		over + ",0,x":            "Move 9 of the path is not a number: it must be digits only, without a leading zero.",
	} {
		if status, body := explorePath(h, path); status != 400 || body != `{"error":"`+want+`"}`+"\n" {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if err := (tictacchecgame.Explorer{Prober: p, Rules: tictacchectest.TicTacChecRules(p)}).Follow([]int{-1}); err == nil {
		t.Error("a negative index can be played")
	}
	// Two knights that come and go.
	list := "N@a1,N@d4,P@b1,P@a4,B@c1,B@b4"
	for i := range (api.MaxPath - 6) / 2 {
		list += []string{",a1-b3,d4-c2", ",b3-a1,c2-d4"}[i%2]
	}
	path := pathOf(t, tictacchectest.TicTacChecRules(p), list)
	status, body := explorePath(h, path)
	var got api.Explored
	if err := json.Unmarshal([]byte(body), &got); err != nil || status != 200 || strings.Join(got.History, ",") != list || len(got.History) != api.MaxPath {
		t.Errorf("the longest path: %d %.200s", status, body)
	}
	if status, body := explorePath(h, path+",0"); status != 400 {
		t.Errorf("one move more: %d %s", status, body)
	}
}

// TestExplorerTable checks what is answered while the table cannot, and that the
// service's explorer plays the canonical rules.
func TestExplorerTable(t *testing.T) {
	p := game.NewProber(allGames()[0])
	h := exploreHandler(t, p)
	if status, body := explorePath(h, "0"); status != 409 || !strings.Contains(body, "/problems/rules-mismatch") {
		t.Errorf("without a table: %d %s", status, body)
	}
	for name, table := range map[string]*tables.Loaded{
		"verifying": {State: api.StateVerifying},
		"broken":    {Contents: tictacchectest.Table{EntryReader: brokenEntries{}}, State: api.StateReady},
	} {
		p.Slot().Table.Store(table)
		if status, body := explorePath(h, "0"); status != 503 || !strings.Contains(body, "/problems/table-unavailable") || strings.Contains(body, "secret") {
			t.Errorf("%s: %d %s", name, status, body)
		}
		if status, _ := explorePath(h, "64"); status != 400 {
			t.Errorf("%s: a bad path: %d", name, status)
		}
	}
	p.Slot().Table.Store(&tables.Loaded{Contents: tictacchectest.Table{EntryReader: brokenEntries{}}, State: api.StateReady})
	p.Slot().Fallback = func() (*tables.Loaded, error) {
		return &tables.Loaded{Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}}, nil
	}
	if status, body := explorePath(h, "0"); status != 200 {
		t.Errorf("with a spare table: %d %s", status, body)
	}

	s := quietService(t)
	for _, p := range s.Probers {
		p.Slot().Table.Store(&tables.Loaded{Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}, State: api.StateReady})
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/probe", nil))
	if canonical := tictacchec.Rulesets()[0].Ruleset(); w.Code != 200 || w.Header().Get("Rules-Tag") != canonical.Tag.String() || canonical.Name != tictacchec.CanonicalName {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

// TestExplorerFieldOrder holds the order of the fields against the contract's
// words, which no decoding shows.
func TestExplorerFieldOrder(t *testing.T) {
	_, body := explorePath(exploreHandler(t, tictacchectest.EmbeddedProber(t, tictacchec.CanonicalName)), "0,1,2,3")
	decoder := json.NewDecoder(bytes.NewReader([]byte(body)))
	// The names of the fields of each object, in order of appearance.
	var orders [][]string
	var read func()
	read = func() {
		token, err := decoder.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch token {
		case json.Delim('{'):
			at := len(orders)
			orders = append(orders, nil)
			for decoder.More() {
				name, _ := decoder.Token()
				orders[at] = append(orders[at], name.(string))
				read()
			}
			decoder.Token()
		case json.Delim('['):
			for decoder.More() {
				read()
			}
			decoder.Token()
		}
	}
	read()
	allowed := []string{
		"position sideToMove value distance board hands history moves",
		"color piece symbol direction", "color piece symbol", "White Black",
		"index notation child result distance preservesResult optimal",
	}
	if got := strings.Join(orders[0], " "); got != allowed[0] {
		t.Errorf("the fields are %s", got)
	}
	for _, order := range orders {
		if !slices.Contains(allowed, strings.Join(order, " ")) {
			t.Errorf("an object has the fields %s", order)
		}
	}
}
