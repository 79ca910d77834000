package tictacchec

import (
	"math/bits"

	"solved/rules"
)

// The sizes of the two sections of the index. They are the same for every
// ruleset, as rulesets differ in moves only.
const (
	MainPositions    = 2_462_360_745
	OpeningPositions = 14_236_865
)

// The perfect index numbers the positions of each section from 0 without gaps.
//
// Main phase. The position is first turned so that the mover is White. The index
// is then
//
//	offset[set of pieces on the board]
//	+ pawn number · (placements of the other pieces)
//	+ placement of the other pieces
//
// A pawn on the board is in one of 24 states (options): a square, with a
// direction where both are possible. The pawn number of one pawn is its option;
// of two, the place of the pair in the list of all pairs on different squares,
// White's option first. The other pieces are numbered by a mixed radix: the
// digit of a piece is its square less the number of occupied squares below it,
// counting the pawns and the pieces before it, so with f squares still free it
// takes the values 0 to f−1.
//
// As the digits are independent of one another once those counts are known, the
// index is a sum of digit·weight, and the weight of a piece that is not on the
// board is zero: no branch is needed to compute it.

// pawnOptions is the number of states of a pawn on the board; noPawn stands for
// a pawn in hand.
const (
	pawnOptions = 24
	noPawn      = pawnOptions
)

// pawnOption returns the number of a pawn's state.
func pawnOption(s Square, up bool) uint8 {
	switch {
	case s < 4:
		return uint8(s)
	case s < 12:
		return uint8(4 + 2*(s-4) + Square(bit(up)))
	default:
		return uint8(20 + s - 12)
	}
}

// optionSquare and optionUp are the inverse of pawnOption.
func optionSquare(option uint8) Square {
	switch {
	case option < 4:
		return Square(option)
	case option < 20:
		return Square(4 + (option-4)/2)
	default:
		return Square(12 + option - 20)
	}
}

func optionUp(option uint8) bool {
	switch {
	case option < 4:
		return true
	case option < 20:
		return option&1 == 1
	default:
		return false
	}
}

// pairs is the number of states of two pawns on the board: 24² less those that
// share a square (8 edge squares with one state each, 8 others with two).
const pairs = 24*24 - 8*1 - 8*4

// pawnNumbers holds the pawn number by the options of White's and Black's pawn,
// noPawn for one in hand; pawnPairs is its inverse where both are on the board.
// Options that share a square have no number.
var pawnNumbers, pawnPairs = func() (numbers [pawnOptions + 1][pawnOptions + 1]uint16, pairOf [pairs][2]uint8) {
	next := uint16(0)
	for white := range uint8(pawnOptions) {
		numbers[white][noPawn] = uint16(white)
		numbers[noPawn][white] = uint16(white)
		for black := range uint8(pawnOptions) {
			if optionSquare(white) == optionSquare(black) {
				continue
			}
			numbers[white][black] = next
			pairOf[next] = [2]uint8{white, black}
			next++
		}
	}
	return numbers, pairOf
}()

// optionOf holds pawnOption by 2·square + direction.
var optionOf = func() (t [2 * Squares]uint8) {
	for i := range t {
		t[i] = pawnOption(Square(i>>1), i&1 == 1)
	}
	return t
}()

// block is the part of the main section that holds the positions with one set
// of pieces on the board.
type block struct {
	offset uint64
	// pawns is the number of pawn states, others the number of placements of
	// the other pieces.
	pawns  uint32
	others uint32
	// weight is that of each piece's digit; the pawn number's is others.
	weight [Pieces]uint32
}

// end returns the index just past the block.
func (b *block) end() uint64 { return b.offset + uint64(b.pawns)*uint64(b.others) }

// blocks are the 256 blocks of the main section in order.
var blocks = func() (t [256]block) {
	offset := uint64(0)
	for set := range t {
		b := &t[set]
		b.offset = offset
		free := uint32(Squares)
		switch set & pawnSet {
		case 0:
			b.pawns = 1
		case pawnSet:
			b.pawns = pairs
			free -= 2
		default:
			b.pawns = pawnOptions
			free--
		}
		b.others = 1
		// The last piece is the least significant digit, so weights are found
		// from the end; its radix is what is left free by all before it.
		free -= uint32(bits.OnesCount8(uint8(set &^ pawnSet)))
		for piece := Piece(Pieces); piece > 0; {
			piece--
			if set&^pawnSet>>piece&1 == 0 {
				continue
			}
			free++
			b.weight[piece] = b.others
			b.others *= free
		}
		offset = b.end()
	}
	return t
}()

