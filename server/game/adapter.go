package game

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"solved/api"
	"solved/rules"
)

// Encoder makes the contract's answers about positions of type P from a table of type T. If reading a
// table fails, Probe and Begin are called again with another one. A *rules.BeyondBoundError is about
// the position, the context's error about the request, and any other error about the table. A search
// ends soon after the context does.
type Encoder[P rules.Position, T any] interface {
	// Probe gives a position's value, with its moves unless valueOnly.
	Probe(ctx context.Context, table T, id api.Rules, p P, valueOnly bool) (Encoded, error)
	// Size bounds the bytes of JSON of Probe's answer, from the position alone. The answer's
	// memory is of the same order.
	Size(p P, valueOnly bool) int
	// Begin starts a line at a position.
	Begin(ctx context.Context, table T, id api.Rules, p P) (Line[P, T], error)
}

// Encoded is an answer about a position.
type Encoded struct {
	Answer api.Probe
	// Counted is the value by which the answer is counted: one of the game's values.
	Counted string
	// LookUps is the number of look-ups that a search spent on the answer, 0 without a search.
	// The error of a refused search carries its own number.
	LookUps int
}

// Line is a line of play that grows. It is at the position after its last move.
type Line[P rules.Position, T any] interface {
	// Counted is the value of the current position.
	Counted() string
	// Best is the move with which optimal play goes on, empty at the end of the game. If
	// ends is not empty, the line ends here for that reason, although the game goes on.
	Best() (move, ends string)
	// Add goes on to the position after a move.
	Add(ctx context.Context, table T, ply int, move string, p P) error
	// LookUps is the number of look-ups that searches have spent on the line so far.
	LookUps() int
	// Done ends the line and returns it.
	Done(end string) api.Line
}

// adapter answers the contract's questions about a game with positions of type P. It parses,
// plays and bounds them; its encoder gives the answers.
type adapter[P rules.Position, T any] struct {
	game    rules.Game
	encoder Encoder[P, T]
}

// NewEvaluator returns an evaluator of a game whose positions are all of type P.
func NewEvaluator[P rules.Position, T any](g rules.Game, e Encoder[P, T]) Evaluator[T] {
	return adapter[P, T]{g, e}
}

// parse reads a question.
func (g adapter[P, T]) parse(q api.Question) (none P, err error) {
	p := g.game.Start()
	if q.Position != nil {
		if p, err = g.game.Parse(*q.Position); err != nil {
			return none, err
		}
	}
	if p, _, err = rules.PlayMoves(p, q.Moves); err != nil {
		return none, err
	}
	return p.(P), nil // all positions of the game have this type: see NewEvaluator
}

func (g adapter[P, T]) Canonical(q api.Question) (api.Canonical, error) {
	p, err := g.parse(q)
	if err != nil {
		return api.Canonical{}, err
	}
	return api.Canonical{Position: p.String()}, nil
}

func (g adapter[P, T]) Probe(ctx context.Context, from *Reader[T], questions []api.Question, work *api.Work) ([]api.Answer, error) {
	answers := make([]api.Answer, len(questions))
	positions, good := make([]P, len(questions)), 0
	for i, q := range questions {
		if positions[i], answers[i].Err = g.understand(q, work); answers[i].Err == nil {
			good++
		}
	}
	if good == 0 {
		return answers, nil
	}
	held, err := from.Ready()
	if err != nil {
		return nil, err
	}
	defer held.Lease.Release()
	for i, q := range questions {
		if answers[i].Err != nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if answers[i].Err = g.tooLong(positions[i], q.ValueOnly); answers[i].Err != nil {
			continue
		}
		var said Encoded
		err := from.Read(held, besides(ctx, &answers[i].Err, func(table T) (err error) {
			said, err = g.encoder.Probe(ctx, table, from.Rules, positions[i], q.ValueOnly)
			return err
		}))
		switch {
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case answers[i].Err != nil:
			work.Add(spentOn(answers[i].Err))
		default:
			work.Add(said.LookUps)
			answers[i].Probe = said.Answer
			from.Count(said.Counted)
		}
	}
	return answers, nil
}

