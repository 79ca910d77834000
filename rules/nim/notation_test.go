package nim

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"solved/rules"
)

func parse(t testing.TB, text string) Position {
	t.Helper()
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ones returns so many heaps of one.
func ones(n int) string { return strings.TrimSuffix(strings.Repeat("1,", n), ",") }

func TestParse(t *testing.T) {
	for _, text := range []string{
		"3,5,7", "7,5,3", "0", "0,0,0", "1", "10,0,20", "9223372036854775807", "9223372036854775807,9223372036854775807", ones(MaxHeaps),
	} {
		if p := parse(t, text); p.String() != text {
			t.Errorf("%q is printed as %q", text, p)
		}
		if p, err := Rulesets()[0].Parse(text); err != nil || p.String() != text {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
}

func TestMalformedPositions(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		detail string
	}{
		{"", 0, "found the end of the text, expected the size of a heap, 0 to 9223372036854775807"},
		{" ", 0, `found " "`},
		{",", 0, `found ","`},
		{"3,", 2, "found the end of the text, expected the size of a heap"},
		{"3,,5", 2, `found ","`},
		{",3", 0, `found ","`},
		{"3,5,7,", 6, "the end of the text"},
		{"-1", 0, `found "-"`},
		{"+1", 0, `found "+"`},
		{"03", 1, `found "3", expected a comma or the end of the text, as no number begins with a zero`},
		{"3,00", 3, "no number begins with a zero"},
		{"3 ,5", 1, `found " ", expected a digit, a comma or the end of the text`},
		{"3, 5", 2, `found " "`},
		{"3;5", 1, `found ";"`},
		{"0x1", 1, `found "x"`},
		{"1e3", 1, `found "e"`},
		{"1.5", 1, `found "."`},
		{"1_000", 1, `found "_"`},
		{"٣", 0, `found "\u0663"`},
		{"3\xff", 1, `found "\xff"`},
		{"3\x00", 1, `found "\x00"`},
		{"9223372036854775808", 18, `found "8", expected the size of a heap, 0 to 9223372036854775807`},
		{"9223372036854775810", 18, `found "0"`}, // 922337203685477581 is in range
		{"1,92233720368547758070", 21, `found "0"`},
		{"18446744073709551617", 19, `found "7"`},
		{ones(MaxHeaps) + ",1", 2*MaxHeaps - 1, `found ",", expected the end of the text, as there are at most 64 heaps`},
		{ones(MaxHeaps) + ",", 2*MaxHeaps - 1, `found ","`},
		{ones(MaxHeaps) + "x", 2*MaxHeaps - 1, `found "x"`},
	} {
		_, err := Parse(c.text)
		var malformed *rules.MalformedPositionError
		if !errors.As(err, &malformed) {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if malformed.Offset != c.offset || malformed.Position != c.text || !strings.Contains(malformed.Detail, c.detail) {
			t.Errorf("%v, want byte %d and %q", err, c.offset, c.detail)
		}
		if p, err := Rulesets()[0].Parse(c.text); err == nil || p != nil {
			t.Errorf("%q: %v, %v", c.text, p, err)
		}
	}
}

func TestMoves(t *testing.T) {
	for _, c := range []struct {
		position string
		moves    string
	}{
		{"3,5,7", "1-1 1-2 1-3 2-1 2-2 2-3 2-4 2-5 3-1 3-2 3-3 3-4 3-5 3-6 3-7"},
		{"2,0,1", "1-1 1-2 3-1"},
		{"0", ""},
		{"0,0", ""},
	} {
		p := parse(t, c.position)
		moves := slices.Collect(p.Moves())
		if got := strings.Join(moves, " "); got != c.moves {
			t.Errorf("%s: %s, want %s", p, got, c.moves)
		}
		if p.NumMoves() != uint64(len(moves)) {
			t.Errorf("%s: %d moves counted, %d listed", p, p.NumMoves(), len(moves))
		}
		for i, m := range slices.Collect(p.Legal()) {
			again, err := p.ParseMove(moves[i])
			if err != nil || again != m || m.String() != moves[i] || !p.IsLegal(m) {
				t.Errorf("%s: move %d is %v, and %s reads as %v, %v", p, i, m, moves[i], again, err)
			}
		}
	}
}

func TestPlay(t *testing.T) {
	p := parse(t, "3,5,7")
	next, passes, err := p.Play("2-4")
	if err != nil || !passes || next.String() != "3,1,7" {
		t.Errorf("%v, %v, %v", next, passes, err)
	}
	if p.String() != "3,5,7" {
		t.Errorf("a move has changed the position it was played in: %s", p)
	}
	next, _, err = parse(t, "0,1").Play("2-1")
	if err != nil || next.String() != "0,0" || next.Result() != rules.Loss {
		t.Errorf("%v, %v", next, err)
	}
	heaps := p.Heaps()
	if heaps[0] = 9; p.String() != "3,5,7" {
		t.Errorf("a copy of the heaps has changed the position: %s", p)
	}
}

func TestMalformedMoves(t *testing.T) {
	p := parse(t, "3,5,7")
	for _, c := range []struct {
		text   string
		offset int
		detail string
	}{
		{"", 0, "found the end of the text, expected the number of a heap and how many to take, such as 2-4"},
		{"-", 0, `found "-"`},
		{"x", 0, `found "x"`},
		{"2", 1, "found the end of the text, expected a hyphen"},
		{"2-", 2, "found the end of the text, expected how many to take, 1 to 9223372036854775807"},
		{"2 -4", 1, `found " "`},
		{"2--4", 2, `found "-"`},
		{"2-4 ", 3, `found " ", expected the end of the move`},
		{"2-4-1", 3, `found "-"`},
		{"2-4,1-1", 3, `found ","`},
		{"0-4", 0, `found "0", expected the number of a heap, counted from 1`},
		{"02-4", 0, `found "0"`},
		{"2-0", 2, `found "0", expected at least 1 to take`},
		{"2-04", 2, `found "0"`},
		{"2-9223372036854775808", 20, `found "8"`},
		{"9223372036854775808-1", 18, `found "8"`},
		{"2–4", 1, `found "\u2013"`},
	} {
		next, passes, err := p.Play(c.text)
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
		{"3,5,7", "4-1", "there is no heap 4, the last one is 3", 15},
		{"3,5,7", "9223372036854775807-1", "there is no heap 9223372036854775807, the last one is 3", 15},
		{"3,5,7", "1-4", "heap 1 has 3, so 4 cannot be taken", 15},
		{"3,5,7", "2-9223372036854775807", "heap 2 has 5, so 9223372036854775807 cannot be taken", 15},
		{"3,0,7", "2-1", "heap 2 has 0, so 1 cannot be taken", 10},
		{"0,0", "1-1", "the game is over", 0},
		{"9223372036854775807", "2-1", "there is no heap 2, the last one is 1", rules.MaxLegal},
	} {
		p := parse(t, c.position)
		next, passes, err := p.Play(c.move)
		var illegal *rules.IllegalMoveError
		if !errors.As(err, &illegal) || next != nil || passes {
			t.Errorf("%s, %s: %v, %v, %v", p, c.move, next, passes, err)
			continue
		}
		if illegal.Ply != 1 || illegal.Move != c.move || illegal.Detail != c.detail || len(illegal.Legal) != c.legal || illegal.Legal == nil {
			t.Errorf("%s: %v, %d legal moves; want %s, %d", p, err, len(illegal.Legal), c.detail, c.legal)
		}
		for i, m := range illegal.Legal {
			if _, err := p.ParseMove(m); err != nil {
				t.Errorf("%s: legal move %d: %v", p, i, err)
			}
		}
	}
}

func TestDiagram(t *testing.T) {
	const want = "heap 1:  3  |||\n" +
		"heap 2:  0\n" +
		"heap 3: 41  ||||||||||||||||||||||||||||||||||||||||…\n"
	if got := parse(t, "3,0,41").Diagram(); got != want {
		t.Errorf("the diagram is\n%s", got)
	}
}

// Whatever is drawn is read back, and whatever can be played is.
func TestNotationRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPosition(t, MaxHeaps, MaxHeap)
		again, err := Parse(p.String())
		if err != nil || !slices.Equal(again.heaps, p.heaps) {
			t.Fatalf("%s reads as %v, %v", p, again, err)
		}
		if p.Result() != rules.Unknown {
			return
		}
		i := rapid.IntRange(0, len(p.heaps)-1).Filter(func(i int) bool { return p.heaps[i] > 0 }).Draw(t, "heap")
		m := Move{i + 1, rapid.Uint64Range(1, p.heaps[i]).Draw(t, "take")}
		next, passes, err := p.Play(m.String())
		if err != nil || !passes || next.String() != p.After(m).String() {
			t.Fatalf("%s, %s: %v, %v, %v", p, m, next, passes, err)
		}
		if next.(Position).heaps[i]+m.Take != p.heaps[i] {
			t.Fatalf("%s, %s gives %s", p, m, next)
		}
	})
}

