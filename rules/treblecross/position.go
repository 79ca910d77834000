package treblecross

import (
	"iter"

	"solved/rules"
	"solved/rules/strip"
)

var _ rules.Counted = Position{}

// Position is a strip of cells, some of them marked. It is made by [Rules.Empty],
// [Rules.ParsePosition] or [Position.Mark], is immutable and safe for concurrent use.
type Position struct {
	rules *Rules
	strip strip.Strip
}

// Rules returns the ruleset of the position.
func (p Position) Rules() *Rules { return p.rules }

// Length returns the number of cells.
func (p Position) Length() uint64 { return p.strip.Length() }

// IsEmpty says whether no cell is marked.
func (p Position) IsEmpty() bool { return p.strip.IsEmpty() }

// Marked says of each cell, from the first, whether it is marked.
func (p Position) Marked() []bool { return p.strip.Marked() }

// phase says how near a position is to its end.
type phase uint8

const (
	quiet       phase = iota // no line can be completed in one move
	completable              // some move completes a line
	over                     // there is a line
)

func (p Position) phase() phase {
	if p.Over() {
		return over
	}
	gaps, _ := p.strip.Runs()
	for i, n := range gaps {
		// Only the ends of a gap touch marks.
		if n > 0 && (p.completes(i, 0) || p.completes(i, n-1)) {
			return completable
		}
	}
	return quiet
}

// Over says whether there are three in a row, so that the side to move has lost.
func (p Position) Over() bool { return p.strip.LongestRow() >= Row }

// CanComplete says whether the side to move can complete three in a row, and so wins in one.
func (p Position) CanComplete() bool { return p.phase() == completable }

// completes says whether a mark in a gap, at a place from 0, makes three in a row.
func (p Position) completes(gap int, place uint64) bool {
	gaps, marks := p.strip.Runs()
	row := uint64(1)
	if place == 0 && gap > 0 {
		row += marks[gap-1]
	}
	if place == gaps[gap]-1 && gap < len(marks) {
		row += marks[gap]
	}
	return row >= Row
}

// walls returns how many ends of a gap are marks, not ends of the strip: 0 or 1 on either side.
func (p Position) walls(gap int) (left, right uint64) {
	_, marks := p.strip.Runs()
	if gap > 0 {
		left = 1
	}
	if gap < len(marks) {
		right = 1
	}
	return left, right
}

// reach is the number of cells next to a mark, on either side, that are not safe.
const reach = Row - 1

// safe says of a cell of a quiet position whether the position is quiet after it is marked:
// whether no other mark is within two cells.
func (p Position) safe(gap int, place uint64) bool {
	gaps, _ := p.strip.Runs()
	left, right := p.walls(gap)
	return place >= reach*left && gaps[gap]-1-place >= reach*right
}

// Cells yields the cells that can be marked, from 1, ascending: the legal moves in their
// published order.
func (p Position) Cells() iter.Seq[uint64] {
	if p.Over() {
		return func(func(uint64) bool) {}
	}
	return p.strip.EmptyCells()
}

// Moves yields the legal moves: the numbers of the cells that can be marked, ascending.
func (p Position) Moves() iter.Seq[string] { return strip.Moves(p.Cells()) }

// NumMoves returns the number of cells that can be marked.
func (p Position) NumMoves() uint64 {
	if p.Over() {
		return 0
	}
	return p.strip.NumEmpty()
}

// Result returns Loss when there are three in a row, else Unknown. A strip cannot be full before
// that.
func (p Position) Result() rules.Value {
	if p.Over() {
		return rules.Loss
	}
	return rules.Unknown
}

// Mark returns the position after a cell, from 1, has been marked; ok is false when that is no
// legal move.
func (p Position) Mark(cell uint64) (next Position, ok bool) {
	if p.Over() {
		return Position{}, false
	}
	cells, ok := p.strip.Mark(cell)
	return Position{p.rules, cells}, ok
}

// Play returns the position after a move, such as "3"; the other side is to move there. Its
// errors are those that [rules.Position] describes.
func (p Position) Play(move string) (next rules.Position, passes bool, err error) {
	cell, err := strip.ParseMove(move)
	if err != nil {
		return nil, false, err
	}
	after, ok := p.Mark(cell)
	if !ok {
		return nil, false, p.strip.IllegalMove(move, cell, p.Moves(), "")
	}
	return after, true, nil
}
