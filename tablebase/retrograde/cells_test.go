package retrograde

import (
	"sync"
	"testing"
)

// Cells of one word are changed from many goroutines without loss: each is decided
// once, and neighbours stay as they are.
func TestCellsConcurrently(t *testing.T) {
	const n, threads = 1 << 19, 4
	c, err := newCells(n)
	if err != nil {
		t.Fatal(err)
	}
	defer c.free()
	// All go through the same words at about the same time; many cells are for two of
	// them, and those at multiples of 8 for none.
	decides := func(thread int, i uint64) bool { return i%8 != 0 && (i%4 == uint64(thread) || i%3 == uint64(thread)) }
	var decided [threads][]uint8
	var ready, wait sync.WaitGroup
	ready.Add(threads)
	for thread := range threads {
		decided[thread] = make([]uint8, n)
		wait.Go(func() {
			ready.Done()
			ready.Wait()
			for i := range uint64(n) {
				if decides(thread, i) && c.decide(i, uint8(i%64)) {
					decided[thread][i] = 1
				}
			}
		})
	}
	wait.Wait()
	for i := range uint64(n) {
		var times, wantTimes uint8
		for thread := range threads {
			times += decided[thread][i]
			if decides(thread, i) {
				wantTimes = 1
			}
		}
		want := wantTimes * uint8(i%64+1)
		if _, cell := c.load(i); cell != want || times != wantTimes {
			t.Fatalf("cell %d is %d and was decided %d times, want %d and %d", i, cell, times, want, wantTimes)
		}
	}
}

func TestWordsFor(t *testing.T) {
	for n, want := range map[uint64]int{0: 1, 1: 1, 7: 1, 8: 2, 9: 2, 1 << 32: 1<<29 + 1} {
		if got, err := wordsFor(n); got != want || err != nil {
			t.Errorf("wordsFor(%d) = %d, %v, want %d", n, got, err, want)
		}
	}
	for _, n := range []uint64{1 << 43, 1<<64 - 1, 1<<64 - 8} {
		if got, err := wordsFor(n); err == nil {
			t.Errorf("wordsFor(%d) = %d, want an error", n, got)
		}
	}
}
