package httpapi

import (
	"context"
	"errors"
	"runtime"
	"time"

	"solved/api"

	"golang.org/x/sync/semaphore"
)

const (
	// queueTimeout is how long a request waits for its turn, and for memory.
	queueTimeout = time.Second
	// longTurn is how long a heavy request keeps its turn while others wait for one. It
	// is shorter than most waiting that a person notices, and longer than most searches.
	longTurn = 20 * time.Millisecond
)

// gate lets a number of requests through at a time. A nil gate lets all through.
type gate struct{ free *semaphore.Weighted }

func newGate(n int) *gate {
	if n <= 0 {
		return nil
	}
	return &gate{semaphore.NewWeighted(int64(n))}
}

// enter waits for a place, for queueTimeout at most. Its errors are an Overloaded
// problem and context.Canceled.
func (g *gate) enter(ctx context.Context) error {
	if g == nil || g.free.TryAcquire(1) {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	if g.free.Acquire(waiting, 1) == nil {
		return nil
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err() // the client has not waited
	}
	return api.OverloadedProblem("The server is answering as many requests as it takes on at once. Try again in a moment.")
}

func (g *gate) leave() {
	if g != nil {
		g.free.Release(1)
	}
}

// heavyTurns returns how many heavy requests are worked on at a time: one for each
// processor but the last, which is left to light ones, and no more than there is memory
// for.
func heavyTurns(memory int64) int {
	return int(max(1, min(int64(runtime.GOMAXPROCS(0)-1), memory/2/evaluationMemory)))
}

// turn is a request's place among those that are worked on at a time. A heavy request
// takes one among the heavy ones first, so that no heavy request keeps a light one
// waiting while it waits itself.
type turn struct {
	h     *handler
	heavy bool
	taken bool
	since time.Time // of a heavy one
}

// begin waits for the turn. Its errors are those of gate.enter.
func (t *turn) begin(ctx context.Context) error {
	if t.heavy {
		if err := t.h.heavy.enter(ctx); err != nil {
			return err
		}
	}
	if err := t.h.inFlight.enter(ctx); err != nil {
		if t.heavy {
			t.h.heavy.leave()
		}
		return err
	}
	if t.taken = true; t.heavy {
		t.since = time.Now()
	}
	return nil
}

// end gives the turn back, if there is one.
func (t *turn) end() {
	if !t.taken {
		return
	}
	t.taken = false
	t.h.inFlight.leave()
	if t.heavy {
		t.h.heavy.leave()
	}
}

// pause lets others have a turn when this one has been long. Its errors are those of
// gate.enter and of the context; the turn is then over.
func (t *turn) pause(ctx context.Context) error {
	if !t.heavy || time.Since(t.since) < longTurn {
		return ctx.Err()
	}
	t.end()
	return t.begin(ctx)
}

const (
	// lookUpsPerCost is how many look-ups cost as much as one position.
	lookUpsPerCost = 200
	// bytesPerCost is how many bytes of an answer, or of a body, cost as much as one
	// position.
	bytesPerCost = 8 << 10
)

// workload is the work of a request, and what its client has paid for it beforehand or
// is charged otherwise. The work of a light request is nil.
type workload struct {
	*api.Work
	paid int
}

// cost returns what remains to be charged for the work and an answer of so many bytes.
func (w workload) cost(bytes int) int {
	return max(0, bytes/bytesPerCost-w.paid) + w.LookUps()/lookUpsPerCost
}
