package inverseduocross

import (
	"fmt"
	"iter"

	"solved/rules"
	"solved/rules/strip"
)

// ReasonRow is the reason for which a position that is written correctly is refused: it has
// two marks in a row. It is stable: programs may compare it.
const ReasonRow = "marks-in-a-row"

// Position is a strip of cells, some of them marked, no two of these in a row. It is made by
// [Empty], [Parse] or [Position.Mark], is immutable and safe for concurrent use. It takes
// memory in proportion to its marks, not to its cells.
type Position struct{ strip strip.Strip }

var _ rules.Counted = Position{}

// Empty returns the strip of so many cells, at most [strip.MaxLength], without a mark.
func Empty(length uint64) Position { return Position{strip.Empty(length)} }

// Parse reads a position string: runs of empty cells as numbers, each mark as an X, such as
// "4X5" or "7"; "0" is the strip without a cell, where the side to move has lost. Every
// position has exactly one such string.
//
// A text that is none is refused with a *[rules.MalformedPositionError], as [strip.Parse]
// describes it. A strip with two marks in a row, such as "XX", is refused with a
// *[rules.IllegalPositionError] and [ReasonRow].
func Parse(text string) (Position, error) {
	cells, err := strip.Parse(text, strip.MaxLength)
	if err != nil {
		return Position{}, err
	}
	if row := cells.LongestRow(); row > 1 {
		return Position{}, &rules.IllegalPositionError{
			Position: text, Reason: ReasonRow, Detail: fmt.Sprintf("%d marks in a row, and two are forbidden", row),
		}
	}
	return Position{cells}, nil
}

// Length returns the number of cells.
func (p Position) Length() uint64 { return p.strip.Length() }

// Marked says of each cell, from the first, whether it is marked. It has as many entries as
// the position has cells, so the caller bounds them by [Position.Length] first.
func (p Position) Marked() []bool { return p.strip.Marked() }

// String returns the position string: runs of empty cells as numbers, each mark as an X, "4X5";
// "0" when there is no cell.
func (p Position) String() string { return p.strip.String() }

// Diagram draws the position in one line: a dot for an empty cell, an x for one that can no
// longer be marked, an X for a mark, with the number of every tenth cell below. Positions of
// more than 60 cells are shown as their position string.
func (p Position) Diagram() string {
	drawing := p.strip.Draw(func(run int, place uint64) byte {
		if !p.open(run, place) {
			return 'x'
		}
		return '.'
	})
	legend := fmt.Sprintf("strip of %d cells", p.Length())
	if p.strip.Drawn() {
		legend += "; x: a mark there would make two in a row"
	}
	return drawing + legend + "\n"
}

// open says whether a cell can be marked: place, from 0, in a run of empty cells.
func (p Position) open(run int, place uint64) bool {
	empty, _ := p.strip.Runs()
	markBefore := run > 0 && place == 0
	markAfter := run < len(empty)-1 && place == empty[run]-1
	return !markBefore && !markAfter
}

// part is a longest run of cells that can be marked.
type part struct {
	first  uint64 // its first cell, from 1
	length uint64 // at least 1
}

// parts yields the parts of the position from the first cell to the last. A mark closes the cells
// next to it, so that no move in a part changes another one.
func (p Position) parts() iter.Seq[part] {
	return func(yield func(part) bool) {
		empty, _ := p.strip.Runs()
		first := uint64(1) // of the run
		for i, n := range empty {
			run := part{first, n}
			first += n + 1
			if i > 0 && run.length > 0 {
				run.first++
				run.length--
			}
			if i < len(empty)-1 && run.length > 0 {
				run.length--
			}
			if run.length > 0 && !yield(run) {
				return
			}
		}
	}
}

// Cells yields the cells that can be marked, from 1, ascending: the legal moves in their
// published order.
func (p Position) Cells() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for s := range p.parts() {
			for j := range s.length {
				if !yield(s.first + j) {
					return
				}
			}
		}
	}
}

// NumMoves returns the number of cells that can be marked.
func (p Position) NumMoves() uint64 {
	count := uint64(0)
	for s := range p.parts() {
		count += s.length
	}
	return count
}

// Moves yields the legal moves: the numbers of the cells that can be marked, ascending.
func (p Position) Moves() iter.Seq[string] { return strip.Moves(p.Cells()) }

// Over says whether no cell can be marked, so that the side to move has lost.
func (p Position) Over() bool {
	for range p.parts() {
		return false
	}
	return true
}

// Result returns Loss when no cell can be marked, else Unknown.
func (p Position) Result() rules.Value {
	if p.Over() {
		return rules.Loss
	}
	return rules.Unknown
}

// Mark returns the position after a cell, from 1, has been marked; ok is false when that is
// no legal move.
func (p Position) Mark(cell uint64) (next Position, ok bool) {
	run, place := p.strip.Find(cell)
	if run < 0 || !p.open(run, place) {
		return Position{}, false
	}
	after, _ := p.strip.Mark(cell)
	return Position{after}, true
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
		closed := fmt.Sprintf("a mark on cell %d would make two in a row", cell)
		return nil, false, p.strip.IllegalMove(move, cell, p.Moves(), closed)
	}
	return after, true, nil
}
