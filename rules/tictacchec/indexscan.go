package tictacchec

import (
	"iter"
	"math/bits"

	"solved/rules"
)

// Ranges of the index, for passes over the whole main phase.

// IndicesOf returns the main-phase indices of the positions with exactly one set of
// pieces on the board (bit i is piece i): from, and just past the last.
func IndicesOf(set uint8) (from, to uint64) { return blocks[set].offset, blocks[set].end() }

// Representatives yields, in order, the runs of indices from lo to just below hi
// that are not larger than their mirror image's: each from, and just past its last.
// The index of the main phase's empty board, 0, is its own mirror image's. It comes
// in a run of its own; every other index in a run stands for two positions.
func (g Graph) Representatives(lo, hi uint64) iter.Seq2[uint64, uint64] {
	return func(yield func(from, to uint64) bool) {
		for from := lo; from < hi; {
			p := mainAt(from)
			b := &blocks[p.board]
			// As in Unfold: so many indices share the state of the piece that counts
			// most, and so are all representatives or none is.
			unit := uint64(b.others)
			others := p.board &^ pawnSet
			if p.board&pawnSet == 0 && others != 0 {
				unit = uint64(b.weight[bits.TrailingZeros8(others)])
			}
			to := min(from+unit-(from-b.offset)%unit, hi)
			if p.representative() == p && !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// OtherToMove returns the main-phase position with the same board and the other side
// to move. No move leads from one to the other: it serves to find the threats of the side
// that is not to move.
func (p Position) OtherToMove() Position {
	p.side = p.side.Opponent()
	p.phase = MainPhase
	return p
}

// CountMoves returns the number of legal moves of a main-phase position, without listing
// them; 0 when the game is over.
func (r *Rules) CountMoves(p Position) int {
	b := p.withSquares()
	if lineAt[b.own] == completeLine || lineAt[b.enemy] == completeLine {
		return 0
	}
	return r.countMoves(&b)
}

// OpeningPly returns the indices of the opening's positions of a ply, 0 to 5: from,
// and just past the last.
func OpeningPly(ply int) (from, to uint64) {
	return openingPlies[ply].offset, openingPlies[ply+1].offset
}

// Owns reports whether a player owns a line.
func (p Position) Owns(player rules.Player) bool { return lineAt[p.occupied(player)] == completeLine }
