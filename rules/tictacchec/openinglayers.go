package tictacchec

import (
	"math/bits"

	"solved/rules"
)

// OpeningLayers is the opening as a solver sees it: one layer a ply, the last of
// which leads into the [Graph]. It is the same for every ruleset, and safe for
// concurrent use.
type OpeningLayers struct{}

// Ends lists the index just past each ply.
func (OpeningLayers) Ends() []uint64 {
	var ends []uint64
	for _, ply := range openingPlies[1:] {
		ends = append(ends, ply.offset)
	}
	return ends
}

// Representative returns the smaller of the indices of a position and its mirror
// image.
func (OpeningLayers) Representative(index uint64) uint64 {
	p := openingAt(index)
	if p.firstOnLeft() {
		return index
	}
	return p.Mirror().openingIndex()
}

// Children appends the indices of the positions after each move: in the opening,
// or in the graph after the sixth placement.
func (OpeningLayers) Children(index uint64, dst []uint64) []uint64 {
	p := openingAt(index)
	occupied := p.occupied(rules.White) | p.occupied(rules.Black)
	first := PieceOf(p.side, Pawn)
	last := bits.OnesCount8(p.board) == OpeningPlies-1
	for piece := first; piece < first+Kinds; piece++ {
		if p.On(piece) {
			continue
		}
		for free := ^occupied; free != 0; free &= free - 1 {
			s := Square(bits.TrailingZeros16(free))
			q := p.put(piece, s)
			if piece.Kind() == Pawn {
				q.up |= bit(pawnPlaced(p.side, s)) << p.side
			}
			if last {
				dst = append(dst, q.representative().mainIndex()) // White is to move
			} else {
				dst = append(dst, q.openingIndex())
			}
		}
	}
	return dst
}