// understand parses a question, and adds the cost of parsing to work.
func (g adapter[P, T]) understand(q api.Question, work *api.Work) (P, error) {
	if q.Position != nil && q.Moves != "" {
		// Each move copies the position, at some bytes in the time of a look-up.
		work.Add((strings.Count(q.Moves, ",") + 1) * len(*q.Position) / bytesPerLookUp)
	}
	return g.parse(q)
}

const (
	// longestAnswer is a bound of the JSON of an answer, in bytes, with which it is worked
	// out in memory that is there for one; longestLine is that of a line, and stepSize
	// that of one of its steps beside the text of the position.
	longestAnswer = 2 << 20
	longestLine   = 1 << 20
	stepSize      = 160
	// bytesPerLookUp is how many bytes are copied in the time of a look-up.
	bytesPerLookUp = 256
)

// tooLong refuses a position whose answer would have too many bytes.
func (g adapter[P, T]) tooLong(p P, valueOnly bool) error {
	if size := g.encoder.Size(p, valueOnly); size > longestAnswer {
		return &rules.BeyondBoundError{Position: p.String(),
			Detail: fmt.Sprintf("its moves, with the positions after them, may take %d bytes, and at most %d are written", size, longestAnswer)}
	}
	return nil
}

// spentOn returns the look-ups of a search that was refused in the end.
func spentOn(err error) int {
	var bound *rules.BeyondBoundError
	if errors.As(err, &bound) {
		return bound.LookUps
	}
	return 0
}

// besides wraps a function that reads a table. The wrapper returns only errors about the table. It
// stores errors about the position, and that of the request's context, in note.
func besides[T any](ctx context.Context, note *error, read func(table T) error) func(table T) error {
	return func(table T) error {
		*note = nil
		err := read(table)
		var bound *rules.BeyondBoundError
		if errors.As(err, &bound) || err != nil && err == ctx.Err() {
			*note = err
			return nil
		}
		return err
	}
}

func (g adapter[P, T]) Line(ctx context.Context, from *Reader[T], q api.Question, maxPlies int, work *api.Work) (api.Line, error) {
	position, err := g.understand(q, work)
	if err == nil {
		err = g.tooLong(position, false)
	}
	if err != nil {
		return nil, err
	}
	held, err := from.Ready()
	if err != nil {
		return nil, err
	}
	defer held.Lease.Release()
	var line Line[P, T]
	var tooMuch error
	if err := from.Read(held, besides(ctx, &tooMuch, func(table T) (err error) {
		line, err = g.encoder.Begin(ctx, table, from.Rules, position)
		return err
	})); err != nil || tooMuch != nil {
		work.Add(spentOn(tooMuch))
		return nil, errors.Join(err, tooMuch)
	}
	size, counted := 0, 0 // bytes of the line so far, and its look-ups that work contains already
	for ply := 1; ; ply++ {
		from.Count(line.Counted())
		work.Add(line.LookUps() - counted)
		counted = line.LookUps()
		move, ends := line.Best()
		switch {
		case ends != "":
			return line.Done(ends), nil
		case move == "":
			return line.Done(api.EndTerminal), nil
		case ply > maxPlies:
			return line.Done(api.EndLimit), nil
		case work.Spent() || size > longestLine:
			return line.Done(api.EndBound), nil
		}
		if err := work.Pause(ctx); err != nil {
			return nil, err
		}
		size += stepSize + len(position.String())
		next, _, err := position.Play(move)
		if err != nil {
			return nil, err // a fault of the server: the move was among the legal ones
		}
		position = next.(P)
		if g.tooLong(position, false) != nil {
			return line.Done(api.EndBound), nil
		}
		if err := from.Read(held, besides(ctx, &tooMuch, func(table T) error {
			return line.Add(ctx, table, ply, move, position)
		})); err != nil || tooMuch != nil {
			return nil, errors.Join(err, tooMuch)
		}
	}
}
