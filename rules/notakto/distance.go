package notakto

import "slices"

// MaxDistanceBoards is the greatest number of live boards of a position that a distance is
// found for.
const MaxDistanceBoards = 5

// MaxDistanceLookUps bounds the look-ups for the distances of a position and of all its moves.
const MaxDistanceLookUps = 132_000

// Distances finds how many plies are left in a position, and in all positions that can come
// of it, when the winner hurries and the loser delays. It remembers what it has found, and is
// for one goroutine at a time.
type Distances struct {
	trees   *shapes
	values  *quotient
	known   map[sum]uint8
	lookUps int
}

// sum is the shapes of the live boards of a position, descending, with dead ones at the end.
type sum [MaxDistanceBoards]shape

// NewDistances returns the distances of a position and of all that can come of it; ok is false
// when it has more than [MaxDistanceBoards] live boards. The work is done when they are
// asked for.
func NewDistances(p Position) (d *Distances, ok bool) {
	if p.Live() > MaxDistanceBoards {
		return nil, false
	}
	return &Distances{trees: gameTrees(), values: quotientOf(), known: map[sum]uint8{}}, true
}

// LookUps returns the number of look-ups so far.
func (d *Distances) LookUps() int { return d.lookUps }

// Of returns the number of plies to the end of the game from the position that was given, or
// from one that can come of it.
func (d *Distances) Of(p Position) int {
	var live sum
	n := 0
	for _, b := range p.boards {
		if tree := d.trees.of[b]; tree != dead {
			live[n] = tree
			n++
		}
	}
	live.sort()
	return int(d.find(live))
}

func (s *sum) sort() { slices.SortFunc(s[:], func(a, b shape) int { return int(b) - int(a) }) }

func (s sum) with(i int, option shape) sum {
	s[i] = option
	s.sort()
	return s
}

// find returns the distance of a sum. The values are those of the quotient, so a won sum
// needs to look at its winning moves only.
func (d *Distances) find(s sum) uint8 {
	d.lookUps++
	if s[0] == dead {
		return 0
	}
	if known, ok := d.known[s]; ok {
		return known
	}
	fastest, slowest := uint8(0), uint8(0)
	won := !d.lost(s)
	for i, tree := range s {
		if i > 0 && tree == s[i-1] {
			continue // its moves lead to the same sums
		}
		for _, option := range d.trees.options[tree] {
			next := s.with(i, option)
			if won && !d.lost(next) {
				continue
			}
			plies := 1 + d.find(next)
			if fastest == 0 || plies < fastest {
				fastest = plies
			}
			slowest = max(slowest, plies)
		}
	}
	distance := slowest
	if won {
		distance = fastest
	}
	d.known[s] = distance
	return distance
}

// lost says whether the side to move loses a sum.
func (d *Distances) lost(s sum) bool {
	var e Element
	for _, tree := range s {
		e = d.values.product[e][d.values.shapes[tree]]
	}
	return d.values.lost[e]
}
