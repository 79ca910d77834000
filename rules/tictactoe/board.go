package tictactoe

import "math/bits"

// Square is one of the nine squares, numbered along the rows from the bottom one:
// a1 is 0, b1 1, c1 2, a2 3, … c3 8.
type Square uint8

// The squares.
const (
	A1 Square = iota
	B1
	C1
	A2
	B2
	C2
	A3
	B3
	C3

	// Squares is the number of squares.
	Squares = 9
)

// String returns the square's name, such as "b2": column a to c, row 1 to 3 from the
// bottom.
func (s Square) String() string { return string([]byte{'a' + byte(s)%3, '1' + byte(s)/3}) }

// Side is one of the two players.
type Side uint8

// The sides. X begins.
const (
	X Side = iota
	O
)

// Opponent returns the other side.
func (s Side) Opponent() Side { return s ^ 1 }

// String returns "X" or "O".
func (s Side) String() string { return "XO"[s : s+1] }

// Line is three squares that win, in ascending order.
type Line [3]Square

// set is a set of squares: bit s stands for square s.
type set uint16

const fullBoard set = 1<<Squares - 1

// set returns the squares of a line.
func (l Line) set() set { return 1<<l[0] | 1<<l[1] | 1<<l[2] }

// lines are the eight lines: rows from the bottom, columns from the left, diagonals.
var lines = [8]Line{
	{A1, B1, C1}, {A2, B2, C2}, {A3, B3, C3},
	{A1, A2, A3}, {B1, B2, B3}, {C1, C2, C3},
	{A1, B2, C3}, {C1, B2, A3},
}

// hasLine says whether a set contains a line.
func (s set) hasLine() bool {
	for _, l := range lines {
		if s&l.set() == l.set() {
			return true
		}
	}
	return false
}

func (s set) size() int { return bits.OnesCount16(uint16(s)) }
