package tables

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"solved/api"
	"solved/tablebase"
)

// Slot holds the table from which the questions about one ruleset are answered. Another table
// can take its place at any time. It is safe for concurrent use.
type Slot struct {
	// Table is nil when none is configured.
	Table atomic.Pointer[Loaded]

	// Fallback, if not nil, returns the table to fall back on when reading the configured
	// one fails, the same each time. onFault, if not nil, is told of the failure.
	Fallback func() (*Loaded, error)
	OnFault  func(error)
	changing sync.Mutex // held while another table takes the place of this one
	// Fallen is told when the fallback table has taken the place of another. It has room for one.
	Fallen chan struct{}
}

func NewSlot() *Slot { return &Slot{Fallen: make(chan struct{}, 1)} }

// Loaded is a table as a prober holds it. It is not changed any more once
// it is there; a change of state is a new one.
type Loaded struct {
	// Contents is what the ruleset's game answers from; nil until the table is verified.
	Contents Contents
	// Lease keeps what the entries come from open; nil if that cannot be closed.
	Lease *lease
	// Intact, if not nil, returns an error when the file has changed since it was
	// opened, so that what was just read may not be what was verified.
	Intact func() error
	// Size is how many bytes the table has, mapping the file that they are mapped
	// from, nil if they are not, and verifying how long verifying them took.
	Size      int64
	Mapping   *os.File
	Verifying time.Duration
	// Again, if not nil, verifies what is mapped once more.
	Again func(context.Context) (*Loaded, error)
	// Other, if not nil, says that the contents are not those of the right table.
	Other *DigestError
	Wire  api.Table
	// Suspect is a table whose file has changed and whose contents may be as they were. This one
	// answers until that is verified.
	Suspect *Loaded
	// FallbackFor describes the configured table that this one stands in for.
	FallbackFor *api.Table
	State       string // one of api's states
	Reason      string // of a state that is not ready, or of a table that is not the right one
}

// Hold returns the table that is there now, and keeps it open until its lease is
// released; nil when none is configured.
func (s *Slot) Hold() *Loaded {
	for {
		t := s.Table.Load()
		if t == nil || t.Lease.Acquire() {
			return t
		}
		// Another has taken its place since it was loaded.
	}
}

// Replace puts a table in place of the one that is there now, which is closed
// when its last reader is done, and returned.
func (s *Slot) Replace(t *Loaded) (old *Loaded) {
	s.changing.Lock()
	old = s.Table.Swap(t)
	s.changing.Unlock()
	if old != nil {
		old.Retire()
	}
	return old
}

// Retire closes the table, and one that it stands in for, when the last readers are done.
func (t *Loaded) Retire() {
	for _, l := range t.Leases() {
		l.Retire()
	}
}

// Ready returns the table to answer from and holds it, so that whoever asks has
// to release it.
func (s *Slot) Ready() (*Loaded, error) {
	t := s.Hold()
	switch {
	case t == nil:
		return nil, api.ErrNoTable
	case t.Contents == nil:
		t.Lease.Release()
		return nil, api.ErrUnavailable
	}
	return t, nil
}

// Read lets f read a table that is held, and returns the errors of the contract:
// the question is good by now, so whatever goes wrong is the table's doing. Then the
// table that has come instead is read, or else the fallback table, now and from now on:
// f may be called more than once, and only the last time counts.
func (s *Slot) Read(table *Loaded, f func(*Loaded) error) error {
	err := table.Read(f)
	for err != nil {
		next := s.FallBack(table, err)
		if next == nil {
			return fmt.Errorf("%w: %w", api.ErrUnavailable, err)
		}
		err = next.Read(f)
		next.Lease.Release()
		table = next
	}
	return nil
}

// Read lets f read the table. What it has found is what was verified, unless there
// is an error.
func (t *Loaded) Read(f func(*Loaded) error) error {
	if err := f(t); err != nil {
		return err
	}
	if t.Intact == nil {
		return nil
	}
	// Asked after the reads: a file that is whole now was so before. A read behind
	// the end of a file that was cut short need not fail, as the system pads the
	// last page with zeros.
	return t.Intact()
}

// FallBack returns what answers now in place of a table whose reading has failed,
// and holds it; nil if there is nothing. If no other has come meanwhile, that is
// the fallback table.
func (s *Slot) FallBack(failed *Loaded, cause error) *Loaded {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.Table.Load() != failed { // somebody was faster
		now := s.Hold()
		if now != nil && now.Contents == nil {
			now.Lease.Release()
			return nil
		}
		return now
	}
	var changed *changedError
	touched := errors.As(cause, &changed) && changed.touched()
	if s.OnFault != nil && !touched {
		s.OnFault(cause)
	}
	if s.Fallback == nil || failed.FallbackFor != nil {
		return nil
	}
	ready, err := s.Fallback()
	if err != nil {
		return nil
	}
	standIn := new(*ready)
	standIn.State, standIn.Reason = api.StateDegraded, "Reading the table failed; the embedded one answers."
	standIn.FallbackFor = &failed.Wire
	if touched && failed.Again != nil {
		standIn.Reason = "The table's file was touched; the embedded table answers while it is verified again."
		standIn.Suspect = failed
	}
	s.Table.Store(standIn)
	if standIn.Suspect == nil {
		failed.Lease.Retire()
	}
	standIn.Lease.Acquire()
	select {
	case s.Fallen <- struct{}{}:
	default: // it is told already
	}
	return standIn
}

// Check falls back if the table that is there now is not what was verified any
// more, without waiting for somebody to ask.
func (s *Slot) Check() {
	now := s.Hold()
	if now == nil {
		return
	}
	defer now.Lease.Release()
	if now.Intact == nil {
		return
	}
	if err := now.Intact(); err != nil {
		if next := s.FallBack(now, err); next != nil {
			next.Lease.Release()
		}
	}
}

// Distrust falls back if the table that is there now is mapped from a file whose contents turned
// out bad when they were read again, though nothing told of a change.
func (s *Slot) Distrust(file Stamp, found error) {
	var damaged *tablebase.DamageError
	var fault *tablebase.FaultError
	var other *DigestError
	if !errors.As(found, &damaged) && !errors.As(found, &fault) && !errors.As(found, &other) {
		return
	}
	now := s.Hold()
	if now == nil {
		return
	}
	defer now.Lease.Release()
	if now.Mapping == nil {
		return
	}
	if mapped, err := StampOf(now.Mapping); err != nil || !mapped.sameFile(file) {
		return
	}
	if next := s.FallBack(now, found); next != nil {
		next.Lease.Release()
	}
}

// Restored lets a table answer again that another one stood in for, if that still does.
func (s *Slot) Restored(standing, table *Loaded) {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.Table.Load() == standing {
		s.Table.Store(table)
		standing.Lease.Retire()
	}
}

// Degraded says whether the fallback table answers.
func (s *Slot) Degraded() bool {
	t := s.Table.Load()
	return t != nil && t.FallbackFor != nil
}

// Leases are what closes the table, and the one that it stands in for.
func (t *Loaded) Leases() []*lease {
	var all []*lease
	for _, one := range []*Loaded{t, t.Suspect} {
		if one != nil && one.Lease != nil {
			all = append(all, one.Lease)
		}
	}
	return all
}
