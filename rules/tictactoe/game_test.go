package tictactoe

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"solved/rules"
)

var (
	_ rules.Game     = Rules{}
	_ rules.Position = Position{}
)

// text writes a board as a position string, without the code under test.
func text(number int) string {
	b := []byte("........./.")
	for s := range 9 {
		b[4*(2-s/3)+s%3] = ".XO"[number%3]
		number /= 3
	}
	b[3], b[7] = '/', '/'
	return string(b)
}

// plainReason says why a board is refused, by the words of the documentation alone.
func plainReason(board string) string {
	owns := func(player string) bool {
		for _, l := range []string{"abc", "def", "ghi", "adg", "beh", "cfi", "aei", "ceg"} {
			at := func(i int) string { n := int(l[i] - 'a'); return board[n+n/3:][:1] }
			if at(0) == player && at(1) == player && at(2) == player {
				return true
			}
		}
		return false
	}
	x, o := strings.Count(board, "X"), strings.Count(board, "O")
	mover := "X"
	if x > o {
		mover = "O"
	}
	switch {
	case x != o && x != o+1:
		return "mark-count"
	case owns("X") && owns("O"):
		return "two-lines"
	case owns(mover):
		return "mover-line"
	}
	return ""
}

// Of all 3⁹ boards exactly those are refused that no game reaches, each with the reason
// that the documentation gives.
func TestLegalIsReachable(t *testing.T) {
	reference := NewReference()
	reached := map[string]bool{}
	for index := range reference.Boards() {
		reached[reference.At(uint64(index)).String()] = true
	}
	reasons := map[string]int{}
	for number := range boards {
		board := text(number)
		p, err := Parse(board)
		want := plainReason(board)
		reasons[want]++
		var illegal *rules.IllegalPositionError
		switch {
		case reached[board] != (want == ""):
			t.Errorf("%s: reached %v, yet refused for %q", board, reached[board], want)
		case want == "" && (err != nil || p.String() != board):
			t.Errorf("%s: %v, %v", board, p, err)
		case want != "" && (!errors.As(err, &illegal) || illegal.Reason != want ||
			illegal.Position != board || illegal.Detail == "" || p != Position{}):
			t.Errorf("%s: %v, want %s", board, err, want)
		}
	}
	if len(reasons) != 4 || reasons[""] != 5478 {
		t.Errorf("%v", reasons)
	}
	t.Log(reasons)
}

// Each position agrees with the reference rules in everything.
func TestAgainstReference(t *testing.T) {
	reference := NewReference()
	if reference.Boards() != Positions {
		t.Fatalf("%d boards", reference.Boards())
	}
	solution := Solve()
	longest := uint8(0)
	for index := range uint64(Positions) {
		board := reference.At(index)
		p, err := Parse(board.String())
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := FromIndex(index); !ok || got != p || p.Index() != index || reference.Index(board) != index {
			t.Fatalf("index %d of %s: %v, %v, %d", index, p, got, ok, p.Index())
		}
		moves := slices.Collect(p.Moves())
		if !slices.Equal(moves, board.Moves()) {
			t.Errorf("%s: moves %v, want %v", p, moves, board.Moves())
		}
		if p.Result() != board.Result() || p.Side().String() != string(board.Mover()) {
			t.Errorf("%s: %s, %s to move", p, p.Result(), p.Side())
		}
		winner, won := p.Winner()
		if won != (board.Owns('X') || board.Owns('O')) || won && !board.Owns(winner.String()[0]) || won != (len(p.Lines()) > 0) {
			t.Errorf("%s: won by %s: %v", p, winner, won)
		}
		for _, l := range p.Lines() {
			for _, s := range l {
				if side, marked := p.At(s); !marked || side != winner || !slices.IsSorted(l[:]) {
					t.Errorf("%s: line %v", p, l)
				}
			}
		}
		if entry := solution.Entry(p); entry != reference.Entry(board) {
			t.Errorf("%s: %v, want %v", p, entry, reference.Entry(board))
		} else if entry.Value != rules.Draw {
			longest = max(longest, entry.Distance)
		}
		for s := range Square(Squares) {
			checkMove(t, p, s, board, moves)
		}
		if q, err := (Rules{}).Parse(p.String()); err != nil || q != rules.Position(p) {
			t.Errorf("%s: %v, %v", p, q, err)
		}
	}
	if longest != Longest {
		t.Errorf("the longest distance is %d", longest)
	}
	for _, index := range []uint64{Positions, 1 << 16, 1<<64 - 1} {
		if p, ok := FromIndex(index); ok || p != Start() {
			t.Errorf("there is a position %d", index)
		}
	}
}

