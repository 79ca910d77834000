package pig

import (
	"context"
	"embed"

	"solved/api"
	"solved/rules"
	"solved/rules/pig"
	"solved/server/game"
	"solved/server/tables"
	"solved/tablebase/probability"
)

// pigGame is a ruleset of Pig.
type pigGame struct {
	game.Game
	rules *pig.Rules
	table tables.Carried
}

// pigTable is made by 'solved solve pig -o server/games/pig/pig.prob.zst'.
//
//go:embed pig.prob.zst
var pigTable embed.FS

// New returns the game of a ruleset.
func New(r *pig.Rules) game.Game {
	rs := r.Ruleset()
	table := tables.Carried{Ruleset: rs, Files: pigTable, Name: rs.Name + ".prob.zst", Open: tables.OpenProbability}
	return pigGame{game.New(game.Definition[*probability.Table]{
		Game: r, Kind: api.KindChance, Values: []string{CountedAs}, Examples: game.ExamplesOf(pig.Examples()),
		Evaluator: game.NewEvaluator(r, chance{}), Bind: tables.BindProbability,
		Files:       &tables.TableKind{Ruleset: rs, Formats: []tables.Format{tables.FormatProbability{}}, Right: table.Digest},
		Placeholder: table.Placeholder(probability.Magic), Embedded: table.Load,
		ProbeText: chanceText, LineText: chanceLineText,
	}), r, table}
}

func (g pigGame) Solve(_ context.Context, files []tables.Artifact, _ int, _ tables.ProgressFunc) error {
	solution := pig.Solve()
	for _, file := range files {
		err := tables.WriteProbability(file.Path, g.rules.Ruleset(), func(index uint64) probability.Entry {
			p, best := solution.Entry(index)
			return probability.Entry{Probability: p, Best: uint8(best)}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (g pigGame) Expand(ctx context.Context, files []tables.Artifact, threads int, p tables.ProgressFunc) error {
	return g.table.Write(ctx, files, threads, p)
}

func (pigGame) ExpandMemory() uint64                       { return 0 }
func (pigGame) Decisive() (unknown [rules.Sections]uint64) { return unknown }

// Prove checks the certificate of the values.
func (g pigGame) Prove(ctx context.Context, p rules.Proof) error { return g.rules.Prove(ctx, p) }
