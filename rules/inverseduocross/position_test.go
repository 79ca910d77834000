package inverseduocross

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"solved/rules"
	"solved/rules/strip"
)

func parse(t testing.TB, text string) Position {
	t.Helper()
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAbout(t *testing.T) {
	all := Rulesets()
	if len(all) != 1 {
		t.Fatalf("%d rulesets", len(all))
	}
	about := all[0].About()
	if about.Name != "inverse-duocross" || about.Tag.String() != "0x49545802" || about.Game != "Inverse Duocross" || about.Title == "" || about.Summary == "" {
		t.Errorf("%+v", about)
	}
	if !strings.HasSuffix(about.Bounds, "for all positions of up to "+strconv.Itoa(MaxDistanceWidth-3)+" cells.") {
		t.Errorf("bounds: %s", about.Bounds)
	}
	if start := all[0].Start(); start.String() != "12" {
		t.Errorf("starts from %s", start)
	}
}

func TestExamples(t *testing.T) {
	want := map[string]uint8{
		"start": 2, "middle": 5, "lost": 0, "two-games": 0, "nine": 9, "billion": 0, "greatest": 2, "end": 0,
	}
	for i, e := range Examples() {
		if value, ok := want[e.Name]; !ok || e.Position.Grundy() != value {
			t.Errorf("%s: value %d, want %d, %v", e.Name, e.Position.Grundy(), value, ok)
		}
		if e.Summary == "" || parse(t, e.Position.String()).String() != e.Position.String() {
			t.Errorf("example %d: %+v", i, e)
		}
		if won := len(e.Position.winning(1)) > 0; won != (want[e.Name] != 0) {
			t.Errorf("%s: a move that wins: %v", e.Name, won)
		}
		delete(want, e.Name)
	}
	if len(want) > 0 {
		t.Errorf("no example %v", want)
	}
	// What the summaries say.
	if next, ok := Empty(15).Mark(8); !ok || next.Grundy() != 0 {
		t.Error("a mark on the middle cell of 15 does not win")
	}
	for n := uint64(48); n < 1000; n += period {
		if OpenStrip(n) == 0 {
			t.Errorf("a strip of %d cells is lost", n)
		}
	}
	for n := uint64(24); n < 1000; n += period {
		if OpenStrip(n) != 0 {
			t.Errorf("a strip of %d cells is won", n)
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text    string
		offset  int  // of the fault in a malformed text, or -1
		illegal bool // two marks in a row
	}{
		{"0", -1, false},
		{"7", -1, false},
		{"X", -1, false},
		{"4X5", -1, false},
		{"X1X", -1, false},
		{"9223372036854775807", -1, false},
		{"9223372036854775805X1", -1, false},
		{"XX", -1, true},
		{"4XXX5", -1, true},
		{"4X1XX", -1, true},
		{"XXx", 2, false}, // malformed before illegal
		{"", 0, false},
		{"X0X", 1, false},
		{"04", 1, false},
		{"4x5", 1, false},
		{"-4", 0, false},
		{"9223372036854775808", 18, false},
		{"9223372036854775807X", 19, false},
	} {
		p, err := Rulesets()[0].Parse(c.text)
		var malformed *rules.MalformedPositionError
		var illegal *rules.IllegalPositionError
		switch {
		case errors.As(err, &malformed):
			if malformed.Offset != c.offset || malformed.Position != c.text || malformed.Detail == "" {
				t.Errorf("%q: %v, want offset %d", c.text, err, c.offset)
			}
		case errors.As(err, &illegal):
			if !c.illegal || illegal.Reason != ReasonRow || illegal.Position != c.text || illegal.Detail == "" {
				t.Errorf("%q: %v", c.text, err)
			}
		case err != nil || c.offset >= 0 || c.illegal || p.String() != c.text:
			t.Errorf("%q is read as %v, %v", c.text, p, err)
		}
	}
}

func TestDiagram(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"0", "\n\nstrip of 0 cells; x: a mark there would make two in a row\n"},
		{"4X1X5", "...xXxXx....\n1       10\nstrip of 12 cells; x: a mark there would make two in a row\n"},
		{"50X10", "50X10\nstrip of 61 cells\n"},
	} {
		if got := parse(t, c.text).Diagram(); got != c.want {
			t.Errorf("%s is drawn as\n%s", c.text, got)
		}
	}
}