// checkMove plays a move, legal or not.
func checkMove(t *testing.T, p Position, s Square, board ReferenceBoard, legal []string) {
	t.Helper()
	name := string([]byte{"abc"[s%3], "123"[s/3]})
	next, passes, err := p.Play(name)
	if slices.Contains(legal, name) {
		if err != nil || !passes || next.String() != board.Play(name).String() || next != rules.Position(p.Mark(s)) {
			t.Errorf("%s, %s: %v, %v, %v", p, name, next, passes, err)
		} else if next.(Position).Index() <= p.Index() {
			t.Errorf("%s, %s: the index falls", p, name)
		}
		return
	}
	var illegal *rules.IllegalMoveError
	if !errors.As(err, &illegal) || illegal.Ply != 1 || illegal.Move != name || illegal.Legal == nil ||
		!slices.Equal(illegal.Legal, legal) || next != nil || passes {
		t.Errorf("%s, %s: %v, %v", p, name, next, err)
		return
	}
	want := name + " has the mark of " + string(board.String()[4*(2-s/3)+s%3])
	if len(legal) == 0 {
		want = "the game is over"
	}
	if illegal.Detail != want {
		t.Errorf("%s, %s: %q, want %q", p, name, illegal.Detail, want)
	}
}

// TestMalformed pins the first byte that cannot be right, and what is said about it.
func TestMalformed(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		detail string
	}{
		{"", 0, "found the end of the text, expected X, O or . for a3"},
		{"x", 0, `found "x", expected X, O or . for a3`},
		{"0.O/.X./..O", 0, `found "0", expected X, O or . for a3`},
		{"X", 1, "found the end of the text, expected X, O or . for b3"},
		{"X.O", 3, "found the end of the text, expected a slash, as the row has its three squares"},
		{"X.O.X...O", 3, `found ".", expected a slash, as the row has its three squares`},
		{"X.O/", 4, "found the end of the text, expected X, O or . for a2"},
		{"X./.X./..O", 2, `found "/", expected X, O or . for c3`},
		{"X.O/.X./..", 10, "found the end of the text, expected X, O or . for c1"},
		{"X.O/.X./..o", 10, `found "o", expected X, O or . for c1`},
		{"X.O/.X./..O ", 11, `found " ", expected the end of the text`},
		{"X.O/.X./..O/", 11, `found "/", expected the end of the text`},
		{"X.O/.é./..O", 5, `found "\u00e9", expected X, O or . for b2`},
		{"X.O/.\xff./..O", 5, `found "\xff", expected X, O or . for b2`},
		{"X.O/.\x00./..O", 5, `found "\x00", expected X, O or . for b2`},
		// Malformed before it is illegal.
		{"XXX/XXX/XX", 10, "found the end of the text, expected X, O or . for c1"},
	} {
		p, err := Parse(c.text)
		var malformed *rules.MalformedPositionError
		want := rules.MalformedPositionError{Position: c.text, Offset: c.offset, Detail: c.detail}
		if !errors.As(err, &malformed) || *malformed != want || p != Start() {
			t.Errorf("%q: %v, %v", c.text, p, err)
		}
		if q, err := (Rules{}).Parse(c.text); q != nil || err == nil {
			t.Errorf("%q: %v, %v", c.text, q, err)
		}
	}
}

func TestMalformedMoves(t *testing.T) {
	for _, c := range []struct {
		move   string
		offset int
		detail string
	}{
		{"", 0, "found the end of the text, expected a square, a1 to c3"},
		{"B2", 0, `found "B", expected a square, a1 to c3`},
		{"d1", 0, `found "d", expected a square, a1 to c3`},
		{"b", 1, "found the end of the text, expected a row, 1 to 3"},
		{"b4", 1, `found "4", expected a row, 1 to 3`},
		{"b0", 1, `found "0", expected a row, 1 to 3`},
		{"b2 ", 2, `found " ", expected the end of the move`},
		{"b2b3", 2, `found "b", expected the end of the move`},
		{"b\xff", 1, `found "\xff", expected a row, 1 to 3`},
	} {
		// Malformed it stays when the game is over.
		for _, p := range []Position{Start(), played(A1, A2, B1, B2, C1)} {
			next, passes, err := p.Play(c.move)
			var malformed *rules.MalformedMoveError
			want := rules.MalformedMoveError{Ply: 1, Move: c.move, Offset: c.offset, Detail: c.detail}
			if !errors.As(err, &malformed) || *malformed != want || next != nil || passes {
				t.Errorf("%q: %v, %v", c.move, next, err)
			}
		}
	}
}

