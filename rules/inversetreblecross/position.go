package inversetreblecross

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"solved/rules"
)

// MaxLength is the greatest number of cells that a position can have.
const MaxLength = 1<<63 - 1

// Position is a strip or a ring of cells, some of them marked. It is made by
// [Rules.Empty], [Rules.ParsePosition] or [Position.Mark], is immutable and safe for
// concurrent use. It takes memory in proportion to its marks, not to its cells.
type Position struct {
	rules *Rules
	// Runs of empty cells and of marks take turns: empty[0], marks[0], empty[1], and
	// so on. Only the first and the last run of empty cells can be 0.
	empty  []uint64
	marks  []uint64
	length uint64
}

var _ rules.Counted = Position{}

// Empty returns the position of so many cells, at most [MaxLength], without a mark.
func (r *Rules) Empty(length uint64) Position {
	return Position{rules: r, empty: []uint64{length}, length: length}
}

// Rules returns the ruleset of the position.
func (p Position) Rules() *Rules { return p.rules }

// Length returns the number of cells.
func (p Position) Length() uint64 { return p.length }

// IsEmpty says whether no cell is marked.
func (p Position) IsEmpty() bool { return len(p.marks) == 0 }

// String returns the position string: runs of empty cells as numbers, each mark as
// an X, "4X5"; "0" when there is no cell.
func (p Position) String() string {
	if len(p.marks) == 0 {
		return strconv.FormatUint(p.empty[0], 10)
	}
	var b []byte
	for i, n := range p.empty {
		if n > 0 {
			b = strconv.AppendUint(b, n, 10)
		}
		if i < len(p.marks) {
			for range p.marks[i] {
				b = append(b, 'X')
			}
		}
	}
	return string(b)
}

// wide is the number of cells up to which a diagram shows each of them.
const wide = 60

// Diagram draws the position in one line: a dot for an empty cell, an x for one that
// can no longer be marked, an X for a mark, with the number of every tenth cell below.
// Positions of more than 60 cells are shown as their position string.
func (p Position) Diagram() string {
	shape := "strip"
	if p.rules.ring {
		shape = "ring"
	}
	length := p.Length()
	if length > wide {
		return fmt.Sprintf("%s\n%s of %d cells\n", p, shape, length)
	}
	line := []byte(strings.Repeat("X", int(length)))
	first := 0
	for i, n := range p.empty {
		for j := range n {
			line[first+int(j)] = '.'
			if !p.open(i, j) {
				line[first+int(j)] = 'x'
			}
		}
		first += int(n)
		if i < len(p.marks) {
			first += int(p.marks[i])
		}
	}
	// The number of the first cell and of each tenth, under its cell.
	scale := []byte(strings.Repeat(" ", int(length)))
	for cell := 0; cell <= int(length); cell += 10 {
		number := strconv.Itoa(max(cell, 1))
		if end := max(cell, 1); end <= int(length) {
			copy(scale[end-len(number):], number)
		}
	}
	return fmt.Sprintf("%s\n%s\n%s of %d cells; x: a mark there would make %s in a row\n",
		line, bytes.TrimRight(scale, " "), shape, length, numeral(p.rules.row))
}

// runs returns how many marks in a row touch the run of empty cells i on its left and
// on its right.
func (p Position) runs(i int) (left, right uint64) {
	last := len(p.marks) - 1
	if last < 0 {
		return 0, 0
	}
	if i > 0 {
		left = p.marks[i-1]
	}
	if i <= last {
		right = p.marks[i]
	}
	if !p.rules.ring {
		return left, right
	}
	// Across the seam, two runs of marks are one, and so are two of empty cells, no end
	// of which touches a mark there.
	first, end := p.empty[0], p.empty[last+1]
	switch {
	case first == 0 && end == 0 && last > 0:
		if i == 1 {
			left += p.marks[last]
		}
		if i == last {
			right += p.marks[0]
		}
	case i == 0 && end == 0:
		left = p.marks[last]
	case i == last+1 && first == 0:
		right = p.marks[0]
	}
	return left, right
}

// open says whether cell j, from 0, of the run of empty cells i can be marked.
func (p Position) open(i int, j uint64) bool {
	left, right := p.runs(i)
	n := p.empty[i]
	row := uint64(1)
	if j == 0 {
		row += left
	}
	if j == n-1 {
		row += right
	}
	if p.rules.ring {
		// Cells in a row are different cells: a ring of two never has three.
		row = min(row, p.length)
	}
	return row < uint64(p.rules.row)
}

