package tictacchec

import (
	"math/bits"

	"solved/rules"
)

// Successors appends to dst the numbers of the positions that the moves of n
// positions lead to, from index lo of a section on, one position after the
// other; and to ends, for each of them, the length of dst after its moves. The
// number of a position is its index, to which MainPositions is added in the
// opening. A position without moves is terminal.
//
// The successors are those of [Rules.Moves] and [Rules.Play], in no particular
// order. It is made for going through all positions: it allocates nothing when
// dst and ends have room.
func (r *Rules) Successors(section rules.Section, lo uint64, n int, dst []uint64, ends []int) ([]uint64, []int) {
	var after [MaxMoves]Position
	for index := lo; index < lo+uint64(n); index++ {
		if section == rules.Opening {
			dst = r.openingSuccessors(openingAt(index), dst)
		} else {
			for _, p := range r.mainSuccessors(mainAt(index), after[:0]) {
				dst = append(dst, p.mainIndex())
			}
		}
		ends = append(ends, len(dst))
	}
	return dst, ends
}

// openingSuccessors plays every move.
func (r *Rules) openingSuccessors(p Position, dst []uint64) []uint64 {
	var moves [MaxMoves]Move
	for _, m := range r.Moves(p, moves[:0]) {
		section, index := r.Play(p, m).Index()
		if section == rules.Opening {
			index += MainPositions
		}
		dst = append(dst, index)
	}
	return dst
}

// mainSuccessors appends the positions after each move of a main-phase position with
// White to move, turned so that White is to move again, as the index has it; and
// without moves that are listed first and played then. It turns the position before
// its moves instead of each position after one: Black moves on the turned board.
func (r *Rules) mainSuccessors(p Position, dst []Position) []Position {
	p = p.SwapColours()
	own, enemy := p.occupied(rules.Black), p.occupied(rules.White)
	if lineAt[own] == completeLine || lineAt[enemy] == completeLine {
		return dst
	}
	empty := ^(own | enemy)
	for piece := BlackPawn; piece <= BlackRook; piece++ {
		shift := 4 * (piece & 7)
		if !p.On(piece) {
			q := p
			q.board |= 1 << (piece & 7)
			for free := empty; free != 0; free &= free - 1 {
				s := Square(bits.TrailingZeros16(free))
				q.squares = p.squares | uint32(s)<<shift
				if piece == BlackPawn {
					q.up = p.up | bit(pawnPlaced(rules.Black, s))<<rules.Black
				}
				dst = append(dst, q)
			}
			continue
		}
		from := p.square(piece)
		var targets uint16
		if piece == BlackPawn {
			moves := &r.pawns.moves[rules.Black][from&15][p.up>>rules.Black&1]
			targets = moves.step&empty | moves.captures&enemy
		} else {
			targets = reach(piece.Kind(), from, ^empty).set &^ own
		}
		for ; targets != 0; targets &= targets - 1 {
			s := Square(bits.TrailingZeros16(targets))
			q := p
			if enemy>>s&1 == 1 {
				victim, _ := p.At(s)
				q = q.lift(victim)
			}
			q.squares = q.squares&^(15<<shift) | uint32(s)<<shift
			if piece == BlackPawn {
				q.up = q.up&1 | bit(pawnArrives(s, p.PawnUp(rules.Black)))<<rules.Black
			}
			dst = append(dst, q)
		}
	}
	return dst
}
