package strip

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"solved/rules"
)

// written writes cells, true for a marked one, as a strip.
func written(cells []bool) string {
	var b strings.Builder
	run := 0
	for _, marked := range append(slices.Clone(cells), true) {
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
	if len(cells) == 0 {
		return "0"
	}
	return strings.TrimSuffix(b.String(), "X") // the one that ended the last run
}

// longestRow counts the longest row of marks cell by cell.
func longestRow(cells []bool) (longest uint64) {
	row := uint64(0)
	for _, marked := range cells {
		row++
		if !marked {
			row = 0
		}
		longest = max(longest, row)
	}
	return longest
}

// TestAgainstCells holds all strips of up to 10 cells against their cells, one by one.
func TestAgainstCells(t *testing.T) {
	for length := range 11 {
		for marks := range 1 << length {
			cells := make([]bool, length)
			var empty []uint64
			for i := range cells {
				if cells[i] = marks>>i&1 == 1; !cells[i] {
					empty = append(empty, uint64(i+1))
				}
			}
			text := written(cells)
			s, err := Parse(text, uint64(length))
			if err != nil {
				t.Fatal(err)
			}
			if s.String() != text || s.Length() != uint64(length) || !slices.Equal(s.Marked(), cells) || s.IsEmpty() != (marks == 0) {
				t.Fatalf("%s is read as %s of %d cells", text, s, s.Length())
			}
			if got := slices.Collect(s.EmptyCells()); !slices.Equal(got, empty) || s.NumEmpty() != uint64(len(empty)) {
				t.Fatalf("%s has the empty cells %v, want %v", text, got, empty)
			}
			if s.LongestRow() != longestRow(cells) {
				t.Fatalf("%s has %d marks in a row", text, s.LongestRow())
			}
			var runs []uint64
			lengths, rows := s.Runs()
			for i, n := range lengths {
				runs = append(runs, n)
				if i < len(rows) {
					runs = append(runs, rows[i])
				}
			}
			if again := OfRuns(runs...); again.String() != text || again.Length() != s.Length() {
				t.Fatalf("%s has the runs of %s", text, again)
			}
			for cell := range length + 2 {
				next, ok := s.Mark(uint64(cell))
				if ok != slices.Contains(empty, uint64(cell)) {
					t.Fatalf("%s: cell %d can be marked: %t", text, cell, ok)
				}
				if !ok {
					continue
				}
				after := slices.Clone(cells)
				after[cell-1] = true
				if next.String() != written(after) || next.Length() != s.Length() || s.String() != text {
					t.Fatalf("%s, cell %d: %s of %d cells", text, cell, next, next.Length())
				}
			}
			if length > 0 {
				var malformed *rules.MalformedPositionError
				if _, err := Parse(text, uint64(length-1)); !errors.As(err, &malformed) ||
					malformed.Offset != len(text)-1 || !strings.Contains(malformed.Detail, "at most "+strconv.Itoa(length-1)+" cells") {
					t.Fatalf("%s, with one cell less: %v", text, err)
				}
			}
		}
	}
}

func TestDraw(t *testing.T) {
	for text, want := range map[string]string{
		"0":            "\n\n",
		"2X1":          "..Xv\n1\n",
		"9X3":          ".........Xv..\n1       10\n",
		"60":           strings.Repeat(".", 60) + "\n1       10        20        30        40        50        60\n",
		"30X30":        "30X30\n",
		"100000000000": "100000000000\n",
	} {
		s, err := Parse(text, MaxLength)
		if err != nil {
			t.Fatal(err)
		}
		got := s.Draw(func(run int, place uint64) byte {
			if run == 1 && place == 0 {
				return 'v'
			}
			return '.'
		})
		if got != want {
			t.Errorf("%s is drawn as %q, want %q", text, got, want)
		}
	}
}

// A text that Parse reads is the only one of its strip; any other is malformed at a place in it.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"12", "4X5", "XXX3", "X0X", "0", "00", "0X", "9223372036854775807", "9223372036854775808", "4x5", "", "\xff"} {
		f.Add(text, uint64(MaxLength))
		f.Add(text, uint64(7))
	}
	f.Fuzz(func(t *testing.T, text string, most uint64) {
		most = min(most, MaxLength)
		s, err := Parse(text, most)
		var malformed *rules.MalformedPositionError
		switch {
		case err == nil && (s.String() != text || s.Length() > most):
			t.Fatalf("%q is read as %s of %d cells", text, s, s.Length())
		case err != nil && (!errors.As(err, &malformed) || malformed.Offset < 0 || malformed.Offset > len(text)):
			t.Fatalf("%q: %v", text, err)
		}
	})
}
