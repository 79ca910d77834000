package service

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// writes counts what is written to it.
type writes struct {
	mu   sync.Mutex
	text bytes.Buffer
	n    int
}

func (p *writes) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	return p.text.Write(b)
}

// Read returns what was written so far, and in how many writes.
func (p *writes) Read() (text string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String(), p.n
}

// TestLogWriter checks that lines arrive whole and in order, soon, and together.
func TestLogWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out writes
		log := NewLogWriter(&out, nil)
		fmt.Fprintln(log, "one")
		time.Sleep(LogDelay / 2)
		fmt.Fprintln(log, "two")
		if text, n := out.Read(); n != 0 {
			t.Errorf("written at once: %q", text)
		}
		time.Sleep(LogDelay/2 + 1)
		synctest.Wait()
		if text, n := out.Read(); n != 1 || text != "one\ntwo\n" {
			t.Errorf("%d writes: %q", n, text)
		}
		fmt.Fprintln(log, "three")
		log.Flush()
		if text, _ := out.Read(); !strings.HasSuffix(text, "three\n") {
			t.Errorf("not flushed: %q", text)
		}
		time.Sleep(2 * LogDelay) // the flush that was coming finds nothing
		if _, n := out.Read(); n != 2 {
			t.Errorf("%d writes", n)
		}
	})
}

// TestLogWriterFull checks that much is not kept in memory, and that lines of
// several writers do not mix.
func TestLogWriterFull(t *testing.T) {
	var out writes
	log := NewLogWriter(&out, nil)
	line := strings.Repeat("x", 1000) + "\n"
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				fmt.Fprint(log, line)
			}
		})
	}
	all.Wait()
	log.Flush()
	if text, n := out.Read(); text != strings.Repeat(line, 800) || n > 100 {
		t.Errorf("%d bytes in %d writes", len(text), n)
	}
	log.Writing <- struct{}{} // a flush may still be coming
	defer func() { <-log.Writing }()
	log.Mu.Lock()
	defer log.Mu.Unlock()
	if kept := cap(log.Lines) + cap(log.Spare); kept > 4*(LogLimit+4*len(line)) {
		t.Errorf("%d bytes are kept", kept)
	}
}

// stalled is a reader of the log that takes nothing until it is let, and then fails
// for so many writes.
type stalled struct {
	writes
	let   chan struct{}
	fails int
}

func (s *stalled) Write(b []byte) (int, error) {
	<-s.let
	if s.fails > 0 {
		s.fails--
		return 0, syscall.EPIPE
	}
	return s.writes.Write(b)
}

// TestLogWriterStalled checks that nobody waits for a reader of the log that does not
// read, or that has gone: lines are dropped, counted, and told of afterwards.
func TestLogWriterStalled(t *testing.T) {
	for _, fails := range []int{0, 2} {
		synctest.Test(t, func(t *testing.T) {
			out := &stalled{let: make(chan struct{}), fails: fails}
			log := NewLogWriter(out, func(n int) []byte { return fmt.Appendf(nil, "%d dropped\n", n) })
			counter := prometheus.NewCounter(prometheus.CounterOpts{Name: "x"})
			line := strings.Repeat("x", 999) + "\n"
			const lines = 4 * LogLimit / 1000
			for i := range lines {
				if i == lines/2 {
					log.CountDropped(counter)
				}
				fmt.Fprint(log, line)
				if i%1000 == 0 {
					time.Sleep(LogDelay)
				}
			}
			start := time.Now()
			log.Close()
			if took := time.Since(start); took != LogFarewell {
				t.Errorf("the last flush took %v", took)
			}
			close(out.let)
			synctest.Wait()
			fmt.Fprint(log, line)
			log.Close()
			fmt.Fprint(log, line)
			log.Close()
			text, _ := out.Read()
			dropped := int(testutil.ToFloat64(counter))
			written := strings.Count(text, line)
			if dropped < lines/4 || written+dropped != lines+2 || strings.Count(text, fmt.Sprintf("%d dropped\n", dropped)) != 1 || strings.Count(text, "dropped") != 1 {
				t.Errorf("%d failures: %d of %d lines are written and %d counted as dropped: %d bytes, %d notices",
					fails, written, lines+2, dropped, len(text), strings.Count(text, "dropped"))
			}
		})
	}
}

// TestLogWriterTorn checks that after a line that was written in part, the next is a
// line by itself.
func TestLogWriterTorn(t *testing.T) {
	var out bytes.Buffer
	log := NewLogWriter(tearing{&out}, nil)
	fmt.Fprintln(log, "12345")
	log.Flush()
	log.W = &out
	fmt.Fprintln(log, "67890")
	log.Flush()
	if got := out.String(); got != "123\n67890\n" || log.Dropped != 0 {
		t.Errorf("%q, %d dropped", got, log.Dropped)
	}
}

type tearing struct{ w *bytes.Buffer }

func (t tearing) Write(b []byte) (int, error) {
	t.w.Write(b[:3])
	return 3, syscall.ENOSPC
}
