package notakto

import (
	"context"

	"solved/api"
	"solved/rules"
	"solved/rules/notakto"
	"solved/server/game"
	"solved/server/tables"
)

// notaktoGame is Notakto.
type notaktoGame struct {
	game.Game
	rules notakto.Rules
}

// New returns the game of a ruleset.
func New(r notakto.Rules) game.Game {
	closed := tables.ClosedForm{Source: api.SourceClosedForm}
	return notaktoGame{game.New(game.Definition[struct{}]{
		Game: r, Kind: api.KindMisere, Examples: game.ExamplesOf(notakto.Examples()),
		Values:      []string{rules.Win.String(), rules.Loss.String()},
		Evaluator:   game.NewEvaluator(r, encoder{}),
		Bind:        tables.BindNothing,
		Placeholder: closed.Wire(),
		Embedded:    func() (*tables.Loaded, error) { return tables.LoadedNow(closed), nil },
		ProbeText:   probeText, LineText: lineText,
	}), r}
}

// Prove checks the certificate of the values.
func (g notaktoGame) Prove(ctx context.Context, p rules.Proof) error { return g.rules.Prove(ctx, p) }
