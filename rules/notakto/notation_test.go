package notakto

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"solved/rules"
)

const empty = ".../.../..."

// rowOf returns the text of so many empty boards.
func rowOf(n int) string { return strings.TrimSuffix(strings.Repeat(empty+",", n), ",") }

func TestMalformedPositions(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		detail string
	}{
		{"", 0, "found the end of the text, expected X or . for a3"},
		{"..", 2, "expected X or . for c3"},
		{"....", 3, `found ".", expected a slash`},
		{".../.O./...", 5, `found "O", expected X or . for b2`},
		{".../.x./...", 5, `found "x"`},
		{empty + " ", 11, "expected a comma or the end of the text"},
		{empty + ",", 12, "found the end of the text, expected X or . for a3"},
		{empty + "," + empty + ",,", 24, `found ","`},
		{"..\xff", 2, `found "\xff"`},
		{rowOf(MaxBoards + 1), 12*MaxBoards - 1, "at most 1000 boards"},
	} {
		p, err := Parse(c.text)
		var malformed *rules.MalformedPositionError
		if !errors.As(err, &malformed) || p.boards != nil {
			t.Errorf("%q: %v, %v", c.text, p, err)
			continue
		}
		if malformed.Offset != c.offset || malformed.Position != c.text || !strings.Contains(malformed.Detail, c.detail) {
			t.Errorf("%v, want byte %d and %q", err, c.offset, c.detail)
		}
	}
	parse(t, rowOf(MaxBoards))
}

func TestIllegalPositions(t *testing.T) {
	for text, board := range map[string]string{
		"XXX/XXX/XXX":          "board 1",
		"XXX/XXX/...":          "board 1",
		empty + ",XXX/.../XXX": "board 2",
		"XXX/X../X..":          "", // a3 was the last mark
		"X.X/.X./X.X":          "", // b2 was
		"XXX/.X./X.X":          "board 1",
	} {
		p, err := Parse(text)
		if board == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		var illegal *rules.IllegalPositionError
		if !errors.As(err, &illegal) || illegal.Reason != ReasonMarkAfterLine || !strings.Contains(illegal.Detail, board) || p.boards != nil {
			t.Errorf("%s: %v, %v", text, p, err)
		}
	}
}

func TestMalformedMoves(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		detail string
	}{
		{"", 0, "found the end of the text, expected the number of a board"},
		{"b2", 0, `found "b"`},
		{"0:b2", 0, `found "0"`},
		{"01:b2", 0, `found "0"`},
		{"1", 1, "expected a colon"},
		{"1b2", 1, "expected a colon"},
		{"1:", 2, "expected a square, a1 to c3"},
		{"1:d2", 2, `found "d"`},
		{"12:b4", 4, "expected a row, 1 to 3"},
		{"1:b2x", 4, "expected the end of the move"},
	} {
		next, passes, err := Empty(3).Play(c.text)
		var malformed *rules.MalformedMoveError
		if !errors.As(err, &malformed) || next != nil || passes {
			t.Errorf("%q: %v, %v, %v", c.text, next, passes, err)
			continue
		}
		if malformed.Offset != c.offset || malformed.Ply != 1 || malformed.Move != c.text || !strings.Contains(malformed.Detail, c.detail) {
			t.Errorf("%v, want byte %d and %q", err, c.offset, c.detail)
		}
	}
}

func TestIllegalMoves(t *testing.T) {
	for _, c := range []struct {
		position, move, detail string
		legal                  int
	}{
		{rowOf(3), "4:b2", "there is no board 4, the last one is 3", 27},
		{rowOf(3), "99999999999999999999999:b2", "there is no board 99999999999999999999999, the last one is 3", 27},
		{empty + ",.../.X./...", "2:b2", "b2 of board 2 has a mark", 17},
		{empty + ",XXX/.../...", "2:b2", "board 2 is dead: it has three in a row", 9},
		{"XXX/.../...", "1:b2", "all boards are dead: the game is over", 0},
		{rowOf(MaxBoards), "1001:a1", "there is no board 1001, the last one is 1000", rules.MaxLegal},
	} {
		next, passes, err := parse(t, c.position).Play(c.move)
		var illegal *rules.IllegalMoveError
		if !errors.As(err, &illegal) || next != nil || passes {
			t.Errorf("%s: %v, %v, %v", c.move, next, passes, err)
			continue
		}
		if illegal.Ply != 1 || illegal.Move != c.move || illegal.Detail != c.detail || len(illegal.Legal) != c.legal || illegal.Legal == nil {
			t.Errorf("%v, %d legal moves; want %s, %d", err, len(illegal.Legal), c.detail, c.legal)
		}
	}
}

