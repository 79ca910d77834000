package main

import (
	"solved/rules"
	"solved/rules/tictacchec"
	"solved/rules/tictactoe"
	"solved/tablebase/audit"
)

// auditedGame is Tic Tac Chec as a whole audit sees it.
type auditedGame struct{ *tictacchec.Rules }

func (g auditedGame) Result(s rules.Section, index uint64) rules.Value {
	if p, ok := tictacchec.FromIndex(s, index); ok && p.Terminal() {
		return rules.Loss
	}
	return rules.Unknown
}

func (g auditedGame) Spell(s rules.Section, index uint64) string {
	p, _ := tictacchec.FromIndex(s, index)
	return p.String()
}

// sampledGame is Tic Tac Chec as a sample sees it, by the reference rules alone.
type sampledGame struct{ reference tictacchec.Reference }

func (g sampledGame) Successors(p audit.Position) ([]audit.Position, rules.Value) {
	b, _ := tictacchec.ReferenceAt(p.Section, p.Index)
	var successors []audit.Position
	for _, move := range g.reference.Moves(b) {
		section, index := g.reference.Play(b, move).Index()
		successors = append(successors, audit.Position{Section: section, Index: index})
	}
	if b.Terminal() {
		return successors, rules.Loss
	}
	return successors, rules.Unknown
}

func (g sampledGame) Spell(p audit.Position) string {
	b, _ := tictacchec.ReferenceAt(p.Section, p.Index)
	return b.String()
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
