package tables

import (
	"math"
	"sync"
	"sync/atomic"
)

// lease keeps a table open while readers use it. After Retire no reader can begin, and the lease closes
// the table when the last reader is done. A nil lease belongs to a table that need not be closed.
//
// A reader pays for one atomic addition at its start and one at its end.
type lease struct {
	// readers is the number of readers, and far below zero from retirement on.
	readers  atomic.Int64
	retiring sync.Once
	closing  sync.Once
	close    func() error
	Done     chan struct{} // closed when close has returned
	Err      error         // the error of close
}

// retired is added to the number of readers by Retire. It is far below minus the number of possible
// readers, and far from overflow.
const retired = math.MinInt64 / 2

// NewLease returns a lease that calls close after its last reader.
func NewLease(close func() error) *lease { return &lease{close: close, Done: make(chan struct{})} }

// Acquire begins a read. It returns false after Retire; otherwise the caller calls Release.
func (l *lease) Acquire() bool {
	if l == nil || l.readers.Add(1) > 0 {
		return true
	}
	l.Release()
	return false
}

// Release ends a read.
func (l *lease) Release() {
	if l != nil && l.readers.Add(-1) == retired {
		l.shut()
	}
}

// Retire keeps new readers out. It does not wait for the others: Done does. A second call does nothing.
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

// shut closes the table once. A late reader is counted for a moment, so the number of readers can reach
// the end more than once.
func (l *lease) shut() {
	l.closing.Do(func() {
		l.Err = l.close()
		close(l.Done)
	})
}
