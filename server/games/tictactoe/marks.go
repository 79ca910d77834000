package tictactoe

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"solved/api"
	"solved/rules"
	"solved/rules/tictactoe"
	"solved/server/game"
	"solved/tablebase"
)

// marks encodes positions of tic-tac-toe.
type marks struct{}

// lookUpMarks looks up positions.
func lookUpMarks(table *tablebase.Table, positions ...tictactoe.Position) ([]rules.Entry, error) {
	indices := make([]uint64, len(positions))
	for i, p := range positions {
		indices[i] = p.Index()
	}
	found := make([]rules.Entry, len(positions))
	if err := table.LookupMany(rules.Main, indices, found); err != nil {
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
func marksMoves(table *tablebase.Table, p tictactoe.Position) ([]api.MarksMove, error) {
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
	order := make(map[string]game.MoveOrder, len(moves))
	for i := range moves {
		m, child, entry := &moves[i], children[i], entries[i]
		after := game.AfterMove(entry)
		order[m.Move] = game.OrderOf(entry, i)
		m.Value, m.Distance = after.Value.String(), game.PliesOf(after)
		m.Child = api.MarksChild{Position: child.String(), Terminal: child.Result() != rules.Unknown,
			Value: entry.Value.String(), Distance: game.PliesOf(entry)}
	}
	slices.SortFunc(moves, func(a, b api.MarksMove) int { return cmp.Compare(order[a.Move], order[b.Move]) })
	best := moves[0]
	for i := range moves {
		m := &moves[i]
		m.Optimal = order[m.Move].Worth() == order[best.Move].Worth()
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
	return e.Value.String(), game.PliesOf(e)
}

// marksSize is the bound of an answer's bytes: there are at most nine moves.
const marksSize = 4096

func (marks) Size(tictactoe.Position, bool) int { return marksSize }

// MarksBoard is the board of a position.
func MarksBoard(p tictactoe.Position) api.Board {
	const side = 3 // squares
	squares := make([]*string, tictactoe.Squares)
	for i := range squares {
		if mark, ok := p.At(tictactoe.Square(i)); ok {
			squares[i] = new(mark.String())
		}
	}
	return api.Board{Shape: api.ShapeGrid, Files: side, Ranks: side, Squares: squares}
}

func (w marks) Probe(_ context.Context, table *tablebase.Table, id api.Rules, p tictactoe.Position, valueOnly bool) (game.Encoded, error) {
	answer := &api.MarksProbe{Rules: id, Kind: string(api.KindMarks), Position: p.String(), SideToMove: p.Side().String(),
		Board: MarksBoard(p), Terminal: p.Result() != rules.Unknown}
	if winner, ok := p.Winner(); ok {
		answer.Winner = new(winner.String())
		for _, square := range p.Lines()[0] {
			answer.WinningLine = append(answer.WinningLine, square.String())
		}
	}
	if valueOnly {
		found, err := lookUpMarks(table, p)
		if err != nil {
			return game.Encoded{}, err
		}
		answer.Value, answer.Distance = found[0].Value.String(), game.PliesOf(found[0])
		return game.Encoded{Answer: answer, Counted: answer.Value}, nil
	}
	var err error
	if answer.Moves, err = marksMoves(table, p); err != nil {
		return game.Encoded{}, err
	}
	answer.Value, answer.Distance = w.valueOf(p, answer.Moves)
	return game.Encoded{Answer: answer, Counted: answer.Value}, nil
}

// marksLine is a line that grows.
type marksLine struct {
	api.MarksLine
	value string // of the position that it is at
	next  string // the best move there
}

func (w marks) Begin(_ context.Context, table *tablebase.Table, id api.Rules, p tictactoe.Position) (game.Line[tictactoe.Position, *tablebase.Table], error) {
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

func (l *marksLine) Counted() string           { return l.value }
func (l *marksLine) LookUps() int              { return 0 }
func (l *marksLine) Best() (move, ends string) { return l.next, "" }
func (l *marksLine) Done(end string) api.Line  { l.End = end; return &l.MarksLine }
func (l *marksLine) Add(_ context.Context, table *tablebase.Table, ply int, move string, p tictactoe.Position) error {
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

// marksText writes a probe for people.
func marksText(g rules.Game, probe api.Probe) string {
	p := probe.(*api.MarksProbe)
	var b strings.Builder
	game.WritePosition(&b, g, p.Rules, p.Position, "", false)
	switch {
	case p.Winner != nil:
		fmt.Fprintf(&b, "The game is over: %s owns the line %s.\n", *p.Winner, strings.Join(p.WinningLine, " "))
		return b.String()
	case p.Terminal:
		b.WriteString("The game is over: a draw.\n")
		return b.String()
	}
	fmt.Fprintf(&b, "%s for %s.\n\n", game.Verdict(p.Value, p.Distance), p.SideToMove)
	game.WriteTable(&b, func(w *tabwriter.Writer) {
		for _, m := range p.Moves {
			fmt.Fprintf(w, "%s %s\t%s\t%s\n", game.Star(m.Optimal), m.Move, game.Verdict(m.Value, m.Distance), m.Child.Position)
		}
	})
	return game.TrimLines(b.String())
}

// marksLineText writes a line of play for people.
func marksLineText(g rules.Game, line api.Line) string {
	l := line.(*api.MarksLine)
	var b strings.Builder
	game.WritePosition(&b, g, l.Rules, l.Position, "", false)
	fmt.Fprintf(&b, "%s for %s.\n\n", game.Verdict(l.Value, l.Distance), l.SideToMove)
	game.WriteTable(&b, func(w *tabwriter.Writer) {
		for _, s := range l.Line {
			fmt.Fprintf(w, "%d\t%s\t%s\n", s.Ply, s.Move, s.Position)
		}
	})
	game.WriteEnd(&b, l.End)
	return game.TrimLines(b.String())
}
