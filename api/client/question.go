package client

import (
	"fmt"
	"net/url"
	"strings"

	"solved/rules"
)

// Question names a position. The zero Question is the start of the game.
type Question struct {
	position *string
	moves    []string
}

// At names the position of a position string or a key, or the one that moves lead
// to from there. An empty text is not the start, but malformed.
func At(position string, moves ...string) Question { return Question{&position, moves} }

// FromStart names the position that moves lead to from the start.
func FromStart(moves ...string) Question { return Question{nil, moves} }

// query writes the question for an address under a ruleset.
func (q Question) query(tag rules.Tag) (url.Values, error) {
	query := assertion(tag)
	if q.position != nil {
		query.Set("position", *q.position)
	}
	for i, move := range q.moves {
		// Joined with the others it would be none, or two.
		if move == "" || strings.Contains(move, ",") {
			return nil, fmt.Errorf("move %d is %q, which is not one move", i+1, move)
		}
	}
	if len(q.moves) > 0 {
		query.Set("moves", strings.Join(q.moves, ","))
	}
	return query, nil
}

// assertion is the query that states the rules.
func assertion(tag rules.Tag) url.Values { return url.Values{"rules_tag": {tag.String()}} }
