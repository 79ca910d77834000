package main

import (
	"io"
	"sync"
	"time"
)

const (
	// logDelay is how long a line of the log can lie in memory. A process that is
	// killed loses as much of its log.
	logDelay = 100 * time.Millisecond
	// logRoom is how much of it lies there before it is written sooner, in bytes,
	// and logLimit how much can, before a line has to wait.
	logRoom  = 64 << 10
	logLimit = 1 << 20
)

// logWriter writes a log in pieces: a system call for each line would cost as much
// as everything else about it, and requests would wait for one another's. It is safe
// for concurrent use.
type logWriter struct {
	w       io.Writer
	writing sync.Mutex // held while writing, so that pieces stay in order
	spare   []byte     // the other buffer, of whoever is writing

	mu     sync.Mutex
	lines  []byte
	coming bool // a flush is
	hurry  bool // it comes at once
}

// Write takes a line. What goes wrong in writing it later is lost, as there is
// nobody to tell.
func (l *logWriter) Write(line []byte) (int, error) {
	l.mu.Lock()
	l.lines = append(l.lines, line...)
	full := len(l.lines) >= logLimit
	switch {
	case len(l.lines) >= logRoom && !l.hurry:
		l.coming, l.hurry = true, true
		go l.flush()
	case !l.coming:
		l.coming = true
		time.AfterFunc(logDelay, l.flush)
	}
	l.mu.Unlock()
	if full {
		l.flush()
	}
	return len(line), nil
}

// flush writes what has not been written yet.
func (l *logWriter) flush() {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	lines := l.lines
	l.lines, l.coming, l.hurry = l.spare[:0], false, false
	l.mu.Unlock()
	if len(lines) > 0 {
		_, _ = l.w.Write(lines)
	}
	l.spare = lines
}
