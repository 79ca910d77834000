package httpapi

import (
	"context"
	"errors"
	"sync"
	"time"

	"solved/api"
)

// What requests may take of memory.
//
// Each connection has a little of its own: smallBody of a body and smallAnswer of an
// answer, or as much for a light evaluation. All else comes from one budget,
// Config.Memory: a half for heavy evaluations, each of which takes evaluationMemory at
// most, an eighth for bodies, and three eighths for answers that are growing or being
// written. So what a client does not read or does not send holds up others of its kind,
// but no small ones.
const (
	// DefaultMemory is Config.Memory where none is given, and MinMemory the least, in
	// bytes: enough for a few answers of the greatest size.
	DefaultMemory = 128 << 20
	MinMemory     = 64 << 20

	smallBody   = 16 << 10
	smallAnswer = 32 << 10
	// maxAnswer is how much one answer may take, in bytes: the longest of Tic Tac Chec, to
	// a batch of 1,000 positions with 64 moves each, has 16.6 MB.
	maxAnswer = 17 << 20
	// mediumAnswer is the size up to which answers have a quarter of the answers' budget
	// for themselves.
	mediumAnswer = 512 << 10
	// evaluationMemory is how much a heavy evaluation takes at most, in bytes: a search
	// with what it remembers, an answer's structures, its JSON, and that compressed.
	evaluationMemory = 16 << 20
)

// budget is memory that requests share, in bytes.
type budget struct {
	small int64 // kept free for reservations of at most mediumAnswer

	mu    sync.Mutex
	free  int64
	freed chan struct{} // closed when there is more; nil if nobody waits for that
}

func newBudget(bytes, small int64) *budget { return &budget{free: bytes, small: small} }

// reservation is the part of a budget that a request has taken.
type reservation struct {
	of    *budget
	bytes int64
}

// grow takes what is missing to so many bytes, if there is so much.
func (r *reservation) grow(bytes int64) bool {
	more := bytes - r.bytes
	if more <= 0 {
		return true
	}
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	kept := r.of.small
	if bytes <= mediumAnswer {
		kept = 0
	}
	if r.of.free-more < kept {
		return false
	}
	r.of.free -= more
	r.bytes = bytes
	return true
}

// shrink gives back all but so many bytes.
func (r *reservation) shrink(bytes int64) {
	less := r.bytes - bytes
	if less <= 0 {
		return
	}
	r.bytes = bytes
	r.of.mu.Lock()
	r.of.free += less
	if r.of.freed != nil {
		close(r.of.freed)
		r.of.freed = nil
	}
	r.of.mu.Unlock()
}

// wait is grow, and waits for others to give back what is missing, for queueTimeout at
// most. Its errors are an Overloaded problem and context.Canceled.
func (r *reservation) wait(ctx context.Context, bytes int64) error {
	var patience <-chan time.Time
	for {
		r.of.mu.Lock()
		if r.of.freed == nil {
			r.of.freed = make(chan struct{})
		}
		freed := r.of.freed
		r.of.mu.Unlock()
		if r.grow(bytes) {
			return nil
		}
		if patience == nil {
			timer := time.NewTimer(queueTimeout)
			defer timer.Stop()
			patience = timer.C
		}
		select {
		case <-freed:
			continue
		case <-patience:
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return ctx.Err()
			}
		}
		return noMemory()
	}
}

func noMemory() *api.Problem {
	return api.OverloadedProblem("The answers that the server has in memory leave no room for this one. Try again in a moment.")
}

// chunks is the body of an answer as it grows: in pieces, so that nothing is copied and
// thrown away. It takes at most largestPiece more memory than its size.
type chunks struct {
	list [][]byte
	size int
}

const (
	firstPiece   = 4 << 10
	largestPiece = 64 << 10
)

// Write appends text. It never fails.
func (p *chunks) Write(text []byte) (int, error) {
	n := len(text)
	p.size += n
	for len(text) > 0 {
		if k := len(p.list); k == 0 || len(p.list[k-1]) == cap(p.list[k-1]) {
			p.list = append(p.list, make([]byte, 0, min(firstPiece<<min(k, 4), largestPiece)))
		}
		last := &p.list[len(p.list)-1]
		fits := min(len(text), cap(*last)-len(*last))
		*last = append(*last, text[:fits]...)
		text = text[fits:]
	}
	return n, nil
}
