package inversetreblecross

import (
	"context"
	"errors"
	"strconv"

	"solved/api"
	"solved/rules"
	"solved/rules/inversetreblecross"
	"solved/server/game"
	"solved/server/game/impartial"
)

// treblecrossGame is a ruleset of Inverse Treblecross.
type treblecrossGame struct {
	game.Game
	rules *inversetreblecross.Rules
}

// New returns the game of a ruleset.
func New(r *inversetreblecross.Rules) game.Game {
	source := api.SourceSearch
	if r.Row() == 3 && !r.Ring() {
		source = api.SourceClosedForm // of empty strips
	}
	return treblecrossGame{game.New(impartial.Definition(r, source, game.ExamplesOf(r.Examples()), TreblecrossImpartial())), r}
}

// TreblecrossImpartial returns what the encoder of impartial games needs of Inverse Treblecross.
func TreblecrossImpartial() impartial.Rules[inversetreblecross.Position] {
	return impartial.Rules[inversetreblecross.Position]{
		WorkOut: workOutTreblecross, Prepare: impartial.Preparing(inversetreblecross.NewDistances), Board: TreblecrossBoard,
		MostKnown: 1, // a strip of which not all moves are listed has one that is known to win
	}
}

// Prove checks the certificate of the values.
func (g treblecrossGame) Prove(ctx context.Context, p rules.Proof) error {
	return g.rules.Prove(ctx, p)
}

// workOutTreblecross works out a position of Inverse Treblecross.
func workOutTreblecross(ctx context.Context, p inversetreblecross.Position, valueOnly bool, distance func(inversetreblecross.Position) *int) (impartial.Worked, error) {
	worked := impartial.Worked{Distance: distance(p), Complete: !valueOnly}
	if valueOnly {
		answer, err := p.Grundy(ctx, inversetreblecross.DefaultBudget)
		worked.Worth, worked.Source, worked.LookUps = impartial.OfGrundy(uint64(answer.Grundy)), answer.Source.String(), answer.LookUps
		return worked, tooHard(err)
	}
	answer, err := p.Answer(ctx, inversetreblecross.DefaultBudget)
	if err != nil {
		return impartial.Worked{}, tooHard(err)
	}
	worked.LookUps = answer.LookUps
	worked.Worth, worked.Source, worked.Complete = impartial.OfGrundy(uint64(answer.Grundy)), answer.Source.String(), answer.Complete
	worked.Moves = make([]impartial.Move, 0, len(answer.Moves))
	for _, m := range answer.Moves {
		child, _ := p.Mark(m.Cell) // it is among the legal ones
		worked.Moves = append(worked.Moves,
			impartial.Move{Text: strconv.FormatUint(m.Cell, 10), Child: child.String(), Terminal: child.Over(), Worth: impartial.OfGrundy(uint64(m.Grundy)), Distance: distance(child)})
	}
	return worked, nil
}

// TreblecrossBoard is the strip or the ring of a position, if an answer shows so many cells.
func TreblecrossBoard(p inversetreblecross.Position) *api.Board {
	board := impartial.StripBoard(p)
	if board != nil && p.Ring() {
		board.Shape = api.ShapeRing
	}
	return board
}

// tooHard is an error of package treblecross in the words of package rules.
func tooHard(err error) error {
	if hard := (*inversetreblecross.TooHardError)(nil); errors.As(err, &hard) {
		return &rules.BeyondBoundError{Position: hard.Position, Detail: hard.Reason(), LookUps: hard.LookUps}
	}
	return err
}
