package inversetreblecross

import (
	"slices"
	"strings"
	"testing"
)

// TestMarked checks the cells against the position string, written out.
func TestMarked(t *testing.T) {
	for _, r := range []*Rules{Rulesets()[0], Rulesets()[len(Rulesets())-1]} {
		for text, want := range map[string]string{
			"0": "", "7": ".......", "X": "X", "XX3": "XX...", "4X5": "....X.....", "1X2XX1X": ".X..XX.X", "X3X": "X...X", "1XX1": ".XX.",
		} {
			p, err := r.ParsePosition(text)
			if err != nil {
				t.Fatal(err)
			}
			var cells []bool
			for _, c := range want {
				cells = append(cells, c == 'X')
			}
			if got := p.Marked(); !slices.Equal(got, cells) || uint64(len(got)) != p.Length() || p.Ring() != strings.HasSuffix(r.About().Name, "-ring") {
				t.Errorf("%s of %s: %v, want %s", text, r.About().Name, got, want)
			}
		}
	}
}
