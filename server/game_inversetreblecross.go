package main

import (
	"context"
	"errors"
	"strconv"

	"solved/api"
	"solved/rules"
	"solved/rules/inversetreblecross"
)

// treblecrossGame is a ruleset of Inverse Treblecross.
type treblecrossGame struct {
	game
	rules *inversetreblecross.Rules
}

func newInverseTreblecross(r *inversetreblecross.Rules) game {
	source := api.SourceSearch
	if r.Row() == 3 && !r.Ring() {
		source = api.SourceClosedForm // of empty strips
	}
	return treblecrossGame{newGame(grundyGame(r, source, examplesOf(r.Examples()), treblecrossImpartial())), r}
}

func treblecrossImpartial() impartialRules[inversetreblecross.Position] {
	return impartialRules[inversetreblecross.Position]{
		workOut: workOutTreblecross, prepare: preparing(inversetreblecross.NewDistances), board: treblecrossBoard,
		mostKnown: 1, // a strip of which not all moves are listed has one that is known to win
	}
}

// Prove checks the certificate of the values.
func (g treblecrossGame) Prove(ctx context.Context, p rules.Proof) error {
	return g.rules.Prove(ctx, p)
}

// workOutTreblecross works out a position of Inverse Treblecross.
func workOutTreblecross(ctx context.Context, p inversetreblecross.Position, valueOnly bool, distance func(inversetreblecross.Position) *int) (impartial, error) {
	worked := impartial{distance: distance(p), complete: !valueOnly}
	if valueOnly {
		answer, err := p.Grundy(ctx, inversetreblecross.DefaultBudget)
		worked.worth, worked.source, worked.lookUps = ofGrundy(uint64(answer.Grundy)), answer.Source.String(), answer.LookUps
		return worked, tooHard(err)
	}
	answer, err := p.Answer(ctx, inversetreblecross.DefaultBudget)
	if err != nil {
		return impartial{}, tooHard(err)
	}
	worked.lookUps = answer.LookUps
	worked.worth, worked.source, worked.complete = ofGrundy(uint64(answer.Grundy)), answer.Source.String(), answer.Complete
	worked.moves = make([]impartialMove, 0, len(answer.Moves))
	for _, m := range answer.Moves {
		child, _ := p.Mark(m.Cell) // it is among the legal ones
		worked.moves = append(worked.moves,
			impartialMove{strconv.FormatUint(m.Cell, 10), child.String(), child.Over(), ofGrundy(uint64(m.Grundy)), distance(child)})
	}
	return worked, nil
}

// treblecrossBoard is the strip or the ring of a position, if an answer shows so many cells.
func treblecrossBoard(p inversetreblecross.Position) *api.Board {
	if p.Length() > api.MaxBoard {
		return nil
	}
	mark := "X"
	squares := make([]*string, p.Length())
	for i, marked := range p.Marked() {
		if marked {
			squares[i] = &mark
		}
	}
	shape := api.ShapeStrip
	if p.Ring() {
		shape = api.ShapeRing
	}
	return &api.Board{Shape: shape, Files: len(squares), Ranks: 1, Squares: squares}
}

// tooHard is an error of package treblecross in the words of package rules.
func tooHard(err error) error {
	if hard := (*inversetreblecross.TooHardError)(nil); errors.As(err, &hard) {
		return &rules.BeyondBoundError{Position: hard.Position, Detail: hard.Reason(), LookUps: hard.LookUps}
	}
	return err
}
