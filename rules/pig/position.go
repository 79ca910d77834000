package pig

import (
	"iter"
	"slices"

	"solved/rules"
)

// Numbers of the game.
const (
	// Goal is the score that wins.
	Goal = 100
	// MaxScore is the greatest score, and MaxTurn the greatest turn total, with which a
	// game goes on.
	MaxScore = Goal - 1
	MaxTurn  = Goal - 1
	// Faces is the number of faces of the die; Bust is the one that loses the turn.
	Faces = 6
	Bust  = 1
)

// Position is the scores and the turn's total so far. It can be compared. The
// zero value is the start.
//
// When a game has been won, Theirs is Goal or more: the side that would be to move has
// lost. No text names such a position.
type Position struct {
	mine, theirs, turn uint8
}

// At returns the position with those scores and that turn total. It is false for
// numbers that no position has: a score is 0 to MaxScore, a turn total 0 or 2 to MaxTurn.
func At(mine, theirs, turn int) (p Position, ok bool) {
	score := func(n int) bool { return n >= 0 && n <= MaxScore }
	if !score(mine) || !score(theirs) || turn < 0 || turn > MaxTurn || turn == Bust {
		return Position{}, false
	}
	return Position{uint8(mine), uint8(theirs), uint8(turn)}, true
}

// Mine returns the score of the side to move, without the turn total.
func (p Position) Mine() int { return int(p.mine) }

// Theirs returns the score of the other side.
func (p Position) Theirs() int { return int(p.theirs) }

// Turn returns the total of this turn's rolls.
func (p Position) Turn() int { return int(p.turn) }

// Wins says whether holding wins: whether score and turn total are the goal together.
func (p Position) Wins() bool { return p.Mine()+p.Turn() >= Goal }

// Result returns Loss when the other side has won, and Unknown otherwise. No position is
// a win for the side to move before it has held.
func (p Position) Result() rules.Value {
	if p.Theirs() >= Goal {
		return rules.Loss
	}
	return rules.Unknown
}

// Action is a player's decision: one of the two moves of every position.
type Action uint8

// The actions, numbered in the published order.
const (
	Roll Action = iota
	Hold
)

// String returns "roll" or "hold".
func (a Action) String() string {
	if a == Roll {
		return "roll"
	}
	return "hold"
}

// Moves yields "roll" and "hold", and nothing when the game is over. Holding is allowed
// with a turn total of 0, too: it passes.
func (p Position) Moves() iter.Seq[string] {
	if p.Result() != rules.Unknown {
		return slices.Values([]string(nil))
	}
	return slices.Values([]string{Roll.String(), Hold.String()})
}

// Outcomes returns "roll-1" to "roll-6" for "roll", and none for anything else.
func (p Position) Outcomes(move string) []string {
	if move != Roll.String() || p.Result() != rules.Unknown {
		return nil
	}
	outcomes := make([]string, Faces)
	for i := range outcomes {
		outcomes[i] = rolled(i + 1).String()
	}
	return outcomes
}

// Held returns the position after holding, for the other side to move.
func (p Position) Held() Position {
	return Position{mine: p.theirs, theirs: p.mine + p.turn}
}

// Rolled returns the position after a roll that showed a number from 1 to Faces, and
// whether the other side is to move there: after a 1, which loses the turn total.
//
// A roll that carries the turn total beyond MaxTurn is held at once, and wins. This is
// the only move that could be good there, and what would be left has no text.
func (p Position) Rolled(die int) (next Position, passes bool) {
	if die == Bust {
		return Position{mine: p.theirs, theirs: p.mine}, true
	}
	next = p
	if next.turn += uint8(die); next.turn > MaxTurn {
		return next.Held(), true
	}
	return next, false
}

// Play returns the position after "hold" or after "roll-1" to "roll-6", and whether the
// other side is to move there.
func (p Position) Play(move string) (next rules.Position, passes bool, err error) {
	m, err := p.parseMove(move)
	switch {
	case err != nil:
		return nil, false, err
	case m == held:
		return p.Held(), true, nil
	}
	n, passes := p.Rolled(int(m))
	return n, passes, nil
}
