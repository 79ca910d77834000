package notakto

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"
)

// shape is the number of a board's game tree. Two boards with the same set of shapes one
// move on have the same shape, so they can replace each other in every sum without a change
// of value or distance. Symmetric boards have the same shape, and so have some others.
type shape uint8

// dead is the shape of all dead boards, from which there is no move.
const dead shape = 0

// shapes holds the shape of every board, and the moves from every shape. It is immutable.
type shapes struct {
	of      [markings]shape
	options [][]shape // by shape, ascending; all of them are less than the shape
}

// gameTrees returns the shapes of all boards. A board's options come after it in numeric
// order, so one pass from the greatest board down finds all of them.
var gameTrees = sync.OnceValue(func() *shapes {
	s := &shapes{options: [][]shape{nil}}
	known := map[string]shape{}
	for b := Board(markings - 1); b < markings; b-- {
		if b.Dead() {
			continue
		}
		var options []shape
		for free := ^b & (markings - 1); free != 0; free &= free - 1 {
			options = append(options, s.of[b|free&-free])
		}
		slices.Sort(options)
		options = slices.Compact(options)
		key := fmt.Sprint(options)
		if _, ok := known[key]; !ok {
			known[key] = shape(len(s.options))
			s.options = append(s.options, options)
		}
		s.of[b] = known[key]
	}
	return s
})

// symmetries are the eight symmetries of a board: where each square goes.
var symmetries = func() (all [8][Squares]Square) {
	for i := range all {
		for s := range Square(Squares) {
			column, row := s%3, s/3
			if i&1 != 0 {
				column = 2 - column
			}
			if i&2 != 0 {
				row = 2 - row
			}
			if i&4 != 0 {
				column, row = row, column
			}
			all[i][s] = column + 3*row
		}
	}
	return all
}()

// canonical returns the least board that is symmetric to a board.
func (b Board) canonical() Board {
	least := Board(markings)
	for _, to := range symmetries {
		var moved Board
		for marks := b; marks != 0; marks &= marks - 1 {
			moved |= 1 << to[bits.TrailingZeros16(uint16(marks))]
		}
		least = min(least, moved)
	}
	return least
}
