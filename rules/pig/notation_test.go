package pig

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

// Every position is read as it is printed, and has an index of its own.
func TestEveryPosition(t *testing.T) {
	seen := 0
	for mine := range Goal {
		for theirs := range Goal {
			for turn := range Goal {
				p, ok := At(mine, theirs, turn)
				if ok != (turn != 1) {
					t.Fatalf("%d,%d,%d: %v", mine, theirs, turn, ok)
				}
				if !ok {
					continue
				}
				if p.Mine() != mine || p.Theirs() != theirs || p.Turn() != turn || p.Index() != uint64(seen) {
					t.Fatalf("%d,%d,%d has become %+v with the index %d", mine, theirs, turn, p, p.Index())
				}
				if again, ok := FromIndex(uint64(seen)); !ok || again != p {
					t.Fatalf("index %d is that of %s, and gives %s", seen, p, again)
				}
				if again, err := Parse(p.String()); err != nil || again != p {
					t.Fatalf("%s reads as %v, %v", p, again, err)
				}
				seen++
			}
		}
	}
	if seen != Positions || Positions != 990_000 {
		t.Errorf("saw %d positions of %d", seen, Positions)
	}
	if p, ok := FromIndex(Positions); ok || p != (Position{}) {
		t.Errorf("past the end: %v", p)
	}
	for _, n := range [][3]int{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {100, 0, 0}, {0, 100, 0}, {0, 0, 100}, {256, 0, 0}} {
		if p, ok := At(n[0], n[1], n[2]); ok || p != (Position{}) {
			t.Errorf("%v: %v", n, p)
		}
	}
}

