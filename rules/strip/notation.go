package strip

import (
	"bytes"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"solved/rules"
)

// Parse reads a strip: runs of empty cells as numbers, each mark as an X, such as "4X5", "XX3"
// or "7"; "0" is the strip without a cell. Every strip has exactly one such text: no number has
// leading zeros, and none is 0 unless it is all there is.
//
// A text that is none is refused with a *[rules.MalformedPositionError], whose offset is that of
// the first byte with which no strip can go on; it is the text's length when more should have
// followed. More than most cells are malformed, too; most is at most [MaxLength].
func Parse(text string, most uint64) (Strip, error) {
	malformed := func(offset int, expected string) (Strip, error) {
		return Strip{}, &rules.MalformedPositionError{
			Position: text, Offset: offset, Detail: rules.Found(text, offset) + ", expected " + expected,
		}
	}
	s := Strip{empty: []uint64{0}}
	room := most     // for cells that are not read yet
	run := uint64(0) // the empty cells of the number being read
	for i := range len(text) {
		c := text[i]
		last := len(s.empty) - 1
		switch {
		case text[0] == '0' && i > 0:
			return malformed(i, "the end of the text after 0, as a number has no leading zeros and 0 stands alone")
		case c == 'X':
			if room == 0 {
				return malformed(i, fmt.Sprintf("at most %d cells", most))
			}
			room--
			if run > 0 || len(s.marks) == 0 {
				s.marks = append(s.marks, 0)
				s.empty = append(s.empty, 0)
			}
			s.marks[len(s.marks)-1]++
			run = 0
		case c == '0' && i > 0 && run == 0:
			return malformed(i, "X or a number from 1: marks without an empty cell between them are written XX")
		case c >= '0' && c <= '9':
			digit := uint64(c - '0')
			// room and run never add up to more than most, so that nothing overflows.
			if run > (room+run-min(digit, room+run))/10 || digit > room+run {
				return malformed(i, fmt.Sprintf("at most %d cells", most))
			}
			room = room + run - (10*run + digit)
			run = 10*run + digit
			s.empty[last] = run
		default:
			return malformed(i, "X for a mark or a number of empty cells")
		}
	}
	if text == "" {
		return malformed(0, "X for a mark or a number of empty cells")
	}
	s.length = most - room
	return s, nil
}

// ParseMove reads a move, the number of a cell from 1. It returns 0 for a number that no cell
// has, as it is greater than [MaxLength]. Its error is a *[rules.MalformedMoveError] of ply 1.
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

// Moves yields cells as moves.
func Moves(cells iter.Seq[uint64]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for cell := range cells {
			if !yield(strconv.FormatUint(cell, 10)) {
				return
			}
		}
	}
}

// IllegalMove returns the error about a move that [ParseMove] has read and that cannot be
// played. Legal are the legal moves; closed says why an empty cell is not one of them.
func (s Strip) IllegalMove(move string, cell uint64, legal iter.Seq[string], closed string) *rules.IllegalMoveError {
	err := &rules.IllegalMoveError{Ply: 1, Move: move}
	for text := range legal {
		if len(err.Legal) == rules.MaxLegal {
			break
		}
		err.Legal = append(err.Legal, text)
	}
	switch i, _ := s.Find(cell); {
	case len(err.Legal) == 0:
		err.Detail = "no cell can be marked: the game is over"
	case cell == 0 || cell > s.length:
		err.Detail = fmt.Sprintf("there is no such cell: the last is %d", s.length)
	case i < 0:
		err.Detail = fmt.Sprintf("cell %d is marked", cell)
	default:
		err.Detail = closed
	}
	return err
}

// wide is the number of cells up to which a drawing shows each of them.
const wide = 60

// Drawn says whether [Strip.Draw] shows each cell.
func (s Strip) Drawn() bool { return s.length <= wide }

// Draw draws the strip in a line with an X for each mark and, for each empty cell, the character
// that letter returns for a run of [Strip.Runs] and a place in it, from 0. The line below
// numbers the first cell and every tenth. A strip of more than 60 cells is its text, without
// numbers.
func (s Strip) Draw(letter func(run int, place uint64) byte) string {
	if !s.Drawn() {
		return s.String() + "\n"
	}
	line := []byte(strings.Repeat("X", int(s.length)))
	first := 0
	for i, n := range s.empty {
		for j := range n {
			line[first+int(j)] = letter(i, j)
		}
		first += int(n)
		if i < len(s.marks) {
			first += int(s.marks[i])
		}
	}
	// The number of the first cell and of each tenth, under its cell.
	scale := []byte(strings.Repeat(" ", int(s.length)))
	for cell := 0; cell <= int(s.length); cell += 10 {
		number := strconv.Itoa(max(cell, 1))
		if end := max(cell, 1); end <= int(s.length) {
			copy(scale[end-len(number):], number)
		}
	}
	return fmt.Sprintf("%s\n%s\n", line, bytes.TrimRight(scale, " "))
}
