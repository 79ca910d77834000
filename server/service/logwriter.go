package service

import (
	"bytes"
	"io"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	// LogDelay is how long a line of the log can lie in memory. A process that is
	// killed loses as much of its log.
	LogDelay = 100 * time.Millisecond
	// logRoom is how much of it lies there before it is written sooner, in bytes,
	// and logLimit how much can, before further lines are dropped.
	logRoom  = 64 << 10
	LogLimit = 2 << 20
	// LogFarewell is how long the last lines may take to be written.
	LogFarewell = time.Second
)

// logWriter writes a log in pieces: a system call for each line would cost as much
// as everything else about it, and requests would wait for one another's. Write
// never waits: if the reader of the log stalls or is gone, lines are dropped and
// counted, and the log says how many as soon as it can be written again. It is safe
// for concurrent use.
type logWriter struct {
	W       io.Writer
	notice  func(lines int) []byte
	Writing chan struct{} // holds one while somebody writes, so that pieces stay in order
	Spare   []byte        // the other buffer, of the goroutine that is writing
	torn    bool          // the last line was written in part

	Mu      sync.Mutex
	Lines   []byte
	coming  bool // a flush is
	hurry   bool // it comes at once
	Dropped int  // lines that the log has not told of yet
	counter prometheus.Counter
}

// NewLogWriter returns a writer of a log to w. notice makes the line that says how many
// lines were dropped; nil for none.
func NewLogWriter(w io.Writer, notice func(lines int) []byte) *logWriter {
	return &logWriter{W: w, notice: notice, Writing: make(chan struct{}, 1)}
}

// Write takes a line. It never fails and never waits for the line to be written.
func (l *logWriter) Write(line []byte) (int, error) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if len(l.Lines)+len(line) > LogLimit {
		l.drop(1)
		return len(line), nil
	}
	l.Lines = append(l.Lines, line...)
	switch {
	case len(l.Lines) >= logRoom && !l.hurry:
		l.coming, l.hurry = true, true
		go l.Flush()
	case !l.coming:
		l.coming = true
		time.AfterFunc(LogDelay, l.Flush)
	}
	return len(line), nil
}

// CountDropped has dropped lines counted from now on, and those that were dropped
// before.
func (l *logWriter) CountDropped(counter prometheus.Counter) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	l.counter = counter
	counter.Add(float64(l.Dropped))
}

// drop counts lines that are not written. l.mu is held.
func (l *logWriter) drop(lines int) {
	l.Dropped += lines
	if l.counter != nil {
		l.counter.Add(float64(lines))
	}
}

// Flush writes what has not been written yet. It waits for the reader of the log.
func (l *logWriter) Flush() {
	l.Writing <- struct{}{}
	defer func() { <-l.Writing }()
	l.Mu.Lock()
	lines := l.Lines
	l.Lines, l.coming, l.hurry = l.Spare[:0], false, false
	l.Mu.Unlock()
	if len(lines) > 0 {
		if l.torn {
			_, _ = l.W.Write([]byte("\n")) // so that the next line is one by itself
		}
		n, err := l.W.Write(lines)
		l.torn = err != nil && (n > 0 && lines[n-1] != '\n' || n == 0 && l.torn)
		l.Mu.Lock()
		if err != nil {
			l.drop(bytes.Count(lines[n:], []byte("\n")))
		}
		dropped := l.Dropped
		l.Mu.Unlock()
		if err == nil && dropped > 0 {
			l.tell(dropped)
		}
	}
	l.Spare = lines
}

// tell writes how many lines were dropped. It is part of a flush.
func (l *logWriter) tell(dropped int) {
	if l.notice != nil {
		if _, err := l.W.Write(l.notice(dropped)); err != nil {
			return // the next piece tries again
		}
	}
	l.Mu.Lock()
	l.Dropped -= dropped
	l.Mu.Unlock()
}

// Close writes what has not been written yet, if that takes no longer than
// logFarewell: a reader that has stalled does not keep the process.
func (l *logWriter) Close() {
	written := make(chan struct{})
	go func() {
		defer close(written)
		l.Flush()
	}()
	select {
	case <-written:
	case <-time.After(LogFarewell):
	}
}