func TestMalformedPositions(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		detail string
	}{
		{"", 0, "found the end of the text, expected the score of the side to move, a decimal number"},
		{" 0,0,0", 0, `found " "`},
		{",0,0", 0, `found ","`},
		{"0", 1, "found the end of the text, expected a comma and the score of the other side"},
		{"0,", 2, "expected the score of the other side, a decimal number"},
		{"0,,0", 2, `found ","`},
		{"0,0", 3, "expected a comma and the turn total"},
		{"0,0,", 4, "expected the turn total, a decimal number"},
		{"0,0,0,", 5, `found ",", expected the end of the text, after score, score and turn total`},
		{"0,0,0,0", 5, `found ","`},
		{"0,0,0 ", 5, `found " "`},
		{"0, 0,0", 2, `found " "`},
		{"0;0;0", 1, `found ";"`},
		{"0-0-0", 1, `found "-"`},
		{"-1,0,0", 0, `found "-"`},
		{"+1,0,0", 0, `found "+"`},
		{"00,0,0", 1, `found "0", expected no digit after a leading zero`},
		{"0,07,0", 3, `found "7"`},
		{"0,0,02", 5, `found "2"`},
		{"1000,0,0", 3, `found "0", expected no more than 3 digits`},
		{"99999999999999999999,0,0", 3, `found "9"`},
		{"0,0,1000", 7, `found "0"`},
		{"1x,0,0", 1, `found "x"`},
		{"٣,0,0", 0, `found "\u0663"`},
		{"0,0\x00,0", 3, `found "\x00"`},
		{"\xff", 0, `found "\xff"`},
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

func TestIllegalPositions(t *testing.T) {
	for _, c := range []struct{ text, reason, detail string }{
		{"100,0,0", ReasonScoreRange, "the side to move has 100"},
		{"999,0,0", ReasonScoreRange, "the side to move has 999"},
		{"0,100,0", ReasonScoreRange, "the other side has 100"},
		{"0,100,1", ReasonScoreRange, "the other side has 100"}, // before turn-one
		{"0,0,1", ReasonTurnOne, "the turn total is 1"},
		{"0,0,100", ReasonTurnRange, "the turn total is 100"},
		{"99,99,999", ReasonTurnRange, "the turn total is 999"},
	} {
		_, err := Parse(c.text)
		var illegal *rules.IllegalPositionError
		if !errors.As(err, &illegal) || illegal.Reason != c.reason || illegal.Position != c.text || !strings.Contains(illegal.Detail, c.detail) {
			t.Errorf("%q: %v, want %s, %s", c.text, err, c.reason, c.detail)
		}
	}
}

func TestPlay(t *testing.T) {
	for _, c := range []struct {
		position, move, next string
		passes               bool
		result               rules.Value
	}{
		{"0,0,0", "roll-1", "0,0,0", true, rules.Unknown},
		{"10,20,17", "roll-1", "20,10,0", true, rules.Unknown},
		{"10,20,0", "roll-2", "10,20,2", false, rules.Unknown},
		{"10,20,17", "roll-6", "10,20,23", false, rules.Unknown},
		{"10,20,17", "hold", "20,27,0", true, rules.Unknown},
		{"10,20,0", "hold", "20,10,0", true, rules.Unknown},
		{"80,20,15", "roll-5", "80,20,20", false, rules.Unknown}, // not yet
		{"80,20,20", "hold", "20,100,0", true, rules.Loss},
		{"80,20,19", "hold", "20,99,0", true, rules.Unknown},
		{"80,20,99", "hold", "20,179,0", true, rules.Loss},
		{"0,20,93", "roll-6", "0,20,99", false, rules.Unknown},
		{"0,20,94", "roll-6", "20,100,0", true, rules.Loss}, // held at once
		{"99,99,99", "roll-6", "99,204,0", true, rules.Loss},
		{"99,99,99", "roll-1", "99,99,0", true, rules.Unknown},
	} {
		next, passes, err := parse(t, c.position).Play(c.move)
		if err != nil || next.String() != c.next || passes != c.passes || next.Result() != c.result {
			t.Errorf("%s, %s: %v, %v, %v, %v; want %s, %v, %v", c.position, c.move, next, passes, next.Result(), err, c.next, c.passes, c.result)
		}
		if _, err := Parse(c.next); (err == nil) != (c.result == rules.Unknown) {
			t.Errorf("%s, after the end or not: %v", c.next, err)
		}
	}
}

func TestMoves(t *testing.T) {
	p := parse(t, "10,20,0")
	if moves := slices.Collect(p.Moves()); !slices.Equal(moves, []string{"roll", "hold"}) {
		t.Errorf("%s: %v", p, moves)
	}
	var stochastic rules.Stochastic = p
	if o := stochastic.Outcomes("roll"); !slices.Equal(o, []string{"roll-1", "roll-2", "roll-3", "roll-4", "roll-5", "roll-6"}) {
		t.Errorf("outcomes of a roll: %v", o)
	}
	for _, move := range []string{"hold", "roll-1", ""} {
		if o := stochastic.Outcomes(move); len(o) > 0 {
			t.Errorf("outcomes of %q: %v", move, o)
		}
	}
	over := parse(t, "80,20,20").Held()
	if moves := slices.Collect(over.Moves()); len(moves) > 0 || len(over.Outcomes("roll")) > 0 {
		t.Errorf("%s: %v, %v", over, moves, over.Outcomes("roll"))
	}
}

func TestMalformedMoves(t *testing.T) {
	p := parse(t, "10,20,17")
	for _, c := range []struct {
		text   string
		offset int
		detail string
	}{
		{"", 0, "found the end of the text, expected hold, or roll-1 to roll-6"},
		{"x", 0, `found "x"`},
		{"Hold", 0, `found "H"`},
		{"hol", 3, "found the end of the text"},
		{"hold ", 4, `found " ", expected the end of the move`},
		{"hold-1", 4, `found "-"`},
		{"r", 1, "found the end of the text"},
		{"roll", 4, "found the end of the text, expected a hyphen and what the die showed, as in roll-3"},
		{"roll-", 5, "found the end of the text, expected what the die showed, 1 to 6"},
		{"roll-0", 5, `found "0"`},
		{"roll-7", 5, `found "7"`},
		{"roll-10", 6, `found "0", expected the end of the move`},
		{"roll 3", 4, `found " "`},
		{"roll3", 4, `found "3"`},
		{"roll-3,hold", 6, `found ","`},
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

func TestMovesAfterTheEnd(t *testing.T) {
	over := parse(t, "80,20,20").Held()
	for _, move := range []string{"hold", "roll-1", "roll-6"} {
		next, _, err := over.Play(move)
		var illegal *rules.IllegalMoveError
		if !errors.As(err, &illegal) || next != nil || illegal.Ply != 1 || illegal.Legal == nil || len(illegal.Legal) > 0 || illegal.Detail != "the game is over" {
			t.Errorf("%s: %v, %v", move, next, err)
		}
	}
	var malformed *rules.MalformedMoveError
	if _, _, err := over.Play("roll"); !errors.As(err, &malformed) {
		t.Errorf("roll: %v", err)
	}
}

func TestDiagram(t *testing.T) {
	for _, c := range []struct{ position, want string }{
		{"10,76,17", "mine    10  #####........                                     | and 17 in this turn\n" +
			"theirs  76  ######################################            |\n"},
		{"99,0,99", "mine    99  #################################################.| and 99 in this turn\n" +
			"theirs   0                                                    |\n"},
	} {
		if got := parse(t, c.position).Diagram(); got != c.want {
			t.Errorf("the diagram is\n%s", got)
		}
	}
	over := parse(t, "80,20,99").Held()
	if d := over.Diagram(); !strings.Contains(d, "theirs 179  "+strings.Repeat("#", 50)+"|") {
		t.Errorf("the diagram is\n%s", d)
	}
}

// Games played at random end, pass when they should, and stay within the numbers.
func TestGames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p rules.Position = Rulesets()[0].Start()
		for ply := 0; p.Result() == rules.Unknown && ply < 200; ply++ {
			before := p.(Position)
			move := rapid.SampledFrom([]string{"roll-1", "roll-2", "roll-3", "roll-4", "roll-5", "roll-6", "roll-6", "hold"}).Draw(t, "move")
			next, passes, err := p.Play(move)
			if err != nil {
				t.Fatal(err)
			}
			after := next.(Position)
			switch {
			case !passes && (after.mine != before.mine || after.theirs != before.theirs || after.turn <= before.turn):
				t.Fatalf("%s, %s: %s with the same side to move", before, move, after)
			case passes && (after.mine != before.theirs || after.turn != 0 || after.theirs < before.mine):
				t.Fatalf("%s, %s: %s with the other side to move", before, move, after)
			case passes && move == "roll-1" && after.theirs != before.mine:
				t.Fatalf("%s, %s: %s keeps what was lost", before, move, after)
			}
			if _, err := Parse(after.String()); (err == nil) != (after.Result() == rules.Unknown) {
				t.Fatalf("%s reads as %v", after, err)
			}
			p = next
		}
	})
}

