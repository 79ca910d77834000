package tablebase

import (
	"context"
	"sync"
)

// inOrder runs produce for 0 … n−1 on some workers, and consume for each result in ascending
// order on the calling goroutine. At most two results per worker wait to be consumed, so
// memory stays bounded. With one thread (or fewer) everything happens on the calling
// goroutine, strictly in order. The first error, in ascending order, or the context's ends it;
// no produce is running any more when inOrder returns. worker, below threads, names the worker
// for its own scratch memory.
func inOrder[T any](ctx context.Context, n, threads int, produce func(worker, i int) (T, error), consume func(i int, v T) error) error {
	if threads <= 1 {
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			v, err := produce(0, i)
			if err != nil {
				return err
			}
			if err := consume(i, v); err != nil {
				return err
			}
		}
		return ctx.Err()
	}

	type result struct {
		v   T
		err error
	}
	var (
		slots  = make([]chan result, 2*threads) // result i goes through slot i mod len
		tokens = make(chan int, len(slots))     // the items that may be produced now
		stop   = make(chan struct{})
		wg     sync.WaitGroup
	)
	for i := range slots {
		slots[i] = make(chan result, 1)
		if i < n {
			tokens <- i
		}
	}
	for worker := range threads {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				case i := <-tokens:
					v, err := produce(worker, i)
					slots[i%len(slots)] <- result{v, err}
				}
			}
		})
	}
	defer wg.Wait()
	defer close(stop)

	for i := range n {
		var r result
		select {
		case <-ctx.Done():
			return ctx.Err()
		case r = <-slots[i%len(slots)]:
		}
		if r.err != nil {
			return r.err
		}
		if err := consume(i, r.v); err != nil {
			return err
		}
		if next := i + len(slots); next < n {
			tokens <- next
		}
	}
	return ctx.Err()
}
