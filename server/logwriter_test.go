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

// read returns what was written so far, and in how many writes.
func (p *writes) read() (text string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String(), p.n
}

// TestLogWriter checks that lines arrive whole and in order, soon, and together.
func TestLogWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out writes
		log := &logWriter{w: &out}
		fmt.Fprintln(log, "one")
		time.Sleep(logDelay / 2)
		fmt.Fprintln(log, "two")
		if text, n := out.read(); n != 0 {
			t.Errorf("written at once: %q", text)
		}
		time.Sleep(logDelay/2 + 1)
		synctest.Wait()
		if text, n := out.read(); n != 1 || text != "one\ntwo\n" {
			t.Errorf("%d writes: %q", n, text)
		}
		fmt.Fprintln(log, "three")
		log.flush()
		if text, _ := out.read(); !strings.HasSuffix(text, "three\n") {
			t.Errorf("not flushed: %q", text)
		}
		time.Sleep(2 * logDelay) // the flush that was coming finds nothing
		if _, n := out.read(); n != 2 {
			t.Errorf("%d writes", n)
		}
	})
}

// TestLogWriterFull checks that much is not kept in memory, and that lines of
// several writers do not mix.
func TestLogWriterFull(t *testing.T) {
	var out writes
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
	if text, n := out.read(); text != strings.Repeat(line, 800) || n > 100 {
		t.Errorf("%d bytes in %d writes", len(text), n)
	}
	log.writing.Lock() // a flush may still be coming
	defer log.writing.Unlock()
	log.mu.Lock()
	defer log.mu.Unlock()
	if kept := cap(log.lines) + cap(log.spare); kept > 4*(logLimit+4*len(line)) {
		t.Errorf("%d bytes are kept", kept)
	}
}
