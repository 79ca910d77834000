package impartial

import "solved/api"

// Strip is a position on a strip of cells.
type Strip interface {
	Length() uint64
	// Marked says of each cell, from the first, whether it is marked.
	Marked() []bool
}

// StripBoard is the board of a strip, nil if an answer does not show so many cells.
func StripBoard[P Strip](p P) *api.Board {
	if p.Length() > api.MaxBoard {
		return nil
	}
	mark := "X"
	squares := make([]*string, p.Length())
	for i, marked := range p.Marked() {
		if marked {
			squares[i] = &mark
		}
	}
	return &api.Board{Shape: api.ShapeStrip, Files: len(squares), Ranks: 1, Squares: squares}
}
