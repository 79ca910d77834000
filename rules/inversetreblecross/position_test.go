package inversetreblecross

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"solved/rules"
)

// named returns the ruleset of a name.
func named(t testing.TB, name string) *Rules {
	t.Helper()
	for _, r := range Rulesets() {
		if r.About().Name == name {
			return r
		}
	}
	t.Fatalf("there is no ruleset %s", name)
	return nil
}

func mustParse(t testing.TB, r *Rules, text string) Position {
	t.Helper()
	p, err := r.ParsePosition(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRulesets(t *testing.T) {
	var got []string
	for _, r := range Rulesets() {
		about := r.About()
		got = append(got, about.Name+" "+about.Tag.String())
		if about.Game != "Inverse Treblecross" || about.Title == "" || !strings.Contains(about.Summary, numeral(r.Row())) {
			t.Errorf("%+v", about)
		}
		if r.Start().String() != "12" {
			t.Errorf("%s starts with %s", about.Name, r.Start())
		}
	}
	want := []string{
		"inverse-treblecross 0x49545803", "inverse-treblecross-4 0x49545804", "inverse-treblecross-5 0x49545805",
		"inverse-treblecross-6 0x49545806", "inverse-treblecross-7 0x49545807", "inverse-treblecross-8 0x49545808",
		"inverse-treblecross-9 0x49545809", "inverse-treblecross-10 0x4954580a", "inverse-treblecross-11 0x4954580b",
		"inverse-treblecross-12 0x4954580c", "inverse-treblecross-13 0x4954580d", "inverse-treblecross-ring 0x49545203",
	}
	if !slices.Equal(got, want) {
		t.Errorf("rulesets %q, want %q", got, want)
	}
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		rules, text string
		offset      int    // of the fault in a malformed text, or -1
		reason      string // of an illegal one
	}{
		{"inverse-treblecross", "0", -1, ""},
		{"inverse-treblecross", "7", -1, ""},
		{"inverse-treblecross", "4X5", -1, ""},
		{"inverse-treblecross", "XX3", -1, ""},
		{"inverse-treblecross", "XX1XX", -1, ""},
		{"inverse-treblecross", "10X10X", -1, ""},
		{"inverse-treblecross", "9223372036854775807", -1, ""},
		{"inverse-treblecross", "9223372036854775806X", -1, ""},
		{"inverse-treblecross", "9223372036854775805X1", -1, ""},
		{"inverse-treblecross", "", 0, ""},
		{"inverse-treblecross", "00", 1, ""},
		{"inverse-treblecross", "01", 1, ""},
		{"inverse-treblecross", "0X", 1, ""},
		{"inverse-treblecross", "X0X", 1, ""},
		{"inverse-treblecross", "X0", 1, ""},
		{"inverse-treblecross", "X05", 1, ""},
		{"inverse-treblecross", "4x5", 1, ""},
		{"inverse-treblecross", "4 5", 1, ""},
		{"inverse-treblecross", "-4", 0, ""},
		{"inverse-treblecross", "+4", 0, ""},
		{"inverse-treblecross", "4X٣", 2, ""},
		{"inverse-treblecross", "4X\xff", 2, ""},
		{"inverse-treblecross", "9223372036854775808", 18, ""},
		{"inverse-treblecross", "99999999999999999999", 18, ""},
		{"inverse-treblecross", "9223372036854775807X", 19, ""},
		{"inverse-treblecross", "9223372036854775806X1", 20, ""},
		{"inverse-treblecross", "9223372036854775800X7", 20, ""},
		{"inverse-treblecross", "9223372036854775790X17", 21, ""},
		{"inverse-treblecross", "XXX", -1, ReasonRow},
		{"inverse-treblecross", "5XXXX5", -1, ReasonRow},
		{"inverse-treblecross", "XXXx", 3, ""}, // malformed before illegal
		{"inverse-treblecross-4", "XXX", -1, ""},
		{"inverse-treblecross-4", "XXXX", -1, ReasonRow},
		{"inverse-treblecross-13", strings.Repeat("X", 12) + "1", -1, ""},
		{"inverse-treblecross-13", strings.Repeat("X", 13), -1, ReasonRow},
		{"inverse-treblecross-ring", "0", -1, ""},
		{"inverse-treblecross-ring", "XX", -1, ""},
		{"inverse-treblecross-ring", "XX1", -1, ""},
		{"inverse-treblecross-ring", "X4X", -1, ""},
		{"inverse-treblecross-ring", "XXX", -1, ReasonRow},
		{"inverse-treblecross-ring", "XX4X", -1, ReasonRow},
		{"inverse-treblecross-ring", "X4XX", -1, ReasonRow},
		{"inverse-treblecross-ring", "XX4XX", -1, ReasonRow},
	} {
		p, err := named(t, test.rules).Parse(test.text)
		var malformed *rules.MalformedPositionError
		var illegal *rules.IllegalPositionError
		switch {
		case errors.As(err, &malformed):
			if malformed.Offset != test.offset || malformed.Position != test.text || malformed.Detail == "" {
				t.Errorf("%s %q: %v, want offset %d", test.rules, test.text, err, test.offset)
			}
		case errors.As(err, &illegal):
			if illegal.Reason != test.reason || test.offset >= 0 || illegal.Position != test.text || illegal.Detail == "" {
				t.Errorf("%s %q: %v, want offset %d, reason %q", test.rules, test.text, err, test.offset, test.reason)
			}
		case err != nil:
			t.Errorf("%s %q: %v is not one of the errors of positions", test.rules, test.text, err)
		case test.offset >= 0 || test.reason != "":
			t.Errorf("%s %q is read as %s, want offset %d, reason %q", test.rules, test.text, p, test.offset, test.reason)
		case p.String() != test.text:
			t.Errorf("%s %q prints as %q", test.rules, test.text, p)
		}
	}
}

// plain is a position cell by cell, with the rules as they are said.
type plain struct {
	row   int
	ring  bool
	cells []bool // marked
}

func plainOf(row int, ring bool, length int, marks uint64) plain {
	p := plain{row, ring, make([]bool, length)}
	for i := range length {
		p.cells[i] = marks>>i&1 == 1
	}
	return p
}

func (p plain) String() string {
	var b strings.Builder
	run := 0
	for _, marked := range p.cells {
		if !marked {
			run++
			continue
		}
		if run > 0 {
			b.WriteString(strconv.Itoa(run))
			run = 0
		}
		b.WriteByte('X')
	}
	if run > 0 || len(p.cells) == 0 {
		b.WriteString(strconv.Itoa(run))
	}
	return b.String()
}

// hasRow looks at every stretch of row different cells.
func (p plain) hasRow() bool {
	for first := range p.cells {
		marked := 0
		for i := range p.row {
			cell := first + i
			if p.ring {
				cell %= len(p.cells)
			}
			if cell < len(p.cells) && p.cells[cell] {
				marked++
			}
		}
		if marked == p.row && len(p.cells) >= p.row {
			return true
		}
	}
	return false
}

func (p plain) play(cell int) (next plain, ok bool) {
	if cell < 1 || cell > len(p.cells) || p.cells[cell-1] {
		return plain{}, false
	}
	next = plain{p.row, p.ring, slices.Clone(p.cells)}
	next.cells[cell-1] = true
	return next, !next.hasRow()
}

// TestAgainstPlain holds reading, moves and playing against the plain rules, for every
// position of up to 10 cells.
func TestAgainstPlain(t *testing.T) {
	positions := 0
	for _, r := range Rulesets() {
		for length := range 11 {
			for marks := range uint64(1) << length {
				want := plainOf(r.row, r.ring, length, marks)
				p, err := r.ParsePosition(want.String())
				if want.hasRow() != (err != nil) {
					t.Fatalf("%s %s: %v", r.About().Name, want, err)
				}
				if err != nil {
					continue
				}
				positions++
				if p.String() != want.String() || p.Length() != uint64(length) {
					t.Fatalf("%s %s is %s of %d cells", r.About().Name, want, p, p.Length())
				}
				moves := slices.Collect(p.Moves())
				var legal []string
				for cell := range length + 2 {
					next, ok := want.play(cell)
					if ok {
						legal = append(legal, strconv.Itoa(cell))
					}
					if cell == 0 {
						continue // malformed
					}
					got, passes, err := p.Play(strconv.Itoa(cell))
					if ok != (err == nil) {
						t.Fatalf("%s %s, cell %d: %v", r.About().Name, want, cell, err)
					}
					var illegal *rules.IllegalMoveError
					switch {
					case ok && (got.String() != next.String() || !passes):
						t.Fatalf("%s %s, cell %d: %s, want %s", r.About().Name, want, cell, got, next)
					case !ok && (!errors.As(err, &illegal) || !slices.Equal(illegal.Legal, moves)):
						t.Fatalf("%s %s, cell %d: %v", r.About().Name, want, cell, err)
					}
				}
				if !slices.Equal(moves, legal) {
					t.Fatalf("%s %s: moves %v, want %v", r.About().Name, want, moves, legal)
				}
				if (p.Result() == rules.Loss) != (len(legal) == 0) {
					t.Fatalf("%s %s: result %v with %d moves", r.About().Name, want, p.Result(), len(legal))
				}
			}
		}
	}
	if positions < 12000 {
		t.Errorf("saw only %d positions", positions)
	}
}

func TestPlayErrors(t *testing.T) {
	canonical := named(t, "inverse-treblecross")
	for _, test := range []struct {
		position, move string
		offset         int // of a malformed move, or -1
		detail         string
	}{
		{"12", "", 0, "number of a cell"},
		{"12", "0", 0, "number of a cell"},
		{"12", "01", 0, "number of a cell"},
		{"12", "-1", 0, "number of a cell"},
		{"12", "b2", 0, "number of a cell"},
		{"12", "1 ", 1, "a digit"},
		{"12", "1X", 1, "a digit"},
		{"12", "99999999999999999999999999x", 26, "a digit"},
		{"12", "13", -1, "the last is 12"},
		{"12", "99999999999999999999999999", -1, "the last is 12"},
		{"4X5", "5", -1, "is marked"},
		{"4XX5", "4", -1, "three in a row"},
		{"XX1", "3", -1, "the game is over"},
		{"0", "1", -1, "the game is over"},
	} {
		_, _, err := mustParse(t, canonical, test.position).Play(test.move)
		var malformed *rules.MalformedMoveError
		var illegal *rules.IllegalMoveError
		switch {
		case errors.As(err, &malformed):
			if malformed.Offset != test.offset || malformed.Ply != 1 || malformed.Move != test.move ||
				!strings.Contains(malformed.Detail, test.detail) {
				t.Errorf("%s %q: %v", test.position, test.move, err)
			}
		case errors.As(err, &illegal):
			if test.offset >= 0 || illegal.Ply != 1 || illegal.Move != test.move || !strings.Contains(illegal.Detail, test.detail) {
				t.Errorf("%s %q: %v", test.position, test.move, err)
			}
		default:
			t.Errorf("%s %q: %v", test.position, test.move, err)
		}
	}
	// An endless strip is no reason to list endless moves.
	_, _, err := canonical.Empty(MaxLength).Play(strconv.FormatUint(MaxLength+1, 10))
	var illegal *rules.IllegalMoveError
	if !errors.As(err, &illegal) || len(illegal.Legal) != rules.MaxLegal {
		t.Errorf("%v", err)
	}
	next, _, err := canonical.Empty(MaxLength).Play(strconv.FormatUint(MaxLength, 10))
	if err != nil || next.String() != "9223372036854775806X" {
		t.Errorf("%v, %v", next, err)
	}
}

func TestDiagram(t *testing.T) {
	for _, test := range []struct{ rules, position, want string }{
		{"inverse-treblecross", "4XX5", "...xXXx....\n1       10\nstrip of 11 cells; x: a mark there would make three in a row\n"},
		{"inverse-treblecross-ring", "X4X", "Xx..xX\n1\nring of 6 cells; x: a mark there would make three in a row\n"},
		{"inverse-treblecross", "1000000000", "1000000000\nstrip of 1000000000 cells\n"},
	} {
		if got := mustParse(t, named(t, test.rules), test.position).Diagram(); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.position, got, test.want)
		}
	}
}

