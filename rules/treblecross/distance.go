package treblecross

import "slices"

// MaxDistanceTokens is the greatest number of tokens, in all heaps of a quiet position that have
// a move, that a distance is found for.
const MaxDistanceTokens = 50

// MaxDistanceLookUps bounds the look-ups for the distances of a position and of all its moves.
const MaxDistanceLookUps = 100_000

// Distances finds how many plies are left in a position, and in all positions that can come of
// it, when the winner hurries and the loser delays. It remembers what it has found, and is for
// one goroutine at a time.
type Distances struct {
	values []uint16
	// known has the number of moves to safe cells by heaps, ascending, as bytes.
	known   map[string]uint8
	lookUps int
}

// NewDistances returns the distances of a position and of all that can come of it; ok is false
// when it is quiet and its heaps with a move have more than [MaxDistanceTokens] tokens. The work
// is done when they are asked for.
func NewDistances(p Position) (d *Distances, ok bool) {
	d = &Distances{values: p.rules.heaps(), known: map[string]uint8{}}
	if p.phase() != quiet {
		return d, true // and so are all positions that can come of it
	}
	tokens := uint64(0)
	for heap := range p.liveHeaps {
		tokens += heap
	}
	return d, tokens <= MaxDistanceTokens
}

// liveHeaps yields the heaps of a quiet position that have a move.
func (p Position) liveHeaps(yield func(uint64) bool) {
	gaps, _ := p.strip.Runs()
	for i, n := range gaps {
		left, right := p.walls(i)
		if heap := heapOf(n, left, right); heap >= taken && !yield(heap) {
			return
		}
	}
}

// LookUps returns the number of look-ups so far.
func (d *Distances) LookUps() int { return d.lookUps }

// Of returns the number of plies to the end of the game from the position that was given, or
// from one that can come of it: odd when the side to move wins, even when it loses.
func (d *Distances) Of(p Position) int {
	switch p.phase() {
	case over:
		d.lookUps++
		return 0
	case completable:
		d.lookUps++
		return 1
	}
	var heaps []byte
	for heap := range p.liveHeaps {
		heaps = append(heaps, canonical(uint8(heap)))
	}
	slices.Sort(heaps)
	// When no cell is safe any more, one side makes a mark that lets the other complete a line.
	return int(d.find(heaps)) + 2
}

// canonical returns the least heap with the same game tree. Heaps of three, four and five tokens
// have one move, after which there is none.
func canonical(heap uint8) uint8 {
	if heap > 3 && heap <= 5 {
		return 3
	}
	return heap
}

// find returns the number of moves to safe cells, which is odd exactly when the side to move
// wins. The heaps give the value, so find looks at the winning moves only of a won sum.
func (d *Distances) find(heaps []byte) uint8 {
	d.lookUps++
	if len(heaps) == 0 {
		return 0
	}
	if moves, ok := d.known[string(heaps)]; ok {
		return moves
	}
	sum := uint16(0)
	for _, heap := range heaps {
		sum ^= d.values[heap]
	}
	fastest, slowest := uint8(0), uint8(0)
	for i, heap := range heaps {
		if i > 0 && heap == heaps[i-1] {
			continue // its moves lead to the same sums
		}
		for a := range (heap-taken)/2 + 1 {
			b := heap - taken - a
			if sum != 0 && sum^d.values[heap]^d.values[a]^d.values[b] != 0 {
				continue
			}
			moves := 1 + d.find(replaced(heaps, i, a, b))
			if fastest == 0 || moves < fastest {
				fastest = moves
			}
			slowest = max(slowest, moves)
		}
	}
	moves := slowest
	if sum != 0 {
		moves = fastest
	}
	d.known[string(heaps)] = moves
	return moves
}

// replaced returns ascending heaps with two in the place of one, as far as they have a move.
func replaced(heaps []byte, i int, a, b uint8) []byte {
	next := make([]byte, 0, len(heaps)+1)
	next = append(append(next, heaps[:i]...), heaps[i+1:]...)
	for _, heap := range [...]uint8{a, b} {
		if heap >= taken {
			heap = canonical(heap)
			at, _ := slices.BinarySearch(next, heap)
			next = slices.Insert(next, at, heap)
		}
	}
	return next
}
