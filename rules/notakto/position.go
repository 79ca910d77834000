package notakto

import (
	"iter"
	"slices"

	"solved/rules"
)

var _ rules.Counted = Position{}

// MaxBoards is the greatest number of boards of a position, dead ones included.
const MaxBoards = 1000

// Position is a row of boards, in the order in which they were given. It is immutable and
// safe for concurrent use. The zero value has no board, and no text names it.
type Position struct{ boards []Board }

// Move marks a square of a board.
type Move struct {
	Board  int // from 1, in the position's order
	Square Square
}

// Boards returns the boards of the position, a copy.
func (p Position) Boards() []Board { return slices.Clone(p.boards) }

// Live returns the number of boards that are not dead.
func (p Position) Live() int {
	live := 0
	for _, b := range p.boards {
		if !b.Dead() {
			live++
		}
	}
	return live
}

// Result returns Win when all boards are dead, as the other side has killed the last one;
// Unknown otherwise.
func (p Position) Result() rules.Value {
	if p.Live() == 0 {
		return rules.Win
	}
	return rules.Unknown
}

// Element returns the element of the position in the misère quotient: the product of the
// elements of its boards.
func (p Position) Element() Element {
	q := quotientOf()
	var e Element
	for _, b := range p.boards {
		e = q.product[e][q.of(b)]
	}
	return e
}

// Value returns the value for the side to move, by the misère quotient.
func (p Position) Value() rules.Value { return p.Element().Value() }

// Value returns the value of every position of an element, for the side to move.
func (e Element) Value() rules.Value {
	if quotientOf().lost[e] {
		return rules.Loss
	}
	return rules.Win
}

// NumMoves returns the number of legal moves: of empty squares on live boards.
func (p Position) NumMoves() uint64 {
	n := 0
	for _, b := range p.boards {
		n += b.moves()
	}
	return uint64(n)
}

// Legal yields the moves in the published order: by board, and on a board by square, a1, b1,
// c1, a2, … c3.
func (p Position) Legal() iter.Seq[Move] {
	return func(yield func(Move) bool) {
		for i, b := range p.boards {
			if b.Dead() {
				continue
			}
			for s := range Square(Squares) {
				if !b.Marked(s) && !yield(Move{i + 1, s}) {
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

// After returns the position after a legal move.
func (p Position) After(m Move) Position {
	next := slices.Clone(p.boards)
	next[m.Board-1] |= 1 << m.Square
	return Position{next}
}

// Play returns the position after the move that a text names; the other side is always to
// move there. A text that is no move is refused with a *[rules.MalformedMoveError], a move
// that cannot be played with a *[rules.IllegalMoveError].
func (p Position) Play(move string) (next rules.Position, passes bool, err error) {
	m, err := p.ParseMove(move)
	if err != nil {
		return nil, false, err
	}
	return p.After(m), true, nil
}
