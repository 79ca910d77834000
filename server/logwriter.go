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
	// logRoom is how much of it can, in bytes.
	logRoom = 64 << 10
)

// logWriter writes a log in pieces: a system call for each line would cost as much
// as everything else about it. It is safe for concurrent use.
type logWriter struct {
	mu    sync.Mutex
	w     io.Writer
	lines []byte
	armed bool // a flush is coming
}

// Write takes a line. What goes wrong in writing it later is lost, as there is
// nobody to tell.
func (l *logWriter) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line...)
	if len(l.lines) >= logRoom {
		l.write()
	} else if !l.armed {
		l.armed = true
		time.AfterFunc(logDelay, l.flush)
	}
	return len(line), nil
}

// flush writes what has not been written yet.
func (l *logWriter) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.armed = false
	l.write()
}

func (l *logWriter) write() {
	if len(l.lines) > 0 {
		_, _ = l.w.Write(l.lines)
		l.lines = l.lines[:0]
	}
}
