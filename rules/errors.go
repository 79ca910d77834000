package rules

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// A question can be wrong in four ways, and one position be too much, each with its
// own error type, so that
// the caller can name fault and place without reading prose.

// MalformedPositionError says that a text does not parse as a position.
type MalformedPositionError struct {
	Position string // the text as received
	Offset   int    // byte offset of the first byte that cannot be right
	Detail   string // what was found and what was expected
}

func (e *MalformedPositionError) Error() string {
	return fmt.Sprintf("malformed position %q at byte %d: %s", e.Position, e.Offset, e.Detail)
}

// IllegalPositionError says that a text parses but denotes no position of the game.
type IllegalPositionError struct {
	Position string // the text as received
	Reason   string // stable, for programs: "mover-line"
	Detail   string // for people
}

func (e *IllegalPositionError) Error() string {
	return fmt.Sprintf("illegal position %q: %s: %s", e.Position, e.Reason, e.Detail)
}

// MalformedMoveError says that a text is no move at all.
type MalformedMoveError struct {
	Ply    int    // of the move in its list, from 1
	Move   string // the text as received
	Offset int    // byte offset in the list of moves
	Detail string
}

func (e *MalformedMoveError) Error() string {
	return fmt.Sprintf("malformed move %q at ply %d, byte %d: %s", e.Move, e.Ply, e.Offset, e.Detail)
}

// IllegalMoveError says that a move cannot be played where it stands.
type IllegalMoveError struct {
	Ply    int      // of the move in its list, from 1
	Move   string   // the text as received
	Legal  []string // the legal moves there, in published order
	Detail string
}

func (e *IllegalMoveError) Error() string {
	return fmt.Sprintf("illegal move %q at ply %d: %s", e.Move, e.Ply, e.Detail)
}

// BeyondBoundError says that a position belongs to the game, but that its value is
// not worked out: that would take more than is spent on a question. It is a matter
// of the position alone, not of how busy the program is.
type BeyondBoundError struct {
	Position string // in canonical form
	Detail   string // what the bound is, and how the position exceeds it
	// LookUps is the number of look-ups that a search spent before it was given up.
	LookUps int
}

func (e *BeyondBoundError) Error() string {
	return fmt.Sprintf("position %q is beyond the bound: %s", e.Position, e.Detail)
}

// Found describes the character at a byte offset of a text, with odd bytes escaped, for the
// detail of an error: `found "x"`, or that the text ends there.
func Found(text string, offset int) string {
	if offset >= len(text) {
		return "found the end of the text"
	}
	_, size := utf8.DecodeRuneInString(text[offset:])
	return "found " + strconv.QuoteToASCII(text[offset:offset+size])
}
