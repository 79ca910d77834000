package tictactoe

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"solved/rules"
)

// ReferenceBoard is a position for the plain reference rules: the three rows from the
// top, with a letter for each square. It is written to be read against the printed
// rules, and shares nothing with Position.
type ReferenceBoard [3][3]byte

// ReferenceStart returns the empty board.
func ReferenceStart() ReferenceBoard {
	return ReferenceBoard{{'.', '.', '.'}, {'.', '.', '.'}, {'.', '.', '.'}}
}

// String returns the rows with slashes between them.
func (b ReferenceBoard) String() string {
	return string(b[0][:]) + "/" + string(b[1][:]) + "/" + string(b[2][:])
}

func (b ReferenceBoard) count(letter string) int { return strings.Count(b.String(), letter) }

// Mover returns whose turn it is, 'X' or 'O'.
func (b ReferenceBoard) Mover() byte {
	if b.count("X") > b.count("O") {
		return 'O'
	}
	return 'X'
}

// Owns says whether a player has three in a row: it goes three squares in each of four
// directions from each square.
func (b ReferenceBoard) Owns(player byte) bool {
	for row := range 3 {
		for file := range 3 {
			for _, d := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} {
				n := 0
				for step := range 3 {
					r, f := row+step*d[0], file+step*d[1]
					if r < 3 && f >= 0 && f < 3 && b[r][f] == player {
						n++
					}
				}
				if n == 3 {
					return true
				}
			}
		}
	}
	return false
}

// Result returns how the game ended for the side that would be to move, and Unknown as long as
// it goes on.
func (b ReferenceBoard) Result() rules.Value {
	switch {
	case b.Owns('X') || b.Owns('O'):
		return rules.Loss
	case b.count(".") == 0:
		return rules.Draw
	}
	return rules.Unknown
}

// Moves returns the legal moves: bottom row first, from left to right.
func (b ReferenceBoard) Moves() []string {
	var moves []string
	if b.Result() != rules.Unknown {
		return nil
	}
	for _, row := range []string{"1", "2", "3"} {
		for _, column := range []string{"a", "b", "c"} {
			if r, f := referenceSquare(column + row); b[r][f] == '.' {
				moves = append(moves, column+row)
			}
		}
	}
	return moves
}

// Play returns the board after a legal move.
func (b ReferenceBoard) Play(move string) ReferenceBoard {
	r, f := referenceSquare(move)
	b[r][f] = b.Mover()
	return b
}

// referenceSquare returns where the square with a name is.
func referenceSquare(name string) (row, file int) {
	return strings.Index("321", name[1:]), strings.Index("abc", name[:1])
}

// Reference is everything that follows from the reference rules: which boards can be
// reached, their order, and their values. It is immutable and safe for concurrent use.
type Reference struct {
	boards  []ReferenceBoard // by index
	index   map[ReferenceBoard]uint64
	entries map[ReferenceBoard]rules.Entry
}

// NewReference plays all games. It takes some tens of milliseconds.
func NewReference() *Reference {
	r := &Reference{index: map[ReferenceBoard]uint64{}, entries: map[ReferenceBoard]rules.Entry{}}
	r.solve(ReferenceStart())
	r.boards = slices.SortedFunc(maps.Keys(r.entries), func(a, b ReferenceBoard) int {
		return cmp.Or(
			cmp.Compare(9-a.count("."), 9-b.count(".")),
			strings.Compare(a.digits(), b.digits()))
	})
	for i, b := range r.boards {
		r.index[b] = uint64(i)
	}
	return r
}

// digits writes the board as a number to base 3, c3 first.
func (b ReferenceBoard) digits() string {
	s := ""
	for row := range 3 {
		s += string([]byte{b[row][2], b[row][1], b[row][0]})
	}
	return strings.NewReplacer(".", "0", "X", "1", "O", "2").Replace(s)
}

// solve finds the value of a board and of all that it can lead to: who can make the
// other lose does so as soon as possible, who cannot help losing puts it off.
func (r *Reference) solve(b ReferenceBoard) rules.Entry {
	if known, ok := r.entries[b]; ok {
		return known
	}
	best := rules.Entry{Value: b.Result()}
	for _, move := range b.Moves() {
		e := r.solve(b.Play(move))
		e = rules.Entry{Value: e.Value.Negate(), Distance: e.Distance + 1}
		if e.Value == rules.Draw {
			e.Distance = 0
		}
		if best.Value == rules.Unknown || referenceRate(e) > referenceRate(best) {
			best = e
		}
	}
	r.entries[b] = best
	return best
}

// referenceRate is greater for a better entry: a near win is the best, a near loss the
// worst.
func referenceRate(e rules.Entry) int {
	switch e.Value {
	case rules.Win:
		return 100 - int(e.Distance)
	case rules.Loss:
		return int(e.Distance) - 100
	}
	return 0
}

// Boards returns how many boards can be reached.
func (r *Reference) Boards() int { return len(r.boards) }

// At returns the board with an index, which is below Boards.
func (r *Reference) At(index uint64) ReferenceBoard { return r.boards[index] }

// Index returns the index of a board that can be reached.
func (r *Reference) Index(b ReferenceBoard) uint64 { return r.index[b] }

// Entry returns the value of a board that can be reached.
func (r *Reference) Entry(b ReferenceBoard) rules.Entry { return r.entries[b] }
