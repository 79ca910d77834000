package tictactoe

import (
	"iter"
	"math/bits"

	"solved/rules"
)

// Position is a position of the game: the squares that each side has marked. The side to move
// follows from that. Positions are equal when == says so, and the zero Position is
// the empty board. It is a [rules.Position].
//
// Every Position that this package hands out can be reached in play.
type Position struct {
	marks [2]set // by Side
}

// Start returns the empty board, X to move.
func Start() Position { return Position{} }

// At returns whose mark is on a square, and false if it is empty.
func (p Position) At(s Square) (Side, bool) {
	switch bit := set(1) << s; {
	case p.marks[X]&bit != 0:
		return X, true
	case p.marks[O]&bit != 0:
		return O, true
	}
	return X, false
}

// Marks returns how many squares are marked: the number of plies played.
func (p Position) Marks() int { return p.taken().size() }

// Side returns the side to move: X after an even number of plies. When the game is
// over it is the side that would be to move, had it gone on.
func (p Position) Side() Side { return Side(p.Marks() & 1) }

// Winner returns the side that owns a line, and false if neither does.
func (p Position) Winner() (Side, bool) {
	switch {
	case p.marks[X].hasLine():
		return X, true
	case p.marks[O].hasLine():
		return O, true
	}
	return X, false
}

// Lines returns the finished lines, rows before columns before diagonals. The last
// mark can finish two at once. They all are the winner's.
func (p Position) Lines() []Line {
	var finished []Line
	for _, l := range lines {
		if p.marks[X]&l.set() == l.set() || p.marks[O]&l.set() == l.set() {
			finished = append(finished, l)
		}
	}
	return finished
}

// Result returns how the game ended for the side that would be to move: Loss if the
// last mark has finished a line, Draw if the board is full without one, Unknown as
// long as the game goes on.
func (p Position) Result() rules.Value {
	if _, won := p.Winner(); won {
		return rules.Loss
	}
	if p.taken() == fullBoard {
		return rules.Draw
	}
	return rules.Unknown
}

// Free yields the squares that the side to move may mark, in ascending order: the
// empty ones, and none when the game is over.
func (p Position) Free() iter.Seq[Square] {
	return func(yield func(Square) bool) {
		if p.Result() != rules.Unknown {
			return
		}
		for free := fullBoard &^ p.taken(); free != 0; free &= free - 1 {
			if !yield(Square(bits.TrailingZeros16(uint16(free)))) {
				return
			}
		}
	}
}

// Mark returns the position after the side to move has marked a square. It trusts
// that Free yields the square.
func (p Position) Mark(s Square) Position {
	p.marks[p.Side()] |= 1 << s
	return p
}

func (p Position) taken() set { return p.marks[X] | p.marks[O] }
