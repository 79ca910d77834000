package api

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
)

// The types here are the JSON of the published explorer's own contract, field for
// field and in order, so that a page made for the published server works with this
// one. Words are capitalised there, and a position is named by the moves that lead
// to it from the start, each by its place in the published order.

// MaxPath is the greatest number of moves in a path.
const MaxPath = 512

// Explorer is a Prober that answers in the published explorer's contract, too.
type Explorer interface {
	Prober
	// Follow checks that a path can be played from the start, without asking the
	// table. Its error is a *PathError.
	Follow(path []int) error
	// Explore answers for the position at the end of a path. Its errors are a
	// *PathError and those of Probe.
	Explore(ctx context.Context, path []int) (*Explored, error)
}

// PathError says what is wrong with a path.
type PathError struct {
	Detail string // a sentence for people
}

func (e *PathError) Error() string { return e.Detail }

func pathError(format string, args ...any) *PathError {
	return &PathError{fmt.Sprintf(format, args...)}
}

// Explored is a position as the published explorer knows it.
type Explored struct {
	Position   string         `json:"position" doc:"The position's key." example:"opening:0"`
	SideToMove string         `json:"sideToMove" enum:"White,Black"`
	Value      string         `json:"value" enum:"Win,Loss,Draw" doc:"The value for the side to move."`
	Distance   *int           `json:"distance" doc:"Plies to the end under optimal play; null for a draw."`
	Board      []*PlacedPiece `json:"board" nullable:"false" minItems:"16" maxItems:"16" doc:"The squares, row by row from a1; null where empty. White sits below, whoever is to move."`
	Hands      HeldPieces     `json:"hands"`
	History    []string       `json:"history" nullable:"false" doc:"The moves of the path, as they are written."`
	Moves      []ExploredMove `json:"moves" nullable:"false" doc:"The moves in the published order; none when the game is over."`
}

// PlacedPiece is a piece on the board.
type PlacedPiece struct {
	Color  string `json:"color" enum:"White,Black"`
	Piece  string `json:"piece" enum:"Pawn,Knight,Bishop,Rook"`
	Symbol string `json:"symbol" doc:"The piece's letter, in upper case for both colours."`
	// Direction is nil for all but pawns. It is the one field of the contract
	// that is left out where it means nothing.
	Direction *string `json:"direction,omitempty" enum:"up,down" doc:"Which way a pawn travels; absent for other pieces."`
}

// HeldPieces are the names of the pieces in hand, in the order Pawn, Knight,
// Bishop, Rook.
type HeldPieces struct {
	White []string `json:"White" nullable:"false"`
	Black []string `json:"Black" nullable:"false"`
}

// ExploredMove is a legal move with its value for the player who makes it.
type ExploredMove struct {
	Index           int    `json:"index" doc:"The move's place in the published order, from 0: what a path is made of."`
	Notation        string `json:"notation" example:"B@d1"`
	Child           string `json:"child" doc:"The key of the position after the move."`
	Result          string `json:"result" enum:"Win,Loss,Draw" doc:"The value for the player who moves."`
	Distance        *int   `json:"distance" doc:"The child's distance and one more; null for a draw."`
	PreservesResult bool   `json:"preservesResult" doc:"Whether the move's result is the position's value."`
	Optimal         bool   `json:"optimal"`
}

// BadPath is the answer to a bad path.
type BadPath struct {
	Error string `json:"error" doc:"What is wrong, in a sentence."`
}

// ParsePath reads the parameter path of a raw query and ignores all others, the
// broken ones included. A path that is absent or empty is that of the start. What
// could mean more than one thing is refused: a second path, an empty place
// between, before or after commas, a number with a sign or a leading zero. Its error
// is a *PathError.
func ParsePath(raw string) ([]int, error) {
	var text *string
	for raw != "" {
		var pair string
		pair, raw, _ = strings.Cut(raw, "&")
		rawName, rawValue, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(rawName); err != nil || name != "path" {
			continue
		}
		if text != nil {
			return nil, &PathError{"The parameter path is given more than once."}
		}
		value, err := url.QueryUnescape(rawValue)
		if err != nil {
			return nil, &PathError{"The path has a broken percent escape."}
		}
		text = &value
	}
	if text == nil || *text == "" {
		return nil, nil
	}
	if n := strings.Count(*text, ",") + 1; n > MaxPath {
		return nil, pathError("The path has %d moves; at most %d are allowed.", n, MaxPath)
	}
	var path []int
	for item := range strings.SplitSeq(*text, ",") {
		index, ok := parseIndex(item)
		if !ok {
			return nil, pathError("Move %d of the path is not a number: it must be digits only, without a leading zero.", len(path)+1)
		}
		path = append(path, index)
	}
	return path, nil
}

// parseIndex reads a whole number in decimal digits. One that is too large for an
// int is as good as the largest: no position has so many moves.
func parseIndex(text string) (int, bool) {
	if text == "" || text[0] == '0' && len(text) > 1 {
		return 0, false
	}
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return math.MaxInt, true
	}
	return n, true
}
