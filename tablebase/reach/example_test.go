package reach_test

import (
	"context"
	"fmt"
	"log"

	"solved/tablebase/reach"
)

// heap is a game of two players who take two or three from a heap in turn; who cannot
// has lost. The index of a heap is its size. Games begin with the largest.
type heap struct{ largest uint64 }

func (h heap) Size() uint64 { return h.largest + 1 }

func (h heap) Roots(shard, _ int, found func(index uint64)) {
	if shard == 0 {
		found(h.largest)
	}
}

func (h heap) Successors(size uint64, dst []uint64) []uint64 {
	for take := uint64(2); take <= min(size, 3); take++ {
		dst = append(dst, size-take)
	}
	return dst
}

func (h heap) OrbitSize(uint64) int { return 1 }

func (h heap) Root(size uint64) bool { return size == h.largest }

func (h heap) Predecessors(size uint64, dst []uint64) []uint64 {
	for before := size + 2; before <= min(size+3, h.largest); before++ {
		dst = append(dst, before)
	}
	return dst
}

// Reachable is all but a heap with one taken.
func (h heap) Reachable(size uint64) bool { return size != h.largest-1 }

// From a heap of seven.
func Example() {
	game := heap{7}
	set, err := reach.Explore(context.Background(), game, 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer set.Free()
	for size := range game.Size() {
		if depth, ok := set.Depth(size); ok {
			fmt.Println(size, "after", depth)
		} else {
			fmt.Println(size, "never")
		}
	}
	report, err := set.Check(context.Background(), game, reach.Options{Threads: 2, Violations: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Reached, "of", report.Positions, "can occur; violations:", len(report.Violations))
	// Output:
	// 0 after 3
	// 1 after 2
	// 2 after 2
	// 3 after 2
	// 4 after 1
	// 5 after 1
	// 6 never
	// 7 after 0
	// 7 of 8 can occur; violations: 0
}