func TestDiagram(t *testing.T) {
	const want = "   1          2 dead     3          4          5          6\n" +
		"3  . . .      X . .      . . .      . . .      . . .      . . .\n" +
		"2  . X .      . X .      . . .      . . .      . . .      . . .\n" +
		"1  . . .      . . X      . . .      . . .      . . .      . . .\n" +
		"   a b c      a b c      a b c      a b c      a b c      a b c\n" +
		"   7\n3  . . .\n2  . . .\n1  . . X\n   a b c\n"
	if got := parse(t, ".../.X./...,X../.X./..X,"+rowOf(4)+",.../.../..X").Diagram(); got != want {
		t.Errorf("the diagram is\n%s", got)
	}
	const over = "   1 dead\n3  X X X\n2  . . .\n1  . . .\n   a b c\nall boards are dead: the side to move has won\n"
	if got := parse(t, "XXX/.../...").Diagram(); got != over {
		t.Errorf("the diagram is\n%s", got)
	}
}

// Every position is read back as it is printed, and every listed move can be played.
func TestNotationRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomPosition(t, 30)
		again, err := Parse(p.String())
		if err != nil || !slices.Equal(again.boards, p.boards) {
			t.Fatalf("%s reads as %v, %v", p, again, err)
		}
		moves := slices.Collect(p.Legal())
		if (len(moves) == 0) != (p.Result() == rules.Win) {
			t.Fatalf("%s: %d moves, the result is %s", p, len(moves), p.Result())
		}
		if len(moves) == 0 {
			return
		}
		m := rapid.SampledFrom(moves).Draw(t, "move")
		next, passes, err := p.Play(m.String())
		if err != nil || !passes || next.String() != p.After(m).String() || strings.Count(next.String(), "X") != strings.Count(p.String(), "X")+1 {
			t.Fatalf("%s, %s: %v, %v, %v", p, m, next, passes, err)
		}
		if _, err := Parse(next.String()); err != nil {
			t.Fatal(err)
		}
	})
}

// Any text is a position that prints as the text, is illegal, or is malformed at a place up to
// which a position can go on.
func FuzzParse(f *testing.F) {
	for _, e := range Examples() {
		f.Add(e.Position.String())
	}
	for _, text := range []string{"", empty, empty + ",", "XXX/XXX/XXX", "XXX/XXX", rowOf(MaxBoards + 1), ".../.O./...", "\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		var malformed *rules.MalformedPositionError
		var illegal *rules.IllegalPositionError
		switch {
		case err == nil:
			if p.String() != text || len(p.boards) < 1 || len(p.boards) > MaxBoards {
				t.Fatalf("%q reads as %s", text, p)
			}
			for _, b := range p.boards {
				if !b.legal() {
					t.Fatalf("%q has the board %03o", text, b)
				}
			}
		case errors.As(err, &illegal):
			if illegal.Position != text || len(text)%12 != boardLength {
				t.Fatal(err)
			}
		case errors.As(err, &malformed):
			if malformed.Position != text || malformed.Offset < 0 || malformed.Offset > len(text) || malformed.Detail == "" {
				t.Fatal(err)
			}
			before := text[:malformed.Offset]
			if rest := len(before) % 12; rest < boardLength {
				before += empty[rest:]
			}
			if _, err := Parse(before); errors.As(err, &malformed) {
				t.Fatalf("%q is malformed before: %v", text, err)
			}
		default:
			t.Fatal(err)
		}
	})
}

// Any text is a legal move that prints as the text, or a typed error.
func FuzzParseMove(f *testing.F) {
	for _, text := range []string{"", "1:b2", "2:a1", "0:a1", "01:a1", "1:a", "1:a4", "1:a1x", "1001:a1", "99999999999999999999:c3", "\xff"} {
		f.Add(".../.X./...,XXX/.../...", text)
	}
	f.Fuzz(func(t *testing.T, position, text string) {
		p, err := Parse(position)
		if err != nil {
			return
		}
		m, err := p.ParseMove(text)
		var malformed *rules.MalformedMoveError
		var illegal *rules.IllegalMoveError
		switch {
		case err == nil:
			if m.String() != text || !slices.Contains(slices.Collect(p.Legal()), m) {
				t.Fatalf("%q reads as %s in %s", text, m, p)
			}
		case errors.As(err, &malformed):
			if malformed.Move != text || malformed.Offset < 0 || malformed.Offset > len(text) {
				t.Fatal(err)
			}
		case errors.As(err, &illegal):
			if illegal.Move != text || slices.Contains(illegal.Legal, text) || len(illegal.Legal) > rules.MaxLegal {
				t.Fatal(err)
			}
		default:
			t.Fatal(err)
		}
	})
}
