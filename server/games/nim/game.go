package nim

import (
	"context"
	"slices"

	"solved/api"
	"solved/rules"
	"solved/rules/nim"
	"solved/server/game"
	"solved/server/game/impartial"
)

// nimGame is a ruleset of Nim.
type nimGame struct {
	game.Game
	rules *nim.Rules
}

// New returns the game of a ruleset.
func New(r *nim.Rules) game.Game {
	return nimGame{game.New(impartial.Definition(r, api.SourceClosedForm, game.ExamplesOf(nim.Examples()), NimImpartial())), r}
}

// NimImpartial returns what the encoder of impartial games needs of Nim.
func NimImpartial() impartial.Rules[nim.Position] {
	return impartial.Rules[nim.Position]{
		WorkOut: workOutNim, Prepare: impartial.Preparing(nim.Solve), MostKnown: nim.MaxHeaps, // at most one move of each heap wins
	}
}

// Prove checks the certificate of the values.
func (g nimGame) Prove(ctx context.Context, p rules.Proof) error { return g.rules.Prove(ctx, p) }

// workOutNim works out a position of Nim. Nothing is ever too much, but for distances.
func workOutNim(_ context.Context, p nim.Position, valueOnly bool, distance func(nim.Position) *int) (impartial.Worked, error) {
	worked := impartial.Worked{Worth: impartial.OfGrundy(p.Grundy()), Source: api.SourceClosedForm, Distance: distance(p)}
	if valueOnly {
		return worked, nil
	}
	moves := p.WinningMoves()
	if worked.Complete = p.NumMoves() <= rules.MaxLegal; worked.Complete {
		moves = slices.Collect(p.Legal())
	}
	worked.Moves = make([]impartial.Move, 0, len(moves))
	for _, m := range moves {
		child := p.After(m)
		worked.Moves = append(worked.Moves,
			impartial.Move{Text: m.String(), Child: child.String(), Terminal: child.Result() != rules.Unknown, Worth: impartial.OfGrundy(child.Grundy()), Distance: distance(child)})
	}
	return worked, nil
}
