package treblecross

import "solved/rules"

// A quiet position is a sum of heaps of the octal game 0.007: each gap between marks, or between
// a mark and an end of the strip, is a heap. A gap of n cells, w of its two ends being marks,
// has n − 2w safe cells, and is the heap of n − 2w + 2 tokens.
//
// Marking the safe cell i of s, from 1, leaves i − 3 safe cells on its left and s − i − 2 on its
// right, or none where that is negative. As heaps, that takes three of s + 2 tokens and leaves
// i − 1 and s − i. Heaps of less than three tokens have no move, just as gaps without a safe cell.

// taken is the number of tokens that a turn takes from a heap.
const taken = Row

// unmarkedEnds is the number of tokens of an empty strip beyond its number of cells.
const unmarkedEnds = reach

// maxHeap is the number of tokens of the greatest heap, the longest empty strip.
const maxHeap = MaxLength + unmarkedEnds

// heapOf returns the tokens of the heap of a gap of so many cells. Left and right are 1 for an end
// of the gap that is a mark, 0 for an end of the strip.
func heapOf(gap, left, right uint64) uint64 { return gap + unmarkedEnds - reach*(left+right) }

// heapValues returns the Grundy numbers of the heaps of 0.007 with up to so many tokens, from
// their definition: the least number that no move leads to.
func heapValues(most int) []uint16 {
	values := make([]uint16, most+1)
	var seen []int // by value: the last heap that has a move of it
	for heap := taken; heap <= most; heap++ {
		for a, b := 0, heap-taken; a <= b; a, b = a+1, b-1 {
			value := int(values[a] ^ values[b])
			for value >= len(seen) {
				seen = append(seen, 0)
			}
			seen[value] = heap
		}
		value := 0
		for value < len(seen) && seen[value] == heap {
			value++
		}
		values[heap] = uint16(value)
	}
	return values
}

// Worth is the value of a position for the side to move, and its Grundy number if it has one.
type Worth struct {
	Value rules.Value
	// Grundy is the Grundy number, when HasGrundy is true: in quiet positions only. A position
	// that is over, or in which a line can be completed, has none.
	Grundy    uint64
	HasGrundy bool
}

// quietWorth returns the worth of a quiet position with that Grundy number.
func quietWorth(grundy uint16) Worth {
	worth := Worth{Value: rules.Loss, Grundy: uint64(grundy), HasGrundy: true}
	if grundy != 0 {
		worth.Value = rules.Win
	}
	return worth
}

// Worth returns the value and the Grundy number of the position.
func (p Position) Worth() Worth {
	switch p.phase() {
	case over:
		return Worth{Value: rules.Loss}
	case completable:
		return Worth{Value: rules.Win}
	}
	return quietWorth(p.grundy())
}

// grundy returns the Grundy number of a quiet position.
func (p Position) grundy() (sum uint16) {
	values := p.rules.heaps()
	gaps, _ := p.strip.Runs()
	for i, n := range gaps {
		left, right := p.walls(i)
		sum ^= values[heapOf(n, left, right)]
	}
	return sum
}

// split returns the heaps on both sides of a safe cell of a quiet position after it is marked.
func (p Position) split(gap int, place uint64) (a, b uint64) {
	gaps, _ := p.strip.Runs()
	left, right := p.walls(gap)
	return heapOf(place, left, 1), heapOf(gaps[gap]-1-place, 1, right)
}
