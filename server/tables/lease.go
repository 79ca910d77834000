package tables

import (
	"math"
	"sync"
	"sync/atomic"
)

// lease keeps something open for as long as somebody reads it. Once it is
// retired nobody can begin to read any more, and it is closed when the last
// reader is done. A nil lease is of something that need not be closed.
//
// A reader pays for one atomic addition at each end.
type lease struct {
	// readers is the number of readers, and far below zero from retirement on.
	readers  atomic.Int64
	retiring sync.Once
	closing  sync.Once
	close    func() error
	Done     chan struct{} // closed when close has returned
	Err      error         // what it returned
}

// retired is what retirement adds to the number of readers: far more than there
// can be readers, and far from overflow.
const retired = math.MinInt64 / 2

func NewLease(close func() error) *lease { return &lease{close: close, Done: make(chan struct{})} }

// Acquire begins to read, and says whether that is still allowed. If it is, a
// release must follow.
func (l *lease) Acquire() bool {
	if l == nil || l.readers.Add(1) > 0 {
		return true
	}
	l.Release()
	return false
}

// Release ends what acquire began.
func (l *lease) Release() {
	if l != nil && l.readers.Add(-1) == retired {
		l.shut()
	}
}

// Retire lets nobody begin any more. It does not wait; done does. To retire again
// changes nothing.
func (l *lease) Retire() {
	if l == nil {
		return
	}
	l.retiring.Do(func() {
		if l.readers.Add(retired) == retired {
			l.shut()
		}
	})
}

// shut closes. Who comes too late to read counts as a reader for a moment, so the
// last one can seem to leave more than once.
func (l *lease) shut() {
	l.closing.Do(func() {
		l.Err = l.close()
		close(l.Done)
	})
}
