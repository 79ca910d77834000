package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pieces counts what is written to it.
type pieces struct {
	bytes.Buffer
	n int
}

func (p *pieces) Write(b []byte) (int, error) {
	p.n++
	return p.Buffer.Write(b)
}

// TestLogWriter checks that lines arrive whole and in order, soon, and together.
func TestLogWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out pieces
		log := &logWriter{w: &out}
		fmt.Fprintln(log, "one")
		time.Sleep(logDelay / 2)
		fmt.Fprintln(log, "two")
		if out.n != 0 {
			t.Errorf("written at once: %q", out.String())
		}
		time.Sleep(logDelay/2 + 1)
		synctest.Wait()
		if out.n != 1 || out.String() != "one\ntwo\n" {
			t.Errorf("%d pieces: %q", out.n, out.String())
		}
		fmt.Fprintln(log, "three")
		log.flush()
		if !strings.HasSuffix(out.String(), "three\n") {
			t.Errorf("not flushed: %q", out.String())
		}
		time.Sleep(2 * logDelay) // the flush that was coming finds nothing
		if out.n != 2 {
			t.Errorf("%d pieces", out.n)
		}
	})
}

// TestLogWriterFull checks that much is not kept in memory, and that lines of
// several writers do not mix.
func TestLogWriterFull(t *testing.T) {
	var out pieces
	log := &logWriter{w: &out}
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
	log.flush()
	if out.String() != strings.Repeat(line, 800) || out.n < 800*len(line)/(logRoom+len(line)) || out.n > 100 {
		t.Errorf("%d bytes in %d pieces", out.Len(), out.n)
	}
	if cap(log.lines) > 2*logRoom+2*len(line) {
		t.Errorf("%d bytes are kept", cap(log.lines))
	}
}
