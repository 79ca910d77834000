package inversetreblecross

import (
	"cmp"
	"math/bits"
	"slices"
)

// MaxDistanceLength is the number of cells of the longest position that a distance is
// found for.
const MaxDistanceLength = 16

// Distances knows how many plies are left to play from the positions that can follow
// one. It is for one goroutine.
type Distances struct {
	row     int
	ring    bool
	known   map[arrangement]uint8
	lookUps int
}

// arrangement is a position as far as its distance depends on it: the parts that it falls
// into, one after the other, and the number of free cells.
type arrangement struct {
	part
	free uint8
}

// NewDistances returns the distances of a position and of all that can follow it; ok is
// false when it has more than [MaxDistanceLength] cells. The work is done when they are
// asked for, and takes 30,000 look-ups at most.
func NewDistances(p Position) (d *Distances, ok bool) {
	if p.Length() > MaxDistanceLength {
		return nil, false
	}
	return &Distances{row: p.rules.row, ring: p.rules.ring, known: make(map[arrangement]uint8)}, true
}

// Of returns the number of plies to the end of the game from a position of the same
// rules and length, when the winner hurries and the loser delays: odd when the side to
// move wins, even when it loses.
func (d *Distances) Of(p Position) int {
	return int(d.find(d.arranged(piece{runs: p.allRuns()}.bits(), int(p.Length()), d.ring)))
}

// LookUps returns the number of look-ups so far.
func (d *Distances) LookUps() int { return d.lookUps }

// allRuns returns the runs of empty cells and of marks by turns.
func (p Position) allRuns() []uint64 {
	empty, marks := p.strip.Runs()
	runs := []uint64{empty[0]}
	for i, n := range marks {
		runs = append(runs, n, empty[i+1])
	}
	return runs
}

// arranged returns marked and empty cells as an arrangement.
func (d *Distances) arranged(marks uint64, length int, ring bool) arrangement {
	g, n := layout(d.row, marks, length, ring)
	if g.ring > 0 {
		return arrangement{part: g}
	}
	return arrange(g.first, g.last, n)
}

// arrange puts the parts of some windows in order.
func arrange(first, last uint64, n int) arrangement {
	x := parts{twins: true}
	x.addWindows(first, last, n)
	list := x.list[:x.count]
	slices.SortFunc(list, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.last, b.last), cmp.Compare(a.first, b.first))
	})
	a := arrangement{free: uint8(x.free)}
	for _, g := range list {
		by := bits.Len64(a.last)
		a.first |= g.first << by
		a.last |= g.last << by
	}
	return a
}

func (d *Distances) find(a arrangement) uint8 {
	d.lookUps++
	if a.part == (part{}) {
		return a.free
	}
	if known, ok := d.known[a]; ok {
		return known
	}
	// Odd distances are wins of the side that is to move there, so the best move is
	// the shortest to an even one or else the longest to an odd one.
	win, loss := uint8(none), uint8(0)
	note := func(next uint8) {
		if next%2 == 0 {
			win = min(win, next+1)
		} else {
			loss = max(loss, next+1)
		}
	}
	if a.free > 0 {
		note(d.find(arrangement{a.part, a.free - 1}))
	}
	for cells := a.cells(); cells != 0; cells &= cells - 1 {
		cell := bits.TrailingZeros64(cells)
		if a.ring > 0 {
			note(d.find(d.arranged(a.part.first|1<<cell, int(a.ring), true)))
			continue
		}
		next := arrange(a.mark(cell))
		next.free += a.free
		note(d.find(next))
	}
	distance := loss
	if win != none {
		distance = win
	}
	d.known[a] = distance
	return distance
}
