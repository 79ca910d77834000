package tictacchec

// CanOccur tells whether a game from the empty board can come to a position that
// [Parse] accepts. Every position of the opening can occur. One of the main phase
// cannot when the side that has just moved can have made no move, which is so when
//
//   - its opponent, who is to move, owns a line: the game was over before, or
//   - it has nothing on the board, or
//   - it has only its pawn on the board, which travels home, so that it has not just
//     been placed, and which can have come from nowhere: the square behind it is taken,
//     and from no other can it have captured.
//
// Any other piece can have been placed in the last move. That all such positions have a
// predecessor is plain. That each of these, or one before it, goes back to the opening is
// not, and is not proven here: 'solved reach' finds all positions that can occur by
// playing, and this rule agrees on each under every ruleset.
func (r *Rules) CanOccur(p Position) bool {
	if p.phase == OpeningPhase {
		return true
	}
	mover := p.side.Opponent()
	pawn := PieceOf(mover, Pawn)
	switch {
	case lineAt[p.occupied(p.side)] == completeLine:
		return false
	case p.board>>(4*mover)&15&^1 != 0:
		return true
	case !p.On(pawn):
		return false
	case p.PawnUp(mover) == pawnPlaced(mover, p.square(pawn)):
		return true
	}
	var before [maxPredecessors]Position
	return len(r.Predecessors(p, before[:0])) > 0
}
