package tictacchec

import (
	"math/bits"

	"solved/rules"
)

// Wins in 1 and losses in 2, found on the board without a table. A side with three pieces on a
// line completes it when its fourth piece can reach the line's fourth square: no
// other line can be within its reach, so it wins at once in one way or not at
// all.

// board is a position with the squares of both sides worked out.
type board struct {
	Position
	own, enemy uint16 // of the side to move, and of the other
}

func (p Position) withSquares() board {
	return board{p, p.occupied(p.side), p.occupied(p.side.Opponent())}
}

// threat is a side's three on a line and the means to complete it.
type threat struct {
	line   uint16 // the three squares held
	target Square // the fourth square
	kind   Kind   // of the piece off the line
	placed bool   // that piece is in hand
	from   Square // or stands here
	owner  rules.Player
	up     uint8 // direction of the owner's pawn
}

// threatOf returns the threat of a player with three on a line; own is the set
// of the player's squares, and three its entry in lineAt, below completeLine.
func (p Position) threatOf(player rules.Player, own uint16, three uint8) threat {
	t := threat{target: Square(three & 15), owner: player, up: p.up >> player & 1}
	line := lineThrough[three]
	t.line = line & own
	off := own &^ line
	board := p.board >> (4 * player)
	if off == 0 {
		t.placed = true
		t.kind = Kind(bits.TrailingZeros8(^board)) & 3
		return t
	}
	t.from = Square(bits.TrailingZeros16(off))
	squares := p.squares >> (16 * player)
	for t.kind < Rook && (board>>t.kind&1 == 0 || Square(squares>>(4*t.kind)&15) != t.from) {
		t.kind++
	}
	return t
}

// enemyThreat returns the threat of the side that is not to move, and whether it
// has one.
func (b *board) enemyThreat() (threat, bool) {
	three := lineAt[b.enemy]
	if three >= completeLine {
		return threat{}, false
	}
	return b.threatOf(b.side.Opponent(), b.enemy, three), true
}

// completes reports whether the piece off the line can reach the fourth square
// on a board where occupied are all squares in use, and enemy those of the other
// side.
func (r *Rules) completes(t *threat, occupied, enemy uint16) bool {
	if t.placed {
		return occupied>>t.target&1 == 0
	}
	switch t.kind {
	case Pawn:
		moves := &r.pawns.moves[t.owner&1][t.from&15][t.up&1]
		return (moves.step&^occupied|moves.captures&enemy)>>t.target&1 == 1
	case Knight:
		return knightFrom[t.from&15].set>>t.target&1 == 1
	case Bishop:
		return bishopFrom[t.from&15][centre(occupied)].set>>t.target&1 == 1
	default:
		return rookFrom[t.from&15][cross(t.from, occupied)].set>>t.target&1 == 1
	}
}

// winsAtOnce reports whether the side to move can complete a line. Neither side may
// own one yet.
func (r *Rules) winsAtOnce(b *board) bool {
	three := lineAt[b.own]
	if three >= completeLine {
		return false
	}
	t := b.threatOf(b.side, b.own, three)
	return r.completes(&t, b.own|b.enemy, b.enemy)
}

// parries counts the moves after which the other side, with the threat t, cannot
// complete a line at once. It may stop counting at enough. Neither side may own a line
// yet.
//
// A capture of one of the three on the line always parries. So the cheap answers
// come first: such captures, then placements, of which only those on the fourth
// square or before a slider differ from one another, then the other moves one by
// one.
func (r *Rules) parries(b *board, t *threat, enough int) int {
	count := 0
	occupied := b.own | b.enemy
	reached := r.reached(b)
	for _, set := range reached {
		count += bits.OnesCount16(set & t.line)
	}
	if count >= enough {
		return count
	}
	if held := b.held(); held > 0 {
		relevant := (between(t) | 1<<t.target) &^ occupied
		if !r.completes(t, occupied, b.own) {
			count += held * bits.OnesCount16(^(occupied | relevant))
		}
		for ; relevant != 0; relevant &= relevant - 1 {
			x := relevant & -relevant
			if !r.completes(t, occupied|x, b.own|x) {
				count += held
			}
		}
		if count >= enough {
			return count
		}
	}
	for kind, set := range reached {
		from := uint16(1) << (b.squares >> (16*b.side + 4*rules.Player(kind)) & 15)
		for set &^= t.line; set != 0; set &= set - 1 {
			x := set & -set
			ownAfter := b.own&^from | x
			if b.enemy&x != 0 {
				// The piece off the line is captured: it can be placed on the
				// fourth square, if that is empty.
				count += int(ownAfter >> t.target & 1)
			} else if !r.completes(t, occupied&^from|x, ownAfter) {
				count++
			}
			if count >= enough {
				return count
			}
		}
	}
	return count
}

// held is the number of pieces that the side to move has in hand.
func (b *board) held() int { return Kinds - bits.OnesCount8(b.board>>(4*b.side)&15) }

