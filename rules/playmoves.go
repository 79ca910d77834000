package rules

import (
	"errors"
	"strings"
)

// PlayMoves plays a comma-separated list of moves from a position; an empty list is
// none. It returns the position after them, and whether the side to move there is the one
// that was to move at first. Errors are those of Position.Play, with the ply, from 1,
// and the offset in the list.
func PlayMoves(p Position, list string) (end Position, sameSide bool, err error) {
	sameSide = true
	if list == "" {
		return p, sameSide, nil
	}
	start := 0
	for ply, move := range strings.Split(list, ",") {
		next, passes, err := p.Play(move)
		if err != nil {
			return nil, false, placed(err, ply+1, start)
		}
		p, sameSide = next, sameSide != passes
		start += len(move) + 1
	}
	return p, sameSide, nil
}

// placed adds the ply and the offset in the list to an error about a move.
func placed(err error, ply, start int) error {
	var malformed *MalformedMoveError
	var illegal *IllegalMoveError
	switch {
	case errors.As(err, &malformed):
		e := *malformed
		e.Ply, e.Offset = ply, e.Offset+start
		return &e
	case errors.As(err, &illegal):
		e := *illegal
		e.Ply = ply
		return &e
	}
	return err
}
