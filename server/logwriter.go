package main

import (
	"bytes"
	"io"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	// logDelay is how long a line of the log can lie in memory. A process that is
	// killed loses as much of its log.
	logDelay = 100 * time.Millisecond
	// logRoom is how much of it lies there before it is written sooner, in bytes,
	// and logLimit how much can, before further lines are dropped.
	logRoom  = 64 << 10
	logLimit = 2 << 20
	// logFarewell is how long the last lines may take to be written.
	logFarewell = time.Second
)

// logWriter writes a log in pieces: a system call for each line would cost as much
// as everything else about it, and requests would wait for one another's. Write
// never waits: if the reader of the log stalls or is gone, lines are dropped and
// counted, and the log says how many as soon as it can be written again. It is safe
// for concurrent use.
type logWriter struct {
	w       io.Writer
	notice  func(lines int) []byte
	writing chan struct{} // holds one while somebody writes, so that pieces stay in order
	spare   []byte        // the other buffer, of the goroutine that is writing
	torn    bool          // the last line was written in part

	mu      sync.Mutex
	lines   []byte
	coming  bool // a flush is
	hurry   bool // it comes at once
	dropped int  // lines that the log has not told of yet
	counter prometheus.Counter
}

// newLogWriter returns a writer of a log to w. notice makes the line that says how many
// lines were dropped; nil for none.
func newLogWriter(w io.Writer, notice func(lines int) []byte) *logWriter {
	return &logWriter{w: w, notice: notice, writing: make(chan struct{}, 1)}
}

// Write takes a line. It never fails and never waits for the line to be written.
func (l *logWriter) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines)+len(line) > logLimit {
		l.drop(1)
		return len(line), nil
	}
	l.lines = append(l.lines, line...)
	switch {
	case len(l.lines) >= logRoom && !l.hurry:
		l.coming, l.hurry = true, true
		go l.flush()
	case !l.coming:
		l.coming = true
		time.AfterFunc(logDelay, l.flush)
	}
	return len(line), nil
}

// countDropped has dropped lines counted from now on, and those that were dropped
// before.
func (l *logWriter) countDropped(counter prometheus.Counter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counter = counter
	counter.Add(float64(l.dropped))
}

// drop counts lines that are not written. l.mu is held.
func (l *logWriter) drop(lines int) {
	l.dropped += lines
	if l.counter != nil {
		l.counter.Add(float64(lines))
	}
}

// flush writes what has not been written yet. It waits for the reader of the log.
func (l *logWriter) flush() {
	l.writing <- struct{}{}
	defer func() { <-l.writing }()
	l.mu.Lock()
	lines := l.lines
	l.lines, l.coming, l.hurry = l.spare[:0], false, false
	l.mu.Unlock()
	if len(lines) > 0 {
		if l.torn {
			_, _ = l.w.Write([]byte("\n")) // so that the next line is one by itself
		}
		n, err := l.w.Write(lines)
		l.torn = err != nil && (n > 0 && lines[n-1] != '\n' || n == 0 && l.torn)
		l.mu.Lock()
		if err != nil {
			l.drop(bytes.Count(lines[n:], []byte("\n")))
		}
		dropped := l.dropped
		l.mu.Unlock()
		if err == nil && dropped > 0 {
			l.tell(dropped)
		}
	}
	l.spare = lines
}

// tell writes how many lines were dropped. It is part of a flush.
func (l *logWriter) tell(dropped int) {
	if l.notice != nil {
		if _, err := l.w.Write(l.notice(dropped)); err != nil {
			return // the next piece tries again
		}
	}
	l.mu.Lock()
	l.dropped -= dropped
	l.mu.Unlock()
}

// close writes what has not been written yet, if that takes no longer than
// logFarewell: a reader that has stalled does not keep the process.
func (l *logWriter) close() {
	written := make(chan struct{})
	go func() {
		defer close(written)
		l.flush()
	}()
	select {
	case <-written:
	case <-time.After(logFarewell):
	}
}
