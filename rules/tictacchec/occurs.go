package tictacchec

import (
	"math/bits"
	"slices"
)

// CanOccur tells whether a game from the empty board can come to a position that
// [Parse] accepts. Every position of the opening can occur, and one of the main phase
// exactly if play can have been four plies back: if there is a position with a move to
// it, one with a move to that, and so on.
//
// It almost always can, as any piece but a pawn can have been placed in the last move.
// It cannot when the side to move owns a line, since the game was over before; when the
// other side has nothing on the board, though it has just moved; when that side has only
// its pawn, which travels home, so that it was not placed, and can have come from nowhere,
// as the square behind it is taken and it can have captured from no other; or when
// nothing but such a position can have been there shortly before. The last is so for a few
// positions only, and for none under the canonical ruleset.
//
// That four plies are enough is found by counting: 'solved reach' finds all positions that
// can occur by playing, and holds this rule against every one. That has been done under the
// canonical ruleset; under the others, what the rule says cannot occur cannot, and that the
// rest can is what it would show (RESULTS.md). There the colours do not count, and they need
// not: what can occur can with either colour to move (TestEitherColour).
func (r *Rules) CanOccur(p Position) bool {
	return p.phase == OpeningPhase || r.goesBack(p, 4)
}

// goesBack tells whether play can have been so many plies before a position.
func (r *Rules) goesBack(p Position, plies int) bool {
	if OccursUnlessWon(p.board) {
		return lineAt[p.occupied(p.side)] != completeLine
	}
	if plies == 0 {
		return true
	}
	var before [maxPredecessors]Position
	return slices.ContainsFunc(r.Predecessors(p, before[:0]), func(q Position) bool { return r.goesBack(q, plies-1) })
}

// OccursUnlessWon tells of a set of pieces on the board, a bit for each as in the index,
// whether all positions with it can occur but those in which the side to move owns a line.
// It is so when each side has a piece that it can have placed last, and there are more than
// four, so that there is always something else that can have been before. Of any other set
// CanOccur has to be asked about each position.
func OccursUnlessWon(set uint8) bool {
	others := set &^ pawnSet
	return others&15 != 0 && others>>4 != 0 && bits.OnesCount8(set) > 4
}
