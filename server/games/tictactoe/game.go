package tictactoe

import (
	"context"
	"embed"

	"solved/api"
	"solved/rules"
	"solved/rules/tictactoe"
	"solved/server/game"
	"solved/server/tables"
	"solved/tablebase"
	"solved/tablebase/audit"
)

// ticTacToeGame is tic-tac-toe.
type ticTacToeGame struct {
	game.Game
	rules tictactoe.Rules
	table tables.Carried
}

// ticTacToeTable is made by 'solved solve tic-tac-toe -o server/games/tictactoe/tic-tac-toe.ttb'.
//
//go:embed tic-tac-toe.ttb
var ticTacToeTable embed.FS

// New returns the game of a ruleset.
func New(r tictactoe.Rules) game.Game {
	rs := r.Ruleset()
	table := tables.Carried{Ruleset: rs, Files: ticTacToeTable, Name: rs.Name + ".ttb", Open: tables.OpenCompact}
	return ticTacToeGame{game.New(game.Definition[*tablebase.Table]{
		Game: r, Kind: api.KindMarks, Examples: game.ExamplesOf(r.Examples()),
		Evaluator: game.NewEvaluator(r, marks{}), Bind: tables.BindCompact,
		Files:       &tables.TableKind{Ruleset: rs, Formats: []tables.Format{tables.FormatCompact{}, tables.FormatBytes{}}, Right: table.Digest},
		Placeholder: table.Placeholder(tablebase.CompactMagic), Embedded: table.Load,
		ProbeText: marksText, LineText: marksLineText,
	}), r, table}
}

func (g ticTacToeGame) Solve(ctx context.Context, files []tables.Artifact, threads int, p tables.ProgressFunc) error {
	return tables.WriteAll(ctx, files, g.rules.Ruleset(), tictactoe.Solve(), threads, p)
}

func (g ticTacToeGame) Expand(ctx context.Context, files []tables.Artifact, threads int, p tables.ProgressFunc) error {
	return g.table.Write(ctx, files, threads, p)
}

func (ticTacToeGame) ExpandMemory() uint64                       { return 0 }
func (ticTacToeGame) Decisive() (unknown [rules.Sections]uint64) { return unknown }

// Prove checks the certificate of the values.
func (g ticTacToeGame) Prove(ctx context.Context, p rules.Proof) error { return g.rules.Prove(ctx, p) }

func (g ticTacToeGame) AuditRules() audit.Game { return auditedMarks{g.rules} }

func (g ticTacToeGame) ReferenceRules() audit.PlainGame {
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
