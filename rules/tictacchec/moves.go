package tictacchec

import "math/bits"

// MaxMoves is the greatest number of moves in any position.
const MaxMoves = 64

// Move is one turn: a placement from hand (From is NoSquare) or a move on the
// board. Whether it captures depends on the position.
type Move struct {
	Piece Piece
	From  Square
	To    Square
}

// String returns the move as it is written: "N@c2" for a placement, whichever
// side makes it, and "a1-b3" for a move.
func (m Move) String() string {
	var buffer [maxMoveLen]byte
	return string(m.AppendString(buffer[:0]))
}

// Captured returns the piece that a move takes, and false when it takes none.
func (p Position) Captured(m Move) (Piece, bool) { return p.At(m.To) }

// Moves appends the legal moves of a position to dst in the published order and
// returns it. A terminal position has none; any other has at least one and at
// most MaxMoves.
func (r *Rules) Moves(p Position, dst []Move) []Move {
	own, enemy := p.occupied(p.side), p.occupied(p.side.Opponent())
	if lineAt[own] == completeLine || lineAt[enemy] == completeLine {
		return dst
	}
	first := Piece(4 * p.side)
	for piece := first; piece < first+4; piece++ {
		if p.On(piece) {
			continue
		}
		for empty := ^(own | enemy); empty != 0; empty &= empty - 1 {
			dst = append(dst, Move{piece, NoSquare, Square(bits.TrailingZeros16(empty))})
		}
	}
	if p.phase == OpeningPhase {
		return dst
	}
	// Own pieces by square ascending: four at most, so an insertion sort on
	// square·8 + piece.
	var order [4]uint8
	n := 0
	for piece := first; piece < first+4; piece++ {
		if !p.On(piece) {
			continue
		}
		key := uint8(p.square(piece))<<3 | uint8(piece)
		i := n
		for ; i > 0 && order[i-1] > key; i-- {
			order[i] = order[i-1]
		}
		order[i] = key
		n++
	}
	for _, key := range order[:n] {
		from, piece := Square(key>>3), Piece(key&7)
		if piece&3 == 0 {
			moves := &r.pawns.moves[p.side][from][p.up>>p.side&1]
			legal := moves.step&^(own|enemy) | moves.captures&enemy
			for _, to := range moves.order[:moves.n] {
				if legal>>to&1 == 1 {
					dst = append(dst, Move{piece, from, to})
				}
			}
			continue
		}
		reached := reach(piece.Kind(), from, own|enemy)
		for _, to := range reached.order[:reached.n] {
			if own>>to&1 == 0 {
				dst = append(dst, Move{piece, from, to})
			}
		}
	}
	return dst
}

// reach returns the squares that a knight, bishop or rook attacks.
func reach(kind Kind, from Square, occupied uint16) *targets {
	switch kind {
	case Knight:
		return &knightFrom[from&15]
	case Bishop:
		return &bishopFrom[from&15][centre(occupied)]
	default:
		return &rookFrom[from&15][cross(from, occupied)]
	}
}

// Play returns the position after a move, which must be one of [Rules.Moves].
// Its result for an illegal move is undefined.
func (r *Rules) Play(p Position, m Move) Position {
	up := pawnPlaced(p.side, m.To)
	if m.From != NoSquare {
		if victim, ok := p.At(m.To); ok {
			p = p.lift(victim)
		}
		up = pawnArrives(m.To, p.PawnUp(p.side))
	}
	p = p.put(m.Piece, m.To)
	if m.Piece.Kind() == Pawn {
		p.up = p.up&^(1<<p.side) | bit(up)<<p.side
	}
	p.side = p.side.Opponent()
	if p.phase == OpeningPhase && bits.OnesCount8(p.board) == OpeningPlies {
		p.phase = MainPhase
	}
	return p
}
