package game

import (
	"context"
	"sync/atomic"

	"solved/api"
	"solved/server/tables"
)

// Prober answers the contract's questions about one ruleset from the table in its slot. Code
// that works with any game uses it.
type Prober interface {
	api.Prober
	Game() Game
	// ID is the name and the tag of the ruleset.
	ID() api.Rules
	// Slot holds the table.
	Slot() *tables.Slot
	// CountBy sets the counters of the positions answered, by value. It is called before
	// the first question.
	CountBy(map[string]ValueCounter)
}

// ValueCounter counts answers of one value.
type ValueCounter interface{ Inc() }

// ProbeOne answers a single question.
func ProbeOne(ctx context.Context, p api.Prober, q api.Question) (api.Probe, error) {
	answers, err := p.Probe(ctx, []api.Question{q}, nil)
	if err != nil {
		return nil, err
	}
	return answers[0].Probe, answers[0].Err
}

// Reader is the prober of a game whose evaluator reads tables of type T.
type Reader[T any] struct {
	of        Game
	Rules     api.Rules
	described api.Ruleset // without the table
	evaluator Evaluator[T]
	bind      func(tables.Contents) (T, error)
	tables    *tables.Slot
	// last is the table that was bound last.
	last     atomic.Pointer[boundTable[T]]
	counters map[string]ValueCounter
}

// boundTable is a loaded table with its contents as the evaluator reads them.
type boundTable[T any] struct {
	loaded *tables.Loaded
	table  T
}

// Evaluator answers questions about a ruleset from a table of type T. It is immutable.
type Evaluator[T any] interface {
	// Canonical is api.Prober's Canonical.
	Canonical(q api.Question) (api.Canonical, error)
	// Probe is api.Prober's Probe, from the table of the reader. It counts the answers.
	Probe(ctx context.Context, from *Reader[T], questions []api.Question, work *api.Work) ([]api.Answer, error)
	// Line is api.Prober's Line, from the table of the reader. It counts the positions.
	Line(ctx context.Context, from *Reader[T], q api.Question, maxPlies int, work *api.Work) (api.Line, error)
}

func (r *Reader[T]) Game() Game                        { return r.of }
func (r *Reader[T]) ID() api.Rules                     { return r.Rules }
func (r *Reader[T]) Slot() *tables.Slot                { return r.tables }
func (r *Reader[T]) CountBy(c map[string]ValueCounter) { r.counters = c }

// Ruleset describes the ruleset and its table.
func (r *Reader[T]) Ruleset() api.Ruleset {
	d := r.described
	if t := r.tables.Table.Load(); t != nil {
		d.Table = &t.Wire
	}
	return d
}

// Examples names a few positions.
func (r *Reader[T]) Examples() []api.Example { return r.of.Examples() }

// Canonical names the position that a question is about.
func (r *Reader[T]) Canonical(q api.Question) (api.Canonical, error) { return r.evaluator.Canonical(q) }

// Probe answers questions.
func (r *Reader[T]) Probe(ctx context.Context, questions []api.Question, work *api.Work) ([]api.Answer, error) {
	return r.evaluator.Probe(ctx, r, questions, work)
}

// Line answers with a line of optimal play.
func (r *Reader[T]) Line(ctx context.Context, q api.Question, maxPlies int, work *api.Work) (api.Line, error) {
	return r.evaluator.Line(ctx, r, q, maxPlies, work)
}

// Ready returns the current table and holds it. The caller releases it.
func (r *Reader[T]) Ready() (*tables.Loaded, error) { return r.tables.Ready() }

// Read calls f with a held table. It may call f again with another table, and then only the last call
// counts. An error of f is an error of the table. If no other table can answer, Read returns
// api.ErrUnavailable.
func (r *Reader[T]) Read(table *tables.Loaded, f func(T) error) error {
	return r.tables.Read(table, func(l *tables.Loaded) error {
		b := r.last.Load()
		if b == nil || b.loaded != l {
			t, err := r.bind(l.Contents)
			if err != nil {
				return err
			}
			b = &boundTable[T]{l, t}
			r.last.Store(b)
		}
		return f(b.table)
	})
}

// Count counts a position answered.
func (r *Reader[T]) Count(value string) {
	if c := r.counters[value]; c != nil {
		c.Inc()
	}
}
