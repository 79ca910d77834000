package inverseduocross

// The values of open strips have the period from the strip of settled cells on.
const (
	period  = 34
	settled = 52
)

// openStrips holds the values of the open strips of up to 85 cells: those before the period,
// and the period once. [Rules.Prove] computes them anew.
var openStrips = [settled + period]uint8{
	0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2, 3, 3, 0, 1, 1, 3, 0, 2, 1, 1, 0, 4, 5, 2, 7, 4,
	0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 4, 5, 5, 2, 3, 3, 0, 1, 1, 3, 0, 2, 1, 1, 0, 4, 5, 3, 7, 4,
	8, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 4, 5, 5, 9,
}

// OpenStrip returns the Grundy value of a strip of so many cells that can all be marked.
func OpenStrip(n uint64) uint8 {
	if n >= settled {
		n = settled + (n-settled)%period
	}
	return openStrips[n]
}

// afterMark returns the lengths of the strips that are left of an open strip of n cells when
// the cell at a place from 0 is marked.
func afterMark(n, place uint64) (left, right uint64) {
	left, right = place, n-1-place
	return left - min(left, 1), right - min(right, 1)
}

// markedValue returns the Grundy value of an open strip of n cells after the cell at a place from
// 0 is marked.
func markedValue(n, place uint64) uint8 {
	left, right := afterMark(n, place)
	return OpenStrip(left) ^ OpenStrip(right)
}

// searchedCells is the number of cells, from the first of an open strip, that a search for a move of
// some value looks at. They give every value that any mark on the strip gives. A mark beyond them, in
// the first half of the strip, leaves at least settled + period cells on either side. Then the
// mark one period nearer to the start leaves strips of the same values. The second half mirrors the first.
const searchedCells = settled + period + 1
