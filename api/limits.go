package api

import (
	"context"
	"math"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"
)

// Limiter limits what each client may ask for. A cost is a number of positions.
// It is called concurrently.
type Limiter interface {
	// Spend asks for a cost before it is incurred. It returns 0 if the client
	// may, and else how long the client would have to wait.
	Spend(r *http.Request, cost int) time.Duration
	// Charge takes a cost that was known only afterwards.
	Charge(r *http.Request, cost int)
}

const (
	// patience is how long a request waits for its turn when as many are being
	// answered as may be.
	patience = time.Second
	// The positions of all batches whose answers are in memory at a time, with and
	// without moves: about 100 MB each. A client that reads slowly holds its
	// answer for as long as the server lets it, and so keeps out other batches of
	// the kind, but nothing else.
	maxMovesRoom  = 10 * MaxBatch
	maxValuesRoom = 250 * MaxBatch
)

// turns lets a number of requests be answered at a time.
type turns struct{ free *semaphore.Weighted }

func newTurns(n int) *turns {
	if n <= 0 {
		return nil
	}
	return &turns{semaphore.NewWeighted(int64(n))}
}

// take waits for n turns, though not for long. What it returns gives them back. A
// turn to answer ends when the answer is known, before it is written, so that clients
// that read slowly do not keep others waiting.
func (t *turns) take(ctx context.Context, n int) (release func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	if !t.free.TryAcquire(int64(n)) {
		waiting, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if t.free.Acquire(waiting, int64(n)) != nil {
			if err := ctx.Err(); err != nil {
				return nil, err // the client has not waited
			}
			return nil, newProblem(Overloaded, "The server is answering as many requests as it takes on at once. Try again in a moment.")
		}
	}
	return func() { t.free.Release(int64(n)) }, nil
}

// spend takes what a request costs from its client's share, or refuses it.
func (h *handler) spend(r *http.Request, cost int) error {
	if h.limiter == nil {
		return nil
	}
	wait := h.limiter.Spend(r, cost)
	if wait <= 0 {
		return nil
	}
	seconds := max(1, int(math.Ceil(wait.Seconds())))
	p := newProblem(RateLimited, "This request costs %d positions, more than is left of your share. Ask again in %d seconds.", cost, seconds)
	p.retryAfter = seconds
	return p
}
