package main

import (
	"context"

	"solved/api"
	"solved/rules"
	"solved/rules/pig"
	"solved/tablebase/probability"
)

// pigGame is a ruleset of Pig.
type pigGame struct {
	game
	rules *pig.Rules
	table carried
}

func newPig(r *pig.Rules) game {
	rs := r.Ruleset()
	table := carried{rs, kernels, "kernels/" + rs.Name + ".prob.zst", openProbability}
	return pigGame{newGame(definition[*probability.Table]{
		Game: r, Kind: api.KindChance, Values: []string{countedAs}, Examples: examplesOf(pig.Examples()),
		Evaluator: newEvaluator(r, chance{}), Bind: bindProbability,
		Files:       &tableKind{rs, []format{formatProbability{}}, table.digest},
		Placeholder: table.placeholder(probability.Magic), Embedded: table.load,
		ProbeText: chanceText, LineText: chanceLineText,
	}), r, table}
}

func (g pigGame) solve(_ context.Context, files []artifact, _ int, _ progressFunc) error {
	solution := pig.Solve()
	for _, file := range files {
		err := writeProbability(file.path, g.rules.Ruleset(), func(index uint64) probability.Entry {
			p, best := solution.Entry(index)
			return probability.Entry{Probability: p, Best: uint8(best)}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (g pigGame) expand(ctx context.Context, files []artifact, threads int, p progressFunc) error {
	return g.table.write(ctx, files, threads, p)
}

func (pigGame) expandMemory() uint64                       { return 0 }
func (pigGame) decisive() (unknown [rules.Sections]uint64) { return unknown }

// Prove checks the certificate of the values.
func (g pigGame) Prove(ctx context.Context, p rules.Proof) error { return g.rules.Prove(ctx, p) }
