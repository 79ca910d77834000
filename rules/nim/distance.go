package nim

import "slices"

// MaxStates is how many positions [Solve] takes on, the given one and all below it
// together, when the order of heaps and empty heaps do not count. 3,5,7 has 88, three
// heaps of 37 have 9,880, a single heap may have up to 9,999 counters.
const MaxStates = 10_000

// Distances finds how many plies are left in a position and all that can come of it,
// when the winner hurries and the loser delays. It remembers its results, and is
// for one goroutine at a time.
type Distances struct {
	// found is by the sizes of the heaps, ascending, without empty ones.
	found   map[string]int
	lookUps int
}

// LookUps returns the work so far, as look-ups: one for each position met, and one more
// for every eight of its heaps.
func (d *Distances) LookUps() int { return d.lookUps }

// Solve prepares the distances of a position and of all that can come of it by moves.
// It refuses, with ok false, when these are more than MaxStates.
func Solve(p Position) (d *Distances, ok bool) {
	if states(p.heaps) > MaxStates {
		return nil, false
	}
	return &Distances{found: map[string]int{}}, true
}

// Distance returns how many plies are left when the winner hurries and the loser delays:
// an odd number in a won position, an even one in a lost one. It refuses as Solve does.
func (p Position) Distance() (plies int, ok bool) {
	d, ok := Solve(p)
	if !ok {
		return 0, false
	}
	return d.Of(p), true
}

// states counts the positions that can come of some heaps, these included, without regard
// to order, but no further than to MaxStates+1. They are the ascending sequences that are
// nowhere above the ascending heaps: after a move, the heaps can be sorted again without any
// place becoming greater, and each lower position can be reached place by place.
func states(heaps []uint64) int {
	heaps = slices.Sorted(slices.Values(heaps))
	if len(heaps) == 0 {
		return 1
	}
	if heaps[len(heaps)-1] >= MaxStates {
		return MaxStates + 1
	}
	// ending[v] is the number of sequences so far whose last member is v.
	ending := []int{1}
	for _, heap := range heaps {
		next, sum := make([]int, heap+1), 0
		for v := range next {
			if v < len(ending) {
				sum = min(sum+ending[v], MaxStates+1)
			}
			next[v] = sum
		}
		ending = next
	}
	total := 0
	for _, n := range ending {
		total = min(total+n, MaxStates+1)
	}
	return total
}

// Of returns the distance of a position, in plies: the one that was solved, or one that
// can come of it by moves.
func (d *Distances) Of(p Position) int {
	heaps := make([]uint16, 0, len(p.heaps))
	for _, heap := range p.heaps {
		if heap > 0 {
			heaps = append(heaps, uint16(heap)) // below MaxStates
		}
	}
	slices.Sort(heaps)
	return d.of(heaps)
}

// of returns the distance of ascending heaps, none of them empty. A won position has but
// few moves that win, so most of its moves are never looked at.
func (d *Distances) of(heaps []uint16) int {
	if len(heaps) == 0 {
		return 0
	}
	d.lookUps += 1 + len(heaps)/8
	key := make([]byte, 0, 2*MaxHeaps)
	sum := uint64(0)
	for _, heap := range heaps {
		key = append(key, byte(heap), byte(heap>>8))
		sum = numbers{}.xor(sum, uint64(heap))
	}
	if distance, ok := d.found[string(key)]; ok {
		return distance
	}
	distance := 0
	for i, heap := range heaps {
		if i > 0 && heap == heaps[i-1] {
			continue // its moves lead to the same positions
		}
		if sum == 0 {
			for rest := range heap {
				distance = max(distance, 1+d.of(with(heaps, i, rest)))
			}
		} else if rest, possible := balance(numbers{}, uint64(heap), sum, 0); possible {
			if after := 1 + d.of(with(heaps, i, uint16(rest))); distance == 0 || after < distance {
				distance = after
			}
		}
	}
	d.found[string(key)] = distance
	return distance
}

// with returns ascending heaps with one of them made less, ascending again.
func with(heaps []uint16, i int, rest uint16) []uint16 {
	out := make([]uint16, 0, len(heaps))
	out = append(append(out, heaps[:i]...), heaps[i+1:]...)
	if rest > 0 {
		at, _ := slices.BinarySearch(out, rest)
		out = slices.Insert(out, at, rest)
	}
	return out
}
