package inversetreblecross

import "math/bits"

// A window is a row of neighbouring cells, as many as may not all be marked. Of what a
// position is, only this matters for play: its empty cells in their order, and for
// each window those of them that are in it, one of which has to stay empty. A window
// that has all the empty cells of another says nothing more than that, and is left
// out. The windows that remain are stretches of the empty cells none of which lies in
// another, so that both their first and their last cells ascend, and a set of each says
// all of them: the window with the i-th first cell is that with the i-th last cell.
//
// Positions with the same windows are alike, wherever their marks are. A window of one
// cell closes it, and both vanish; a cell in no window is free, and a game of its own
// of value 1. Where no window holds two neighbouring cells together, the position falls
// into parts, which are independent games.

// part is a part of a position: some empty cells with the windows that hold them together.
// Or it is a ring on which no cell is closed, by its marks.
type part struct {
	first uint64 // the cells that are the first of a window; of a ring, the marked cells
	last  uint64 // those that are the last of one; of a ring, 0
	ring  uint8  // the number of cells of a ring, or 0
}

// empty returns the number of empty cells.
func (g part) empty() int {
	if g.ring > 0 {
		return int(g.ring) - bits.OnesCount64(g.first)
	}
	return bits.Len64(g.last)
}

// parts is a position as the parts that it falls into.
type parts struct {
	// list has no part twice, as two like games together are worth nothing, unless twins is
	// set. A part has at least two cells.
	list  [maxPiece / 2]part
	count int
	free  int  // cells that are in no window
	twins bool // keep like parts: for what is not a value
}

// add adds a part, or takes a like one away.
func (x *parts) add(g part) {
	for i := range x.count {
		if !x.twins && x.list[i] == g {
			x.count--
			x.list[i] = x.list[x.count]
			return
		}
	}
	x.list[x.count] = g
	x.count++
}

// addWindows adds the windows among n empty cells.
func (x *parts) addWindows(first, last uint64, n int) {
	x.free += n
	for first != 0 {
		free := bits.TrailingZeros64(first)
		first, last = first>>free, last>>free
		// The part ends with the first window after which no other has begun.
		f, l, end := first, last, 0
		for {
			end = bits.TrailingZeros64(l)
			f, l = f&(f-1), l&(l-1)
			if f == 0 || bits.TrailingZeros64(f) > end {
				break
			}
		}
		in := uint64(2)<<end - 1
		x.add(part{first: first & in, last: last & in}.canonical())
		x.free -= end + 1
		first, last = first&^in, last&^in
	}
}

// canonical returns the part read from the end that makes its first cells the lesser number.
func (g part) canonical() part {
	back := 64 - bits.Len64(g.last)
	first, last := bits.Reverse64(g.last)>>back, bits.Reverse64(g.first)>>back
	if first < g.first || first == g.first && last < g.last {
		return part{first: first, last: last}
	}
	return g
}

// ringOf returns a ring by the least of the numbers that its marks can be read as.
func ringOf(marks uint64, length int) part {
	back := bits.Reverse64(marks) >> (64 - length)
	least := min(marks, back)
	for i := 1; i < length; i++ {
		least = min(least, around(marks, i, length), around(back, i, length))
	}
	return part{first: least, ring: uint8(length)}
}

// around returns the marks of a ring turned by so many cells, less than there are.
func around(marks uint64, by, length int) uint64 {
	return (marks<<by | marks>>(length-by)) & (^uint64(0) >> (64 - length))
}

// addCells adds marked and empty cells between walls or, on a ring, after which the first
// comes again; at most [maxPiece], and not row marks in a row.
func (x *parts) addCells(row int, marks uint64, length int, ring bool) {
	if g, n := layout(row, marks, length, ring); g.ring > 0 {
		x.add(g)
	} else {
		x.addWindows(g.first, g.last, n)
	}
}

