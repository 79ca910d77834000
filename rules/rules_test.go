package rules

import (
	"fmt"
	"testing"
)

func TestTag(t *testing.T) {
	for _, text := range []string{"0x54544303", "0X54544303", "0x5454430A", "0x5454430a", "0x00000000", "0xffffffff"} {
		tag, err := ParseTag(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		again, err := ParseTag(tag.String())
		if err != nil || again != tag {
			t.Errorf("%s: printed as %s, which reads as %v, %v", text, tag, again, err)
		}
	}
	for _, text := range []string{"", "0x", "54544303", "0x5454430", "0x545443033", "0x5454430g", "1x54544303", "0x+5454430", "0x_5454430", " 0x5454430", "0x٥٤٥٤"} {
		if tag, err := ParseTag(text); err == nil {
			t.Errorf("%q reads as %s", text, tag)
		}
	}
}

// TestCodes holds codes and entries against each other: every code that stands for
// something comes back, and says what its parity says.
func TestCodes(t *testing.T) {
	for d := range Code(MaxDistance + 1) {
		e := EntryOf(d)
		want := Entry{Value: Loss, Distance: d}
		if d%2 == 1 {
			want.Value = Win
		}
		if e != want || e.Code() != d {
			t.Errorf("code %d: %v, back to %d", d, e, e.Code())
		}
	}
	if e := EntryOf(CodeDraw); e != (Entry{Value: Draw}) || e.Code() != CodeDraw {
		t.Errorf("draw: %v, back to %d", e, e.Code())
	}
}

func TestNegate(t *testing.T) {
	for _, v := range []Value{Unknown, Win, Loss, Draw} {
		if v.Negate().Negate() != v {
			t.Errorf("%v negated twice is %v", v, v.Negate().Negate())
		}
	}
	if Win.Negate() != Loss || Draw.Negate() != Draw || White.Opponent() != Black || Black.Opponent() != White {
		t.Error("the other side's value or player is wrong")
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{&MalformedPositionError{"x\x00", 0, "what"}, `malformed position "x\x00" at byte 0: what`},
		{&IllegalPositionError{"p", "mover-line", "what"}, `illegal position "p": mover-line: what`},
		{&MalformedMoveError{2, "x", 5, "what"}, `malformed move "x" at ply 2, byte 5: what`},
		{&IllegalMoveError{1, "N@a1", nil, "what"}, `illegal move "N@a1" at ply 1: what`},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

func ExampleParseTag() {
	tag, _ := ParseTag("0x54544303")
	child := EntryOf(40) // a loss for whoever is to move there
	fmt.Println(tag, child, "so the move is a", child.Value.Negate(), "in", child.Distance+1)
	// Output: 0x54544303 loss in 40 so the move is a win in 41
}
