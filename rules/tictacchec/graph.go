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
func (g Graph) Index(p Position) uint64 { return p.representative().mainIndex() }

// Predecessors appends the positions from which a move leads to p.
func (g Graph) Predecessors(p Position, dst []Position) []Position {
	return g.rules.Predecessors(p.SwapColours(), dst)
}

// OpenMoves counts the moves of p that do not lead to a win within the horizon,
// that is, to a win in 1. The position must be beyond the horizon itself.
func (g Graph) OpenMoves(p Position) int {
	b := p.withSquares()
	return g.rules.openMoves(&b)
}

// representative returns the one of a position with White to move and its mirror image
// that has the smaller main-phase index: the one in which the piece that counts
// most there (White's pawn, else Black's, else the first on the board) stands on
// file a or b.
func (p Position) representative() Position {
	// Without a branch, which would be mispredicted half of the time.
	onRight := p.squares >> leadFile[p.board] & 1
	p.squares ^= 0x33333333 & nibbles[p.board] & -onRight
	return p
}

// leadFile holds, for a set of pieces on the board, the place of the bit of
// Position.squares that is set when the piece that counts most in the main-phase
// index stands on file c or d.
var leadFile = func() (t [256]uint8) {
	for board := range t {
		lead := bits.TrailingZeros8(uint8(board)) & 7
		if board&pawnSet == 1<<BlackPawn {
			lead = int(BlackPawn)
		}
		t[board] = uint8(4*lead + 1)
	}
	return t
}()

// Unfold fills dst with the codes of the main-phase positions from index lo on,
// given the codes of the graph's indices: those of mirror images are copied.
// codes must fill its dst in the same way, with the graph's own codes.
func (g Graph) Unfold(codes func(lo uint64, dst []rules.Code), lo uint64, dst []rules.Code) {
	for len(dst) > 0 {
		p := mainAt(lo)
		b := &blocks[p.board]
		// How many indices from here on share the lead piece's state, and so are
		// either all their own representatives or all mirror images.
		unit := b.others
		others := p.board &^ pawnSet
		if p.board&pawnSet == 0 && others != 0 {
			unit = b.weight[bits.TrailingZeros8(others)]
		}
		rest := (lo - b.offset) % uint64(unit)
		span := min(uint64(unit)-rest, uint64(len(dst)))
		if p.representative() == p {
			codes(lo, dst[:span])
		} else {
			unfoldMirrored(codes, p, dst[:span])
		}
		lo += span
		dst = dst[span:]
	}
}

// unfoldMirrored fills dst with the codes of as many positions from p on, all of
// which have a lead piece on file c or d, from those of their mirror images.
//
// Positions that differ only in the last piece's square have neighbouring
// indices, and so have their mirror images, in another order. Such runs are
// copied as a whole, and an odometer over the other pieces leads from run to run.
func unfoldMirrored(codes func(lo uint64, dst []rules.Code), p Position, dst []rules.Code) {
	var pieces [Pieces]uint8 // that the odometer turns, most significant first
	n := 0
	for set := p.board &^ pawnSet; set != 0; set &= set - 1 {
		pieces[n] = uint8(bits.TrailingZeros8(set))
		n++
	}
	if n == 0 {
		codes(p.representative().mainIndex(), dst[:1])
		return
	}
	// taken[k] holds the squares of the pawns and of the pieces before pieces[k].
	var taken [Pieces]uint16
	if p.On(WhitePawn) {
		taken[0] |= 1 << p.square(WhitePawn)
	}
	if p.On(BlackPawn) {
		taken[0] |= 1 << p.square(BlackPawn)
	}
	for k := 1; k < n; k++ {
		taken[k] = taken[k-1] | 1<<p.square(Piece(pieces[k-1]))
	}
	last := Piece(pieces[n-1])
	run := Squares - bits.OnesCount16(taken[n-1])
	free := ^taken[n-1] &^ (1<<p.square(last) - 1) // squares from p's on
	for {
		// The mirror images of this run begin where the last piece stands on the
		// first free square of the mirrored board.
		mirrored := mirroredSet(taken[n-1])
		q := p.put(last, 0).Mirror()
		q.squares = q.squares&^(15<<(4*last)) | uint32(bits.TrailingZeros16(^mirrored))<<(4*last)
		if whole := ^taken[n-1]; free == whole && run <= len(dst) {
			codes(q.mainIndex(), dst[:run])
			reverseRows(dst[:run], whole)
			dst = dst[run:]
		} else { // the first run, or the last
			var source [Squares]rules.Code
			codes(q.mainIndex(), source[:run])
			reverseRows(source[:run], whole)
			dst = dst[copy(dst, source[run-bits.OnesCount16(free):run]):]
		}
		if len(dst) == 0 {
			return
		}
		k := n - 2
		for ; ; k-- {
			piece := Piece(pieces[k])
			if higher := ^taken[k] &^ (2<<p.square(piece) - 1); higher != 0 {
				p = p.put(piece, Square(bits.TrailingZeros16(higher)))
				break
			}
		}
		for k++; k < n; k++ {
			taken[k] = taken[k-1] | 1<<p.square(Piece(pieces[k-1]))
			p = p.put(Piece(pieces[k]), Square(bits.TrailingZeros16(^taken[k])))
		}
		free = ^taken[n-1]
	}
}

