package treblecross

import "solved/rules"

// Reference works out all positions of one length by the plain rules: it plays every move, and
// knows nothing of gaps, safe cells and heaps. It shares nothing with [Position]. It is
// immutable.
type Reference struct {
	length int
	// worths and reached are by the set of marked cells, bit 0 the first cell.
	worths  []ReferenceWorth
	reached []bool
}

// ReferenceWorth is what a Reference finds of a position.
type ReferenceWorth struct {
	Value    rules.Value
	Distance int // in plies, when the winner hurries and the loser delays
	// Grundy is the least number that no move leads to; -1 for a position that is over or in
	// which a line can be completed. Moves to such positions are left out.
	Grundy int
}

// NewReference works out all positions of a strip of so many cells, 3 to 24.
func NewReference(length int) *Reference {
	sets := uint64(1) << length
	r := &Reference{length, make([]ReferenceWorth, sets), make([]bool, sets)}
	// A move adds a mark, and so leads to a greater number.
	r.reached[0] = true
	for marks := range sets {
		if r.reached[marks] && !r.line(marks) {
			for _, next := range r.moves(marks) {
				r.reached[next] = true
			}
		}
	}
	for marks := sets; marks > 0; marks-- {
		r.worths[marks-1] = r.worth(marks - 1)
	}
	return r
}

// line says whether three neighbouring cells are marked.
func (r *Reference) line(marks uint64) bool { return marks&(marks>>1)&(marks>>2) != 0 }

// moves returns the positions after a mark on each empty cell.
func (r *Reference) moves(marks uint64) (next []uint64) {
	for cell := range r.length {
		if marks>>cell&1 == 0 {
			next = append(next, marks|1<<cell)
		}
	}
	return next
}

func (r *Reference) worth(marks uint64) ReferenceWorth {
	if r.line(marks) {
		return ReferenceWorth{Value: rules.Loss, Grundy: -1}
	}
	win, fewest, most := false, 0, 0
	completable := false
	options := map[int]bool{}
	for _, next := range r.moves(marks) {
		after := r.worths[next]
		plies := after.Distance + 1
		if after.Value == rules.Loss && (!win || plies < fewest) {
			win, fewest = true, plies
		}
		most = max(most, plies)
		completable = completable || r.line(next)
		options[after.Grundy] = true
	}
	worth := ReferenceWorth{Value: rules.Loss, Distance: most}
	if win {
		worth = ReferenceWorth{Value: rules.Win, Distance: fewest}
	}
	for options[worth.Grundy] {
		worth.Grundy++
	}
	if completable {
		worth.Grundy = -1
	}
	return worth
}

// Reached says whether play from the empty strip can reach a position.
func (r *Reference) Reached(marks uint64) bool { return r.reached[marks] }

// Worth returns what the reference finds of a position that play can reach.
func (r *Reference) Worth(marks uint64) ReferenceWorth { return r.worths[marks] }
