package treblecross

import (
	"context"
	"strconv"

	"solved/api"
	"solved/rules"
	"solved/rules/treblecross"
	"solved/server/game"
	"solved/server/game/impartial"
)

// treblecrossGame is Treblecross.
type treblecrossGame struct {
	game.Game
	rules *treblecross.Rules
}

// New returns the game of a ruleset.
func New(r *treblecross.Rules) game.Game {
	return treblecrossGame{game.New(impartial.Definition(r, api.SourceClosedForm, game.ExamplesOf(r.Examples()), encoding())), r}
}

func encoding() impartial.Rules[treblecross.Position] {
	return impartial.Rules[treblecross.Position]{
		WorkOut: workOut, Prepare: impartial.Preparing(treblecross.NewDistances),
		Board: impartial.StripBoard[treblecross.Position], MostKnown: treblecross.MaxWinning,
	}
}

// Prove checks the certificate of the values.
func (g treblecrossGame) Prove(ctx context.Context, p rules.Proof) error {
	return g.rules.Prove(ctx, p)
}

// workOut works out a position. Nothing is ever too much, but for distances.
func workOut(_ context.Context, p treblecross.Position, valueOnly bool, distance func(treblecross.Position) *int) (impartial.Worked, error) {
	worked := impartial.Worked{Worth: worthOf(p.Worth()), Source: api.SourceClosedForm, Distance: distance(p)}
	if valueOnly {
		return worked, nil
	}
	answer := p.Answer()
	worked.Complete = answer.Complete
	worked.Moves = make([]impartial.Move, 0, len(answer.Moves))
	for _, m := range answer.Moves {
		child, _ := p.Mark(m.Cell) // it is among the legal ones
		worked.Moves = append(worked.Moves, impartial.Move{Text: strconv.FormatUint(m.Cell, 10), Child: child.String(), Terminal: m.Over,
			Worth: worthOf(m.Worth), Distance: distance(child)})
	}
	return worked, nil
}

// worthOf is a worth in the words of package impartial.
func worthOf(w treblecross.Worth) impartial.Worth {
	if !w.HasGrundy {
		return impartial.Worth{Value: w.Value}
	}
	return impartial.OfGrundy(w.Grundy)
}