// reverseRows reverses the codes of each row, in codes that belong to the given
// squares in order: a reflection keeps the rows and turns each round.
func reverseRows(codes []rules.Code, squares uint16) {
	for ; squares != 0; squares >>= 4 {
		n := bits.OnesCount16(squares & 15)
		for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
			codes[i], codes[j] = codes[j], codes[i]
		}
		codes = codes[n:]
	}
}

// mirroredSet reflects a set of squares left to right.
func mirroredSet(set uint16) uint16 {
	set = set>>1&0x5555 | set&0x5555<<1
	return set>>2&0x3333 | set&0x3333<<2
}

// Known calls found with every position whose distance is at most the horizon,
// and its distance; more than once for some. The work is cut into shards parts,
// of which this call does one, from 0; parts may run concurrently.
//
// All these positions have a side, here called A, with three or four of a line.
// Four: the game is over, with either side to move. Three, and neither side has a line: if A
// is to move it wins at once if its fourth piece reaches the fourth square; if B
// is to move it is lost in 2 when it cannot win at once and no move of its
// parries.
func (g Graph) Known(shard, shards int, found func(index uint64, distance uint8)) {
	n := 0
	eachSide(Position{}, 0, rules.White, func(p Position, own uint16) {
		three := lineAt[own]
		if three == noLine || !p.firstOnLeft() {
			return
		}
		if n++; n%shards != shard {
			return
		}
		if three == completeLine {
			eachSide(p, own, rules.Black, func(p Position, _ uint16) {
				found(g.Index(p), 0)
				found(g.Index(p.SwapColours()), 0)
			})
			return
		}
		t := p.threatOf(rules.White, own, three)
		eachSide(p, own, rules.Black, func(p Position, occupied uint16) {
			enemy := occupied &^ own
			if lineAt[enemy] == completeLine {
				return
			}
			standing := g.rules.completes(&t, occupied, enemy)
			if standing {
				found(g.Index(p), 1)
			}
			b := board{p, enemy, own}
			b.side = rules.Black
			if !standing && b.held() > 0 {
				return // a piece can be placed out of the way
			}
			if !g.rules.winsAtOnce(&b) && g.rules.parries(&b, &t, 1) == 0 {
				found(g.Index(b.SwapColours()), 2)
			}
		})
	})
}

// firstOnLeft reports whether the first piece on the board stands on file a or b:
// true for exactly one of a position and its mirror image.
func (p Position) firstOnLeft() bool {
	return p.squares>>(4*bits.TrailingZeros8(p.board)+1)&1 == 0
}

// eachSide calls visit with every way to add a player's pieces to a position
// whose occupied squares are given: each in hand or on any square that is free, a
// pawn with every direction that it can have there. It passes on the squares then
// occupied.
func eachSide(p Position, occupied uint16, player rules.Player, visit func(p Position, occupied uint16)) {
	eachPiece(p, occupied, PieceOf(player, Pawn), visit)
}

func eachPiece(p Position, occupied uint16, piece Piece, visit func(Position, uint16)) {
	if piece.Kind() == Rook {
		// The innermost loop, without calls to itself.
		visit(p, occupied)
		for free := ^occupied; free != 0; free &= free - 1 {
			s := Square(bits.TrailingZeros16(free))
			visit(p.put(piece, s), occupied|1<<s)
		}
		return
	}
	eachPiece(p, occupied, piece+1, visit)
	for free := ^occupied; free != 0; free &= free - 1 {
		s := Square(bits.TrailingZeros16(free))
		q := p.put(piece, s)
		if piece.Kind() != Pawn {
			eachPiece(q, occupied|1<<s, piece+1, visit)
			continue
		}
		for _, up := range [2]bool{false, true} {
			if pawnStands(s, up) {
				q := q
				q.up |= bit(up) << piece.Owner()
				eachPiece(q, occupied|1<<s, piece+1, visit)
			}
		}
	}
}
