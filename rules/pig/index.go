package pig

// A table has an entry for every position: for each pair of scores, those with the turn
// totals 0, 2, 3 and so on.
const (
	// Turns is the number of turn totals: 0, and 2 to MaxTurn.
	Turns = MaxTurn
	// Positions is the number of positions, 990,000.
	Positions = Goal * Goal * Turns
)

// Index returns the number of a position that goes on, below Positions:
//
//	(100·mine + theirs)·99 + slot
//
// where slot is 0 for a turn total of 0, and otherwise the turn total less 1. So the
// positions of a pair of scores follow one another.
func (p Position) Index() uint64 {
	return uint64((Goal*p.Mine()+p.Theirs())*Turns + slot(p.Turn()))
}

// slot returns the place of a turn total among all.
func slot(turn int) int { return max(turn-1, 0) }

// turnOf returns the turn total in a place.
func turnOf(slot int) int {
	if slot == 0 {
		return 0
	}
	return slot + 1
}

// FromIndex returns the position with an index, which is below Positions.
func FromIndex(index uint64) (p Position, ok bool) {
	if index >= Positions {
		return Position{}, false
	}
	i := int(index)
	return At(i/Turns/Goal, i/Turns%Goal, turnOf(i%Turns))
}
