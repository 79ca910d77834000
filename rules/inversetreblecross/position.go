package inversetreblecross

import (
	"fmt"
	"iter"

	"solved/rules"
	"solved/rules/strip"
)

// MaxLength is the greatest number of cells that a position can have.
const MaxLength = strip.MaxLength

// Position is a strip or a ring of cells, some of them marked. It is made by
// [Rules.Empty], [Rules.ParsePosition] or [Position.Mark], is immutable and safe for
// concurrent use. It takes memory in proportion to its marks, not to its cells.
type Position struct {
	rules *Rules
	strip strip.Strip
}

var _ rules.Counted = Position{}

// Empty returns the position of so many cells, at most [MaxLength], without a mark.
func (r *Rules) Empty(length uint64) Position { return Position{r, strip.Empty(length)} }

// Rules returns the ruleset of the position.
func (p Position) Rules() *Rules { return p.rules }

// Length returns the number of cells.
func (p Position) Length() uint64 { return p.strip.Length() }

// IsEmpty says whether no cell is marked.
func (p Position) IsEmpty() bool { return p.strip.IsEmpty() }

// String returns the position string: runs of empty cells as numbers, each mark as
// an X, "4X5"; "0" when there is no cell.
func (p Position) String() string { return p.strip.String() }

// Diagram draws the position in one line: a dot for an empty cell, an x for one that
// can no longer be marked, an X for a mark, with the number of every tenth cell below.
// Positions of more than 60 cells are shown as their position string.
func (p Position) Diagram() string {
	shape := "strip"
	if p.rules.ring {
		shape = "ring"
	}
	drawing := p.strip.Draw(func(run int, place uint64) byte {
		if !p.open(run, place) {
			return 'x'
		}
		return '.'
	})
	legend := fmt.Sprintf("%s of %d cells", shape, p.Length())
	if p.strip.Drawn() {
		legend += fmt.Sprintf("; x: a mark there would make %s in a row", numeral(p.rules.row))
	}
	return drawing + legend + "\n"
}

// runs returns how many marks in a row touch the run of empty cells i on its left and
// on its right.
func (p Position) runs(i int) (left, right uint64) {
	empty, marks := p.strip.Runs()
	last := len(marks) - 1
	if last < 0 {
		return 0, 0
	}
	if i > 0 {
		left = marks[i-1]
	}
	if i <= last {
		right = marks[i]
	}
	if !p.rules.ring {
		return left, right
	}
	// Across the seam, two runs of marks are one, and so are two of empty cells, no end
	// of which touches a mark there.
	first, end := empty[0], empty[last+1]
	switch {
	case first == 0 && end == 0 && last > 0:
		if i == 1 {
			left += marks[last]
		}
		if i == last {
			right += marks[0]
		}
	case i == 0 && end == 0:
		left = marks[last]
	case i == last+1 && first == 0:
		right = marks[0]
	}
	return left, right
}

// open says whether cell j, from 0, of the run of empty cells i can be marked.
func (p Position) open(i int, j uint64) bool {
	left, right := p.runs(i)
	empty, _ := p.strip.Runs()
	n := empty[i]
	row := uint64(1)
	if j == 0 {
		row += left
	}
	if j == n-1 {
		row += right
	}
	if p.rules.ring {
		// Cells in a row are different cells: a ring of two never has three.
		row = min(row, p.Length())
	}
	return row < uint64(p.rules.row)
}

// Cells yields the cells that can be marked, from 1, ascending: the legal moves in
// their published order.
func (p Position) Cells() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		empty, marks := p.strip.Runs()
		first := uint64(1)
		for i, n := range empty {
			for j := range n {
				// Only the ends of a run can be closed, so this is quick.
				if (j == 0 || j == n-1) && !p.open(i, j) {
					continue
				}
				if !yield(first + j) {
					return
				}
			}
			first += n
			if i < len(marks) {
				first += marks[i]
			}
		}
	}
}

// NumMoves returns the number of cells that can be marked.
func (p Position) NumMoves() uint64 {
	empty, _ := p.strip.Runs()
	count := uint64(0)
	for i, n := range empty {
		count += n
		// Only the ends of a run can be closed.
		if n > 0 && !p.open(i, 0) {
			count--
		}
		if n > 1 && !p.open(i, n-1) {
			count--
		}
	}
	return count
}

// Moves yields the legal moves: the numbers of the cells that can be marked,
// ascending.
func (p Position) Moves() iter.Seq[string] { return strip.Moves(p.Cells()) }

// Over says whether no cell can be marked, so that the side to move has lost.
func (p Position) Over() bool {
	for range p.Cells() {
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

// Mark returns the position after a cell, from 1, has been marked; ok is false when
// that is no legal move.
func (p Position) Mark(cell uint64) (next Position, ok bool) {
	i, j := p.strip.Find(cell)
	if i < 0 || !p.open(i, j) {
		return Position{}, false
	}
	after, _ := p.strip.Mark(cell)
	return Position{p.rules, after}, true
}

// Play returns the position after a move, such as "3"; the other side is to move
// there. Its errors are those that [rules.Position] describes.
func (p Position) Play(move string) (next rules.Position, passes bool, err error) {
	cell, err := strip.ParseMove(move)
	if err != nil {
		return nil, false, err
	}
	after, ok := p.Mark(cell)
	if !ok {
		closed := fmt.Sprintf("a mark on cell %d would make %s in a row", cell, numeral(p.rules.row))
		return nil, false, p.strip.IllegalMove(move, cell, p.Moves(), closed)
	}
	return after, true, nil
}
