package impartial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"solved/api"
	"solved/rules"
	"solved/server/game"
	"solved/server/tables"
)

// Rules is an impartial game of positions of type P, as a grundy encoder needs it.
type Rules[P rules.Counted] struct {
	// WorkOut works out a position, with its moves unless valueOnly. Its errors are
	// *rules.BeyondBoundError and the context's. It takes the distances of the position and of
	// those that can come of it from distance, which returns nil where a distance is too much.
	WorkOut func(ctx context.Context, p P, valueOnly bool, distance func(P) *int) (Worked, error)
	// Prepare prepares the distances of a position and of all that can come of it; nil
	// where they are too much.
	Prepare func(p P) distances[P]
	// Board is the board of a position, nil where an answer shows none. It is itself nil
	// for a game without a board.
	Board func(p P) *api.Board
	// MostKnown is how many moves are listed at most of a position that has too many to list all.
	MostKnown int
}

// distances are those of a position and of all that can come of it, in plies.
type distances[P rules.Position] interface {
	Of(p P) int
	// LookUps returns the number of look-ups that they have taken so far.
	LookUps() int
}

// Preparing makes a prepare of a function that says whether there are distances.
func Preparing[P rules.Position, D distances[P]](prepare func(P) (D, bool)) func(P) distances[P] {
	return func(p P) distances[P] {
		if d, ok := prepare(p); ok {
			return d
		}
		return nil
	}
}

// Definition defines an impartial game whose values come from a closed form or a search.
func Definition[P rules.Counted](g rules.Game, source string, examples []api.Example, r Rules[P]) game.Definition[struct{}] {
	closed := tables.ClosedForm{Source: source}
	return game.Definition[struct{}]{
		Game: g, Kind: api.KindGrundy, Examples: examples,
		Values:      []string{rules.Win.String(), rules.Loss.String()},
		Evaluator:   game.NewEvaluator(g, Encoder[P]{r}),
		Bind:        tables.BindNothing,
		Placeholder: closed.Wire(),
		Embedded:    func() (*tables.Loaded, error) { return tables.LoadedNow(closed), nil },
		ProbeText:   grundyText, LineText: grundyLineText,
	}
}

// Encoder encodes positions of an impartial game with their Grundy values.
type Encoder[P rules.Counted] struct{ Rules[P] }

// Worked is a position of an impartial game, worked out.
type Worked struct {
	Worth    Worth
	Source   string // of the worth: api.SourceClosedForm or api.SourceSearch
	Distance *int   // nil if that is too much
	// Moves are all legal moves in their published order if complete, else those that
	// are known to win.
	Moves    []Move
	Complete bool
	LookUps  int // of the search
}

// Move is a move with what is known of the position after it.
type Move struct {
	Text     string
	Child    string // the position after the move
	Terminal bool   // whether the game is over there
	Worth    Worth
	Distance *int
}

// Worth is the value of a position of an impartial game, with its Grundy value.
type Worth struct {
	Value  rules.Value
	Grundy *uint64 // nil where there is none
}

// OfGrundy is the worth of a position with a Grundy value: a loss if that is 0, and else a win.
func OfGrundy(grundy uint64) Worth {
	if grundy == 0 {
		return Worth{rules.Loss, &grundy}
	}
	return Worth{rules.Win, &grundy}
}

// moves says what the moves of a position are, best first.
func (w Worked) wordMoves() []api.GrundyMove {
	value := w.Worth.Value
	moves := make([]api.GrundyMove, 0, len(w.Moves))
	for _, known := range w.Moves {
		after := known.Worth.Value.Negate()
		m := api.GrundyMove{Move: known.Text, Value: after.String(), PreservesValue: after == value}
		m.Child = api.GrundyChild{Position: known.Child, Terminal: known.Terminal,
			Value: after.Negate().String(), Grundy: known.Worth.Grundy, Distance: known.Distance}
		if d := known.Distance; d != nil {
			m.Distance = new(*d + 1)
		}
		moves = append(moves, m)
	}
	slices.SortStableFunc(moves, func(a, b api.GrundyMove) int { return game.Rank(a.Value, a.Distance) - game.Rank(b.Value, b.Distance) })
	for i := range moves {
		moves[i].Optimal = game.Rank(moves[i].Value, moves[i].Distance) == game.Rank(moves[0].Value, moves[0].Distance)
	}
	return moves
}

