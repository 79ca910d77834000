package tictacchec

import (
	"math/bits"

	"solved/rules"
)

// Graph is the main phase as a solver sees it: positions with White to move,
// numbered by the perfect index, of which only the smaller of a position's and
// its mirror image's is used. A move of the graph leads to a position with the
// colours swapped, so that White is to move again.
//
// It knows, from the board alone, every position whose distance is at most
// [GraphHorizon]. It is immutable and safe for concurrent use.
type Graph struct{ rules *Rules }

// GraphHorizon is the greatest distance, in plies, that [Graph.Known] finds.
const GraphHorizon = 2

// Graph returns the main phase as a graph.
func (r *Rules) Graph() Graph { return Graph{r} }

// Size returns the number of indices.
func (g Graph) Size() uint64 { return MainPositions }

// Horizon returns GraphHorizon.
func (g Graph) Horizon() uint8 { return GraphHorizon }

// Position returns the position at an index below Size.
func (g Graph) Position(index uint64) Position { return mainAt(index) }

// Index returns the number of a position: its own index or, if that is smaller,
// its mirror image's.
func (g Graph) Index(p Position) uint64 { return p.halved().mainIndex() }

// Predecessors appends the positions from which a move leads to p.
func (g Graph) Predecessors(p Position, dst []Position) []Position {
	return g.rules.Predecessors(p.SwapColours(), dst)
}

// OpenMoves counts the moves of p that do not lead to a win within the horizon,
// that is, to a win in 1. The position must be beyond the horizon itself.
func (g Graph) OpenMoves(p Position) int { return g.rules.openMoves(p) }

// halved returns the one of a position with White to move and its mirror image
// that has the smaller main-phase index: the one in which the piece that counts
// most there (White's pawn, else Black's, else the first on the board) stands on
// file a or b.
func (p Position) halved() Position {
	lead := p.board & -p.board
	if p.board&pawnSet == 1<<BlackPawn {
		lead = 1 << BlackPawn
	}
	if p.squares&leadFiles[lead] != 0 {
		return p.Mirror()
	}
	return p
}

// leadFiles holds, for a piece as a set, the bit of Position.squares that is set
// when it stands on file c or d.
var leadFiles = func() (t [129]uint32) {
	for piece := range Pieces {
		t[1<<piece] = 2 << (4 * piece)
	}
	return t
}()

// Known calls found with every position whose distance is at most the horizon,
// and its distance; more than once for some. The work is cut into shards parts,
// of which this call does one, from 0; parts may run concurrently.
//
// All these positions have a side, here called A, with three or four of a line.
// Four: the game is over, whoever is to move. Three, and nobody has a line: if A
// is to move it wins at once if its fourth piece reaches the fourth square; if B
// is to move it is lost in 2 when it cannot win at once and no move of its
// parries.
func (g Graph) Known(shard, shards int, found func(index uint64, distance uint8)) {
	n := 0
	eachSide(Position{}, rules.White, func(p Position) {
		own := p.occupied(rules.White)
		three := lineAt[own]
		if three == noLine {
			return
		}
		// One of each pair of mirror images is enough.
		if p.squares&leadFiles[p.board&-p.board] != 0 {
			return
		}
		if n++; n%shards != shard {
			return
		}
		if three == completeLine {
			eachSide(p, rules.Black, func(p Position) {
				found(g.Index(p), 0)
				found(g.Index(p.SwapColours()), 0)
			})
			return
		}
		t := p.threatOf(rules.White, own, three)
		eachSide(p, rules.Black, func(p Position) {
			enemy := p.occupied(rules.Black)
			if lineAt[enemy] == completeLine {
				return
			}
			if g.rules.completes(&t, own|enemy, enemy) {
				found(g.Index(p), 1)
			}
			p.side = rules.Black
			if !g.rules.winsAtOnce(p, rules.Black) && g.rules.parries(p, &t, enemy, own, 1) == 0 {
				found(g.Index(p.SwapColours()), 2)
			}
		})
	})
}

// eachSide calls visit with every way to add a player's pieces to a position:
// each in hand or on any square that is free, a pawn with every direction that
// it can have there.
func eachSide(p Position, player rules.Player, visit func(Position)) {
	eachPiece(p, p.occupied(rules.White)|p.occupied(rules.Black), PieceOf(player, Pawn), visit)
}

func eachPiece(p Position, occupied uint16, piece Piece, visit func(Position)) {
	next := func(p Position, occupied uint16) {
		if piece.Kind() == Rook {
			visit(p)
			return
		}
		eachPiece(p, occupied, piece+1, visit)
	}
	next(p, occupied)
	for free := ^occupied; free != 0; free &= free - 1 {
		s := Square(bits.TrailingZeros16(free))
		q := p.put(piece, s)
		if piece.Kind() != Pawn {
			next(q, occupied|1<<s)
			continue
		}
		for _, up := range [2]bool{false, true} {
			if pawnStands(s, up) {
				q := q
				q.up |= bit(up) << piece.Owner()
				next(q, occupied|1<<s)
			}
		}
	}
}
