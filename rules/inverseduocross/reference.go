package inverseduocross

// Reference works out every position of one length from the rules alone: no part, no symmetry, no
// closed form. It is here to be read and to hold the closed forms against.
type Reference struct {
	length int
	worth  []Worth // by the set of marked cells, bit 0 the first cell
}

// Worth is the reference's result for a position.
type Worth struct {
	// Grundy is the least number that is not the Grundy value of a position one move on.
	Grundy int8
	// Plies are left to play when the winner hurries and the loser delays.
	Plies int8
}

// NewReference works out all positions of a strip of at most 24 cells.
func NewReference(length int) *Reference {
	r := &Reference{length, make([]Worth, 1<<length)}
	// A move adds a mark, and so leads to a greater number.
	for marks := len(r.worth) - 1; marks >= 0; marks-- {
		if !legal(uint64(marks)) {
			continue
		}
		var seen uint64              // Grundy values one move on
		fastest, slowest := -1, -1   // plies of the moves that win, and of those that lose
		for cell := range r.length { // every legal move
			next := marks | 1<<cell
			if next == marks || !legal(uint64(next)) {
				continue
			}
			child := r.worth[next]
			seen |= 1 << child.Grundy
			plies := int(child.Plies) + 1
			if child.Plies%2 == 1 {
				slowest = max(slowest, plies)
			} else if fastest < 0 || plies < fastest {
				fastest = plies
			}
		}
		worth := &r.worth[marks]
		for seen>>worth.Grundy&1 == 1 {
			worth.Grundy++
		}
		worth.Plies = int8(max(slowest, 0))
		if fastest >= 0 {
			worth.Plies = int8(fastest)
		}
	}
	return r
}

// legal says whether no two marks are in a row.
func legal(marks uint64) bool { return marks&(marks>>1) == 0 }

// Of returns the worth of a position, bit 0 of marks being the first cell; ok is false when two
// marks are in a row.
func (r *Reference) Of(marks uint64) (worth Worth, ok bool) { return r.worth[marks], legal(marks) }
