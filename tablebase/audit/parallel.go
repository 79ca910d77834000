package audit

import (
	"context"
	"sync"
	"sync/atomic"
)

// parallel calls part with 0 … n−1, begun in this order, on so many goroutines at
// most, until one returns an error or says that it is enough. A part that has begun is
// ended: when parallel returns without an error, all before the last part that was
// called have been done.
func parallel(ctx context.Context, threads, n int, part func(i int) (enough bool, err error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var stop atomic.Bool
	var wait sync.WaitGroup
	for range min(max(threads, 1), n) {
		wait.Go(func() {
			for !stop.Load() && ctx.Err() == nil {
				i := int(next.Add(1) - 1)
				if i >= n {
					return
				}
				enough, err := part(i)
				if err != nil {
					cancel(err)
				}
				if enough {
					stop.Store(true)
				}
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}