// The first byte that cannot be right: up to it, some position string begins so; with it,
// none does.
func checkOffset(t interface {
	Helper()
	Fatalf(string, ...any)
}, input string) {
	t.Helper()
	p, err := Parse(input)
	pattern := ".XO|.XO|.XO|/|.XO|.XO|.XO|/|.XO|.XO|.XO"
	allowed := strings.Split(pattern, "|")
	want := 0
	for want < len(input) && want < len(allowed) && strings.IndexByte(allowed[want], input[want]) >= 0 {
		want++
	}
	var malformed *rules.MalformedPositionError
	var illegal *rules.IllegalPositionError
	switch wellFormed := want == len(allowed) && len(input) == want; {
	case wellFormed && err == nil:
		if p.String() != input || plainReason(input) != "" {
			t.Fatalf("%q: read as %s", input, p)
		}
	case wellFormed:
		if !errors.As(err, &illegal) || illegal.Reason != plainReason(input) {
			t.Fatalf("%q: %v", input, err)
		}
	case !errors.As(err, &malformed) || malformed.Offset != want || malformed.Position != input:
		t.Fatalf("%q: %v, want offset %d", input, err, want)
	}
}

func TestParseProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		input := []byte(text(rapid.IntRange(0, boards-1).Draw(t, "board")))
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			at := rapid.IntRange(0, len(input)).Draw(t, "at")
			with := rapid.SliceOfN(rapid.Byte(), 0, 2).Draw(t, "with")
			input = slices.Replace(input, at, min(at+rapid.IntRange(0, 2).Draw(t, "less"), len(input)), with...)
		}
		checkOffset(t, string(input))
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", ".../.../...", "X.O/.X./..O", "XXX/OOO/...", "XXX/OO./O..", "X/X/X", "XOX/XOX/OX", "X.O/.X./..O/", "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) { checkOffset(t, input) })
}

// Two lines at once, and each way that a game can end.
func TestEndings(t *testing.T) {
	for _, c := range []struct {
		board   string
		result  rules.Value
		lines   []Line
		diagram string
	}{
		{"XXX/XOO/XOO", rules.Loss, []Line{{A3, B3, C3}, {A1, A2, A3}}, "3  X  X  X\n2  X  O  O\n1  X  O  O\n   a  b  c\nX has won\n"},
		{"O.X/XOX/..O", rules.Loss, []Line{{C1, B2, A3}}, "3  O  .  X\n2  X  O  X\n1  .  .  O\n   a  b  c\nO has won\n"},
		{"OOX/XXO/OXX", rules.Draw, nil, "3  O  O  X\n2  X  X  O\n1  O  X  X\n   a  b  c\na draw\n"},
		{"X.O/.X./..O", rules.Unknown, nil, "3  X  .  O\n2  .  X  .\n1  .  .  O\n   a  b  c\nX to move\n"},
		{".../.X./...", rules.Unknown, nil, "3  .  .  .\n2  .  X  .\n1  .  .  .\n   a  b  c\nO to move\n"},
	} {
		p, err := Parse(c.board)
		if err != nil {
			t.Fatal(err)
		}
		if p.Result() != c.result || !slices.Equal(p.Lines(), c.lines) || p.Diagram() != c.diagram {
			t.Errorf("%s: %s, %v\n%s", p, p.Result(), p.Lines(), p.Diagram())
		}
	}
}

// The moves of the empty board in their published order; and whoever wants only one gets one.
func TestMoveOrder(t *testing.T) {
	if moves := strings.Join(slices.Collect(Start().Moves()), " "); moves != "a1 b1 c1 a2 b2 c2 a3 b3 c3" {
		t.Error(moves)
	}
	for move := range Start().Moves() {
		if move != "a1" {
			t.Error(move)
		}
		break
	}
}

// The game behind the interface, as those see it that know no game by name.
func TestAbout(t *testing.T) {
	games := Rulesets()
	if len(games) != 1 {
		t.Fatal(games)
	}
	about, ruleset := games[0].About(), games[0].Ruleset()
	if about.Name != "tic-tac-toe" || about.Tag != 0x54545401 || about.Game == "" || about.Title == "" || about.Summary == "" ||
		ruleset.Name != about.Name || ruleset.Tag != about.Tag ||
		ruleset.Positions != [rules.Sections]uint64{5478, 0} || ruleset.Longest != [rules.Sections]uint8{5, 0} {
		t.Errorf("%+v, %+v", about, ruleset)
	}
	if start := games[0].Start(); start.String() != ".../.../..." || start != rules.Position(Start()) || Start().Index() != 0 {
		t.Error(start)
	}
}
