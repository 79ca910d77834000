package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"solved/api"
	"solved/rules"
	"solved/rules/tictactoe"
	"solved/tablebase"
)

// marks says what positions of tic-tac-toe are worth, from a *tablebase.Table.
type marks struct{}

// lookUpMarks looks up positions.
func lookUpMarks(table any, positions ...tictactoe.Position) ([]rules.Entry, error) {
	indices := make([]uint64, len(positions))
	for i, p := range positions {
		indices[i] = p.Index()
	}
	found := make([]rules.Entry, len(positions))
	if err := table.(*tablebase.Table).LookupMany(rules.Main, indices, found); err != nil {
		return nil, err
	}
	for i, e := range found {
		if e.Value == rules.Unknown {
			return nil, fmt.Errorf("the table has no value for %s", positions[i])
		}
	}
	return found, nil
}

// marksMoves are the moves of a position, best first, with what they lead to.
func marksMoves(table any, p tictactoe.Position) ([]api.MarksMove, error) {
	moves := []api.MarksMove{}
	var children []tictactoe.Position
	for move := range p.Moves() {
		next, _, err := p.Play(move)
		if err != nil {
			return nil, err
		}
		children = append(children, next.(tictactoe.Position))
		moves = append(moves, api.MarksMove{Move: move, Index: len(moves)})
	}
	if len(children) == 0 {
		return moves, nil
	}
	entries, err := lookUpMarks(table, children...)
	if err != nil {
		return nil, err
	}
	order := make(map[string]moveOrder, len(moves))
	for i := range moves {
		m, child, entry := &moves[i], children[i], entries[i]
		after := afterMove(entry)
		order[m.Move] = orderOf(entry, i)
		m.Value, m.Distance = after.Value.String(), pliesOf(after)
		m.Child = api.MarksChild{Position: child.String(), Terminal: child.Result() != rules.Unknown,
			Value: entry.Value.String(), Distance: pliesOf(entry)}
	}
	slices.SortFunc(moves, func(a, b api.MarksMove) int { return cmp.Compare(order[a.Move], order[b.Move]) })
	best := moves[0]
	for i := range moves {
		m := &moves[i]
		m.Optimal = order[m.Move].worth() == order[best.Move].worth()
		m.PreservesValue = m.Value == best.Value
	}
	return moves, nil
}

// valueOf is the value and the distance of a position. A position's value follows from
// its moves', so that the two cannot disagree; only of one without moves it is known
// from the board.
func (marks) valueOf(p tictactoe.Position, moves []api.MarksMove) (value string, distance *int) {
	if len(moves) > 0 {
		return moves[0].Value, moves[0].Distance
	}
	e := rules.Entry{Value: p.Result()}
	return e.Value.String(), pliesOf(e)
}

// marksSize is the bound of an answer's bytes: there are at most nine moves.
const marksSize = 4096

func (marks) size(rules.Position, bool) int { return marksSize }

// marksBoard is the board of a position.
func marksBoard(p tictactoe.Position) api.Board {
	const side = 3 // squares
	squares := make([]*string, tictactoe.Squares)
	for i := range squares {
		if mark, ok := p.At(tictactoe.Square(i)); ok {
			squares[i] = new(mark.String())
		}
	}
	return api.Board{Shape: api.ShapeGrid, Files: side, Ranks: side, Squares: squares}
}

func (w marks) probe(_ context.Context, table any, id api.Rules, position rules.Position, valueOnly bool) (worded, error) {
	p := position.(tictactoe.Position)
	answer := &api.MarksProbe{Rules: id, Kind: string(api.KindMarks), Position: p.String(), SideToMove: p.Side().String(),
		Board: marksBoard(p), Terminal: p.Result() != rules.Unknown}
	if winner, ok := p.Winner(); ok {
		answer.Winner = new(winner.String())
		for _, square := range p.Lines()[0] {
			answer.WinningLine = append(answer.WinningLine, square.String())
		}
	}
	if valueOnly {
		found, err := lookUpMarks(table, p)
		if err != nil {
			return worded{}, err
		}
		answer.Value, answer.Distance = found[0].Value.String(), pliesOf(found[0])
		return worded{answer: answer, counted: answer.Value}, nil
	}
	var err error
	if answer.Moves, err = marksMoves(table, p); err != nil {
		return worded{}, err
	}
	answer.Value, answer.Distance = w.valueOf(p, answer.Moves)
	return worded{answer: answer, counted: answer.Value}, nil
}

// marksLine is a line that grows.
type marksLine struct {
	api.MarksLine
	value string // of the position that it is at
	next  string // the best move there
}

func (w marks) begin(_ context.Context, table any, id api.Rules, position rules.Position) (lineInProgress, error) {
	p := position.(tictactoe.Position)
	moves, err := marksMoves(table, p)
	if err != nil {
		return nil, err
	}
	l := &marksLine{MarksLine: api.MarksLine{Rules: id, Kind: string(api.KindMarks), Position: p.String(),
		SideToMove: p.Side().String(), Line: []api.MarksStep{}}}
	l.Value, l.Distance = w.valueOf(p, moves)
	l.at(l.Value, moves)
	return l, nil
}

// at notes what the line is at.
func (l *marksLine) at(value string, moves []api.MarksMove) {
	l.value, l.next = value, ""
	if len(moves) > 0 {
		l.next = moves[0].Move
	}
}

func (l *marksLine) counted() string           { return l.value }
func (l *marksLine) lookUps() int              { return 0 }
func (l *marksLine) best() (move, ends string) { return l.next, "" }
func (l *marksLine) done(end string) api.Line  { l.End = end; return &l.MarksLine }
func (l *marksLine) add(_ context.Context, table any, ply int, move string, position rules.Position) error {
	p := position.(tictactoe.Position)
	moves, err := marksMoves(table, p)
	if err != nil {
		return err
	}
	step := api.MarksStep{Ply: ply, Move: move, Position: p.String()}
	step.Value, step.Distance = marks{}.valueOf(p, moves)
	l.Line = append(l.Line, step)
	l.at(step.Value, moves)
	return nil
}
