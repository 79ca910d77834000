package main

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

// slot holds the table from which the questions about one ruleset are answered. Another table
// can take its place at any time. It is safe for concurrent use.
type slot struct {
	// table is nil when none is configured.
	table atomic.Pointer[loadedTable]

	// fallback, if not nil, returns the table to fall back on when reading the configured
	// one fails, the same each time. onFault, if not nil, is told of the failure.
	fallback func() (*loadedTable, error)
	onFault  func(error)
	changing sync.Mutex // held while another table takes the place of this one
	// fallen is told when the fallback table has taken the place of another. It has room for one.
	fallen chan struct{}
}

func newSlot() *slot { return &slot{fallen: make(chan struct{}, 1)} }

// loadedTable is a table as a prober holds it. It is not changed any more once
// it is there; a change of state is a new one.
type loadedTable struct {
	// contents is what the ruleset's game answers from; nil until the table is verified.
	contents contents
	// lease keeps what the entries come from open; nil if that cannot be closed.
	lease *lease
	// intact, if not nil, returns an error when the file has changed since it was
	// opened, so that what was just read may not be what was verified.
	intact func() error
	// size is how many bytes the table has, mapping the file that they are mapped
	// from, nil if they are not, and verifying how long verifying them took.
	size      int64
	mapping   *os.File
	verifying time.Duration
	// again, if not nil, verifies what is mapped once more.
	again func(context.Context) (*loadedTable, error)
	// other, if not nil, says that the contents are not those of the right table.
	other *digestError
	wire  api.Table
	// suspect is a table whose file has changed and whose contents may be as they were. This one
	// answers until that is verified.
	suspect *loadedTable
	// fallbackFor describes the configured table that this one stands in for.
	fallbackFor *api.Table
	state       string // one of api's states
	reason      string // of a state that is not ready, or of a table that is not the right one
}

// hold returns the table that is there now, and keeps it open until its lease is
// released; nil when none is configured.
func (s *slot) hold() *loadedTable {
	for {
		t := s.table.Load()
		if t == nil || t.lease.acquire() {
			return t
		}
		// Another has taken its place since it was loaded.
	}
}

// replace puts a table in place of the one that is there now, which is closed
// when its last reader is done, and returned.
func (s *slot) replace(t *loadedTable) (old *loadedTable) {
	s.changing.Lock()
	old = s.table.Swap(t)
	s.changing.Unlock()
	if old != nil {
		old.retire()
	}
	return old
}

// retire closes the table, and one that it stands in for, when the last readers are done.
func (t *loadedTable) retire() {
	for _, l := range t.leases() {
		l.retire()
	}
}

// ready returns the table to answer from and holds it, so that whoever asks has
// to release it.
func (s *slot) ready() (*loadedTable, error) {
	t := s.hold()
	switch {
	case t == nil:
		return nil, api.ErrNoTable
	case t.contents == nil:
		t.lease.release()
		return nil, api.ErrUnavailable
	}
	return t, nil
}

// read lets f read a table that is held, and returns the errors of the contract:
// the question is good by now, so whatever goes wrong is the table's doing. Then the
// table that has come instead is read, or else the fallback table, now and from now on:
// f may be called more than once, and only the last time counts.
func (s *slot) read(table *loadedTable, f func(*loadedTable) error) error {
	err := table.read(f)
	for err != nil {
		next := s.fallBack(table, err)
		if next == nil {
			return fmt.Errorf("%w: %w", api.ErrUnavailable, err)
		}
		err = next.read(f)
		next.lease.release()
		table = next
	}
	return nil
}

// read lets f read the table. What it has found is what was verified, unless there
// is an error.
func (t *loadedTable) read(f func(*loadedTable) error) error {
	if err := f(t); err != nil {
		return err
	}
	if t.intact == nil {
		return nil
	}
	// Asked after the reads: a file that is whole now was so before. A read behind
	// the end of a file that was cut short need not fail, as the system pads the
	// last page with zeros.
	return t.intact()
}

// fallBack returns what answers now in place of a table whose reading has failed,
// and holds it; nil if there is nothing. If no other has come meanwhile, that is
// the fallback table.
func (s *slot) fallBack(failed *loadedTable, cause error) *loadedTable {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.table.Load() != failed { // somebody was faster
		now := s.hold()
		if now != nil && now.contents == nil {
			now.lease.release()
			return nil
		}
		return now
	}
	var changed *changedError
	touched := errors.As(cause, &changed) && changed.touched()
	if s.onFault != nil && !touched {
		s.onFault(cause)
	}
	if s.fallback == nil || failed.fallbackFor != nil {
		return nil
	}
	ready, err := s.fallback()
	if err != nil {
		return nil
	}
	standIn := new(*ready)
	standIn.state, standIn.reason = api.StateDegraded, "Reading the table failed; the embedded one answers."
	standIn.fallbackFor = &failed.wire
	if touched && failed.again != nil {
		standIn.reason = "The table's file was touched; the embedded table answers while it is verified again."
		standIn.suspect = failed
	}
	s.table.Store(standIn)
	if standIn.suspect == nil {
		failed.lease.retire()
	}
	standIn.lease.acquire()
	select {
	case s.fallen <- struct{}{}:
	default: // it is told already
	}
	return standIn
}

// check falls back if the table that is there now is not what was verified any
// more, without waiting for somebody to ask.
func (s *slot) check() {
	now := s.hold()
	if now == nil {
		return
	}
	defer now.lease.release()
	if now.intact == nil {
		return
	}
	if err := now.intact(); err != nil {
		if next := s.fallBack(now, err); next != nil {
			next.lease.release()
		}
	}
}

// distrust falls back if the table that is there now is mapped from a file whose contents turned
// out bad when they were read again, though nothing told of a change.
func (s *slot) distrust(file stamp, found error) {
	var damaged *tablebase.DamageError
	var fault *tablebase.FaultError
	var other *digestError
	if !errors.As(found, &damaged) && !errors.As(found, &fault) && !errors.As(found, &other) {
		return
	}
	now := s.hold()
	if now == nil {
		return
	}
	defer now.lease.release()
	if now.mapping == nil {
		return
	}
	if mapped, err := stampOf(now.mapping); err != nil || !mapped.sameFile(file) {
		return
	}
	if next := s.fallBack(now, found); next != nil {
		next.lease.release()
	}
}

// restored lets a table answer again that another one stood in for, if that still does.
func (s *slot) restored(standing, table *loadedTable) {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.table.Load() == standing {
		s.table.Store(table)
		standing.lease.retire()
	}
}

// degraded says whether the fallback table answers.
func (s *slot) degraded() bool {
	t := s.table.Load()
	return t != nil && t.fallbackFor != nil
}

// leases are what closes the table, and the one that it stands in for.
func (t *loadedTable) leases() []*lease {
	var all []*lease
	for _, one := range []*loadedTable{t, t.suspect} {
		if one != nil && one.lease != nil {
			all = append(all, one.lease)
		}
	}
	return all
}
