package main

import (
	"errors"
	"os"
	"sync"
	"time"
)

// deadline is one of the two of a connection, for reading or for writing. net/http
// moves them eight times a request, nearly always to a later time, and each move would
// cost about as much as a look-up in a table. So the connection beneath keeps the
// earlier time it has, and only when that has come is it given the one that counts by
// then, and goes on. No operation ends later than it should, nor sooner.
type deadline struct {
	operate func([]byte) (int, error) // reads or writes, on the connection beneath
	apply   func(time.Time) error     // sets the deadline there

	mu      sync.Mutex
	wanted  time.Time // the deadline as it was set here; zero for none
	applied time.Time // that of the connection beneath
	over    bool      // applied has come
	running int       // operations under it
}

func newDeadline(operate func([]byte) (int, error), apply func(time.Time) error) *deadline {
	return &deadline{operate: operate, apply: apply}
}

// set sets the deadline, of what is running, too.
func (d *deadline) set(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted = t
	if d.running == 0 || !d.soonerThanApplied() {
		return nil
	}
	return d.applyWanted()
}

// soonerThanApplied says whether the connection beneath would keep an operation for
// longer than wanted. d.mu is held.
func (d *deadline) soonerThanApplied() bool {
	return !d.wanted.IsZero() && (d.applied.IsZero() || d.wanted.Before(d.applied))
}

// applyWanted hands the deadline on. d.mu is held.
func (d *deadline) applyWanted() error {
	d.applied, d.over = d.wanted, false
	return d.apply(d.wanted)
}

// run reads into b, or writes it, until the deadline.
func (d *deadline) run(b []byte) (int, error) {
	for done := 0; ; {
		if err := d.begin(); err != nil {
			return done, err
		}
		n, err := d.operate(b[done:])
		done += n
		if !d.end(err) {
			return done, err
		}
	}
}

// begin sees to it that an operation ends in time, or says that it is too late for it.
func (d *deadline) begin() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over || d.soonerThanApplied() {
		if d.passed() {
			return os.ErrDeadlineExceeded
		}
		if err := d.applyWanted(); err != nil {
			return err
		}
	}
	d.running++
	return nil
}

// end says whether an operation that has ended with err is to go on, as it was ended
// by a deadline that does not count any more.
func (d *deadline) end(err error) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running--
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	d.over = true
	return !d.passed()
}

// passed says whether the deadline has come. d.mu is held.
func (d *deadline) passed() bool { return !d.wanted.IsZero() && !time.Now().Before(d.wanted) }
