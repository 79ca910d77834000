package tablebase

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
)

// Results come in order, each once, and the lowest error wins whoever meets it first.
func TestInOrder(t *testing.T) {
	for _, threads := range []int{0, 1, 2, 7} {
		for _, n := range []int{0, 1, 2, 13, 14, 15, 1000} {
			for _, fails := range []int{-1, 0, n / 2, n - 1} {
				var running atomic.Int64
				next := 0
				err := inOrder(context.Background(), n, threads,
					func(worker, i int) (int, error) {
						running.Add(1)
						defer running.Add(-1)
						if worker < 0 || worker >= max(threads, 1) {
							t.Errorf("worker %d of %d", worker, threads)
						}
						if fails >= 0 && i >= fails {
							return 0, fmt.Errorf("item %d", i)
						}
						return i * i, nil
					},
					func(i, v int) error {
						if i != next || v != i*i {
							t.Errorf("%d threads: got %d = %d, and %d is next", threads, i, v, next)
						}
						next++
						return nil
					})
				if n := running.Load(); n != 0 {
					t.Fatalf("%d still running", n)
				}
				if fails >= 0 && fails < n {
					if err == nil || err.Error() != fmt.Sprintf("item %d", fails) || next != fails {
						t.Errorf("%d threads, %d items, failing from %d: %v after %d", threads, n, fails, err, next)
					}
				} else if err != nil || next != n {
					t.Errorf("%d threads, %d items: %v after %d", threads, n, err, next)
				}
			}
		}
	}
}

// An error of consume, and a cancelled context, end it too.
func TestInOrderEnds(t *testing.T) {
	full := errors.New("full")
	for _, threads := range []int{1, 3} {
		err := inOrder(context.Background(), 100, threads,
			func(_, i int) (int, error) { return i, nil },
			func(i, _ int) error {
				if i == 50 {
					return full
				}
				return nil
			})
		if !errors.Is(err, full) {
			t.Errorf("%d threads: %v", threads, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		err = inOrder(ctx, math.MaxInt, threads,
			func(_, i int) (int, error) { return i, nil },
			func(i, _ int) error {
				if i == 50 {
					cancel()
				}
				return nil
			})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d threads: %v", threads, err)
		}
	}
}
