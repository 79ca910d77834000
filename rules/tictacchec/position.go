package tictacchec

import (
	"math/bits"

	"solved/rules"
)

// Square is a square of the board, 4·(row−1) + file: a1 = 0, d1 = 3, a4 = 12,
// d4 = 15.
type Square uint8

// NoSquare stands where there is no square: the origin of a placement.
const NoSquare Square = 255

// Squares is the number of squares of the board.
const Squares = 16

// squareNames has the names of the squares in order, two bytes each.
const squareNames = "a1b1c1d1a2b2c2d2a3b3c3d3a4b4c4d4"

// String returns the square's name, "a1" to "d4", or "-" for NoSquare.
func (s Square) String() string {
	if s >= Squares {
		return "-"
	}
	return squareNames[2*s : 2*s+2] // without an allocation
}

// Piece is one of the eight pieces: White's P N B R are 0 to 3, Black's 4 to 7.
// Its number is also its bit in a set of pieces.
type Piece uint8

// The pieces.
const (
	WhitePawn Piece = iota
	WhiteKnight
	WhiteBishop
	WhiteRook
	BlackPawn
	BlackKnight
	BlackBishop
	BlackRook

	// Pieces is the number of pieces.
	Pieces = 8
)

// Kind is the type of a piece, of either side.
type Kind uint8

// The kinds, in the order in which placements are listed.
const (
	Pawn Kind = iota
	Knight
	Bishop
	Rook

	// Kinds is the number of kinds; each side owns one piece of each.
	Kinds = 4
)

// Kind returns the type of the piece.
func (p Piece) Kind() Kind { return Kind(p & 3) }

// Owner returns whose piece it is.
func (p Piece) Owner() rules.Player { return rules.Player(p >> 2) }

// PieceOf returns the piece of that kind which the player owns.
func PieceOf(player rules.Player, kind Kind) Piece { return Piece(uint8(player)<<2 | uint8(kind)) }

// Letter returns the piece's letter in position strings: upper case for White.
func (p Piece) Letter() byte { return "PNBRpnbr"[p&7] }

// Letter returns the kind's letter, in upper case.
func (k Kind) Letter() byte { return "PNBR"[k&3] }

// Phase says which moves a turn may consist of.
type Phase uint8

// The phases.
const (
	MainPhase    Phase = iota // a placement or a move
	OpeningPhase              // plies 0 to 5: a placement
)

// OpeningPlies is the number of plies of the opening.
const OpeningPlies = 6

// Position is everything that decides how a game goes on: which piece stands
// where, which way the pawns travel, the side to move and the phase. It holds
// nothing else, so two positions are the same exactly when they are equal with
// ==, and a Position can be the key of a map.
//
// The zero Position is an empty board in the main phase with White to move; a
// game begins at [Start].
type Position struct {
	// squares holds the square of piece i in bits 4i to 4i+3; zero for a piece
	// in hand.
	squares uint32
	// board has bit i set when piece i is on the board.
	board uint8
	// up has bit 0 set when White's pawn is on the board and travels up, bit 1
	// for Black's.
	up    uint8
	side  rules.Player
	phase Phase
}

// Start returns the position that a game begins from: an empty board, White to
// place.
func Start() Position { return Position{phase: OpeningPhase} }

// Side returns the side to move.
func (p Position) Side() rules.Player { return p.side }

// Phase returns the phase.
func (p Position) Phase() Phase { return p.phase }

// Section returns the section of a table that holds the position.
func (p Position) Section() rules.Section {
	if p.phase == OpeningPhase {
		return rules.Opening
	}
	return rules.Main
}

// On reports whether a piece is on the board; otherwise its owner holds it.
func (p Position) On(piece Piece) bool { return p.board>>piece&1 == 1 }

// SquareOf returns the square of a piece, and false for a piece in hand.
func (p Position) SquareOf(piece Piece) (Square, bool) {
	if !p.On(piece) {
		return NoSquare, false
	}
	return p.square(piece), true
}

// At returns the piece on a square, and false for an empty square.
func (p Position) At(s Square) (Piece, bool) {
	for set := p.board; set != 0; set &= set - 1 {
		if piece := Piece(bits.TrailingZeros8(set)); p.square(piece) == s {
			return piece, true
		}
	}
	return 0, false
}

// PawnUp reports whether a player's pawn is on the board and travels up, toward
// row 4.
func (p Position) PawnUp(player rules.Player) bool { return p.up>>player&1 == 1 }

// Hand returns the kinds that a player holds, in the order P, N, B, R.
func (p Position) Hand(player rules.Player) []Kind {
	var hand []Kind
	for kind := Pawn; kind < Kinds; kind++ {
		if !p.On(PieceOf(player, kind)) {
			hand = append(hand, kind)
		}
	}
	return hand
}

// Winner returns the player who owns a line, and the line's squares in
// ascending order. Where both do, which no game can bring about, it is the side
// that has just moved.
func (p Position) Winner() (player rules.Player, line [4]Square, ok bool) {
	for _, player := range [2]rules.Player{p.side.Opponent(), p.side} {
		set := p.occupied(player)
		if lineAt[set] != completeLine {
			continue
		}
		for i := range line {
			line[i] = Square(bits.TrailingZeros16(set))
			set &= set - 1
		}
		return player, line, true
	}
	return 0, line, false
}

// Terminal reports whether either side owns a line: the game is over.
func (p Position) Terminal() bool {
	return lineAt[p.occupied(rules.White)] == completeLine || lineAt[p.occupied(rules.Black)] == completeLine
}

// Mirror returns the position reflected left to right: file a becomes d. It
// keeps every value and distance.
func (p Position) Mirror() Position {
	p.squares = (p.squares ^ 0x33333333) & nibbles[p.board]
	return p
}

// SwapColours returns the same position seen from the other side: the colours
// change places and the board is turned by 180°, so that a pawn's direction is
// reversed and goes with its new colour.
//
// In the opening, where only White moves first, the result denotes no position
// of the game.
func (p Position) SwapColours() Position {
	p.board = bits.RotateLeft8(p.board, 4)
	p.squares = ^bits.RotateLeft32(p.squares, 16) & nibbles[p.board]
	p.up = (p.up>>1|p.up<<1)&3 ^ p.board&1 ^ p.board>>3&2
	p.side = p.side.Opponent()
	return p
}

// square returns the square of a piece that is on the board.
func (p Position) square(piece Piece) Square { return Square(p.squares >> (4 * piece) & 15) }

// occupied returns the set of squares that a player's pieces stand on; bit s is
// square s.
func (p Position) occupied(player rules.Player) uint16 {
	board := uint32(p.board) >> (4 * player)
	squares := p.squares >> (16 * player)
	return uint16(board&1<<(squares&15) |
		board>>1&1<<(squares>>4&15) |
		board>>2&1<<(squares>>8&15) |
		board>>3&1<<(squares>>12&15))
}

// put returns the position with a piece set on a square. A pawn is given its
// direction separately.
func (p Position) put(piece Piece, s Square) Position {
	p.squares = p.squares&^(15<<(4*piece)) | uint32(s)<<(4*piece)
	p.board |= 1 << piece
	return p
}

// lift returns the position with a piece taken off the board into its owner's
// hand; a pawn forgets its direction.
func (p Position) lift(piece Piece) Position {
	p.squares &^= 15 << (4 * piece)
	p.board &^= 1 << piece
	if piece&3 == 0 {
		p.up &^= 1 << (piece >> 2)
	}
	return p
}
