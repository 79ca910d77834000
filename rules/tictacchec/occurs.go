package tictacchec

import "slices"

// CanOccur tells whether a game from the empty board can come to a position that
// [Parse] accepts. Every position of the opening can occur, and one of the main phase
// exactly if play can have been two plies back: if there is a position with a move to
// it, and one with a move to that.
//
// It almost always can, as any piece but a pawn can have been placed in the last move.
// It cannot when the side to move owns a line, since the game was over before; when the
// other side has nothing on the board, though it has just moved; when that side has only
// its pawn, which travels home, so that it was not placed, and can have come from nowhere,
// as the square behind it is taken and it can have captured from no other; or when that
// was so a ply before.
//
// That two plies are enough is found by counting: 'solved reach' finds all positions that
// can occur by playing, under each ruleset, and this rule agrees about every one. There
// the colours do not count, and they need not: what can occur can with either colour to
// move (TestEitherColour).
func (r *Rules) CanOccur(p Position) bool {
	if p.phase == OpeningPhase {
		return true
	}
	if others := p.board &^ pawnSet; others&15 != 0 && others>>4 != 0 {
		// Both sides can have placed something last, unless the game was over.
		return lineAt[p.occupied(p.side)] != completeLine
	}
	var before, earlier [maxPredecessors]Position
	return slices.ContainsFunc(r.Predecessors(p, before[:0]), func(q Position) bool {
		return len(r.Predecessors(q, earlier[:0])) > 0
	})
}
