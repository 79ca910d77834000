package tictacchec

import "math/bits"

// Predecessors appends to dst every position of the same phase from which a move
// leads to p, and returns it; each exactly once. Terminal positions have no
// moves and so are not among them, and a position whose side to move owns a line
// has no predecessor. It does not ask whether a game can reach them: in the
// main phase any position of the index counts.
func (r *Rules) Predecessors(p Position, dst []Position) []Position {
	mover := p.side.Opponent()
	own, enemy := p.occupied(mover), p.occupied(p.side)
	if lineAt[enemy] == completeLine {
		return dst
	}
	before := p
	before.side = mover
	first := Piece(4 * mover)
	if p.phase == OpeningPhase {
		for piece := first; piece < first+4; piece++ {
			if p.On(piece) {
				dst = append(dst, before.lift(piece))
			}
		}
		return dst
	}
	empty := ^(own | enemy)
	held := ^p.board & (15 << (4 * p.side)) // what the mover may have captured
	for piece := first; piece < first+4; piece++ {
		if !p.On(piece) {
			continue
		}
		to := p.square(piece)
		up := p.up >> mover & 1
		// Back to the hand: it was placed here.
		lifted := before.lift(piece)
		if piece&3 != 0 || bit(pawnPlaced(mover, to)) == up {
			dst = append(dst, lifted)
		}
		// Back to where it came from: not to a square that would have given its
		// owner a line already, since then the game had ended.
		rest := own &^ (1 << to)
		allowed := empty
		if three := lineAt[rest]; three < completeLine {
			allowed &^= 1 << (three & 15)
		}
		// A piece of the enemy restored here must not give the enemy a line.
		victims := held
		if lineAt[enemy|1<<to] == completeLine {
			victims = 0
		}
		if piece&3 == 0 {
			origins := &r.pawns.origins[mover][to][up]
			for _, o := range origins.steps[:origins.nSteps] {
				if allowed>>o.square&1 == 1 {
					dst = append(dst, lifted.putPawnBack(piece, o))
				}
			}
			for _, o := range origins.captures[:origins.nTakes] {
				if allowed>>o.square&1 == 1 {
					dst = lifted.putPawnBack(piece, o).restore(victims, to, dst)
				}
			}
			continue
		}
		lifted.board |= 1 << piece
		for from := reach(piece.Kind(), to, ^empty).set & allowed; from != 0; from &= from - 1 {
			q := lifted
			q.squares |= uint32(bits.TrailingZeros16(from)) << (4 * piece)
			dst = append(dst, q)
			if victims != 0 {
				dst = q.restore(victims, to, dst)
			}
		}
	}
	return dst
}

// putPawnBack returns the position with a pawn set where it came from.
func (p Position) putPawnBack(piece Piece, o pawnOrigin) Position {
	p = p.put(piece, o.square)
	p.up |= bit(o.up) << piece.Owner()
	return p
}

// restore appends the positions in which one of the victims stands on a square;
// a pawn with every direction that it can have there.
func (p Position) restore(victims uint8, s Square, dst []Position) []Position {
	for ; victims != 0; victims &= victims - 1 {
		piece := Piece(bits.TrailingZeros8(victims))
		q := p
		q.squares |= uint32(s) << (4 * piece)
		q.board |= 1 << piece
		if piece&3 != 0 {
			dst = append(dst, q)
			continue
		}
		if pawnStands(s, false) {
			dst = append(dst, q)
		}
		if pawnStands(s, true) {
			q.up |= 1 << piece.Owner()
			dst = append(dst, q)
		}
	}
	return dst
}