// Cells yields the cells that can be marked, from 1, ascending: the legal moves in
// their published order.
func (p Position) Cells() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		first := uint64(1)
		for i, n := range p.empty {
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
			if i < len(p.marks) {
				first += p.marks[i]
			}
		}
	}
}

// NumMoves returns the number of cells that can be marked.
func (p Position) NumMoves() uint64 {
	count := uint64(0)
	for i, n := range p.empty {
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
func (p Position) Moves() iter.Seq[string] {
	return func(yield func(string) bool) {
		for cell := range p.Cells() {
			if !yield(strconv.FormatUint(cell, 10)) {
				return
			}
		}
	}
}

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
	i, j := p.find(cell)
	if i < 0 || !p.open(i, j) {
		return Position{}, false
	}
	next = Position{rules: p.rules, empty: slices.Clone(p.empty), marks: slices.Clone(p.marks), length: p.length}
	left, right := j, p.empty[i]-j-1
	joinsLeft, joinsRight := left == 0 && i > 0, right == 0 && i < len(p.marks)
	switch {
	case joinsLeft && joinsRight:
		next.marks[i-1] += 1 + next.marks[i]
		next.marks = slices.Delete(next.marks, i, i+1)
		next.empty = slices.Delete(next.empty, i, i+1)
	case joinsLeft:
		next.marks[i-1]++
		next.empty[i] = right
	case joinsRight:
		next.marks[i]++
		next.empty[i] = left
	default:
		next.empty[i] = left
		next.empty = slices.Insert(next.empty, i+1, right)
		next.marks = slices.Insert(next.marks, i, 1)
	}
	return next, true
}

// find returns the run of empty cells that a cell, from 1, is in, and its place there,
// from 0; the run is -1 when the cell is marked or does not exist.
func (p Position) find(cell uint64) (run int, place uint64) {
	if cell == 0 {
		return -1, 0
	}
	place = cell - 1
	for i, n := range p.empty {
		if place < n {
			return i, place
		}
		place -= n
		if i < len(p.marks) {
			if place < p.marks[i] {
				return -1, 0
			}
			place -= p.marks[i]
		}
	}
	return -1, 0
}

// Play returns the position after a move, such as "3"; the other side is to move
// there. Its errors are those that [rules.Position] describes.
func (p Position) Play(move string) (next rules.Position, passes bool, err error) {
	cell, err := ParseMove(move)
	if err != nil {
		return nil, false, err
	}
	after, ok := p.Mark(cell)
	if !ok {
		return nil, false, p.illegal(move, cell)
	}
	return after, true, nil
}

// ParseMove reads a move, the number of a cell from 1. It returns 0 for a number that
// no cell has, as it is greater than [MaxLength]. Its error is a
// *[rules.MalformedMoveError] of ply 1.
func ParseMove(move string) (cell uint64, err error) {
	malformed := func(offset int, expected string) (uint64, error) {
		return 0, &rules.MalformedMoveError{Ply: 1, Move: move, Offset: offset, Detail: rules.Found(move, offset) + ", expected " + expected}
	}
	if move == "" || move[0] < '1' || move[0] > '9' {
		return malformed(0, "the number of a cell, from 1, without leading zeros")
	}
	huge := false
	for i := range len(move) {
		c := move[i]
		if c < '0' || c > '9' {
			return malformed(i, "a digit or the end of the move")
		}
		if huge = huge || cell > (MaxLength-uint64(c-'0'))/10; !huge {
			cell = 10*cell + uint64(c-'0')
		}
	}
	if huge {
		return 0, nil
	}
	return cell, nil
}

func (p Position) illegal(move string, cell uint64) error {
	err := &rules.IllegalMoveError{Ply: 1, Move: move}
	for legal := range p.Moves() {
		if len(err.Legal) == rules.MaxLegal {
			break
		}
		err.Legal = append(err.Legal, legal)
	}
	length := p.Length()
	switch i, _ := p.find(cell); {
	case len(err.Legal) == 0:
		err.Detail = "no cell can be marked: the game is over"
	case cell == 0 || cell > length:
		err.Detail = fmt.Sprintf("there is no such cell: the last is %d", length)
	case i < 0:
		err.Detail = fmt.Sprintf("cell %d is marked", cell)
	default:
		err.Detail = fmt.Sprintf("a mark on cell %d would make %s in a row", cell, numeral(p.rules.row))
	}
	return err
}
