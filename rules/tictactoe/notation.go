package tictactoe

import (
	"fmt"
	"iter"
	"strings"

	"solved/rules"
)

// Reasons for which a position that is written correctly is refused, in the order in
// which they are tested. They are stable: programs may compare them. What none of
// them applies to can be reached in play.
const (
	// ReasonMarkCount: X has neither as many marks as O nor one more.
	ReasonMarkCount = "mark-count"
	// ReasonTwoLines: both sides own a line.
	ReasonTwoLines = "two-lines"
	// ReasonMoverLine: the side to move owns a line, and so the other has moved after
	// the end.
	ReasonMoverLine = "mover-line"
)

// textLength is the length of every position string.
const textLength = len("X.O/.X./..O")

// Parse reads a position string: the three rows from the top, each of three X, O or .
// (an empty square), with a slash between them, as in "X.O/.X./..O".
//
// A text that is something else is refused with a *[rules.MalformedPositionError],
// whose offset is that of the first byte with which no position string can go on; it
// is the text's length when more should have followed. A board that no game can reach
// is refused with a *[rules.IllegalPositionError] and the first of the reasons
// mark-count, two-lines and mover-line that applies.
func Parse(text string) (Position, error) {
	p, offset, expected := parseBoard(text)
	if expected != "" {
		detail := rules.Found(text, offset) + ", expected " + expected
		return Position{}, &rules.MalformedPositionError{Position: text, Offset: offset, Detail: detail}
	}
	if reason := p.fault(); reason != "" {
		return Position{}, &rules.IllegalPositionError{Position: text, Reason: reason, Detail: p.explain(reason)}
	}
	return p, nil
}

// parseBoard reads a board, legal or not. When the text is malformed, it returns the
// offset of the first byte that cannot be right and what was expected there.
func parseBoard(text string) (p Position, offset int, expected string) {
	for i := range textLength {
		row, file := 2-i/4, i%4
		c := byte(0)
		if i < len(text) {
			c = text[i]
		}
		switch {
		case file == 3 && c == '/':
		case file == 3:
			return Position{}, i, "a slash, as the row has its three squares"
		case c == 'X':
			p.marks[X] |= 1 << (3*row + file)
		case c == 'O':
			p.marks[O] |= 1 << (3*row + file)
		case c != '.':
			return Position{}, i, "X, O or . for " + Square(3*row+file).String()
		}
	}
	if len(text) > textLength {
		return Position{}, textLength, "the end of the text"
	}
	return p, 0, ""
}

// fault returns the first reason for which a board is refused, or "".
func (p Position) fault() (reason string) {
	x, o := p.marks[X], p.marks[O]
	switch {
	case x.size() != o.size() && x.size() != o.size()+1:
		return ReasonMarkCount
	case x.hasLine() && o.hasLine():
		return ReasonTwoLines
	case p.marks[p.Side()].hasLine():
		return ReasonMoverLine
	}
	return ""
}

// explain returns the detail of a reason for refusing a board.
func (p Position) explain(reason string) string {
	switch reason {
	case ReasonMarkCount:
		return fmt.Sprintf("X has %d marks and O %d, but X begins and then they take turns", p.marks[X].size(), p.marks[O].size())
	case ReasonTwoLines:
		return "both sides own a line, but a game ends with the first"
	default:
		return fmt.Sprintf("%s owns a line and is to move, but the game has ended with it", p.Side())
	}
}

// String returns the position string.
func (p Position) String() string {
	text := make([]byte, 0, textLength)
	for row := 2; row >= 0; row-- {
		for file := range 3 {
			text = append(text, p.letter(Square(3*row+file)))
		}
		if row > 0 {
			text = append(text, '/')
		}
	}
	return string(text)
}

// letter returns X, O or a dot.
func (p Position) letter(s Square) byte {
	side, marked := p.At(s)
	if !marked {
		return '.'
	}
	return side.String()[0]
}

// Diagram draws the position for people: three rows, the columns' names, and
// the side to move or has won.
func (p Position) Diagram() string {
	var b strings.Builder
	for row := 2; row >= 0; row-- {
		fmt.Fprintf(&b, "%d  %c  %c  %c\n", row+1, p.letter(Square(3*row)), p.letter(Square(3*row+1)), p.letter(Square(3*row+2)))
	}
	b.WriteString("   a  b  c\n")
	winner, _ := p.Winner()
	switch p.Result() {
	case rules.Loss:
		fmt.Fprintf(&b, "%s has won\n", winner)
	case rules.Draw:
		b.WriteString("a draw\n")
	default:
		fmt.Fprintf(&b, "%s to move\n", p.Side())
	}
	return b.String()
}

// Moves yields the legal moves: the names of the squares that Free yields, in its
// order, a1, b1, c1, a2, … c3.
func (p Position) Moves() iter.Seq[string] {
	return func(yield func(string) bool) {
		for s := range p.Free() {
			if !yield(s.String()) {
				return
			}
		}
	}
}

// Play returns the position after a move, such as "b2"; the other side is always to
// move there. A text that names no square is refused with a
// *[rules.MalformedMoveError], whose offset is that of the first byte that cannot be
// right; a square that is marked, and any after the end of the game, with a
// *[rules.IllegalMoveError].
func (p Position) Play(move string) (next rules.Position, passes bool, err error) {
	s, err := p.ParseMove(move)
	if err != nil {
		return nil, false, err
	}
	return p.Mark(s), true, nil
}

// ParseMove reads a move that is legal in a position. It refuses as Play does.
func (p Position) ParseMove(move string) (Square, error) {
	for i, field := range [...]struct{ allowed, name string }{{"abc", "a square, a1 to c3"}, {"123", "a row, 1 to 3"}} {
		if i == len(move) || strings.IndexByte(field.allowed, move[i]) < 0 {
			return 0, malformedMove(move, i, field.name)
		}
	}
	if len(move) > 2 {
		return 0, malformedMove(move, 2, "the end of the move")
	}
	s := Square(move[0]-'a') + 3*Square(move[1]-'1')
	detail := ""
	if side, marked := p.At(s); p.Result() != rules.Unknown {
		detail = "the game is over"
	} else if marked {
		detail = fmt.Sprintf("%s has the mark of %s", s, side)
	} else {
		return s, nil
	}
	legal := []string{}
	for name := range p.Moves() {
		legal = append(legal, name)
	}
	return 0, &rules.IllegalMoveError{Ply: 1, Move: move, Legal: legal, Detail: detail}
}

func malformedMove(move string, offset int, expected string) error {
	return &rules.MalformedMoveError{Ply: 1, Move: move, Offset: offset, Detail: rules.Found(move, offset) + ", expected " + expected}
}
