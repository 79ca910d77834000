package retrograde

import (
	"sync"
	"testing"
)

// Cells of one word are changed from many goroutines without loss: each is decided
// once, and neighbours stay as they are.
func TestCellsConcurrently(t *testing.T) {
	const n, threads = 1000, 8
	c, err := newCells(n)
	if err != nil {
		t.Fatal(err)
	}
	defer c.free()
	var first [threads][n]bool
	var wait sync.WaitGroup
	for thread := range threads {
		wait.Go(func() {
			for i := range uint64(n) {
				if i%11 != 0 {
					first[thread][i] = c.decide(i, uint8(i%64))
				}
			}
		})
	}
	wait.Wait()
	for i := range uint64(n) {
		times := 0
		for thread := range threads {
			if first[thread][i] {
				times++
			}
		}
		wantTimes, want := 1, byte(i%64)+1
		if i%11 == 0 {
			wantTimes, want = 0, 0
		}
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
