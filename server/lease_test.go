package main

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"solved/api"
	"solved/rules"
	"solved/rules/tictacchec"
	"solved/server/games/tictacchec/tictacchectest"
	"solved/server/tables"
	"solved/tablebase"
)

// closingEntries are read from something that is closed some day. Its state is not
// guarded: the race detector sees whoever reads it while it is being closed.
type closingEntries struct {
	tictacchectest.DrawnEntries
	closed bool
	closes *atomic.Int64
}

var errReadAfterClose = errors.New("read after it was closed")

func (c *closingEntries) Entries(positions []tictacchec.Position, out []rules.Entry) error {
	if c.closed {
		return errReadAfterClose
	}
	return c.DrawnEntries.Entries(positions, out)
}

func (c *closingEntries) Close() error {
	c.closed = true
	c.closes.Add(1)
	return nil
}

func closingTable(closes *atomic.Int64) *tables.Loaded {
	c := &closingEntries{closes: closes}
	return &tables.Loaded{Contents: tictacchectest.Table{EntryReader: c}, Lease: tables.NewLease(c.Close), State: api.StateReady}
}

// TestReplaceConcurrently replaces a table over and over under readers: each is
// answered, none from a table that is closed, and every table is closed once.
func TestReplaceConcurrently(t *testing.T) {
	const replaced, readers = 2000, 4
	p := tictacchectest.ProberOn(tictacchec.Rulesets()[0], tictacchectest.DrawnEntries{})
	var closes atomic.Int64
	p.Slot().Replace(closingTable(&closes))
	stop := make(chan struct{})
	var wait, asked sync.WaitGroup
	asked.Add(readers)
	for range readers {
		wait.Go(func() {
			for n := 0; ; n++ {
				if answer, err := tictacchectest.Probe(t.Context(), p, api.Question{ValueOnly: n%2 == 0}); err != nil || answer.Value != "draw" {
					t.Errorf("%+v, %v", answer, err)
				}
				if n == 0 {
					asked.Done()
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	asked.Wait()
	var all []*tables.Loaded
	for range replaced {
		all = append(all, p.Slot().Replace(closingTable(&closes)))
	}
	close(stop)
	wait.Wait()
	all = append(all, p.Slot().Replace(&tables.Loaded{}))
	for _, table := range all {
		<-table.Lease.Done
		table.Lease.Retire() // once more changes nothing
		if table.Lease.Acquire() {
			t.Fatal("a table that is closed can be read")
		}
	}
	if n := closes.Load(); n != replaced+1 {
		t.Errorf("%d of %d tables closed", n, replaced+1)
	}
}

// TestReplaceWaits checks that a table is closed when its last reader is done, and
// not before, and that who asks meanwhile gets the new one.
func TestReplaceWaits(t *testing.T) {
	for _, lines := range []bool{false, true} {
		var closed atomic.Bool
		slow := slowEntries{asked: make(chan struct{}), let: make(chan struct{})}
		p := tictacchectest.ProberOn(tictacchec.Rulesets()[0], tictacchectest.DrawnEntries{})
		p.Slot().Replace(&tables.Loaded{Contents: tictacchectest.Table{EntryReader: slow}, State: api.StateReady, Lease: tables.NewLease(func() error {
			closed.Store(true)
			return nil
		})})
		answered := make(chan error)
		go func() {
			var err error
			if lines {
				_, err = p.Line(t.Context(), api.Question{}, 1, nil)
			} else {
				_, err = tictacchectest.Probe(t.Context(), p, api.Question{})
			}
			answered <- err
		}()
		<-slow.asked
		old := p.Slot().Replace(&tables.Loaded{Contents: tictacchectest.Table{EntryReader: wonEntries{}}, State: api.StateReady})
		if answer, err := tictacchectest.Probe(t.Context(), p, api.Question{}); err != nil || answer.Value != "win" {
			t.Errorf("the new table answers %+v, %v", answer, err)
		}
		if closed.Load() {
			t.Error("closed under its reader")
		}
		slow.let <- struct{}{}
		if lines {
			<-slow.asked // the line's step, still from the table it began with
			if closed.Load() {
				t.Error("closed between the steps of a line")
			}
			slow.let <- struct{}{}
		}
		if err := <-answered; err != nil {
			t.Error(err)
		}
		<-old.Lease.Done
		if !closed.Load() {
			t.Error("not closed after its last reader")
		}
	}
}

// TestFallBackCloses checks that falling back closes the table that failed, whoever
// reads it.
func TestFallBackCloses(t *testing.T) {
	p := tictacchectest.ProberOn(tictacchec.Rulesets()[0], tictacchectest.DrawnEntries{})
	p.Slot().Fallback = func() (*tables.Loaded, error) {
		return &tables.Loaded{Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}}, nil
	}
	var closes atomic.Int64
	failing := closingTable(&closes)
	failing.Intact = func() error { return errors.New("it has changed") }
	p.Slot().Replace(failing)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if answer, err := tictacchectest.Probe(t.Context(), p, api.Question{}); err != nil || answer.Value != "draw" {
				t.Errorf("%+v, %v", answer, err)
			}
		})
	}
	wait.Wait()
	<-failing.Lease.Done
	if n := closes.Load(); n != 1 {
		t.Errorf("closed %d times", n)
	}
	if now := p.Slot().Table.Load(); now.State != api.StateDegraded {
		t.Errorf("the state is %q", now.State)
	}
}

// meanwhileEntries fails, but not before something has happened.
type meanwhileEntries struct{ happens func() }

func (m meanwhileEntries) Entries([]tictacchec.Position, []rules.Entry) error {
	m.happens()
	return &tablebase.FaultError{}
}

// TestFallBackMeanwhile checks what answers in place of a table that fails after
// another has taken its place: that one, unless it fails as well.
func TestFallBackMeanwhile(t *testing.T) {
	broken := func() *tables.Loaded {
		return &tables.Loaded{Contents: tictacchectest.Table{EntryReader: brokenEntries{}}, State: api.StateReady}
	}
	for name, c := range map[string]struct {
		next   *tables.Loaded
		spare  *tables.Loaded
		value  string // empty for no answer
		state  string
		faults int
	}{
		"good":              {&tables.Loaded{Contents: tictacchectest.Table{EntryReader: wonEntries{}}, State: api.StateReady}, &tables.Loaded{Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}}, "win", api.StateReady, 0},
		"broken":            {broken(), &tables.Loaded{Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}}, "draw", api.StateDegraded, 1},
		"broken, no spare":  {broken(), nil, "", api.StateReady, 1},
		"broken, and spare": {broken(), broken(), "", api.StateDegraded, 2},
		"not verified":      {&tables.Loaded{State: api.StateFailed}, &tables.Loaded{Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}}, "", api.StateFailed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := tictacchectest.ProberOn(tictacchec.Rulesets()[0], tictacchectest.DrawnEntries{})
			if c.spare != nil {
				p.Slot().Fallback = func() (*tables.Loaded, error) { return c.spare, nil }
			}
			faults := 0
			p.Slot().OnFault = func(error) { faults++ }
			p.Slot().Replace(&tables.Loaded{Contents: tictacchectest.Table{EntryReader: meanwhileEntries{func() { p.Slot().Replace(c.next) }}}, State: api.StateReady})
			answer, err := tictacchectest.Probe(t.Context(), p, api.Question{})
			switch {
			case c.value == "":
				if !errors.Is(err, api.ErrUnavailable) {
					t.Errorf("%+v, %v", answer, err)
				}
			case err != nil || answer.Value != c.value:
				t.Errorf("%+v, %v; want %s", answer, err, c.value)
			}
			if now := p.Slot().Table.Load(); now.State != c.state || faults != c.faults {
				t.Errorf("%s after %d faults, want %s after %d", now.State, faults, c.state, c.faults)
			}
		})
	}
}

// TestHoldWaits checks that a table that is being replaced, between having been
// found and being held, is not held, but the one that comes.
func TestHoldWaits(t *testing.T) {
	p := tictacchectest.ProberOn(tictacchec.Rulesets()[0], tictacchectest.DrawnEntries{})
	var closes atomic.Int64
	for range 100 {
		old := closingTable(&closes)
		old.Lease.Retire()
		p.Slot().Table.Store(old)
		next := &tables.Loaded{Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}, State: api.StateReady}
		go p.Slot().Table.Store(next)
		if got := p.Slot().Hold(); got != next {
			t.Fatal("a table was held that is closed")
		}
	}
}
