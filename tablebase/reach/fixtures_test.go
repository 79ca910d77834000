package reach

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// madeUp is a game of nothing but numbers: any position may lead to any others, as
// often as it likes. Every index stands for one position, or two, or is not in use.
type madeUp struct {
	roots  []bool
	orbits []int
	after  [][]uint64
	before [][]uint64

	once  sync.Once
	right []int // depths, once they are asked for
}

// newMadeUp makes a game up. Moves go to positions near by, so that depths get long, or
// to any. Some regions are circles that nothing leads to from outside.
func newMadeUp(seed uint64, n int) *madeUp {
	rnd := rand.New(rand.NewPCG(seed, 7))
	g := &madeUp{roots: make([]bool, n), orbits: make([]int, n), after: make([][]uint64, n), before: make([][]uint64, n)}
	near := rnd.IntN(2) == 0
	over, root, unused := 2+rnd.IntN(20), 1+rnd.IntN(50), 2+rnd.IntN(10)
	for p := range n {
		if rnd.IntN(unused) > 0 {
			g.orbits[p] = 1 + rnd.IntN(2)
			g.roots[p] = rnd.IntN(root) == 0
		}
	}
	for p := range n {
		if g.orbits[p] == 0 || rnd.IntN(over) == 0 {
			continue
		}
		for range 1 + rnd.IntN(3) {
			to := rnd.IntN(n)
			if near {
				to = min(max(0, p+2-rnd.IntN(5)), n-1)
			}
			if g.orbits[to] > 0 {
				g.after[p] = append(g.after[p], uint64(to))
				g.before[to] = append(g.before[to], uint64(p))
			}
		}
	}
	return g
}

func (g *madeUp) Size() uint64 { return uint64(len(g.roots)) }

func (g *madeUp) Roots(shard, shards int, found func(uint64)) {
	for p, root := range g.roots {
		if root && p%shards == shard {
			found(uint64(p))
			found(uint64(p))
		}
	}
}

func (g *madeUp) Successors(index uint64, dst []uint64) []uint64 {
	return append(dst, g.after[index]...)
}

func (g *madeUp) OrbitSize(index uint64) int { return g.orbits[index] }
func (g *madeUp) Root(index uint64) bool     { return g.roots[index] }

// Reachable is right, by the plain search.
func (g *madeUp) Reachable(index uint64) bool {
	g.once.Do(func() { g.right = g.depths() })
	return g.right[index] >= 0
}

func (g *madeUp) Predecessors(index uint64, dst []uint64) []uint64 {
	return append(dst, g.before[index]...)
}

// depths finds them with a queue, as it is done in textbooks; −1 for none.
func (g *madeUp) depths() []int {
	depths := make([]int, len(g.roots))
	var queue []uint64
	for p := range depths {
		depths[p] = -1
		if g.roots[p] {
			depths[p] = 0
			queue = append(queue, uint64(p))
		}
	}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		for _, to := range g.after[p] {
			if depths[to] < 0 {
				depths[to] = depths[p] + 1
				queue = append(queue, to)
			}
		}
	}
	return depths
}

// wrong is the naive check of some depths.
func (g *madeUp) wrong(depths []int) (list []Violation) {
	for p, found := range depths {
		follows := -1
		var before []int
		for _, from := range g.before[p] {
			if depths[from] >= 0 {
				before = append(before, depths[from])
			}
		}
		switch {
		case g.roots[p]:
			follows = 0
		case len(before) > 0:
			follows = slices.Min(before) + 1
		}
		if reachable := g.Reachable(uint64(p)); found != follows || reachable != (found >= 0) {
			list = append(list, Violation{uint64(p), found, follows, reachable})
		}
	}
	return list
}

// setOf makes a set of depths.
func setOf(t testing.TB, depths []int) *Set {
	t.Helper()
	s, err := newSet(uint64(len(depths)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Free)
	for p, depth := range depths {
		if depth >= 0 {
			s.cells.mark(uint64(p), byte(depth+1))
		}
	}
	return s
}

// change sets a cell to another depth, or none.
func (s *Set) change(index uint64, depth int) {
	shift := index % 8 * 8
	s.cells[index/8] = s.cells[index/8]&^(255<<shift) | uint64(byte(depth+1))<<shift
}
