package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"solved/api"
	"solved/rules"
)

// anyGame answers about a game through the interface that every game satisfies. What
// its positions are worth, words says.
type anyGame struct {
	game  rules.Game
	words wording
}

// wording puts positions of one kind of value into the contract's words. Both methods
// may be called again with another table, should a read of the first fail. Of their
// errors a *rules.BeyondBoundError is about the position, the context's about the request,
// and any other about the table. A search ends soon after the context does.
type wording interface {
	// probe says what a position is worth, with its moves unless valueOnly.
	probe(ctx context.Context, entries any, id api.Rules, p rules.Position, valueOnly bool) (worded, error)
	// size returns a bound of the bytes of JSON that probe's answer takes, from the position
	// alone, before anything is worked out. What the answer holds in memory is of that order.
	size(p rules.Position, valueOnly bool) int
	// begin says what the first position of a line is worth.
	begin(ctx context.Context, entries any, id api.Rules, p rules.Position) (lineInProgress, error)
}

// worded is an answer about a position.
type worded struct {
	answer  api.Probe
	counted string // the value, as which of countedValues the answer counts
	// lookUps is the number of look-ups that a search spent on the answer; 0 where none
	// was needed. A refused search says its own in *rules.BeyondBoundError.
	lookUps int
}

// lineInProgress is a line as it grows. It is at the position after its last move.
type lineInProgress interface {
	// counted is the value of the position that the line is at.
	counted() string
	// best is the move that a line of optimal play goes on with, empty at the end of the
	// game; ends, if not empty, says why there is no going on all the same.
	best() (move, ends string)
	// add goes on to the position after a move.
	add(ctx context.Context, entries any, ply int, move string, p rules.Position) error
	// lookUps is the number of look-ups that searches have spent on the line so far.
	lookUps() int
	// done ends the line and returns it.
	done(end string) api.Line
}

// parse understands a question.
func (g anyGame) parse(q api.Question) (p rules.Position, err error) {
	p = g.game.Start()
	if q.Position != nil {
		if p, err = g.game.Parse(*q.Position); err != nil {
			return nil, err
		}
	}
	p, _, err = rules.PlayMoves(p, q.Moves)
	return p, err
}

func (g anyGame) canonical(q api.Question) (api.Canonical, error) {
	p, err := g.parse(q)
	if err != nil {
		return api.Canonical{}, err
	}
	return api.Canonical{Position: p.String()}, nil
}

func (g anyGame) probe(ctx context.Context, p *prober, questions []api.Question, work *api.Work) ([]api.Answer, error) {
	answers := make([]api.Answer, len(questions))
	positions, good := make([]rules.Position, len(questions)), 0
	for i, q := range questions {
		if positions[i], answers[i].Err = g.understand(q, work); answers[i].Err == nil {
			good++
		}
	}
	if good == 0 {
		return answers, nil
	}
	table, err := p.ready()
	if err != nil {
		return nil, err
	}
	defer table.lease.release()
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
		var said worded
		err := p.read(table, besides(ctx, &answers[i].Err, func(entries any) (err error) {
			said, err = g.words.probe(ctx, entries, p.id, positions[i], q.ValueOnly)
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
			work.Add(said.lookUps)
			answers[i].Probe = said.answer
			p.count(said.counted)
		}
	}
	return answers, nil
}

// understand is parse, and adds what it takes to work.
func (g anyGame) understand(q api.Question, work *api.Work) (rules.Position, error) {
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
func (g anyGame) tooLong(p rules.Position, valueOnly bool) error {
	if size := g.words.size(p, valueOnly); size > longestAnswer {
		return &rules.BeyondBoundError{Position: p.String(),
			Detail: fmt.Sprintf("its moves, with the positions after them, may take %d bytes, and at most %d are written", size, longestAnswer)}
	}
	return nil
}

// spentOn returns the look-ups that were spent on what was refused in the end.
func spentOn(err error) int {
	var bound *rules.BeyondBoundError
	if errors.As(err, &bound) {
		return bound.LookUps
	}
	return 0
}

// besides makes of a function that reads a table one that returns the errors about the
// table alone. Those about the position and that of the request's context it notes.
func besides(ctx context.Context, note *error, read func(entries any) error) func(entries any) error {
	return func(entries any) error {
		*note = nil
		err := read(entries)
		var bound *rules.BeyondBoundError
		if errors.As(err, &bound) || err != nil && err == ctx.Err() {
			*note = err
			return nil
		}
		return err
	}
}

func (g anyGame) line(ctx context.Context, p *prober, q api.Question, maxPlies int, work *api.Work) (api.Line, error) {
	position, err := g.understand(q, work)
	if err == nil {
		err = g.tooLong(position, false)
	}
	if err != nil {
		return nil, err
	}
	table, err := p.ready()
	if err != nil {
		return nil, err
	}
	defer table.lease.release()
	var line lineInProgress
	var tooMuch error
	if err := p.read(table, besides(ctx, &tooMuch, func(entries any) (err error) {
		line, err = g.words.begin(ctx, entries, p.id, position)
		return err
	})); err != nil || tooMuch != nil {
		work.Add(spentOn(tooMuch))
		return nil, errors.Join(err, tooMuch)
	}
	size, counted := 0, 0 // of what there is of the line, and its look-ups that are in work
	for ply := 1; ; ply++ {
		p.count(line.counted())
		work.Add(line.lookUps() - counted)
		counted = line.lookUps()
		move, ends := line.best()
		switch {
		case ends != "":
			return line.done(ends), nil
		case move == "":
			return line.done(api.EndTerminal), nil
		case ply > maxPlies:
			return line.done(api.EndLimit), nil
		case work.Spent() || size > longestLine:
			return line.done(api.EndBound), nil
		}
		if err := work.Pause(ctx); err != nil {
			return nil, err
		}
		size += stepSize + len(position.String())
		if position, _, err = position.Play(move); err != nil {
			return nil, err // of ours: it was among the legal ones
		}
		if err := p.read(table, besides(ctx, &tooMuch, func(entries any) error {
			return line.add(ctx, entries, ply, move, position)
		})); err != nil || tooMuch != nil {
			return nil, errors.Join(err, tooMuch)
		}
	}
}