// TestLongPositions plays at random on strips and rings too long for a picture: what is
// played is what is read.
func TestLongPositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(Rulesets()).Draw(t, "rules")
		p := r.Empty(rapid.Uint64Range(0, MaxLength).Draw(t, "length"))
		for range rapid.IntRange(0, 30).Draw(t, "moves") {
			cell := rapid.Uint64Range(1, max(1, p.Length())).Draw(t, "cell")
			if rapid.Bool().Draw(t, "near the end") {
				cell = min(cell, rapid.Uint64Range(1, 40).Draw(t, "at"))
			}
			next, ok := p.Mark(cell)
			if !ok {
				continue
			}
			again, err := r.ParsePosition(next.String())
			if err != nil || again.String() != next.String() || again.Length() != p.Length() || next.Length() != p.Length() {
				t.Fatalf("%s after %d in %s: read as %s, %v", next, cell, p, again, err)
			}
			p = next
		}
	})
}

func TestExamples(t *testing.T) {
	for _, r := range Rulesets() {
		examples := r.Examples()
		if len(examples) < 4 || examples[0].Position.String() != r.Start().String() {
			t.Errorf("%s: %d examples", r.About().Name, len(examples))
		}
		for _, e := range examples {
			if e.Name == "" || !strings.HasSuffix(e.Summary, ".") || e.Position.Rules() != r {
				t.Errorf("%s: %+v", r.About().Name, e)
			}
			answer, err := e.Position.Answer(t.Context(), DefaultBudget)
			if err != nil {
				t.Errorf("%s %s: %v", r.About().Name, e.Position, err)
			}
			for text, value := range map[string]int{
				"7X7": 0, "4X9": 4, "1000000000": 0, "1000000005": 1, "XX1XX": 0, "11": 1, "21": 0,
			} {
				if e.Position.String() == text && r.row == MinRow && answer.Grundy != value {
					t.Errorf("%s %s has the value %d, want %d", r.About().Name, text, answer.Grundy, value)
				}
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"12", "4X5", "XX3", "7", "X0X", "0", "00", "0X", "XXX", "X4XX", "9223372036854775807",
		"9223372036854775806X1", "4x5", "", "4 5", "\xff",
	} {
		f.Add(text)
	}
	all := Rulesets()
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range all {
			p, err := r.ParsePosition(text)
			if err != nil {
				var malformed *rules.MalformedPositionError
				var illegal *rules.IllegalPositionError
				if !errors.As(err, &malformed) && !errors.As(err, &illegal) {
					t.Fatalf("%q: %v", text, err)
				}
				if malformed != nil && (malformed.Offset < 0 || malformed.Offset > len(text)) {
					t.Fatalf("%q: offset %d", text, malformed.Offset)
				}
				continue
			}
			if p.String() != text {
				t.Fatalf("%q prints as %q", text, p)
			}
			tried := 0 // there can be 2⁶³ moves
			for cell := range p.Cells() {
				next, ok := p.Mark(cell)
				if !ok || next.Length() != p.Length() {
					t.Fatalf("%q: cell %d leads to %s", text, cell, next)
				}
				if _, err := r.ParsePosition(next.String()); err != nil {
					t.Fatalf("%q: cell %d leads to %v", text, cell, err)
				}
				if tried++; tried == 16 {
					break
				}
			}
			_ = fmt.Sprint(p.Diagram(), p.Result())
		}
	})
}
