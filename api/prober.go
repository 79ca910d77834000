package api

import (
	"context"
	"errors"
)

// Prober answers for one ruleset. Implementations are safe for concurrent use.
type Prober interface {
	// Ruleset describes the ruleset and its table as they are now. Name, tag and
	// kind never change, and nobody writes to what Table points to.
	Ruleset() Ruleset
	// Canonical reads a question without asking the table. Its errors are the
	// four of package rules. The answer of Probe and of Line has the Position
	// and the Normalised that it returns.
	Canonical(q Question) (Canonical, error)
	// Probe answers questions, each with the position's value and all its moves;
	// the answers are as many, in the same order. What is wrong with a question
	// is in its answer: the four errors of package rules. Whatever fails them all
	// is returned instead: ErrNoTable, ErrUnavailable, the context's error, or
	// anything else, which counts as our own fault. What is searched for it adds to
	// the work, which may be nil.
	Probe(ctx context.Context, questions []Question, work *Work) ([]Answer, error)
	// Line answers with a line of optimal play of at most maxPlies moves. It pauses
	// between them, and ends the line as EndBound when the work is spent. Its errors
	// are those of Probe, of an answer, and of Work.Pause.
	Line(ctx context.Context, q Question, maxPlies int, work *Work) (Line, error)
	// Examples names a few positions worth a look.
	Examples() []Example
}

// Answer is a probe, or the error that is the question's own.
type Answer struct {
	Probe Probe
	Err   error
}

var (
	// ErrNoTable says that no table is configured for the ruleset.
	ErrNoTable = errors.New("no table is configured for this ruleset")
	// ErrUnavailable says that the table cannot be asked now: it is not
	// verified yet, or a read of it failed.
	ErrUnavailable = errors.New("the table is not available now")
)
