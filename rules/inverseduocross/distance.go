package inverseduocross

import "slices"

// MaxDistanceWidth is the greatest width of a position that a distance is found for. The width is
// the number of cells that can be marked and three more for each run of them. A move never makes
// it greater, and in a strip of n cells it is at most n + 3.
const MaxDistanceWidth = 48

// MaxDistanceLookUps bounds the look-ups for the distances of a position and of all its moves.
const MaxDistanceLookUps = 47_000

// partWidth is the number of cells that a part counts beyond its own: a mark in the midst of a
// part, and the cells that it closes, make two parts of one.
const partWidth = 3

// Distances finds how many plies are left in a position, and in all positions that can come of
// it, when the winner hurries and the loser delays. It remembers what it has found, and is for
// one goroutine at a time.
type Distances struct {
	known   map[sum]uint8
	lookUps int
}

// sum is the lengths of the parts of a position, descending, with zeros at the end. A part of two
// cells is written as one of one cell: either is gone after any mark.
type sum [MaxDistanceWidth / (1 + partWidth)]uint8

// NewDistances returns the distances of a position and of all that can come of it; ok is false
// when its width is more than [MaxDistanceWidth]. The work is done when they are asked for.
func NewDistances(p Position) (d *Distances, ok bool) {
	width := uint64(0)
	for s := range p.parts() {
		if s.length > MaxDistanceWidth {
			return nil, false
		}
		if width += s.length + partWidth; width > MaxDistanceWidth {
			return nil, false
		}
	}
	return &Distances{known: map[sum]uint8{}}, true
}

// LookUps returns the number of look-ups so far.
func (d *Distances) LookUps() int { return d.lookUps }

// Of returns the number of plies to the end of the game from the position that was given, or from
// one that can come of it: odd when the side to move wins, even when it loses.
func (d *Distances) Of(p Position) int {
	var lengths sum
	n := 0
	for s := range p.parts() {
		lengths[n] = uint8(s.length)
		n++
	}
	return int(d.find(lengths.sorted()))
}

// sorted returns the sum as it is written.
func (s sum) sorted() sum {
	for i, n := range s {
		if n == 2 {
			s[i] = 1
		}
	}
	slices.SortFunc(s[:], func(a, b uint8) int { return int(b) - int(a) })
	return s
}

// grundy returns the Grundy value of the sum.
func (s sum) grundy() uint8 {
	value := uint8(0)
	for _, n := range s {
		value ^= OpenStrip(uint64(n))
	}
	return value
}

// find returns the distance of a sum. The values are known, so a won sum needs to look at
// its winning moves only.
func (d *Distances) find(s sum) uint8 {
	d.lookUps++
	if s[0] == 0 {
		return 0
	}
	if known, ok := d.known[s]; ok {
		return known
	}
	value := s.grundy()
	fastest, slowest := uint8(0), uint8(0)
	for i, n := range s {
		if n == 0 {
			break
		}
		if i > 0 && n == s[i-1] {
			continue // its moves lead to the same sums
		}
		others := value ^ OpenStrip(uint64(n))
		for place := range (uint64(n) + 1) / 2 { // the other half mirrors this one
			if value != 0 && markedValue(uint64(n), place) != others {
				continue
			}
			plies := 1 + d.find(s.marked(i, place))
			if fastest == 0 || plies < fastest {
				fastest = plies
			}
			slowest = max(slowest, plies)
		}
	}
	distance := slowest
	if value != 0 {
		distance = fastest
	}
	d.known[s] = distance
	return distance
}

// marked returns the sum after a mark in part i, at a place from 0.
func (s sum) marked(i int, place uint64) sum {
	left, right := afterMark(uint64(s[i]), place)
	s[i] = uint8(left)
	if right > 0 {
		s[slices.Index(s[:], 0)] = uint8(right)
	}
	return s.sorted()
}