// Moves and playing are those of the rules, in every position of up to 12 cells.
func TestMoves(t *testing.T) {
	for length := range 13 {
		for marks := range uint64(1) << length {
			if !legal(marks) {
				continue
			}
			p := positionOf(marks, length)
			moves := slices.Collect(p.Moves())
			var want []string
			for cell := 1; cell <= length+1; cell++ {
				bit := uint64(1) << (cell - 1)
				next, passes, err := p.Play(strconv.Itoa(cell))
				var illegal *rules.IllegalMoveError
				switch {
				case cell <= length && marks&bit == 0 && legal(marks|bit):
					want = append(want, strconv.Itoa(cell))
					if err != nil || !passes || next.String() != positionOf(marks|bit, length).String() {
						t.Fatalf("%s, %d: %v, %v", p, cell, next, err)
					}
				case !errors.As(err, &illegal) || illegal.Ply != 1 || !slices.Equal(illegal.Legal, moves):
					t.Fatalf("%s, %d: %v", p, cell, err)
				}
			}
			if !slices.Equal(moves, want) || p.NumMoves() != uint64(len(want)) || p.Over() != (len(want) == 0) ||
				(p.Result() == rules.Loss) != p.Over() || p.Length() != uint64(length) {
				t.Fatalf("%s: moves %v of %d, over %v; want %v", p, moves, p.NumMoves(), p.Over(), want)
			}
			for i, marked := range p.Marked() {
				if marked != (marks>>i&1 == 1) {
					t.Fatalf("%s: cell %d is marked: %v", p, i+1, marked)
				}
			}
		}
	}
}

func TestMoveErrors(t *testing.T) {
	for _, c := range []struct{ position, move, detail string }{
		{"4X5", "4", "a mark on cell 4 would make two in a row"},
		{"4X5", "6", "a mark on cell 6 would make two in a row"},
		{"4X5", "5", "cell 5 is marked"},
		{"4X5", "11", "there is no such cell: the last is 10"},
		{"4X5", "99999999999999999999", "there is no such cell: the last is 10"},
		{"1X1", "1", "no cell can be marked: the game is over"},
		{"9223372036854775807", "9223372036854775808", "there is no such cell: the last is 9223372036854775807"},
	} {
		_, _, err := parse(t, c.position).Play(c.move)
		var illegal *rules.IllegalMoveError
		if !errors.As(err, &illegal) || illegal.Detail != c.detail || illegal.Move != c.move || len(illegal.Legal) > rules.MaxLegal {
			t.Errorf("%s, %s: %v", c.position, c.move, err)
		}
	}
	for _, c := range []struct {
		move   string
		offset int
	}{{"", 0}, {"0", 0}, {"04", 0}, {"x", 0}, {"4,", 1}, {"4 ", 1}} {
		_, _, err := parse(t, "4X5").Play(c.move)
		var malformed *rules.MalformedMoveError
		if !errors.As(err, &malformed) || malformed.Ply != 1 || malformed.Offset != c.offset || malformed.Move != c.move {
			t.Errorf("%q: %v", c.move, err)
		}
	}
}

// drawPosition draws a position with runs of up to so many cells.
func drawPosition(t *rapid.T, most uint64) Position {
	runs := []uint64{rapid.Uint64Range(0, most).Draw(t, "first")}
	for range rapid.IntRange(0, 6).Draw(t, "marks") {
		runs = append(runs, 1, rapid.Uint64Range(1, most).Draw(t, "run"))
	}
	if rapid.Bool().Draw(t, "ends in a mark") {
		runs = append(runs, 1, 0)
	}
	return Position{strip.OfRuns(runs...)}
}

