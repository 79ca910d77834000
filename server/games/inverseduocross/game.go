package inverseduocross

import (
	"context"
	"strconv"

	"solved/api"
	"solved/rules"
	"solved/rules/inverseduocross"
	"solved/server/game"
	"solved/server/game/impartial"
)

// duocrossGame is Inverse Duocross.
type duocrossGame struct {
	game.Game
	rules inverseduocross.Rules
}

// New returns the game of a ruleset.
func New(r inverseduocross.Rules) game.Game {
	return duocrossGame{game.New(impartial.Definition(r, api.SourceClosedForm, game.ExamplesOf(inverseduocross.Examples()), encoding())), r}
}

func encoding() impartial.Rules[inverseduocross.Position] {
	return impartial.Rules[inverseduocross.Position]{
		WorkOut: workOut, Prepare: impartial.Preparing(inverseduocross.NewDistances),
		Board: impartial.StripBoard[inverseduocross.Position], MostKnown: inverseduocross.MaxWinning,
	}
}

// Prove checks the certificate of the values.
func (g duocrossGame) Prove(ctx context.Context, p rules.Proof) error { return g.rules.Prove(ctx, p) }

// workOut works out a position. Nothing is ever too much, but for distances.
func workOut(_ context.Context, p inverseduocross.Position, valueOnly bool, distance func(inverseduocross.Position) *int) (impartial.Worked, error) {
	worked := impartial.Worked{Worth: impartial.OfGrundy(uint64(p.Grundy())), Source: api.SourceClosedForm, Distance: distance(p)}
	if valueOnly {
		return worked, nil
	}
	answer := p.Answer()
	worked.Complete = answer.Complete
	worked.Moves = make([]impartial.Move, 0, len(answer.Moves))
	for _, m := range answer.Moves {
		child, _ := p.Mark(m.Cell) // it is among the legal ones
		worked.Moves = append(worked.Moves, impartial.Move{Text: strconv.FormatUint(m.Cell, 10), Child: child.String(), Terminal: child.Over(),
			Worth: impartial.OfGrundy(uint64(m.Grundy)), Distance: distance(child)})
	}
	return worked, nil
}