// The bounds of the bytes of JSON that an answer takes, beside the texts of positions.
const (
	grundyHeadSize  = 400                 // all but the board and the moves
	grundyBoardSize = 64 + 5*api.MaxBoard // null and a comma for each square
	grundyMoveSize  = 288                 // a move
	// grundyChildGrows is how much longer the text of a position after a move can be:
	// of Treblecross, a mark makes two numbers of one.
	grundyChildGrows = 21
)

// Size counts every move at the longest text that a move and its child can have.
func (g Encoder[P]) Size(p P, valueOnly bool) int {
	text := len(p.String())
	size := grundyHeadSize + text
	if g.Board != nil {
		size += grundyBoardSize
	}
	if valueOnly {
		return size
	}
	moves := p.NumMoves()
	if moves > rules.MaxLegal {
		moves = uint64(g.MostKnown)
	}
	return size + int(moves)*(grundyMoveSize+grundyChildGrows+text)
}

func (g Encoder[P]) Probe(ctx context.Context, _ struct{}, id api.Rules, p P, valueOnly bool) (game.Encoded, error) {
	return g.answer(ctx, id, p, valueOnly, new(distanceCache[P]))
}

// distanceCache keeps the distances of a line's first position for the positions after it; nil
// where they were too much, or were not needed yet.
type distanceCache[P rules.Position] struct{ distances[P] }

// LookUps returns the number of look-ups that the distances have taken so far.
func (c *distanceCache[P]) LookUps() int {
	if c.distances == nil {
		return 0
	}
	return c.distances.LookUps()
}

func (g Encoder[P]) answer(ctx context.Context, id api.Rules, p P, valueOnly bool, cache *distanceCache[P]) (game.Encoded, error) {
	before := cache.LookUps()
	if cache.distances == nil {
		cache.distances = g.Prepare(p)
	}
	worked, err := g.WorkOut(ctx, p, valueOnly, func(p P) *int {
		if cache.distances == nil {
			return nil
		}
		return new(cache.Of(p))
	})
	worked.LookUps += cache.LookUps() - before
	if err != nil {
		return game.Encoded{}, err
	}
	answer := &api.GrundyProbe{Rules: id, Kind: string(api.KindGrundy), Position: p.String(), Terminal: p.Result() != rules.Unknown,
		Value: worked.Worth.Value.String(), Grundy: worked.Worth.Grundy, Source: worked.Source, Distance: worked.Distance, MovesComplete: worked.Complete}
	if g.Board != nil {
		answer.Board = g.Board(p)
	}
	if !valueOnly {
		answer.Moves = worked.wordMoves()
	}
	return game.Encoded{Answer: answer, Counted: answer.Value, LookUps: worked.LookUps}, nil
}

// grundyLine is a line that grows.
type grundyLine[P rules.Counted] struct {
	api.GrundyLine
	encoder Encoder[P]
	value   string          // of the position that it is at
	next    *api.GrundyMove // the best move there, nil if there is none or it is not known
	ends    string          // why there is no going on, though the game is not over
	cache   distanceCache[P]
	spent   int // look-ups for all positions so far
}

func (g Encoder[P]) Begin(ctx context.Context, _ struct{}, id api.Rules, p P) (game.Line[P, struct{}], error) {
	l := &grundyLine[P]{encoder: g}
	first, err := l.at(ctx, p)
	if err != nil {
		return nil, err
	}
	l.GrundyLine = api.GrundyLine{Rules: id, Kind: string(api.KindGrundy), Position: first.Position, Value: first.Value,
		Grundy: first.Grundy, Distance: first.Distance, Line: []api.GrundyStep{}}
	return l, nil
}

