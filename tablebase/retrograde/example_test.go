package retrograde_test

import (
	"context"
	"fmt"
	"log"

	"solved/rules"
	"solved/tablebase/retrograde"
)

// heap is a game of two players who take one, two or three from a heap in turn. Who
// finds it empty has lost. From a heap of eight one may also pass.
// The index of a heap is its size, and so is its position.
type heap struct{ largest uint64 }

func (h heap) Size() uint64                 { return h.largest + 1 }
func (h heap) Position(index uint64) uint64 { return index }
func (h heap) Index(size uint64) uint64     { return size }

// Only the empty heap is known from the start.
func (h heap) Horizon() uint8 { return 0 }
func (h heap) Known(shard, shards int, found func(index uint64, distance uint8)) {
	if shard == 0 {
		found(0, 0)
	}
}

func (h heap) Predecessors(size uint64, dst []uint64) []uint64 {
	for before := size + 1; before <= min(size+3, h.largest); before++ {
		dst = append(dst, before)
	}
	if size == 8 {
		dst = append(dst, 8)
	}
	return dst
}

func (h heap) OpenMoves(size uint64) int {
	n := int(min(size, 3))
	if size == 8 {
		n++
	}
	return n
}

// From a heap of four every move leads to a win. From eight, too, but for passing.
func Example() {
	solution, err := retrograde.Solve(context.Background(), heap{10}, 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer solution.Free()
	codes := make([]rules.Code, solution.Size())
	solution.Codes(0, codes)
	for size, code := range codes {
		fmt.Println(size, rules.EntryOf(code))
	}
	// Output:
	// 0 loss in 0
	// 1 win in 1
	// 2 win in 1
	// 3 win in 1
	// 4 loss in 2
	// 5 win in 3
	// 6 win in 3
	// 7 win in 3
	// 8 draw
	// 9 draw
	// 10 draw
}
