package tictacchec

import (
	"math/bits"

	"solved/rules"
)

// What can be seen on the board, without a table. A side with three pieces on a
// line completes it when its fourth piece can reach the line's fourth square: no
// other line can be within its reach, so it wins at once in one way or not at
// all.

// threat is a side's three on a line and what is needed to complete it.
type threat struct {
	line   uint16 // the three squares held
	target Square // the fourth square
	kind   Kind   // of the piece off the line
	placed bool   // that piece is in hand
	from   Square // or stands here
	owner  rules.Player
	up     uint8 // direction of the owner's pawn
}

// threatOf returns the threat that a player with three on a line poses; own is
// the set of the player's squares and three its entry in lineAt, below
// completeLine.
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

// completes reports whether the piece off the line can reach the fourth square
// on a board where occupied are all squares in use and enemy those of the other
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

// winsAtOnce reports whether a player, if it were to move in p, could complete a
// line. Nobody must own one yet.
func (r *Rules) winsAtOnce(p Position, player rules.Player) bool {
	own := p.occupied(player)
	three := lineAt[own]
	if three >= completeLine {
		return false
	}
	enemy := p.occupied(player.Opponent())
	t := p.threatOf(player, own, three)
	return r.completes(&t, own|enemy, enemy)
}

// parries counts the moves of the side to move after which the other side, with
// the given threat, cannot complete a line at once. It stops counting at enough.
// Nobody must own a line yet; own and enemy are the squares of the side to move
// and of the other.
//
// A capture of one of the three on the line always parries. So the cheap answers
// come first: such captures, then placements, of which only those on the fourth
// square or before a slider differ from one another, then the other moves one by
// one.
func (r *Rules) parries(p Position, t *threat, own, enemy uint16, enough int) int {
	count := 0
	occupied := own | enemy
	reached := r.reached(p, own, enemy)
	for _, set := range reached {
		count += bits.OnesCount16(set & t.line)
	}
	if count >= enough {
		return count
	}
	if held := Kinds - bits.OnesCount8(p.board>>(4*p.side)&15); held > 0 {
		relevant := (between(t) | 1<<t.target) &^ occupied
		if !r.completes(t, occupied, own) {
			count += held * bits.OnesCount16(^(occupied | relevant))
		}
		for ; relevant != 0; relevant &= relevant - 1 {
			x := relevant & -relevant
			if !r.completes(t, occupied|x, own|x) {
				count += held
			}
		}
		if count >= enough {
			return count
		}
	}
	for kind, set := range reached {
		from := uint16(1) << (p.squares >> (16*p.side + 4*rules.Player(kind)) & 15)
		for set &^= t.line; set != 0; set &= set - 1 {
			x := set & -set
			ownAfter := own&^from | x
			if enemy&x != 0 {
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

// reached returns the squares that each kind of the side to move can move to;
// none for a piece in hand.
func (r *Rules) reached(p Position, own, enemy uint16) (sets [Kinds]uint16) {
	squares, board := p.squares>>(16*p.side), p.board>>(4*p.side)
	occupied := own | enemy
	if board&1 != 0 {
		moves := &r.pawns.moves[p.side&1][squares&15][p.up>>p.side&1]
		sets[Pawn] = moves.step&^occupied | moves.captures&enemy
	}
	if board&2 != 0 {
		sets[Knight] = knightFrom[squares>>4&15].set &^ own
	}
	if board&4 != 0 {
		sets[Bishop] = bishopFrom[squares>>8&15][centre(occupied)].set &^ own
	}
	if board&8 != 0 {
		s := Square(squares >> 12 & 15)
		sets[Rook] = rookFrom[s][cross(s, occupied)].set &^ own
	}
	return sets
}

// openMoves counts the moves of the side to move after which the other side
// cannot complete a line at once. Nobody must own a line yet, and the side to
// move must not be able to complete one.
func (r *Rules) openMoves(p Position) int {
	own, enemy := p.occupied(p.side), p.occupied(p.side.Opponent())
	if three := lineAt[enemy]; three < completeLine {
		t := p.threatOf(p.side.Opponent(), enemy, three)
		return r.parries(p, &t, own, enemy, MaxMoves+1)
	}
	held := Kinds - bits.OnesCount8(p.board>>(4*p.side)&15)
	count := held * bits.OnesCount16(^(own | enemy))
	for _, set := range r.reached(p, own, enemy) {
		count += bits.OnesCount16(set)
	}
	return count
}

// between returns the squares strictly between a slider off the line and the
// fourth square.
func between(t *threat) uint16 {
	if t.placed || t.kind < Bishop {
		return 0
	}
	return betweenSquares[t.from][t.target]
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

// lostInTwo reports whether the side to move is lost in 2: it cannot complete a
// line, and whatever it does the other side can. Nobody must own a line yet.
func (r *Rules) lostInTwo(p Position) bool {
	enemy := p.occupied(p.side.Opponent())
	three := lineAt[enemy]
	if three >= completeLine || r.winsAtOnce(p, p.side) {
		return false
	}
	t := p.threatOf(p.side.Opponent(), enemy, three)
	return r.parries(p, &t, p.occupied(p.side), enemy, 1) == 0
}
