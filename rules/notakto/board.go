package notakto

import "math/bits"

// Square is one of the nine squares of a board, numbered along the rows from the bottom
// one: a1 is 0, b1 1, c1 2, a2 3, … c3 8.
type Square uint8

// Squares is the number of squares of a board.
const Squares = 9

// String returns the square's name, such as "b2": column a to c, row 1 to 3 from the
// bottom.
func (s Square) String() string { return string([]byte{'a' + byte(s)%3, '1' + byte(s)/3}) }

// Board is the set of marked squares of one board: bit s stands for [Square] s.
type Board uint16

// markings is the number of sets of squares.
const markings = 1 << Squares

// lines are the eight lines: rows, columns, diagonals.
var lines = [8]Board{0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124}

// Marked says whether a square has a mark.
func (b Board) Marked(s Square) bool { return b>>s&1 == 1 }

// Dead says whether the board has three marks in a row, so that no more marks are made on it.
func (b Board) Dead() bool {
	for _, line := range lines {
		if b&line == line {
			return true
		}
	}
	return false
}

// legal says whether play can reach the board: it is live, or some mark can have been the
// last, as the board without that mark is live.
func (b Board) legal() bool {
	if !b.Dead() {
		return true
	}
	for marks := b; marks != 0; marks &= marks - 1 {
		if !(b &^ (marks & -marks)).Dead() {
			return true
		}
	}
	return false
}

// moves returns the number of legal moves on the board.
func (b Board) moves() int {
	if b.Dead() {
		return 0
	}
	return Squares - bits.OnesCount16(uint16(b))
}
