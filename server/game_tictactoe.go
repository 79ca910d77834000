package main

import (
	"context"

	"solved/api"
	"solved/rules"
	"solved/rules/tictactoe"
	"solved/tablebase"
	"solved/tablebase/audit"
)

// ticTacToeGame is tic-tac-toe.
type ticTacToeGame struct {
	game
	rules tictactoe.Rules
	table carried
}

func newTicTacToe(r tictactoe.Rules) game {
	rs := r.Ruleset()
	table := carried{rs, kernels, "kernels/" + rs.Name + ".ttb", openCompact}
	return ticTacToeGame{newGame(definition[*tablebase.Table]{
		Game: r, Kind: api.KindMarks, Examples: examplesOf(r.Examples()),
		Evaluator: newEvaluator(r, marks{}), Bind: bindCompact,
		Files:       &tableKind{rs, []format{formatCompact{}, formatBytes{}}, table.digest},
		Placeholder: table.placeholder(tablebase.CompactMagic), Embedded: table.load,
		ProbeText: marksText, LineText: marksLineText,
	}), r, table}
}

func (g ticTacToeGame) solve(ctx context.Context, files []artifact, threads int, p progressFunc) error {
	return writeAll(ctx, files, g.rules.Ruleset(), tictactoe.Solve(), threads, p)
}

func (g ticTacToeGame) expand(ctx context.Context, files []artifact, threads int, p progressFunc) error {
	return g.table.write(ctx, files, threads, p)
}

func (ticTacToeGame) expandMemory() uint64                       { return 0 }
func (ticTacToeGame) decisive() (unknown [rules.Sections]uint64) { return unknown }

// Prove checks the certificate of the values.
func (g ticTacToeGame) Prove(ctx context.Context, p rules.Proof) error { return g.rules.Prove(ctx, p) }

func (g ticTacToeGame) auditRules() audit.Game { return auditedMarks{g.rules} }

func (g ticTacToeGame) referenceRules() audit.PlainGame {
	return sampledMarks{tictactoe.NewReference()}
}

// auditedMarks is tic-tac-toe as a whole audit sees it.
type auditedMarks struct{ tictactoe.Rules }

func (auditedMarks) Result(_ rules.Section, index uint64) rules.Value {
	p, _ := tictactoe.FromIndex(index)
	return p.Result()
}

func (auditedMarks) Spell(_ rules.Section, index uint64) string {
	p, _ := tictactoe.FromIndex(index)
	return p.String()
}

// sampledMarks is tic-tac-toe as a sample sees it, by the reference rules alone.
type sampledMarks struct{ reference *tictactoe.Reference }

func (g sampledMarks) Successors(p audit.Position) (successors []audit.Position, result rules.Value) {
	board := g.reference.At(p.Index)
	for _, move := range board.Moves() {
		successors = append(successors, audit.Position{Section: rules.Main, Index: g.reference.Index(board.Play(move))})
	}
	return successors, board.Result()
}

func (g sampledMarks) Spell(p audit.Position) string { return g.reference.At(p.Index).String() }
