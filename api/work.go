package api

import "context"

// Work is what answering a request has taken so far, counted in look-ups of a search,
// and the bound on that. A Prober adds to it. It is for one goroutine; a nil Work counts
// nothing and has no bound.
type Work struct {
	lookUps int
	pause   func(context.Context) error
}

// maxLookUps is the budget of look-ups that a request has: about half a second of a
// core. A question that has begun is answered; further ones of a batch are not.
const maxLookUps = 4_000_000

// NewWork returns the work of a request that has taken nothing yet. Its method Pause
// calls pause, which may be nil.
func NewWork(pause func(context.Context) error) *Work { return &Work{pause: pause} }

// Add counts look-ups.
func (w *Work) Add(lookUps int) {
	if w != nil {
		w.lookUps += lookUps
	}
}

// LookUps returns how many look-ups have been counted.
func (w *Work) LookUps() int {
	if w == nil {
		return 0
	}
	return w.lookUps
}

// Spent says whether the budget of the request is used up.
func (w *Work) Spent() bool { return w != nil && w.lookUps >= maxLookUps }

// Pause is called between the parts of a long answer. It lets other requests have their
// turn, which may take a while. An error ends the answer: it is the context's, or a
// *Problem.
func (w *Work) Pause(ctx context.Context) error {
	if w == nil || w.pause == nil {
		return ctx.Err()
	}
	return w.pause(ctx)
}
