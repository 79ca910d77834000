package notakto

import (
	"fmt"
	"strconv"
	"strings"

	"solved/rules"
)

// ReasonMarkAfterLine is the reason for which a position that is written correctly is
// refused: a board has a mark that was made after its first line. Play reaches every other
// board. The reason is stable: programs may compare it.
const ReasonMarkAfterLine = "mark-after-line"

// boardLength is the length of the text of every board.
const boardLength = len(".../.X./...")

// Parse reads a position: one to [MaxBoards] boards with commas between them. A board is
// its three rows from the top, each of three X or . (an empty square), with slashes between
// them, as in ".../.X./...".
//
// Any other text is refused with a *[rules.MalformedPositionError], whose offset is that of
// the first byte with which no position can go on; it is the text's length when more should
// have followed. A dead board is legal when some mark can have been the last: without that
// mark, the board has no line. Any other dead board is refused with a
// *[rules.IllegalPositionError] and the reason mark-after-line.
func Parse(text string) (Position, error) {
	fail := func(offset int, expected string) (Position, error) {
		detail := rules.Found(text, offset) + ", expected " + expected
		return Position{}, &rules.MalformedPositionError{Position: text, Offset: offset, Detail: detail}
	}
	p := Position{make([]Board, 0, min(len(text)/(boardLength+1)+1, MaxBoards))}
	for start := 0; ; start += boardLength + 1 {
		board, offset, expected := parseBoard(text, start)
		if expected != "" {
			return fail(offset, expected)
		}
		p.boards = append(p.boards, board)
		end := start + boardLength
		switch {
		case end == len(text):
			if err := p.fault(text); err != nil {
				return Position{}, err
			}
			return p, nil
		case text[end] != ',':
			return fail(end, "a comma or the end of the text, as the board has its nine squares")
		case len(p.boards) == MaxBoards:
			return fail(end, fmt.Sprintf("the end of the text, as there are at most %d boards", MaxBoards))
		}
	}
}

// parseBoard reads the board that starts at an offset. When it is malformed, parseBoard
// returns the offset of the first byte that cannot be right and what was expected there.
func parseBoard(text string, start int) (b Board, offset int, expected string) {
	for i := range boardLength {
		row, column, at := 2-i/4, i%4, start+i
		c := byte(0)
		if at < len(text) {
			c = text[at]
		}
		switch {
		case column == 3 && c == '/':
		case column == 3:
			return 0, at, "a slash, as the row has its three squares"
		case c == 'X':
			b |= 1 << (3*row + column)
		case c != '.':
			return 0, at, "X or . for " + Square(3*row+column).String()
		}
	}
	return b, 0, ""
}

// fault returns why a position that is written correctly is refused, or nil.
func (p Position) fault(text string) error {
	for i, b := range p.boards {
		if !b.legal() {
			return &rules.IllegalPositionError{Position: text, Reason: ReasonMarkAfterLine, Detail: fmt.Sprintf(
				"board %d keeps three in a row whichever mark is removed, but no mark is made on a board after its first line", i+1)}
		}
	}
	return nil
}

// String returns the position as Parse reads it, the boards in their order.
func (p Position) String() string {
	text := make([]byte, 0, len(p.boards)*(boardLength+1))
	for i, b := range p.boards {
		if i > 0 {
			text = append(text, ',')
		}
		for row := 2; row >= 0; row-- {
			for column := range 3 {
				text = append(text, b.letter(Square(3*row+column)))
			}
			if row > 0 {
				text = append(text, '/')
			}
		}
	}
	return string(text)
}

// letter returns X or a dot.
func (b Board) letter(s Square) byte {
	if b.Marked(s) {
		return 'X'
	}
	return '.'
}

// boardsAcross is how many boards Diagram draws side by side.
const boardsAcross = 6

// Diagram draws the position for people: the boards side by side, each under its number
// and, if it is dead, the word "dead".
func (p Position) Diagram() string {
	var b strings.Builder
	line := func(start string, first int, cell func(i int) string) {
		for i := first; i < min(first+boardsAcross, len(p.boards)); i++ {
			start += fmt.Sprintf("%-11s", cell(i))
		}
		b.WriteString(strings.TrimRight(start, " ") + "\n")
	}
	for first := 0; first < len(p.boards); first += boardsAcross {
		line("   ", first, func(i int) string {
			if p.boards[i].Dead() {
				return strconv.Itoa(i+1) + " dead"
			}
			return strconv.Itoa(i + 1)
		})
		for row := 2; row >= 0; row-- {
			line(strconv.Itoa(row+1)+"  ", first, func(i int) string {
				s := Square(3 * row)
				return string([]byte{p.boards[i].letter(s), ' ', p.boards[i].letter(s + 1), ' ', p.boards[i].letter(s + 2)})
			})
		}
		line("   ", first, func(int) string { return "a b c" })
	}
	if p.Live() == 0 {
		b.WriteString("all boards are dead: the side to move has won\n")
	}
	return b.String()
}

// String returns the move as it is written: "1:b2" marks b2 of board 1.
func (m Move) String() string { return strconv.Itoa(m.Board) + ":" + m.Square.String() }

// ParseMove reads a move such as "1:b2": the number of a board from 1, in decimal without
// leading zeros, a colon, and a square. It refuses as Play does.
func (p Position) ParseMove(text string) (Move, error) {
	fail := func(offset int, expected string) (Move, error) {
		detail := rules.Found(text, offset) + ", expected " + expected
		return Move{}, &rules.MalformedMoveError{Ply: 1, Move: text, Offset: offset, Detail: detail}
	}
	board, at := 0, 0
	for ; at < len(text) && text[at] >= '0' && text[at] <= '9' && (at > 0 || text[at] > '0'); at++ {
		// Greater numbers are no boards, so one of them stands for all.
		board = min(10*board+int(text[at]-'0'), MaxBoards+1)
	}
	switch {
	case at == 0:
		return fail(0, "the number of a board, counted from 1, and a square, such as 1:b2")
	case at == len(text) || text[at] != ':':
		return fail(at, "a colon after the number of the board, as in 1:b2")
	}
	number := text[:at]
	for i, field := range [...]struct{ allowed, name string }{{"abc", "a square, a1 to c3"}, {"123", "a row, 1 to 3"}} {
		if at+1+i == len(text) || strings.IndexByte(field.allowed, text[at+1+i]) < 0 {
			return fail(at+1+i, field.name)
		}
	}
	if at+3 < len(text) {
		return fail(at+3, "the end of the move")
	}
	m := Move{board, Square(text[at+1]-'a') + 3*Square(text[at+2]-'1')}
	var detail string
	switch {
	case p.Live() == 0:
		detail = "all boards are dead: the game is over"
	case board > len(p.boards):
		detail = fmt.Sprintf("there is no board %s, the last one is %d", number, len(p.boards))
	case p.boards[board-1].Dead():
		detail = fmt.Sprintf("board %d is dead: it has three in a row", board)
	case p.boards[board-1].Marked(m.Square):
		detail = fmt.Sprintf("%s of board %d has a mark", m.Square, board)
	default:
		return m, nil
	}
	legal := []string{}
	for move := range p.Moves() {
		if len(legal) == rules.MaxLegal {
			break
		}
		legal = append(legal, move)
	}
	return Move{}, &rules.IllegalMoveError{Ply: 1, Move: text, Legal: legal, Detail: detail}
}