// reached returns the squares that each kind of the side to move can move to;
// none for a piece in hand.
func (r *Rules) reached(b *board) (sets [Kinds]uint16) {
	squares, on := b.squares>>(16*b.side), b.board>>(4*b.side)
	occupied := b.own | b.enemy
	if on&1 != 0 {
		moves := &r.pawns.moves[b.side&1][squares&15][b.up>>b.side&1]
		sets[Pawn] = moves.step&^occupied | moves.captures&b.enemy
	}
	if on&2 != 0 {
		sets[Knight] = knightFrom[squares>>4&15].set &^ b.own
	}
	if on&4 != 0 {
		sets[Bishop] = bishopFrom[squares>>8&15][centre(occupied)].set &^ b.own
	}
	if on&8 != 0 {
		s := Square(squares >> 12 & 15)
		sets[Rook] = rookFrom[s][cross(s, occupied)].set &^ b.own
	}
	return sets
}

// between returns the squares strictly between a slider off the line and the
// fourth square.
func between(t *threat) uint16 {
	if t.placed || t.kind < Bishop {
		return 0
	}
	return betweenSquares[t.from&15][t.target&15]
}

// betweenSquares holds the squares strictly between two squares of a row, file
// or diagonal.
var betweenSquares = func() (t [Squares][Squares]uint16) {
	for _, rays := range [2][]step{bishopRays, rookRays} {
		for from := range Square(Squares) {
			for _, by := range rays {
				passed := uint16(0)
				for to, ok := shifted(from, by); ok; to, ok = shifted(to, by) {
					t[from][to] = passed
					passed |= 1 << to
				}
			}
		}
	}
	return t
}()

// openMoves counts the moves after which the other side cannot complete a line
// at once. Neither side may own a line yet, and the side to move must not be able to
// complete one.
func (r *Rules) openMoves(b *board) int {
	if t, ok := b.enemyThreat(); ok {
		return r.parries(b, &t, MaxMoves+1)
	}
	return r.countMoves(b)
}

// countMoves counts the moves. Neither side may own a line yet.
func (r *Rules) countMoves(b *board) int {
	count := b.held() * bits.OnesCount16(^(b.own | b.enemy))
	for _, set := range r.reached(b) {
		count += bits.OnesCount16(set)
	}
	return count
}

// lostInTwo reports whether the side to move is lost in 2: it cannot complete a
// line, and after each of its moves the other side can. Neither side may own a line yet.
func (r *Rules) lostInTwo(b *board) bool {
	t, ok := b.enemyThreat()
	return ok && !r.winsAtOnce(b) && r.parries(b, &t, 1) == 0
}

// replies writes the board after every open move to dst, and returns how many
// there are: those after which the other side cannot complete a line at once,
// which are all if it has no threat (t is nil). It stops when there are most,
// always with the same ones. Neither side may own a line yet. Main phase only.
func (r *Rules) replies(b *board, t *threat, dst *[MaxMoves]board, most int) int {
	n := 0
	side, first := b.side, PieceOf(b.side, Pawn)
	occupied := b.own | b.enemy
	next := board{b.Position, b.enemy, b.own}
	next.side = side.Opponent()
	reached := r.reached(b)
	for kind, set := range reached {
		if set == 0 {
			continue
		}
		piece := first + Piece(kind)
		from := uint16(1) << b.square(piece)
		for ; set != 0; set &= set - 1 {
			x := set & -set
			if t != nil && x&t.line == 0 {
				ownAfter := b.own&^from | x
				if b.enemy&x != 0 {
					if ownAfter>>t.target&1 == 0 {
						continue
					}
				} else if r.completes(t, occupied&^from|x, ownAfter) {
					continue
				}
			}
			s := Square(bits.TrailingZeros16(x))
			c := &dst[n&(MaxMoves-1)]
			*c = next
			c.squares = next.squares&^(15<<(4*piece)) | uint32(s)<<(4*piece)
			c.enemy = b.own&^from | x
			if kind == int(Pawn) {
				c.up = next.up&^(1<<side) | bit(pawnArrives(s, b.PawnUp(side)))<<side
			}
			if b.enemy&x != 0 {
				victim, _ := b.At(s)
				c.Position = c.lift(victim)
				c.own &^= x
			}
			if n++; n >= most {
				return n
			}
		}
	}
	if b.held() == 0 {
		return n
	}
	squares := ^occupied
	if t != nil {
		// As in parries: most squares are alike.
		relevant := (between(t) | 1<<t.target) &^ occupied
		if r.completes(t, occupied, b.own) {
			squares = 0
		} else {
			squares &^= relevant
		}
		for ; relevant != 0; relevant &= relevant - 1 {
			x := relevant & -relevant
			if !r.completes(t, occupied|x, b.own|x) {
				squares |= x
			}
		}
	}
	for piece := first; piece < first+Kinds && squares != 0; piece++ {
		if b.On(piece) {
			continue
		}
		for free := squares; free != 0; free &= free - 1 {
			s := Square(bits.TrailingZeros16(free))
			c := &dst[n&(MaxMoves-1)]
			*c = next
			c.Position = next.put(piece, s)
			c.enemy |= 1 << s
			if piece == first {
				c.up |= bit(pawnPlaced(side, s)) << side
			}
			if n++; n >= most {
				return n
			}
		}
	}
	return n
}
