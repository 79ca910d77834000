package main

import (
	"context"
	"slices"

	"solved/api"
	"solved/rules"
	"solved/rules/nim"
)

// nimGame is a ruleset of Nim.
type nimGame struct {
	game
	rules *nim.Rules
}

func newNim(r *nim.Rules) game {
	return nimGame{newGame(grundyGame(r, api.SourceClosedForm, examplesOf(nim.Examples()), nimImpartial())), r}
}

func nimImpartial() impartialRules[nim.Position] {
	return impartialRules[nim.Position]{
		workOut: workOutNim, prepare: preparing(nim.Solve), mostKnown: nim.MaxHeaps, // at most one move of each heap wins
	}
}

// Prove checks the certificate of the values.
func (g nimGame) Prove(ctx context.Context, p rules.Proof) error { return g.rules.Prove(ctx, p) }

// workOutNim works out a position of Nim. Nothing is ever too much, but for distances.
func workOutNim(_ context.Context, p nim.Position, valueOnly bool, distance func(nim.Position) *int) (impartial, error) {
	worked := impartial{worth: ofGrundy(p.Grundy()), source: api.SourceClosedForm, distance: distance(p)}
	if valueOnly {
		return worked, nil
	}
	moves := p.WinningMoves()
	if worked.complete = p.NumMoves() <= rules.MaxLegal; worked.complete {
		moves = slices.Collect(p.Legal())
	}
	worked.moves = make([]impartialMove, 0, len(moves))
	for _, m := range moves {
		child := p.After(m)
		worked.moves = append(worked.moves,
			impartialMove{m.String(), child.String(), child.Result() != rules.Unknown, ofGrundy(child.Grundy()), distance(child)})
	}
	return worked, nil
}