// Any text is a position that prints as the text, or is refused at a place in it up to
// which it could go on.
func FuzzParse(f *testing.F) {
	for _, e := range Examples() {
		f.Add(e.Position.String())
	}
	for _, text := range []string{"", "0,0", "0,0,1", "100,0,0", "0,0,100", "00,0,0", "1000,0,0", "0,0,0,", "\xff", " 0,0,0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		var malformed *rules.MalformedPositionError
		var illegal *rules.IllegalPositionError
		switch {
		case err == nil:
			if again, ok := FromIndex(p.Index()); p.String() != text || !ok || again != p {
				t.Fatalf("%q reads as %s", text, p)
			}
		case errors.As(err, &illegal):
			if illegal.Position != text || illegal.Reason == "" || illegal.Detail == "" {
				t.Fatal(err)
			}
		case errors.As(err, &malformed):
			if malformed.Position != text || malformed.Offset < 0 || malformed.Offset > len(text) || malformed.Detail == "" {
				t.Fatal(err)
			}
			before := text[:malformed.Offset]
			for _, rest := range []string{"", ",0,0", ",0", "0,0,0", "0,0", "0"} {
				if _, err := Parse(before + rest); !errors.As(err, new(*rules.MalformedPositionError)) {
					return
				}
			}
			t.Fatalf("%q is malformed before the byte that is named", text)
		default:
			t.Fatal(err)
		}
	})
}

// Any text is a move that prints as the text, or a typed error.
func FuzzPlay(f *testing.F) {
	for _, text := range []string{"", "hold", "roll", "roll-1", "roll-6", "roll-7", "roll-66", "hold,", "\xff"} {
		f.Add("10,20,17", text)
	}
	f.Fuzz(func(t *testing.T, position, text string) {
		p, err := Parse(position)
		if err != nil {
			return
		}
		m, err := p.parseMove(text)
		var malformed *rules.MalformedMoveError
		switch {
		case err == nil:
			if m.String() != text {
				t.Fatalf("%q reads as %s", text, m)
			}
		case errors.As(err, &malformed):
			if malformed.Move != text || malformed.Offset < 0 || malformed.Offset > len(text) {
				t.Fatal(err)
			}
		default:
			t.Fatal(err)
		}
	})
}
