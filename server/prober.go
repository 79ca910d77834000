package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"solved/api"
	"solved/tablebase"
)

// prober answers the contract's questions for one ruleset from whatever table
// it holds at the time. It sees to the table; its game sees to the answers.
type prober struct {
	*game
	id      api.Rules
	ruleset api.Ruleset // without the table
	// probes count the positions answered, by value; nil where nobody counts.
	probes map[string]prometheus.Counter
	// table is nil when none is configured.
	table atomic.Pointer[loadedTable]

	// spare, if not nil, gives a table to fall back on when reading the
	// configured one fails, the same each time. faulted, if not nil, is told of the failure.
	spare    func() (*loadedTable, error)
	faulted  func(error)
	changing sync.Mutex // held while another table takes the place of this one
	// fallen is told when the spare table has taken the place of another. It has room for one.
	fallen chan struct{}
}

// answerer is what a game adds to a prober: how its questions are read, and how its
// positions are put into the contract's words. It is immutable.
type answerer interface {
	// canonical is api.Prober's Canonical.
	canonical(q api.Question) (api.Canonical, error)
	// probe is api.Prober's Probe, from the table of p. It counts what it answers.
	probe(ctx context.Context, p *prober, questions []api.Question, work *api.Work) ([]api.Answer, error)
	// line is api.Prober's Line.
	line(ctx context.Context, p *prober, q api.Question, maxPlies int, work *api.Work) (api.Line, error)
}

// loadedTable is a table as a prober holds it. It is not changed any more once
// it is there; a change of state is a new one.
type loadedTable struct {
	// entries is what the game's answerer reads; nil until the table is verified.
	entries any
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
	// instead describes the configured table that this one stands in for.
	instead *api.Table
	state   string // one of api's states
	reason  string // of a state that is not ready, or of a table that is not the right one
}

func newProber(g *game) *prober {
	about := g.About()
	id := api.Rules{Name: about.Name, Tag: about.Tag.String()}
	var bounds *string
	if about.Bounds != "" {
		bounds = &about.Bounds
	}
	return &prober{
		game:   g,
		fallen: make(chan struct{}, 1),
		id:     id,
		ruleset: api.Ruleset{Name: id.Name, Tag: id.Tag, Kind: string(g.kind), Game: about.Game, Title: about.Title,
			Summary: about.Summary, Bounds: bounds, Start: g.Start().String()},
	}
}

// Ruleset describes the ruleset and its table.
func (p *prober) Ruleset() api.Ruleset {
	r := p.ruleset
	if t := p.table.Load(); t != nil {
		r.Table = &t.wire
	}
	return r
}

// Examples names a few positions.
func (p *prober) Examples() []api.Example { return p.examples }

// Canonical names the position asked about.
func (p *prober) Canonical(q api.Question) (api.Canonical, error) { return p.answers.canonical(q) }

// Probe answers questions.
func (p *prober) Probe(ctx context.Context, questions []api.Question, work *api.Work) ([]api.Answer, error) {
	return p.answers.probe(ctx, p, questions, work)
}

// Line answers with a line of optimal play.
func (p *prober) Line(ctx context.Context, q api.Question, maxPlies int, work *api.Work) (api.Line, error) {
	return p.answers.line(ctx, p, q, maxPlies, work)
}

// hold returns the table that is there now, and keeps it open until its lease is
// released; nil when none is configured.
func (p *prober) hold() *loadedTable {
	for {
		t := p.table.Load()
		if t == nil || t.lease.acquire() {
			return t
		}
		// Another has taken its place since it was loaded.
	}
}

// replace puts a table in place of the one that is there now, which is closed
// when its last reader is done, and returned.
func (p *prober) replace(t *loadedTable) (old *loadedTable) {
	p.changing.Lock()
	old = p.table.Swap(t)
	p.changing.Unlock()
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
func (p *prober) ready() (*loadedTable, error) {
	t := p.hold()
	switch {
	case t == nil:
		return nil, api.ErrNoTable
	case t.entries == nil:
		t.lease.release()
		return nil, api.ErrUnavailable
	}
	return t, nil
}

// read lets f read a table that is held, and returns the errors of the contract:
// the question is good by now, so whatever goes wrong is the table's doing. Then the
// table that has come instead is read, or else the spare one, now and from now on:
// f may be called more than once, and only the last time counts.
func (p *prober) read(table *loadedTable, f func(entries any) error) error {
	err := table.read(f)
	for err != nil {
		next := p.fallBack(table, err)
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
func (t *loadedTable) read(f func(entries any) error) error {
	if err := f(t.entries); err != nil {
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

// count counts a position answered.
func (p *prober) count(value string) {
	if c := p.probes[value]; c != nil {
		c.Inc()
	}
}

// fallBack returns what answers now in place of a table whose reading has failed,
// and holds it; nil if there is nothing. If no other has come meanwhile, that is
// the spare one.
func (p *prober) fallBack(failed *loadedTable, cause error) *loadedTable {
	p.changing.Lock()
	defer p.changing.Unlock()
	if p.table.Load() != failed { // somebody was faster
		now := p.hold()
		if now != nil && now.entries == nil {
			now.lease.release()
			return nil
		}
		return now
	}
	var changed *changedError
	touched := errors.As(cause, &changed) && changed.touched()
	if p.faulted != nil && !touched {
		p.faulted(cause)
	}
	if p.spare == nil || failed.instead != nil {
		return nil
	}
	ready, err := p.spare()
	if err != nil {
		return nil
	}
	spare := new(*ready)
	spare.state, spare.reason = api.StateDegraded, "Reading the table failed; the embedded one answers."
	spare.instead = &failed.wire
	if touched && failed.again != nil {
		spare.reason = "The table's file was touched; the embedded table answers while it is verified again."
		spare.suspect = failed
	}
	p.table.Store(spare)
	if spare.suspect == nil {
		failed.lease.retire()
	}
	spare.lease.acquire()
	select {
	case p.fallen <- struct{}{}:
	default: // it is told already
	}
	return spare
}

// check falls back if the table that is there now is not what was verified any
// more, without waiting for somebody to ask.
func (p *prober) check() {
	now := p.hold()
	if now == nil {
		return
	}
	defer now.lease.release()
	if now.intact == nil {
		return
	}
	if err := now.intact(); err != nil {
		if next := p.fallBack(now, err); next != nil {
			next.lease.release()
		}
	}
}

// distrust falls back if the table that is there now is mapped from a file whose contents turned
// out bad when they were read again, though nothing told of a change.
func (p *prober) distrust(file stamp, found error) {
	var damaged *tablebase.DamageError
	var fault *tablebase.FaultError
	var other *digestError
	if !errors.As(found, &damaged) && !errors.As(found, &fault) && !errors.As(found, &other) {
		return
	}
	now := p.hold()
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
	if next := p.fallBack(now, found); next != nil {
		next.lease.release()
	}
}

// restored lets a table answer again that another one stood in for, if that still does.
func (p *prober) restored(standing, table *loadedTable) {
	p.changing.Lock()
	defer p.changing.Unlock()
	if p.table.Load() == standing {
		p.table.Store(table)
		standing.lease.retire()
	}
}

// degraded says whether the spare table answers.
func (p *prober) degraded() bool {
	t := p.table.Load()
	return t != nil && t.instead != nil
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

// one answers a single question.
func (p *prober) one(ctx context.Context, q api.Question) (api.Probe, error) {
	answers, err := p.Probe(ctx, []api.Question{q}, nil)
	if err != nil {
		return nil, err
	}
	return answers[0].Probe, answers[0].Err
}
