package treblecross

import "math/bits"

// MaxDistanceLength is the number of cells of the longest position that a distance is
// found for.
const MaxDistanceLength = 20

// Distances knows how many plies are left to play from the positions that can follow
// one. It is for one goroutine.
type Distances struct {
	row, length int
	ring        bool
	known       []uint8 // by the set of marked cells: 1 + the distance, or 0
}

// NewDistances returns the distances of a position and of all that can follow it; ok is
// false when it has more than [MaxDistanceLength] cells. The work is done when they are
// asked for, and takes some hundredths of a second at most.
func NewDistances(p Position) (d *Distances, ok bool) {
	length := p.Length()
	if length > MaxDistanceLength {
		return nil, false
	}
	return &Distances{row: p.rules.row, length: int(length), ring: p.rules.ring, known: make([]uint8, 1<<length)}, true
}

// Of returns the number of plies to the end of the game from a position of the same
// rules and length, when the winner hurries and the loser delays: odd when the side to
// move wins, even when it loses.
func (d *Distances) Of(p Position) int {
	return int(d.find(piece{runs: p.allRuns()}.bits()))
}

// allRuns returns the runs of empty cells and of marks by turns.
func (p Position) allRuns() []uint64 {
	runs := []uint64{p.empty[0]}
	for i, n := range p.marks {
		runs = append(runs, n, p.empty[i+1])
	}
	return runs
}

func (d *Distances) find(marks uint64) uint8 {
	if d.length == 0 {
		return 0
	}
	if known := d.known[marks]; known > 0 {
		return known - 1
	}
	// Odd distances are wins of the side that is to move there, so the best move is
	// the shortest to an even one or else the longest to an odd one.
	win, loss := uint8(255), uint8(0)
	s := search{row: d.row}
	moves := ^uint64(0) >> (64 - d.length) &^ marks &^ s.shut(marks, d.length, d.ring)
	for ; moves != 0; moves &= moves - 1 {
		next := d.find(marks | 1<<bits.TrailingZeros64(moves))
		if next%2 == 0 {
			win = min(win, next+1)
		} else {
			loss = max(loss, next+1)
		}
	}
	distance := loss
	if win < 255 {
		distance = win
	}
	d.known[marks] = distance + 1
	return distance
}
