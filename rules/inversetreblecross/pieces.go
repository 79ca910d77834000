package inversetreblecross

import (
	"slices"
	"strconv"
)

// piece is a part of a position that is played on by itself: neighbouring cells, none
// of which is closed. A closed cell is an empty one that can never be marked again, as
// that would make too many in a row. It stays empty to the end, so no row of marks
// runs across it, and the cells on its two sides are independent games: the value of
// a position is the exclusive or of the values of its pieces. For three in a row, that
// is all of
//
//	[X1Xw] = [Xw]   [wX1Xv] = [wX] ⊕ [Xv]   [XX1w] = [w]   [w1XX1v] = [w] ⊕ [v],
//
// as the cell between X and X, and those beside XX, are closed.
type piece struct {
	runs   []uint64 // of empty cells and of marks by turns, the first empty; the outer ones can be 0
	length uint64
	ring   bool // the last cell is next to the first; otherwise both ends are walls
}

// isEmpty says whether the piece has no mark.
func (p piece) isEmpty() bool { return len(p.runs) == 1 }

// full says whether the piece has no empty cell.
func (p piece) full() bool {
	empty := uint64(0)
	for i := 0; i < len(p.runs); i += 2 {
		empty += p.runs[i]
	}
	return empty == 0
}

// bits returns the piece, of at most [maxPiece] cells, with a bit set for each mark.
func (p piece) bits() uint64 {
	marks, first := uint64(0), uint64(0)
	for i, n := range p.runs {
		if i%2 == 1 {
			marks |= (1<<n - 1) << first
		}
		first += n
	}
	return marks
}

// appendKey appends the piece in the form of a position string, read from the end at
// which it is smaller, so that mirror images have one key.
func (p piece) appendKey(b []byte) []byte {
	runs := p.runs
	if back := reversed(runs); slices.Compare(back, runs) < 0 {
		runs = back
	}
	for i, n := range runs {
		switch {
		case i%2 == 1:
			for range n {
				b = append(b, 'X')
			}
		case n > 0:
			b = strconv.AppendUint(b, n, 10)
		}
	}
	return b
}

func reversed(runs []uint64) []uint64 {
	back := slices.Clone(runs)
	slices.Reverse(back)
	return back
}

// run is a stretch of cells of one kind.
type run struct {
	kind kind
	n    uint64
}

type kind uint8

const (
	open kind = iota
	marked
	closed
)

// cells returns the position as runs of open, marked and closed cells; neighbouring
// runs can be of one kind.
func (p Position) cells() []run {
	empty, marks := p.strip.Runs()
	var out []run
	for i, n := range empty {
		switch {
		case n == 1 && !p.open(i, 0):
			out = append(out, run{closed, 1})
		case n == 1:
			out = append(out, run{open, 1})
		case n > 1:
			inner := run{open, n}
			first, last := p.open(i, 0), p.open(i, n-1)
			if !first {
				out = append(out, run{closed, 1})
				inner.n--
			}
			if !last {
				inner.n--
			}
			out = append(out, inner)
			if !last {
				out = append(out, run{closed, 1})
			}
		}
		if i < len(marks) {
			out = append(out, run{marked, marks[i]})
		}
	}
	return out
}

// pieces returns the pieces of a position that have an empty cell, in their order; on
// a ring with a closed cell, from that cell on.
func (p Position) pieces() []piece {
	cells := p.cells()
	ring := p.rules.ring
	if ring {
		if i := slices.IndexFunc(cells, func(r run) bool { return r.kind == closed }); i >= 0 {
			cells = slices.Concat(cells[i+1:], cells[:i+1])
			ring = false
		}
	}
	var out []piece
	now := piece{runs: []uint64{0}, ring: ring}
	end := func() {
		if len(now.runs)%2 == 0 {
			now.runs = append(now.runs, 0)
		}
		if !now.full() {
			out = append(out, now)
		}
		now = piece{runs: []uint64{0}}
	}
	for _, r := range cells {
		if r.kind == closed {
			end()
			continue
		}
		if r.n == 0 {
			continue
		}
		if last := len(now.runs) - 1; (last%2 == 1) == (r.kind == marked) {
			now.runs[last] += r.n
		} else {
			now.runs = append(now.runs, r.n)
		}
		now.length += r.n
	}
	end()
	return out
}
