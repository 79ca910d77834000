package service

import (
	"bytes"
	"io"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	// LogDelay is the longest time that a line of the log stays in memory. A process that is
	// killed loses these lines.
	LogDelay = 100 * time.Millisecond
	// logRoom is the number of bytes in memory at which the writer writes at once.
	// LogLimit is the number at which it drops further lines.
	logRoom  = 64 << 10
	LogLimit = 2 << 20
	// LogFarewell bounds the time for writing the last lines.
	LogFarewell = time.Second
)

// logWriter collects the lines of a log and writes many at once: a system call for each line would
// cost as much as the rest of the line, and requests would wait for each other. Write never waits.
// If the reader of the log stalls or is gone, the writer drops lines and counts them. It reports
// the number as soon as it can write again. It is safe for concurrent use.
type logWriter struct {
	W       io.Writer
	notice  func(lines int) []byte
	Writing chan struct{} // holds one value while a goroutine writes, so that pieces stay in order
	Spare   []byte        // the second buffer, which belongs to the goroutine that writes
	torn    bool          // the last line was written in part

	Mu      sync.Mutex
	Lines   []byte
	coming  bool // a flush is scheduled
	hurry   bool // a flush runs at once
	Dropped int  // dropped lines that the log has not reported yet
	counter prometheus.Counter
}

// NewLogWriter returns a writer of a log to w. notice makes the line that reports a number of
// dropped lines; nil for no report.
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

// CountDropped makes the writer count dropped lines on a counter, including earlier ones.
func (l *logWriter) CountDropped(counter prometheus.Counter) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	l.counter = counter
	counter.Add(float64(l.Dropped))
}

// drop counts dropped lines. The caller holds l.Mu.
func (l *logWriter) drop(lines int) {
	l.Dropped += lines
	if l.counter != nil {
		l.counter.Add(float64(lines))
	}
}

// Flush writes the collected lines. It waits for the reader of the log.
func (l *logWriter) Flush() {
	l.Writing <- struct{}{}
	defer func() { <-l.Writing }()
	l.Mu.Lock()
	lines := l.Lines
	l.Lines, l.coming, l.hurry = l.Spare[:0], false, false
	l.Mu.Unlock()
	if len(lines) > 0 {
		if l.torn {
			_, _ = l.W.Write([]byte("\n")) // so that the next line starts on its own
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

// tell writes the report of dropped lines. Flush calls it.
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

// Close writes the collected lines. It gives up after LogFarewell, so that a stalled reader does
// not keep the process from ending.
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
