package notakto

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"solved/api"
	"solved/rules"
	"solved/rules/notakto"
	"solved/server/game"
)

// encoder encodes positions of Notakto with their elements of the misère quotient. The side to
// move has won when the game is over, so a won position has an even distance, a lost one an odd.
type encoder struct{}

// The bounds of the bytes of JSON that an answer takes, beside the texts of positions.
const (
	headSize  = 400                    // all but the boards and the moves
	boardSize = 64 + 5*notakto.Squares // null and a comma for each square
	moveSize  = 288                    // a move
)

// Size counts every move at the longest text that it can have. A child's text is as long as the
// position's.
func (encoder) Size(p notakto.Position, valueOnly bool) int {
	boards := len(p.Boards())
	text := boards * (notakto.Squares + 3)
	size := headSize + text
	if boards <= maxBoards {
		size += boards * boardSize
	}
	if valueOnly {
		return size
	}
	moves := p.NumMoves()
	if moves > rules.MaxLegal {
		moves = notakto.MaxWinning
	}
	return size + int(moves)*(moveSize+text)
}

func (encoder) Probe(ctx context.Context, _ struct{}, id api.Rules, p notakto.Position, valueOnly bool) (game.Encoded, error) {
	return answer(ctx, id, p, valueOnly, new(distances))
}

// distances keeps the distances of a line's first position for the positions after it; nil where
// they were too much, or were not needed yet.
type distances struct{ *notakto.Distances }

// of returns the distance of a position, nil where that is too much.
func (d *distances) of(p notakto.Position) *int {
	if d.Distances == nil {
		return nil
	}
	return new(d.Of(p))
}

// lookUps returns the number of look-ups that the distances have taken so far.
func (d *distances) lookUps() int {
	if d.Distances == nil {
		return 0
	}
	return d.LookUps()
}

func answer(ctx context.Context, id api.Rules, p notakto.Position, valueOnly bool, known *distances) (game.Encoded, error) {
	before := known.lookUps()
	if known.Distances == nil {
		if d, ok := notakto.NewDistances(p); ok {
			known.Distances = d
		}
	}
	probe := &api.MisereProbe{Rules: id, Kind: string(api.KindMisere), Position: p.String(), Boards: boardsOf(p),
		Terminal: p.Result() != rules.Unknown, Value: p.Value().String(), Quotient: p.Element().String(), Distance: known.of(p)}
	if !valueOnly {
		worked, err := p.Answer(ctx)
		if err != nil {
			return game.Encoded{}, err
		}
		probe.MovesComplete, probe.Moves = worked.Complete, movesOf(p, worked, known)
	}
	return game.Encoded{Answer: probe, Counted: probe.Value, LookUps: known.lookUps() - before}, nil
}

// movesOf are the moves of a position, best first.
func movesOf(p notakto.Position, worked notakto.Answer, known *distances) []api.MisereMove {
	moves := make([]api.MisereMove, 0, len(worked.Moves))
	for _, m := range worked.Moves {
		child, value := p.After(m.Move), m.Element.Value()
		move := api.MisereMove{Move: m.Move.String(), Value: value.Negate().String(), PreservesValue: value.Negate() == worked.Value,
			Child: api.MisereChild{Position: child.String(), Terminal: m.Terminal, Value: value.String(), Quotient: m.Element.String(), Distance: known.of(child)}}
		if d := move.Child.Distance; d != nil {
			move.Distance = new(*d + 1)
		}
		moves = append(moves, move)
	}
	slices.SortStableFunc(moves, func(a, b api.MisereMove) int { return game.Rank(a.Value, a.Distance) - game.Rank(b.Value, b.Distance) })
	for i := range moves {
		moves[i].Optimal = game.Rank(moves[i].Value, moves[i].Distance) == game.Rank(moves[0].Value, moves[0].Distance)
	}
	return moves
}

// maxBoards is the greatest number of boards that an answer shows.
const maxBoards = api.MaxBoard / notakto.Squares

// boardsOf are the boards of a position, nil if an answer does not show so many squares.
func boardsOf(p notakto.Position) []api.Board {
	all := p.Boards()
	if len(all) > maxBoards {
		return nil
	}
	mark := "X"
	boards := make([]api.Board, len(all))
	for i, b := range all {
		boards[i] = api.Board{Shape: api.ShapeGrid, Files: 3, Ranks: 3, Squares: make([]*string, notakto.Squares)}
		for s := range boards[i].Squares {
			if b.Marked(notakto.Square(s)) {
				boards[i].Squares[s] = &mark
			}
		}
	}
	return boards
}

