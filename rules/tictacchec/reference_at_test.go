package tictacchec

import (
	"testing"

	"solved/rules"
)

// The reference's boards by index are the fast rules' positions, and undo its own
// index: at both ends of each set of pieces and each ply, and at random.
func TestReferenceAt(t *testing.T) {
	random := newRand(6)
	check := func(section rules.Section, index uint64) {
		b, ok := ReferenceAt(section, index)
		p, _ := FromIndex(section, index)
		if !ok || b.String() != p.String() {
			t.Fatalf("%s %d is %s, %v; want %s", section, index, b, ok, p)
		}
		if s, i := b.Index(); s != section || i != index {
			t.Fatalf("%s of %s %d has the index %s %d", b, section, index, s, i)
		}
	}
	for _, b := range blocks {
		check(rules.Main, b.offset)
		check(rules.Main, b.end()-1)
	}
	for ply := range OpeningPlies {
		check(rules.Opening, openingPlies[ply].offset)
		check(rules.Opening, openingPlies[ply+1].offset-1)
	}
	for range 2000 {
		check(rules.Main, random.Uint64N(MainPositions))
		check(rules.Opening, random.Uint64N(OpeningPositions))
	}
	for section, n := range Rulesets()[0].Ruleset().Positions {
		if b, ok := ReferenceAt(rules.Section(section), n); ok {
			t.Errorf("%s %d is %s", rules.Section(section), n, b)
		}
	}
}
