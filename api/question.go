package api

import (
	"strconv"
	"strings"

	"solved/rules"
)

// Question names a position: a text, and the moves played from it.
type Question struct {
	// Position is a position string or a key; nil means the start.
	Position *string
	// Moves is a comma-separated list of moves, empty for none.
	Moves string
	// ValueOnly leaves the moves of the answer out: its moves are nil.
	ValueOnly bool
}

// Canonical is a parsed question. Different texts may ask the same: the answers to
// questions that are equal are equal, too.
type Canonical struct {
	// Position is the position asked about, in canonical form.
	Position string
	// Normalised is PiecesProbe.Normalised, and false in other kinds.
	Normalised bool
}

// The limits of a question and of a batch, and the length of a line when none is
// asked for.
const (
	MaxBatch        = 1000      // positions in a batch
	MaxBody         = 256 << 10 // bytes of a batch's body
	MaxMoves        = 1000      // moves in a question
	MaxPlies        = 1000      // steps in a line
	DefaultMaxPlies = 200

	// MaxURI is the greatest length of a request's target, in bytes. The longest
	// question, of 1,000 moves percent-encoded where usual, has about 10,000.
	MaxURI = 16 << 10
)

// NewQuestion returns the question about a position, nil for the start, after a list
// of moves, nil for none. It refuses a list that is too long.
func NewQuestion(position, moves *string) (Question, error) {
	q := Question{Position: position}
	if moves != nil {
		if n := strings.Count(*moves, ",") + 1; n > MaxMoves {
			return q, BadParameterProblem("moves", "There are %d moves; at most %d are allowed.", n, MaxMoves)
		}
		q.Moves = *moves
	}
	return q, nil
}

// MoveCount returns the number of moves in the question's list.
func (q Question) MoveCount() int {
	if q.Moves == "" {
		return 0
	}
	return strings.Count(q.Moves, ",") + 1
}

// ParseMaxPlies reads the greatest length of a line, which is DefaultMaxPlies where it
// is not given.
func ParseMaxPlies(text *string) (int, error) {
	if text == nil {
		return DefaultMaxPlies, nil
	}
	n, err := strconv.ParseUint(*text, 10, 16)
	if err != nil || n < 1 || n > MaxPlies {
		return 0, BadParameterProblem("max_plies", "The parameter max_plies is a whole number from 1 to %d.", MaxPlies)
	}
	return int(n), nil
}

// CheckTag refuses a question whose parameter rules_tag, if it is given, is another
// tag than that of the ruleset addressed.
func (r Rules) CheckTag(text *string) error {
	if text == nil {
		return nil
	}
	asserted, err := rules.ParseTag(*text)
	if err != nil {
		return BadParameterProblem("rules_tag", "The rules_tag is not 0x and eight hexadecimal digits.")
	}
	if asserted.String() != r.Tag {
		return mismatch(asserted.String(), r.Tag,
			"The question is for the rules %s, but the address is that of %s (%s).", asserted, r.Name, r.Tag)
	}
	return nil
}
