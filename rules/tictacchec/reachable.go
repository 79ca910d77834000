package tictacchec

import (
	"math/bits"
	"slices"

	"solved/rules"
)

// Reachable tells whether a game from the empty board can come to a position that
// [Parse] accepts. Every position of the opening can occur, and one of the main phase
// exactly if play can have been four plies back: if there is a position with a move to
// it, one with a move to that, and so on, in none of which the pawns are at odds.
//
// It almost always can, as any piece but a pawn can have been placed in the last move.
// It cannot when the side to move owns a line, since the game was over before; when the
// other side has nothing on the board, though it has just moved; when that side has only
// its pawn, which travels home, so that it was not placed, and can have come from nowhere,
// as the square behind it is taken and it can have captured from no other; when the pawns
// are at odds; or when nothing but such a position can have been there shortly before. The
// last is so for a few positions only, and for none under the canonical ruleset.
//
// The pawns are at odds when both travel home on the same file, and White's is below
// Black's. They cannot have passed one another: no pawn steps over another, and unless it
// captures the way it travels, none that travels home captures its way past. So they
// always were, back to the opening, which ends with pawns as they are placed. Under the
// canonical ruleset they capture and can pass, and this does not count.
//
// That this is all is found by counting: 'solved reach' finds all positions that can occur
// by playing, and holds this rule against every one (RESULTS.md). There the colours do not
// count, and they need not: a position that can occur can occur with either colour to move
// (TestEitherColour).
func (r *Rules) Reachable(p Position) bool {
	return p.phase == OpeningPhase || r.goesBack(p, 4)
}

// goesBack tells whether play can have been so many plies before a position, and the pawns
// never at odds.
func (r *Rules) goesBack(p Position, plies int) bool {
	switch {
	case r.captures != travelling && p.pawnsAtOdds():
		return false
	case ReachableUnlessWon(p.board):
		return lineAt[p.occupied(p.side)] != completeLine
	case plies == 0:
		return true
	}
	var before [maxPredecessors]Position
	return slices.ContainsFunc(r.Predecessors(p, before[:0]), func(q Position) bool { return r.goesBack(q, plies-1) })
}

// pawnsAtOdds tells whether both pawns travel home on the same file, and White's is below
// Black's.
func (p Position) pawnsAtOdds() bool {
	if p.board&pawnSet != pawnSet || p.PawnUp(rules.White) || !p.PawnUp(rules.Black) {
		return false
	}
	white, black := p.square(WhitePawn), p.square(BlackPawn)
	return white&3 == black&3 && white < black
}

// ReachableUnlessWon tells of a set of pieces on the board, a bit for each as in the index,
// whether all positions with it can occur but those in which the side to move owns a line
// and those of [Rules.PawnsAtOdds]. Of any other set Reachable has to be asked about each
// position.
//
// It is so when each side has a piece that it can have placed last, and there are more than
// four, so that there is always something else that can have been before.
func ReachableUnlessWon(set uint8) bool {
	others := set &^ pawnSet
	return others&15 != 0 && others>>4 != 0 && bits.OnesCount8(set) > 4
}

// Run is a run of indices of the main section, from From to just before To.
type Run struct{ From, To uint64 }

// PawnsAtOdds returns the indices, in order, of the positions that cannot occur because the
// pawns are at odds, as at [Rules.Reachable]; none under the canonical ruleset.
func (r *Rules) PawnsAtOdds() []Run {
	var runs []Run
	if r.captures == travelling {
		return nil
	}
	for set := range blocks {
		if set&pawnSet != pawnSet {
			continue
		}
		b := &blocks[set]
		// The pawns are the first digit.
		for from := b.offset; from < b.end(); from += uint64(b.others) {
			if mainAt(from).pawnsAtOdds() {
				runs = append(runs, Run{from, from + uint64(b.others)})
			}
		}
	}
	return runs
}
