package inversetreblecross

import (
	"fmt"
	"slices"

	"solved/rules/strip"
)

// The theorem on the empty strip, for three in a row, is proved together with claims
// about four other families of pieces, as a player's moves lead from one to another.
// A family is a piece with one run of n empty cells between two ends.
type family uint8

const (
	emptyStrip family = iota // [n]
	oneMark                  // [Xn]
	twoMarks                 // [XnX]
	threeAhead               // [2Xn]
	bothEnds                 // [2XnX]
	families
)

// ends returns the cells before and after the run of a family, as runs of empty cells
// and marks by turns.
func (f family) ends() (before, after []uint64) {
	switch f {
	case oneMark:
		return []uint64{0, 1}, nil
	case twoMarks:
		return []uint64{0, 1}, []uint64{1, 0}
	case threeAhead:
		return []uint64{2, 1}, nil
	case bothEnds:
		return []uint64{2, 1}, []uint64{1, 0}
	}
	return nil, nil
}

// String returns the family as it is written in formulas.
func (f family) String() string { return [...]string{"[n]", "[Xn]", "[XnX]", "[2Xn]", "[2XnX]"}[f] }

// runs returns the piece of the family with n empty cells between its ends.
func (f family) runs(n uint64) []uint64 {
	before, after := f.ends()
	return slices.Concat(before, []uint64{n}, after)
}

// familyOf returns the family of a piece, and its n.
func familyOf(p piece) (f family, n uint64, ok bool) {
	if p.ring {
		return 0, 0, false
	}
	for _, runs := range [...][]uint64{p.runs, reversed(p.runs)} {
		for f := range families {
			before, after := f.ends()
			if len(runs) == len(before)+1+len(after) && slices.Equal(runs[:len(before)], before) &&
				slices.Equal(runs[len(before)+1:], after) {
				return f, runs[len(before)], true
			}
		}
	}
	return 0, 0, false
}

// unclaimed stands for residues about which nothing is claimed.
const unclaimed = 255

// smallest is the number of cells up to which pieces are valued by the reference.
const smallest = 12

// theory holds the values that the theorem's proof claims. It is immutable.
type theory struct {
	// claims are the values of the families by n modulo 10.
	claims [families][10]uint8
	// small are the values of all pieces of up to smallest cells, where the proof begins.
	small []*Reference
}

func newTheory() *theory {
	const no = unclaimed
	t := &theory{claims: [families][10]uint8{
		emptyStrip: {0, 1, 0, 0, 1, 1, 0, 1, 1, 0},
		oneMark:    {0, 1, 1, 0, no, 1, 0, 0, 1, no},
		twoMarks:   {0, no, 1, no, 0, 1, no, 0, no, 1},
		threeAhead: {1, no, 0, 1, no, 0, no, 1, 0, no},
		bothEnds:   {no, no, 0, no, 1, no, no, 1, no, 0},
	}}
	for length := range smallest + 1 {
		t.small = append(t.small, NewReference(MinRow, length, false))
	}
	return t
}

// piece returns the value of a piece as far as it is claimed.
func (t *theory) piece(p piece) (value uint8, ok bool) {
	if p.length <= smallest {
		v, ok := t.small[p.length].Value(p.bits())
		return uint8(v), ok
	}
	f, n, ok := familyOf(p)
	if !ok || t.claims[f][n%10] == unclaimed {
		return 0, false
	}
	return t.claims[f][n%10], true
}

// sum returns the value of pieces as far as they are claimed.
func (t *theory) sum(parts []piece) (value uint8, ok bool) {
	for _, p := range parts {
		v, ok := t.piece(p)
		if !ok {
			return 0, false
		}
		value ^= v
	}
	return value, true
}

// positionOf returns the position of runs of empty cells and of marks by turns.
func positionOf(r *Rules, runs []uint64) Position { return Position{r, strip.OfRuns(runs...)} }

// near are the cells that the theorem's strategy answers with: next to the last mark,
// or one cell away from it. Such a mark closes a cell, so that the pieces' values
// multiply out. A cell before the first wraps to a great number that no cell has.
func near(last uint64) [4]uint64 { return [...]uint64{last - 1, last + 1, last - 2, last + 2} }

// check proves the claim about one piece, of more than smallest cells, from those
// about smaller pieces. A piece has the value g when
//
//   - no move has the value g: either its pieces' claimed values say so, or a reply near
//     it leads to pieces whose claimed values make g, which a position of value g
//     could not be followed by;
//   - some move has each value below g.
//
// Each claim is reduced to smaller pieces, so that together they are a proof by
// induction.
func (t *theory) check(f family, n uint64) error {
	value := t.claims[f][n%10]
	p := positionOf(&Rules{row: MinRow}, f.runs(n))
	var seen uint64
	for cell := range p.Cells() {
		after, _ := p.Mark(cell)
		if v, ok := t.sum(after.pieces()); ok {
			seen |= 1 << v
			if v == value {
				return fmt.Errorf("%s has a move of its claimed value %d, cell %d", p, value, cell)
			}
		} else if !t.replies(after, cell, value) {
			return fmt.Errorf("%s: nothing near cell %d answers it with the value %d", p, cell, value)
		}
	}
	for v := range value {
		if seen>>v&1 == 0 {
			return fmt.Errorf("%s is claimed to have the value %d, but no move of value %d was found", p, value, v)
		}
	}
	return nil
}

// replies says whether a move near the last leads to pieces of a value.
func (t *theory) replies(p Position, last uint64, value uint8) bool {
	for _, cell := range near(last) {
		if after, ok := p.Mark(cell); ok {
			if v, ok := t.sum(after.pieces()); ok && v == value {
				return true
			}
		}
	}
	return false
}