// line is a line that grows.
type line struct {
	api.MisereLine
	value string          // of the position that it is at
	next  *api.MisereMove // the best move there, nil if there is none or it is not known
	ends  string          // why there is no going on, though the game is not over
	known distances
	spent int // look-ups for all positions so far
}

func (encoder) Begin(ctx context.Context, _ struct{}, id api.Rules, p notakto.Position) (game.Line[notakto.Position, struct{}], error) {
	l := new(line)
	first, err := l.at(ctx, p)
	if err != nil {
		return nil, err
	}
	l.MisereLine = api.MisereLine{Rules: id, Kind: string(api.KindMisere), Position: first.Position, Value: first.Value,
		Quotient: first.Quotient, Distance: first.Distance, Line: []api.MisereStep{}}
	return l, nil
}

// at takes the line to a position, and returns the step to it without its ply and move.
func (l *line) at(ctx context.Context, p notakto.Position) (api.MisereStep, error) {
	said, err := answer(ctx, api.Rules{}, p, false, &l.known)
	if err != nil {
		return api.MisereStep{}, err
	}
	l.spent += said.LookUps
	probe := said.Answer.(*api.MisereProbe)
	l.value, l.next, l.ends = said.Counted, nil, ""
	switch {
	case len(probe.Moves) > 0:
		l.next = &probe.Moves[0]
	case !probe.Terminal:
		l.ends = api.EndBound // lost, and which moves delay that is not known
	}
	return api.MisereStep{Position: probe.Position, Value: probe.Value, Quotient: probe.Quotient, Distance: probe.Distance}, nil
}

func (l *line) Counted() string { return l.value }

func (l *line) LookUps() int { return l.spent }

func (l *line) Best() (move, ends string) {
	if l.next == nil {
		return "", l.ends
	}
	return l.next.Move, ""
}

func (l *line) Done(end string) api.Line { l.End = end; return &l.MisereLine }

func (l *line) Add(ctx context.Context, _ struct{}, ply int, move string, p notakto.Position) error {
	step, err := l.at(ctx, p)
	if err == nil {
		step.Ply, step.Move = ply, move
		l.Line = append(l.Line, step)
	}
	return err
}

// verdict is a value with its element in words: "Win in 4, quotient element ab".
func verdict(value string, distance *int, quotient string) string {
	return game.Verdict(value, distance) + ", quotient element " + quotient
}

// probeText writes a probe for people.
func probeText(g rules.Game, probe api.Probe) string {
	p := probe.(*api.MisereProbe)
	var b strings.Builder
	game.WritePosition(&b, g, p.Rules, p.Position, "", false)
	if p.Terminal {
		b.WriteString("The game is over: the player who made the last move has lost.\n")
		return b.String()
	}
	fmt.Fprintf(&b, "%s, for the side to move.\n\n", verdict(p.Value, p.Distance, p.Quotient))
	game.WriteTable(&b, func(w *tabwriter.Writer) {
		for _, m := range p.Moves {
			fmt.Fprintf(w, "%s %s\t%s\t%s\t%s\n", game.Star(m.Optimal), m.Move, game.Verdict(m.Value, m.Distance), m.Child.Quotient, m.Child.Position)
		}
	})
	switch {
	case p.MovesComplete:
	case len(p.Moves) > 0:
		b.WriteString("\nThere are too many moves to list all; these are known to win.\n")
	default:
		b.WriteString("There are too many moves to list them; all of them lose.\n")
	}
	return game.TrimLines(b.String())
}

// lineText writes a line of play for people.
func lineText(g rules.Game, answer api.Line) string {
	l := answer.(*api.MisereLine)
	var b strings.Builder
	game.WritePosition(&b, g, l.Rules, l.Position, "", false)
	fmt.Fprintf(&b, "%s, for the side to move.\n\n", verdict(l.Value, l.Distance, l.Quotient))
	game.WriteTable(&b, func(w *tabwriter.Writer) {
		for _, s := range l.Line {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", s.Ply, s.Move, s.Position, s.Quotient)
		}
	})
	game.WriteEnd(&b, l.End)
	return game.TrimLines(b.String())
}