// The laws of values and moves, for strips of every length.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]uint64{3, 40, 400, strip.MaxLength / 20}).Draw(t, "most")
		p := drawPosition(t, most)
		if read, err := Parse(p.String()); err != nil || read.String() != p.String() || read.Length() != p.Length() {
			t.Fatalf("%s is read as %v, %v", p, read, err)
		}
		answer := p.Answer()
		if answer.Grundy != p.Grundy() || answer.Complete != (p.NumMoves() <= rules.MaxLegal) {
			t.Fatalf("%s: %+v with %d moves", p, answer, p.NumMoves())
		}
		if answer.Complete != (uint64(len(answer.Moves)) == p.NumMoves()) && p.NumMoves() > 0 {
			t.Fatalf("%s: %d moves of %d, complete %v", p, len(answer.Moves), p.NumMoves(), answer.Complete)
		}
		winning, lower := 0, map[uint8]bool{}
		for i, m := range answer.Moves {
			next, ok := p.Mark(m.Cell)
			if !ok || next.Grundy() != m.Grundy || m.Grundy == answer.Grundy || i > 0 && answer.Moves[i-1].Cell >= m.Cell {
				t.Fatalf("%s: move %d is %+v, value %d of %s", p, i, m, next.Grundy(), next)
			}
			if next.Length() != p.Length() || next.NumMoves() >= p.NumMoves() {
				t.Fatalf("%s with %d moves leads to %s with %d", p, p.NumMoves(), next, next.NumMoves())
			}
			lower[m.Grundy] = true
			if m.Grundy == 0 {
				winning++
			}
		}
		if (winning > 0) != (answer.Grundy > 0) || !answer.Complete && (winning != len(answer.Moves) || winning > MaxWinning) {
			t.Fatalf("%s: value %d with %d moves that win among %d", p, answer.Grundy, winning, len(answer.Moves))
		}
		for value := range answer.Grundy {
			if answer.Complete && !lower[value] {
				t.Fatalf("%s: value %d, but no move leads to %d", p, answer.Grundy, value)
			}
		}
	})
}

// A mirrored position has the same value. A position next to its mirror image is lost: the mark
// between them and the cells that it closes make them two equal games.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPosition(t, 60)
		var runs []uint64
		empty, marks := p.strip.Runs()
		for i, n := range empty {
			runs = append(runs, n)
			if i < len(marks) {
				runs = append(runs, marks[i])
			}
		}
		mirrored := slices.Clone(runs)
		slices.Reverse(mirrored)
		if mirror := (Position{strip.OfRuns(mirrored...)}); mirror.Grundy() != p.Grundy() {
			t.Fatalf("%s has the value %d, %s has %d", p, p.Grundy(), mirror, mirror.Grundy())
		}
		runs[len(runs)-1]++
		mirrored[0]++
		twice := Position{strip.OfRuns(slices.Concat(runs, []uint64{1}, mirrored)...)}
		if twice.Grundy() != 0 || twice.NumMoves() != 2*p.NumMoves() {
			t.Fatalf("%s twice is %s, value %d, %d moves", p, twice, twice.Grundy(), twice.NumMoves())
		}
	})
}

// Large positions are answered with moves that win only, and few of them.
func TestIncomplete(t *testing.T) {
	for _, c := range []struct {
		text  string
		cells []uint64
	}{
		{"1000", nil}, // complete
		{"1001", []uint64{501}},
		{"1000000000", nil},
	} {
		p := parse(t, c.text)
		answer := p.Answer()
		if answer.Complete != (p.NumMoves() <= rules.MaxLegal) {
			t.Errorf("%s: complete %v", p, answer.Complete)
		}
		if c.text == "1001" && (len(answer.Moves) != 1 || answer.Moves[0].Cell > searchedCells) {
			t.Errorf("%s: %+v", p, answer.Moves)
		}
		if c.text == "1000000000" && (answer.Grundy != 0 || len(answer.Moves) != 0) {
			t.Errorf("%s: %+v", p, answer)
		}
	}
	// Two thousand strips of one cell, and one more: each of them wins.
	many := parse(t, strings.Repeat("X3", 2001)+"X")
	if answer := many.Answer(); answer.Complete || answer.Grundy != 1 || len(answer.Moves) != MaxWinning || answer.Moves[MaxWinning-1].Cell != 4*MaxWinning-1 {
		t.Errorf("%d moves of %d, complete %v", len(answer.Moves), many.NumMoves(), answer.Complete)
	}
}

func FuzzParse(f *testing.F) {
	for _, e := range Examples() {
		f.Add(e.Position.String())
	}
	for _, text := range []string{"", "XX", "X0X", "00", "4x5", "9223372036854775808", "9223372036854775806X", "X3X3X3X", "\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		var malformed *rules.MalformedPositionError
		var illegal *rules.IllegalPositionError
		switch {
		case err == nil:
			if p.String() != text || strings.Contains(text, "XX") {
				t.Fatalf("%q is read as %s", text, p)
			}
			answer := p.Answer()
			if len(answer.Moves) == 0 && (answer.Grundy != 0 || answer.Complete && !p.Over()) {
				t.Fatalf("%s: %+v", p, answer)
			}
		case errors.As(err, &illegal):
			if illegal.Position != text || !strings.Contains(text, "XX") {
				t.Fatal(err)
			}
		case !errors.As(err, &malformed) || malformed.Position != text || malformed.Offset < 0 || malformed.Offset > len(text):
			t.Fatalf("%q: %v", text, err)
		}
	})
}