// pawnSet is the set of the two pawns.
const pawnSet = 1<<WhitePawn | 1<<BlackPawn

// Index returns the position's section and its place in it, from 0.
func (p Position) Index() (rules.Section, uint64) {
	if p.phase == OpeningPhase {
		return rules.Opening, p.openingIndex()
	}
	if p.side == rules.Black {
		p = p.SwapColours()
	}
	return rules.Main, p.mainIndex()
}

// mainIndex returns the index of a main-phase position with White to move.
func (p Position) mainIndex() uint64 {
	board := uint32(p.board)
	b := &blocks[board&255]
	squares := p.squares
	white, black := squares&15, squares>>16&15
	up := uint32(p.up)
	wOption, bOption := optionOf[white<<1|up&1], optionOf[black<<1|up>>1&1]
	occupied := board&1<<white | board>>4&1<<black
	if board&1 == 0 {
		wOption = noPawn
	}
	if board&16 == 0 {
		bOption = noPawn
	}
	number := uint32(pawnNumbers[wOption][bOption])
	index := number * b.others

	s := squares >> 4 & 15
	index += digit(s, occupied) * b.weight[1]
	occupied |= board >> 1 & 1 << s
	s = squares >> 8 & 15
	index += digit(s, occupied) * b.weight[2]
	occupied |= board >> 2 & 1 << s
	s = squares >> 12 & 15
	index += digit(s, occupied) * b.weight[3]
	occupied |= board >> 3 & 1 << s
	s = squares >> 20 & 15
	index += digit(s, occupied) * b.weight[5]
	occupied |= board >> 5 & 1 << s
	s = squares >> 24 & 15
	index += digit(s, occupied) * b.weight[6]
	occupied |= board >> 6 & 1 << s
	s = squares >> 28 & 15
	index += digit(s, occupied) * b.weight[7]
	return b.offset + uint64(index)
}

// digit returns a square less the number of occupied squares below it.
func digit(s, occupied uint32) uint32 {
	return s - uint32(bits.OnesCount32(occupied&(1<<s-1)))
}

// nthFree returns the square that is free and has n free squares below it.
func nthFree(occupied uint16, n uint32) Square {
	free := ^occupied
	below := uint32(bits.OnesCount8(uint8(free)))
	if n < below {
		return nthBit[uint8(free)][n&7]
	}
	return 8 + nthBit[free>>8][(n-below)&7]
}

// nthBit holds the place of the nth set bit, from 0, of every byte.
var nthBit = func() (t [256][8]Square) {
	for b := range t {
		n := 0
		for s := range Square(8) {
			if b>>s&1 == 1 {
				t[b][n] = s
				n++
			}
		}
	}
	return t
}()

// FromIndex returns the position at a place in a section, and false past its
// end. A main-phase position is given with White to move; it may be one that
// [Parse] refuses, as the index also counts positions whose mover owns a line.
func FromIndex(section rules.Section, index uint64) (Position, bool) {
	if section == rules.Opening {
		if index >= OpeningPositions {
			return Position{}, false
		}
		return openingAt(index), true
	}
	if index >= MainPositions {
		return Position{}, false
	}
	return mainAt(index), true
}

// blockStarts finds the block of an index: the number of the last block that
// begins at or before index>>blockShift<<blockShift.
const blockShift = 20

var blockStarts = func() (t [MainPositions>>blockShift + 1]uint8) {
	set := 0
	for i := range t {
		for set < 255 && blocks[set].end() <= uint64(i)<<blockShift {
			set++
		}
		t[i] = uint8(set)
	}
	return t
}()