// at takes the line to a position, and returns what there is to say of it.
func (l *grundyLine[P]) at(ctx context.Context, p P) (api.GrundyStep, error) {
	said, err := l.encoder.answer(ctx, api.Rules{}, p, false, &l.cache)
	l.spent += said.LookUps
	if err != nil {
		return api.GrundyStep{}, err
	}
	probe := said.Answer.(*api.GrundyProbe)
	l.value, l.next, l.ends = said.Counted, nil, ""
	switch {
	case len(probe.Moves) > 0:
		l.next = &probe.Moves[0]
	case !probe.Terminal:
		l.ends = api.EndBound // lost, and which moves delay that is not known
	}
	return api.GrundyStep{Position: probe.Position, Value: probe.Value, Grundy: probe.Grundy, Distance: probe.Distance}, nil
}

func (l *grundyLine[P]) Counted() string { return l.value }

func (l *grundyLine[P]) LookUps() int { return l.spent }

func (l *grundyLine[P]) Best() (move, ends string) {
	if l.next == nil {
		return "", l.ends
	}
	return l.next.Move, ""
}

func (l *grundyLine[P]) Done(end string) api.Line { l.End = end; return &l.GrundyLine }

func (l *grundyLine[P]) Add(ctx context.Context, _ struct{}, ply int, move string, p P) error {
	child := l.next.Child // what is known of it already
	step, err := l.at(ctx, p)
	var beyond *rules.BeyondBoundError
	if errors.As(err, &beyond) {
		l.spent += beyond.LookUps
		step, err = api.GrundyStep{Position: child.Position, Value: child.Value, Grundy: child.Grundy, Distance: child.Distance}, nil
		l.value, l.next, l.ends = child.Value, nil, api.EndBound
	}
	if err == nil {
		step.Ply, step.Move = ply, move
		l.Line = append(l.Line, step)
	}
	return err
}

// grundyVerdict is a value with its Grundy value in words: "Win in 5, Grundy value 1".
func grundyVerdict(value string, distance *int, grundy *uint64) string {
	words := game.Verdict(value, distance)
	if grundy != nil {
		words += ", " + grundyWords(grundy)
	}
	return words
}

// grundyWords is a Grundy value in words, empty for none.
func grundyWords(grundy *uint64) string {
	if grundy == nil {
		return ""
	}
	return fmt.Sprintf("Grundy value %d", *grundy)
}

// grundyText writes a probe for people.
func grundyText(g rules.Game, probe api.Probe) string {
	p := probe.(*api.GrundyProbe)
	var b strings.Builder
	game.WritePosition(&b, g, p.Rules, p.Position, "", false)
	if p.Terminal {
		b.WriteString("The game is over: who would have to move has lost.\n")
		return b.String()
	}
	fmt.Fprintf(&b, "%s, for the side to move.\n\n", grundyVerdict(p.Value, p.Distance, p.Grundy))
	game.WriteTable(&b, func(w *tabwriter.Writer) {
		for _, m := range p.Moves {
			fmt.Fprintf(w, "%s %s\t%s\t%s\n", game.Star(m.Optimal), m.Move, game.Verdict(m.Value, m.Distance), m.Child.Position)
		}
	})
	switch {
	case p.MovesComplete:
	case len(p.Moves) > 0:
		b.WriteString("\nThere are too many moves to list all, or too hard ones; these are known to win.\n")
	default:
		b.WriteString("There are too many moves to list them, or too hard ones; all of them lose.\n")
	}
	return game.TrimLines(b.String())
}

// grundyLineText writes a line of play for people.
func grundyLineText(g rules.Game, line api.Line) string {
	l := line.(*api.GrundyLine)
	var b strings.Builder
	game.WritePosition(&b, g, l.Rules, l.Position, "", false)
	fmt.Fprintf(&b, "%s, for the side to move.\n\n", grundyVerdict(l.Value, l.Distance, l.Grundy))
	game.WriteTable(&b, func(w *tabwriter.Writer) {
		for _, s := range l.Line {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", s.Ply, s.Move, s.Position, grundyWords(s.Grundy))
		}
	})
	game.WriteEnd(&b, l.End)
	return game.TrimLines(b.String())
}
