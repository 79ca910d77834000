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

// Slot holds the table that answers the questions about one ruleset. Another table can replace it
// at any time. It is safe for concurrent use.
type Slot struct {
	// Table is the current table, nil before one is stored.
	Table atomic.Pointer[Loaded]

	// Fallback, if not nil, returns the table that answers when reading the configured one
	// fails, the same each time. OnFault, if not nil, is called with the error.
	Fallback func() (*Loaded, error)
	OnFault  func(error)
	changing sync.Mutex // held while the table is replaced
	// Fallen receives a value when the fallback table replaces another. It has room for one.
	Fallen chan struct{}
}

// NewSlot returns a slot without a table.
func NewSlot() *Slot { return &Slot{Fallen: make(chan struct{}, 1)} }

// Loaded is a table in a slot, with its state. It is immutable: a change of state is a new Loaded.
type Loaded struct {
	// Contents are the values of the table; nil until it is verified.
	Contents Contents
	// Lease keeps the file open for readers; nil if there is no file.
	Lease *lease
	// Intact, if not nil, returns an error if the file has changed since it was verified. Then
	// the last read may have seen unverified bytes.
	Intact func() error
	// Size is the number of bytes of the table. Mapping is the mapped file, nil if the table is
	// not mapped. Verifying is the time that verifying it took.
	Size      int64
	Mapping   *os.File
	Verifying time.Duration
	// Again, if not nil, verifies the mapped file again.
	Again func(context.Context) (*Loaded, error)
	// Other, if not nil, says that the contents are not those of the right table.
	Other *DigestError
	Wire  api.Table
	// Suspect is the table that this one stands in for while its file, which was touched, is
	// verified again; nil otherwise.
	Suspect *Loaded
	// FallbackFor describes the configured table that this one stands in for.
	FallbackFor *api.Table
	State       string // one of api's states
	Reason      string // of a state that is not ready, or of a table that is not the right one
}

// Hold returns the current table, and keeps it open until the caller releases its lease. It returns
// nil if there is no table.
func (s *Slot) Hold() *Loaded {
	for {
		t := s.Table.Load()
		if t == nil || t.Lease.Acquire() {
			return t
		}
		// Another table has replaced it since the load.
	}
}

// Replace stores a table and returns the one before, which is closed when its last reader is done.
func (s *Slot) Replace(t *Loaded) (old *Loaded) {
	s.changing.Lock()
	old = s.Table.Swap(t)
	s.changing.Unlock()
	if old != nil {
		old.Retire()
	}
	return old
}

// Retire closes the table, and the suspect that it stands in for, when the last readers are done.
func (t *Loaded) Retire() {
	for _, l := range t.Leases() {
		l.Retire()
	}
}

// Ready returns the current table if it can answer, and holds it. The caller releases its lease.
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

// Read calls f with a held table. An error of f is an error of the table. Then Read falls back: it
// calls f again with the table that has replaced it, or with the fallback table. Only the last call
// of f counts. If no table can answer, the error is api.ErrUnavailable.
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

// Read calls f with the table. Without an error, f has read verified bytes.
func (t *Loaded) Read(f func(*Loaded) error) error {
	if err := f(t); err != nil {
		return err
	}
	if t.Intact == nil {
		return nil
	}
	// The check comes after the reads: a file that is unchanged now was unchanged before. A
	// read beyond the end of a truncated file need not fail, as the system pads the last page
	// with zeros.
	return t.Intact()
}

// FallBack returns the table that answers in place of one whose reading has failed, and holds it. It
// is the table that has replaced the failed one, or else the fallback table. It returns nil if there
// is none.
func (s *Slot) FallBack(failed *Loaded, cause error) *Loaded {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.Table.Load() != failed { // another goroutine has replaced it
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
	default: // a value is waiting already
	}
	return standIn
}

// Check falls back if the file of the current table has changed since it was verified. It needs no
// request.
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

// Distrust falls back if the current table is mapped from a file that a new verification found to be
// bad. The stamp of such a file need not show a change.
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

// Restored stores a table again in place of the one that stood in for it, unless another table has
// replaced that.
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

// Leases returns the leases of the table and of its suspect.
func (t *Loaded) Leases() []*lease {
	var all []*lease
	for _, one := range []*Loaded{t, t.Suspect} {
		if one != nil && one.Lease != nil {
			all = append(all, one.Lease)
		}
	}
	return all
}