// mainAt returns the main-phase position at an index below MainPositions.
func mainAt(index uint64) Position {
	set := blockStarts[index>>blockShift]
	for index >= blocks[set].end() {
		set++
	}
	b := &blocks[set]
	p := Position{board: set}
	rest := uint32(index - b.offset)
	number := rest / b.others
	rest -= number * b.others
	var occupied uint16
	switch set & pawnSet {
	case pawnSet:
		pair := pawnPairs[number]
		occupied |= p.putPawn(rules.White, pair[0])
		occupied |= p.putPawn(rules.Black, pair[1])
	case 1 << WhitePawn:
		occupied |= p.putPawn(rules.White, uint8(number))
	case 1 << BlackPawn:
		occupied |= p.putPawn(rules.Black, uint8(number))
	}
	for pieces := set &^ pawnSet; pieces != 0; pieces &= pieces - 1 {
		piece := bits.TrailingZeros8(pieces)
		weight := b.weight[piece&7]
		n := rest / weight
		rest -= n * weight
		s := nthFree(occupied, n)
		occupied |= 1 << s
		p.squares |= uint32(s) << (4 * piece)
	}
	return p
}

// putPawn sets a pawn in the given state and returns its square as a set.
func (p *Position) putPawn(owner rules.Player, option uint8) uint16 {
	s := optionSquare(option)
	p.squares |= uint32(s) << (16 * owner)
	p.up |= bit(optionUp(option)) << owner
	return 1 << s
}

// Opening. Plies 0 to 5 follow one another. Within a ply the index is
//
//	(number of White's set of pieces · number of Black's sets + number of Black's set)
//	· P(16, ply) + placement
//
// where a side's sets of the ply's size are numbered as four-bit numbers
// ascending, and the placement is numbered as in the main phase, over all pieces
// on the board, pawns included.

// setNumber holds the number of each four-bit set among those of its size;
// setOf is its inverse, setCount the number of sets of each size.
var setNumber, setOf, setCount = func() (number [16]uint8, of [5][6]uint8, count [5]uint8) {
	for set := range uint8(16) {
		size := bits.OnesCount8(set)
		number[set] = count[size]
		of[size][count[size]] = set
		count[size]++
	}
	return number, of, count
}()

// openingPly holds the measures of the positions of one ply.
type openingPly struct {
	offset     uint64
	placements uint64 // P(16, ply)
	white      int    // pieces that White has placed
	black      int
}

// openingPlies are the six plies; a seventh entry holds the end.
var openingPlies = func() (t [OpeningPlies + 1]openingPly) {
	offset, placements := uint64(0), uint64(1)
	for ply := range t {
		t[ply] = openingPly{offset, placements, (ply + 1) / 2, ply / 2}
		offset += uint64(setCount[t[ply].white]) * uint64(setCount[t[ply].black]) * placements
		placements *= uint64(Squares - ply)
	}
	return t
}()

// openingIndex returns the index of an opening position.
func (p Position) openingIndex() uint64 {
	ply := &openingPlies[bits.OnesCount8(p.board)%OpeningPlies]
	placement, occupied, free := uint32(0), uint32(0), uint32(Squares)
	for set := p.board; set != 0; set &= set - 1 {
		s := uint32(p.square(Piece(bits.TrailingZeros8(set))))
		placement = placement*free + digit(s, occupied)
		occupied |= 1 << s
		free--
	}
	sets := uint64(setNumber[p.board&15])*uint64(setCount[ply.black]) + uint64(setNumber[p.board>>4])
	return ply.offset + sets*ply.placements + uint64(placement)
}

// openingAt returns the opening position at an index below OpeningPositions.
func openingAt(index uint64) Position {
	n := 0
	for index >= openingPlies[n+1].offset {
		n++
	}
	ply := &openingPlies[n]
	index -= ply.offset
	sets, rest := index/ply.placements, index%ply.placements
	white := setOf[ply.white][sets/uint64(setCount[ply.black])]
	black := setOf[ply.black][sets%uint64(setCount[ply.black])]
	p := Position{board: black<<4 | white, side: rules.Player(n & 1), phase: OpeningPhase}
	var occupied uint16
	weight := ply.placements
	free := uint64(Squares)
	for set := p.board; set != 0; set &= set - 1 {
		piece := Piece(bits.TrailingZeros8(set))
		weight /= free
		free--
		s := nthFree(occupied, uint32(rest/weight))
		rest %= weight
		occupied |= 1 << s
		p.squares |= uint32(s) << (4 * piece)
		if piece.Kind() == Pawn {
			p.up |= bit(pawnPlaced(piece.Owner(), s)) << piece.Owner()
		}
	}
	return p
}
