package reach

import (
	"sync"
	"sync/atomic"
	"testing"
)

// Cells of one word are marked from many goroutines without loss: each once, and its
// neighbours stay as they are. A scan finds them all, and no others.
func TestCellsConcurrently(t *testing.T) {
	const n, threads = 1 << 17, 4
	c, release, err := newCells(n)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	cellOf := func(i uint64) byte { return byte(1 + i*i%255) }
	var marked atomic.Uint64
	var ready, wait sync.WaitGroup
	ready.Add(threads)
	for range threads {
		wait.Go(func() {
			ready.Done()
			ready.Wait()
			for i := range uint64(n) {
				if i%3 != 0 && c.mark(i, cellOf(i)) {
					marked.Add(1)
				}
			}
		})
	}
	wait.Wait()
	want := uint64(0)
	for i := range uint64(n) {
		cell := cellOf(i)
		if i%3 == 0 {
			cell = 0
		} else {
			want++
		}
		if got := c.load(i); got != cell {
			t.Fatalf("cell %d is %d, want %d", i, got, cell)
		}
	}
	if marked.Load() != want {
		t.Errorf("%d were marked, want %d", marked.Load(), want)
	}
	for cell := range 256 {
		// From the middle of the words, and to the middle of one.
		const lo, hi = 800, n - 3
		next := uint64(lo)
		skip := func() {
			for next < hi && (next%3 == 0 && cell != 0 || next%3 != 0 && int(cellOf(next)) != cell) {
				next++
			}
		}
		if err := c.scan(lo, hi, byte(cell), func(index uint64) error {
			if skip(); index != next {
				t.Fatalf("a scan for %d finds %d, want %d", cell, index, next)
			}
			next++
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if skip(); next != hi {
			t.Errorf("a scan for %d does not find %d", cell, next)
		}
	}
}
