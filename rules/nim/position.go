package nim

import (
	"iter"
	"math"
	"math/bits"
	"slices"

	"solved/rules"
)

var _ rules.Counted = Position{}

// Bounds of a position.
const (
	// HeapBits is the width of a heap's size, and MaxHeap the greatest size.
	HeapBits = 63
	MaxHeap  = 1<<HeapBits - 1
	// MaxHeaps is the greatest number of heaps, empty ones included.
	MaxHeaps = 64
)

// Position is some heaps, in the order in which they were given. The zero value has
// none, and is not a position that a text can name.
type Position struct{ heaps []uint64 }

// Move takes counters from a heap.
type Move struct {
	Heap int    // from 1, in the position's order
	Take uint64 // 1 to the size of the heap
}

// Heaps returns the sizes of the heaps, a copy.
func (p Position) Heaps() []uint64 { return slices.Clone(p.heaps) }

// Result returns Loss when all heaps are empty, as the other side took the last
// counter; Unknown otherwise.
func (p Position) Result() rules.Value {
	for _, heap := range p.heaps {
		if heap > 0 {
			return rules.Unknown
		}
	}
	return rules.Loss
}

// Grundy returns the Grundy number of the position: the exclusive or of the heaps.
func (p Position) Grundy() uint64 { return nimSum(numbers{}, p.heaps) }

// Value returns the value for the side to move: Loss when the Grundy number is 0, and
// Win otherwise.
func (p Position) Value() rules.Value {
	if p.Grundy() == 0 {
		return rules.Loss
	}
	return rules.Win
}

// WinningMoves returns the moves to a position that is lost for the other side: at most
// one from each heap, by heap ascending, and none exactly in a lost position. There is
// always an odd number of them or none, as an odd number of heaps has the highest bit
// of the Grundy number.
func (p Position) WinningMoves() []Move {
	var moves []Move
	sum := p.Grundy()
	for i, heap := range p.heaps {
		if rest, possible := balance(numbers{}, heap, sum, 0); possible {
			moves = append(moves, Move{Heap: i + 1, Take: heap - rest})
		}
	}
	return moves
}

// NumMoves returns how many moves there are, as many as counters; math.MaxUint64 if
// there are more than 64 bits hold.
func (p Position) NumMoves() uint64 {
	total := uint64(0)
	for _, heap := range p.heaps {
		sum, carry := bits.Add64(total, heap, 0)
		if carry > 0 {
			return math.MaxUint64
		}
		total = sum
	}
	return total
}

// Legal yields the moves in the published order: by heap ascending, and within a heap
// by the number taken ascending. There may be some 2⁶⁹ of them.
func (p Position) Legal() iter.Seq[Move] {
	return func(yield func(Move) bool) {
		for i, heap := range p.heaps {
			// Counted down to zero, the loop ends for every size.
			for rest := heap; rest > 0; rest-- {
				if !yield(Move{Heap: i + 1, Take: heap - rest + 1}) {
					return
				}
			}
		}
	}
}

// Moves yields the moves as text, in the published order.
func (p Position) Moves() iter.Seq[string] {
	return func(yield func(string) bool) {
		for m := range p.Legal() {
			if !yield(m.String()) {
				return
			}
		}
	}
}

// IsLegal says whether a move can be played.
func (p Position) IsLegal(m Move) bool {
	return m.Heap >= 1 && m.Heap <= len(p.heaps) && m.Take >= 1 && m.Take <= p.heaps[m.Heap-1]
}

// After returns the position after a legal move.
func (p Position) After(m Move) Position {
	heaps := slices.Clone(p.heaps)
	heaps[m.Heap-1] -= m.Take
	return Position{heaps}
}

// Play returns the position after the move that a text names; the other side is then
// always to move.
func (p Position) Play(move string) (next rules.Position, passes bool, err error) {
	m, err := p.ParseMove(move)
	if err != nil {
		return nil, false, err
	}
	return p.After(m), true, nil
}
