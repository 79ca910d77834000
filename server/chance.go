package main

import (
	"context"
	"math"
	"slices"

	"solved/api"
	"solved/rules"
	"solved/rules/pig"
)

// chance says what positions of Pig are worth, from chanceEntries.
type chance struct{}

// chanceEntries gives the entries of a table by index, as pig.Evaluate looks them up.
type chanceEntries interface {
	Entry(index uint64) (probability uint16, best pig.Action, err error)
}

// written is a probability as it is written: no more digits than there are in a table.
func written(p float64) float64 { return math.Round(p*1e5) / 1e5 }

// evaluated is a position with its evaluation.
func evaluated(entries any, position rules.Position) (pig.Position, pig.Evaluation, error) {
	p := position.(pig.Position)
	e, err := pig.Evaluate(p, entries.(chanceEntries).Entry)
	return p, e, err
}

// chanceSize is the bound of an answer's bytes: a roll has six outcomes, a hold one.
const chanceSize = 4096

func (chance) size(rules.Position, bool) int { return chanceSize }

func (chance) probe(_ context.Context, entries any, id api.Rules, position rules.Position, valueOnly bool) (worded, error) {
	p, e, err := evaluated(entries, position)
	if err != nil {
		return worded{}, err
	}
	answer := &api.ChanceProbe{Rules: id, Kind: string(api.KindChance), Position: p.String(),
		Terminal: p.Result() != rules.Unknown, PWin: written(e.Win), HoldAt: []api.Interval{}}
	for _, i := range e.Holds {
		answer.HoldAt = append(answer.HoldAt, api.Interval{From: i.From, To: i.To})
	}
	if valueOnly {
		return worded{answer: answer, counted: valueChance}, nil
	}
	answer.Moves = []api.ChanceMove{}
	for index, move := range slices.Collect(p.Moves()) {
		m := api.ChanceMove{Move: move, Index: index, PWin: written(e.Roll), Optimal: move == e.Best.String()}
		if move == pig.Hold.String() {
			m.PWin = written(e.Hold)
		}
		if m.Outcomes, err = outcomesOf(entries, p, move); err != nil {
			return worded{}, err
		}
		answer.Moves = append(answer.Moves, m)
	}
	// The better one first. They are never equally good, but may look so when rounded.
	slices.SortStableFunc(answer.Moves, func(a, b api.ChanceMove) int {
		switch {
		case a.Optimal == b.Optimal:
			return 0
		case a.Optimal:
			return -1
		}
		return 1
	})
	return worded{answer: answer, counted: valueChance}, nil
}

// outcomesOf is what can come of a move.
func outcomesOf(entries any, p pig.Position, move string) ([]api.ChanceOutcome, error) {
	texts := p.Outcomes(move)
	if len(texts) == 0 {
		texts = []string{move}
	}
	outcomes := make([]api.ChanceOutcome, len(texts))
	for i, text := range texts {
		next, passes, err := p.Play(text)
		if err != nil {
			return nil, err
		}
		child, e, err := evaluated(entries, next)
		if err != nil {
			return nil, err
		}
		outcomes[i] = api.ChanceOutcome{Move: text, Probability: 1 / float64(len(texts)), Child: api.ChanceChild{
			Position: positionText(child), Terminal: child.Result() != rules.Unknown, Passes: passes, PWin: written(e.Win)}}
	}
	return outcomes, nil
}

// positionText is a position's text, nil when the game is over.
func positionText(p pig.Position) *string {
	if p.Result() != rules.Unknown {
		return nil
	}
	return new(p.String())
}

// chanceLine is a line that grows.
type chanceLine struct {
	api.ChanceLine
	next, ends string
}

func (chance) begin(_ context.Context, entries any, id api.Rules, position rules.Position) (lineInProgress, error) {
	p, e, err := evaluated(entries, position)
	if err != nil {
		return nil, err
	}
	l := &chanceLine{ChanceLine: api.ChanceLine{Rules: id, Kind: string(api.KindChance), Position: p.String(), PWin: written(e.Win), Line: []api.ChanceStep{}}}
	l.at(p, e)
	return l, nil
}

// at notes what the line is at.
func (l *chanceLine) at(p pig.Position, e pig.Evaluation) {
	l.next, l.ends = "", ""
	switch {
	case p.Result() != rules.Unknown:
	case e.Best == pig.Roll:
		l.ends = api.EndChance
	default:
		l.next = e.Best.String()
	}
}

func (l *chanceLine) counted() string           { return valueChance }
func (l *chanceLine) lookUps() int              { return 0 }
func (l *chanceLine) best() (move, ends string) { return l.next, l.ends }
func (l *chanceLine) done(end string) api.Line  { l.End = end; return &l.ChanceLine }
func (l *chanceLine) add(_ context.Context, entries any, ply int, move string, position rules.Position) error {
	p, e, err := evaluated(entries, position)
	if err != nil {
		return err
	}
	l.Line = append(l.Line, api.ChanceStep{Ply: ply, Move: move, Position: positionText(p), PWin: written(e.Win)})
	l.at(p, e)
	return nil
}
