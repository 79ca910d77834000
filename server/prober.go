package main

import (
	"context"
	"sync/atomic"

	"solved/api"
)

// prober answers the contract's questions about one ruleset from the table in its slot. Code
// that works with any game uses it.
type prober interface {
	api.Prober
	game() game
	// id is the name and the tag of the ruleset.
	id() api.Rules
	// slot holds the table.
	slot() *slot
	// countBy sets the counters of the positions answered, by value. It is called before
	// the first question.
	countBy(map[string]valueCounter)
}

// valueCounter counts answers of one value.
type valueCounter interface{ Inc() }

// probeOne answers a single question.
func probeOne(ctx context.Context, p api.Prober, q api.Question) (api.Probe, error) {
	answers, err := p.Probe(ctx, []api.Question{q}, nil)
	if err != nil {
		return nil, err
	}
	return answers[0].Probe, answers[0].Err
}

// reader is a prober as its evaluator sees it: the table of type T, and the counters.
type reader[T any] struct {
	of        game
	rules     api.Rules
	described api.Ruleset // without the table
	evaluator evaluator[T]
	bind      func(contents) (T, error)
	tables    *slot
	// last is the table that was bound last.
	last     atomic.Pointer[boundTable[T]]
	counters map[string]valueCounter
}

// boundTable is a loaded table with its contents as the evaluator reads them.
type boundTable[T any] struct {
	loaded *loadedTable
	table  T
}

// evaluator answers questions about a ruleset from a table of type T. It is immutable.
type evaluator[T any] interface {
	// canonical is api.Prober's Canonical.
	canonical(q api.Question) (api.Canonical, error)
	// probe is api.Prober's Probe, from the table of the reader. It counts the answers.
	probe(ctx context.Context, from *reader[T], questions []api.Question, work *api.Work) ([]api.Answer, error)
	// line is api.Prober's Line, from the table of the reader. It counts the positions.
	line(ctx context.Context, from *reader[T], q api.Question, maxPlies int, work *api.Work) (api.Line, error)
}

func (r *reader[T]) game() game                        { return r.of }
func (r *reader[T]) id() api.Rules                     { return r.rules }
func (r *reader[T]) slot() *slot                       { return r.tables }
func (r *reader[T]) countBy(c map[string]valueCounter) { r.counters = c }

// Ruleset describes the ruleset and its table.
func (r *reader[T]) Ruleset() api.Ruleset {
	d := r.described
	if t := r.tables.table.Load(); t != nil {
		d.Table = &t.wire
	}
	return d
}

// Examples names a few positions.
func (r *reader[T]) Examples() []api.Example { return r.of.examples() }

// Canonical names the position that a question is about.
func (r *reader[T]) Canonical(q api.Question) (api.Canonical, error) { return r.evaluator.canonical(q) }

// Probe answers questions.
func (r *reader[T]) Probe(ctx context.Context, questions []api.Question, work *api.Work) ([]api.Answer, error) {
	return r.evaluator.probe(ctx, r, questions, work)
}

// Line answers with a line of optimal play.
func (r *reader[T]) Line(ctx context.Context, q api.Question, maxPlies int, work *api.Work) (api.Line, error) {
	return r.evaluator.line(ctx, r, q, maxPlies, work)
}

// ready returns the table to answer from and holds it: the caller has to release it.
func (r *reader[T]) ready() (*loadedTable, error) { return r.tables.ready() }

// read lets f read a table that is held. f may be called again with another table, and then only
// the last call counts. An error of f is one of the table; read returns api.ErrUnavailable for it
// when no other table can answer.
func (r *reader[T]) read(table *loadedTable, f func(T) error) error {
	return r.tables.read(table, func(l *loadedTable) error {
		b := r.last.Load()
		if b == nil || b.loaded != l {
			t, err := r.bind(l.contents)
			if err != nil {
				return err
			}
			b = &boundTable[T]{l, t}
			r.last.Store(b)
		}
		return f(b.table)
	})
}

// count counts a position answered.
func (r *reader[T]) count(value string) {
	if c := r.counters[value]; c != nil {
		c.Inc()
	}
}