// layout returns such cells as a ring on which no cell is closed, or else as windows among
// n empty cells, none of which is closed; some may be free, so that it need not be a part.
func layout(row int, marks uint64, length int, ring bool) (g part, n int) {
	if length == 0 {
		return part{}, 0
	}
	if ring && length >= row {
		closed := -1
		for i := range length {
			turned := around(marks, length-i, length)
			if bits.OnesCount64(turned&(1<<row-1)) == row-1 {
				closed = (bits.TrailingZeros64(^turned) + i) % length
				break
			}
		}
		if closed < 0 {
			return ringOf(marks, length), length - bits.OnesCount64(marks)
		}
		// Turn the ring until that cell comes last, and take it off.
		marks = around(marks, length-1-closed, length)
		length--
	}
	empty := ^marks & (^uint64(0) >> (64 - length))
	// The windows as their first and last empty cells, which both ascend. Of those with
	// the same first the shortest counts, and so of those with the same last.
	var least [maxPiece]int8 // the last cell of the shortest with that first, and 1
	var most [maxPiece]int8  // the first cell of the shortest with that last, and 1
	before := 0
	for i := 0; i+row <= length; i++ {
		from := before
		to := from + bits.OnesCount64(empty>>i&(1<<row-1)) - 1
		if least[from] == 0 {
			least[from] = int8(to) + 1
		}
		most[to] = int8(from) + 1
		before += int(empty >> i & 1)
	}
	var first, last, closed uint64
	n = bits.OnesCount64(empty)
	for from := range n {
		to := int(least[from]) - 1
		switch {
		case to < 0 || int(most[to]) != from+1:
		case to == from:
			closed |= 1 << from
		default:
			first, last = first|1<<from, last|1<<to
		}
	}
	return part{first: without(first, closed), last: without(last, closed)}, n - bits.OnesCount64(closed)
}

// without returns a set of cells, none of which is gone, as it is when some cells are gone.
func without(set, gone uint64) uint64 {
	for ; gone != 0; gone &^= 1 << (63 - bits.LeadingZeros64(gone)) {
		before := uint64(1)<<(63-bits.LeadingZeros64(gone)) - 1
		set = set&before | set>>1&^before
	}
	return set
}

// nth returns the i-th cell of a set, from 0, as a set.
func nth(set uint64, i int) uint64 {
	for range i {
		set &= set - 1
	}
	return set & -set
}

// mark returns the windows of a part that is no ring after one of its cells has been
// marked, and the number of empty cells that are left.
func (g part) mark(cell int) (first, last uint64, n int) {
	bit := uint64(1) << cell
	first, last = g.first, g.last
	gone := bit
	if g.first&bit != 0 {
		// The window begins with the next cell now. One that did so already is longer.
		i := bits.OnesCount64(g.first & (bit - 1))
		first = first&^bit | bit<<1
		if g.first&(bit<<1) != 0 {
			last &^= nth(g.last, i+1)
		}
		if nth(g.last, i) == bit<<1 {
			gone |= bit << 1
		}
	}
	if g.last&bit != 0 {
		// Likewise at its end.
		i := bits.OnesCount64(g.last & (bit - 1))
		last = last&^bit | bit>>1
		if g.last&(bit>>1) != 0 {
			first &^= nth(g.first, i-1)
		}
		if nth(g.first, i) == bit>>1 {
			gone |= bit >> 1
		}
	}
	return without(first&^gone, gone), without(last&^gone, gone), bits.Len64(g.last) - bits.OnesCount64(gone)
}

// after sets x to the parts that remain after a mark on a cell of a part; row is for a ring alone.
func (x *parts) after(row int, g part, cell int) {
	x.count, x.free = 0, 0
	if g.ring > 0 {
		x.addCells(row, g.first|1<<cell, int(g.ring), true)
		return
	}
	x.addWindows(g.mark(cell))
}

// cells returns the cells whose marks lead to different positions as far as that is
// plain to see: one of a whole ring, and the first of those that are in the same windows.
func (g part) cells() uint64 {
	switch {
	case g.ring > 0 && g.first == 0:
		return 1
	case g.ring > 0:
		return ^g.first & (^uint64(0) >> (64 - g.ring))
	}
	return g.first | g.last<<1&(1<<bits.Len64(g.last)-1) | 1
}
