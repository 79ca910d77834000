package tictactoe

import "solved/rules"

// Positions is the number of positions that can be reached in play.
const Positions = 5478

// Index returns the position's perfect index, from 0 to Positions−1. Positions are
// ordered by how many squares are marked, and among equals by the number whose nine
// digits to base 3, a1's the least significant, are 0 for an empty square, 1 for X and
// 2 for O. The index is how many positions come before. So the empty board has index 0,
// and every move leads to a greater one.
func (p Position) Index() uint64 { return uint64(numbered.index[p.number()]) }

// FromIndex returns the position with an index, and false if there is none.
func FromIndex(index uint64) (Position, bool) {
	if index >= Positions {
		return Position{}, false
	}
	return numbered.positions[index], true
}

// boards is the number of ways to fill nine squares: 3⁹.
const boards = 19683

// number returns the number of a board to base 3.
func (p Position) number() (n int) {
	for s := Square(Squares); s > 0; s-- {
		n *= 3
		if side, marked := p.At(s - 1); marked {
			n += 1 + int(side)
		}
	}
	return n
}

// boardOf returns the board with a number to base 3, legal or not.
func boardOf(number int) (p Position) {
	for s := range Square(Squares) {
		if digit := number % 3; digit > 0 {
			p.marks[digit-1] |= 1 << s
		}
		number /= 3
	}
	return p
}

// numbering is both directions of the index.
type numbering struct {
	positions [Positions]Position
	index     [boards]uint16 // by number; of boards that are not legal it means nothing
}

// numbered follows from the definition: for each number of marks, the legal boards in
// ascending order.
var numbered = func() *numbering {
	t := new(numbering)
	var byMarks [Squares + 1][]int
	for number := range boards {
		if p := boardOf(number); p.legal() {
			byMarks[p.Marks()] = append(byMarks[p.Marks()], number)
		}
	}
	n := 0
	for _, numbers := range byMarks {
		for _, number := range numbers {
			t.positions[n], t.index[number] = boardOf(number), uint16(n)
			n++
		}
	}
	return t
}()

func (p Position) legal() bool { return p.fault() == "" }

// Successors appends to dst the indices of the positions that the moves of n positions
// lead to, from index lo on, one position after the other; and to ends, for each of
// them, the length of dst after its moves. It is what an audit of a whole table asks
// for. All positions are in the main section; n positions from lo on must exist.
func (Rules) Successors(_ rules.Section, lo uint64, n int, dst []uint64, ends []int) ([]uint64, []int) {
	for _, p := range numbered.positions[lo : lo+uint64(n)] {
		for s := range p.Free() {
			dst = append(dst, p.Mark(s).Index())
		}
		ends = append(ends, len(dst))
	}
	return dst, ends
}
