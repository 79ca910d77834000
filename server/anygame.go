package main

import (
	"context"
	"errors"

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
// errors a *rules.BeyondBoundError is about the position, and any other about the table.
type wording interface {
	// probe says what a position is worth, with its moves unless valueOnly, and as which
	// of countedValues that counts.
	probe(entries any, id api.Rules, p rules.Position, valueOnly bool) (answer api.Probe, counted string, err error)
	// begin says what the first position of a line is worth.
	begin(entries any, id api.Rules, p rules.Position) (lineInProgress, error)
}

// lineInProgress is a line as it grows. It is at the position after its last move.
type lineInProgress interface {
	// counted is the value of the position that the line is at.
	counted() string
	// best is the move that a line of optimal play goes on with, empty at the end of the
	// game; ends, if not empty, says why there is no going on all the same.
	best() (move, ends string)
	// add goes on to the position after a move.
	add(entries any, ply int, move string, p rules.Position) error
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
	p, _, err = rules.PlayList(p, q.Moves)
	return p, err
}

func (g anyGame) canonical(q api.Question) (api.Canonical, error) {
	p, err := g.parse(q)
	if err != nil {
		return api.Canonical{}, err
	}
	return api.Canonical{Position: p.String()}, nil
}

func (g anyGame) probe(ctx context.Context, p *prober, questions []api.Question) ([]api.Answer, error) {
	answers := make([]api.Answer, len(questions))
	positions, good := make([]rules.Position, len(questions)), 0
	for i, q := range questions {
		if positions[i], answers[i].Err = g.parse(q); answers[i].Err == nil {
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
		var counted string
		err := p.read(table, beyond(&answers[i].Err, func(entries any) (err error) {
			answers[i].Probe, counted, err = g.words.probe(entries, p.id, positions[i], q.ValueOnly)
			return err
		}))
		switch {
		case err != nil:
			return nil, err
		case answers[i].Err != nil:
			answers[i].Probe = nil
		default:
			p.count(counted)
		}
	}
	return answers, nil
}

// beyond makes of a function that reads a table one that does not return errors about
// the position, but notes them.
func beyond(note *error, read func(entries any) error) func(entries any) error {
	return func(entries any) error {
		*note = nil
		err := read(entries)
		var bound *rules.BeyondBoundError
		if errors.As(err, &bound) {
			*note = err
			return nil
		}
		return err
	}
}

func (g anyGame) line(ctx context.Context, p *prober, q api.Question, maxPlies int) (api.Line, error) {
	position, err := g.parse(q)
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
	if err := p.read(table, beyond(&tooMuch, func(entries any) (err error) {
		line, err = g.words.begin(entries, p.id, position)
		return err
	})); err != nil || tooMuch != nil {
		return nil, errors.Join(err, tooMuch)
	}
	for ply := 1; ; ply++ {
		p.count(line.counted())
		move, ends := line.best()
		switch {
		case ends != "":
			return line.done(ends), nil
		case move == "":
			return line.done(api.EndTerminal), nil
		case ply > maxPlies:
			return line.done(api.EndLimit), nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if position, _, err = position.Play(move); err != nil {
			return nil, err // of ours: it was among the legal ones
		}
		if err := p.read(table, beyond(&tooMuch, func(entries any) error {
			return line.add(entries, ply, move, position)
		})); err != nil || tooMuch != nil {
			return nil, errors.Join(err, tooMuch)
		}
	}
}