// drawPosition draws a position that has a counter more often than not.
func drawPosition(t *rapid.T, heaps int, most uint64) Position {
	size := rapid.OneOf(rapid.Uint64Range(0, most), rapid.Uint64Range(0, min(most, 8)))
	return Position{rapid.SliceOfN(size, 1, heaps).Draw(t, "heaps")}
}

// Any text is a position that prints as the text, or is malformed at a place in it up to
// which it could go on.
func FuzzParse(f *testing.F) {
	for _, e := range Examples() {
		f.Add(e.Position.String())
	}
	for _, text := range []string{"", "0", "03", "3,", "3,x", "9223372036854775808", ones(MaxHeaps), ones(MaxHeaps + 1), "\xff", "3,5,7 "} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err == nil {
			if p.String() != text || len(p.heaps) < 1 || len(p.heaps) > MaxHeaps || slices.Max(p.heaps) > MaxHeap {
				t.Fatalf("%q reads as %s", text, p)
			}
			return
		}
		var malformed *rules.MalformedPositionError
		if !errors.As(err, &malformed) || malformed.Position != text || malformed.Offset < 0 || malformed.Offset > len(text) || malformed.Detail == "" {
			t.Fatal(err)
		}
		// What comes before the offset can go on: as it is, or with a digit.
		before := text[:malformed.Offset]
		if _, err := Parse(before); err != nil {
			if _, err := Parse(before + "1"); err != nil {
				t.Fatalf("%q is malformed at %d already: %v", text, malformed.Offset, err)
			}
		}
	})
}

// Any text is a legal move that prints as the text, or a typed error.
func FuzzParseMove(f *testing.F) {
	for _, text := range []string{"", "2-4", "1-3", "4-1", "0-1", "1-0", "01-1", "1-01", "1-9223372036854775808", "1-1,1-1", "\xff"} {
		f.Add("3,5,7", text)
	}
	f.Add("9223372036854775807", "1-9223372036854775807")
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
			if m.String() != text || !p.IsLegal(m) {
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
