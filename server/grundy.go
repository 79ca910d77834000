package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"solved/api"
	"solved/rules"
)

// impartialRules is an impartial game of positions of type P, as a grundy encoder needs it.
type impartialRules[P rules.Counted] struct {
	// workOut works out a position, with its moves unless valueOnly. Its errors are
	// *rules.BeyondBoundError and the context's. It takes the distances of the position and of
	// those that can come of it from distance, which returns nil where a distance is too much.
	workOut func(ctx context.Context, p P, valueOnly bool, distance func(P) *int) (impartial, error)
	// prepare prepares the distances of a position and of all that can come of it; nil
	// where they are too much.
	prepare func(p P) distances[P]
	// board is the board of a position, nil where an answer shows none. It is itself nil
	// for a game without a board.
	board func(p P) *api.Board
	// mostKnown is how many moves are listed at most of a position that has too many to list all.
	mostKnown int
}

// distances are those of a position and of all that can come of it, in plies.
type distances[P rules.Position] interface {
	Of(p P) int
	// LookUps returns the number of look-ups that they have taken so far.
	LookUps() int
}

// preparing makes a prepare of a function that says whether there are distances.
func preparing[P rules.Position, D distances[P]](prepare func(P) (D, bool)) func(P) distances[P] {
	return func(p P) distances[P] {
		if d, ok := prepare(p); ok {
			return d
		}
		return nil
	}
}

// grundyGame defines an impartial game whose values come from a closed form or a search.
func grundyGame[P rules.Counted](g rules.Game, source string, examples []api.Example, r impartialRules[P]) definition[struct{}] {
	closed := closedForm{source}
	return definition[struct{}]{
		Game: g, Kind: api.KindGrundy, Examples: examples,
		Values:      []string{rules.Win.String(), rules.Loss.String()},
		Evaluator:   newEvaluator(g, grundy[P]{r}),
		Bind:        bindNothing,
		Placeholder: closed.wire(),
		Embedded:    func() (*loadedTable, error) { return loadedNow(closed), nil },
		ProbeText:   grundyText, LineText: grundyLineText,
	}
}

// grundy encodes positions of an impartial game with their Grundy values.
type grundy[P rules.Counted] struct{ impartialRules[P] }

// impartial is a position of an impartial game, worked out.
type impartial struct {
	worth    worth
	source   string // of the worth: api.SourceClosedForm or api.SourceSearch
	distance *int   // nil if that is too much
	// moves are all legal moves in their published order if complete, else those that
	// are known to win.
	moves    []impartialMove
	complete bool
	lookUps  int // of the search
}

// impartialMove is a move with what is known of the position after it.
type impartialMove struct {
	text     string
	child    string // the position after the move
	terminal bool   // whether the game is over there
	worth    worth
	distance *int
}

// worth is the value of a position of an impartial game, with its Grundy value.
type worth struct {
	value  rules.Value
	grundy *uint64 // nil where there is none
}

// ofGrundy is the worth of a position with a Grundy value: a loss if that is 0, and else a win.
func ofGrundy(grundy uint64) worth {
	if grundy == 0 {
		return worth{rules.Loss, &grundy}
	}
	return worth{rules.Win, &grundy}
}

// moves says what the moves of a position are, best first.
func (w impartial) wordMoves() []api.GrundyMove {
	value := w.worth.value
	moves := make([]api.GrundyMove, 0, len(w.moves))
	for _, known := range w.moves {
		after := known.worth.value.Negate()
		m := api.GrundyMove{Move: known.text, Value: after.String(), PreservesValue: after == value}
		m.Child = api.GrundyChild{Position: known.child, Terminal: known.terminal,
			Value: after.Negate().String(), Grundy: known.worth.grundy, Distance: known.distance}
		if d := known.distance; d != nil {
			m.Distance = new(*d + 1)
		}
		moves = append(moves, m)
	}
	slices.SortStableFunc(moves, func(a, b api.GrundyMove) int { return rankOf(a) - rankOf(b) })
	for i := range moves {
		moves[i].Optimal = rankOf(moves[i]) == rankOf(moves[0])
	}
	return moves
}

// rankOf places a move among others, the best having the least number: wins before
// losses, fast wins and long losses first where that is known.
func rankOf(m api.GrundyMove) int {
	plies := 0
	if m.Distance != nil {
		plies = *m.Distance
	}
	if m.Value == rules.Win.String() {
		return plies
	}
	return math.MaxInt - plies
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

// size counts every move at the longest text that a move and its child can have.
func (g grundy[P]) size(p P, valueOnly bool) int {
	text := len(p.String())
	size := grundyHeadSize + text
	if g.board != nil {
		size += grundyBoardSize
	}
	if valueOnly {
		return size
	}
	moves := p.NumMoves()
	if moves > rules.MaxLegal {
		moves = uint64(g.mostKnown)
	}
	return size + int(moves)*(grundyMoveSize+grundyChildGrows+text)
}

func (g grundy[P]) probe(ctx context.Context, _ struct{}, id api.Rules, p P, valueOnly bool) (encoded, error) {
	return g.answer(ctx, id, p, valueOnly, new(distanceCache[P]))
}

// distanceCache keeps the distances of a line's first position for the positions after it; nil
// where they were too much, or were not needed yet.
type distanceCache[P rules.Position] struct{ distances[P] }

// lookUps returns the number of look-ups that the distances have taken so far.
func (c *distanceCache[P]) lookUps() int {
	if c.distances == nil {
		return 0
	}
	return c.LookUps()
}

func (g grundy[P]) answer(ctx context.Context, id api.Rules, p P, valueOnly bool, cache *distanceCache[P]) (encoded, error) {
	before := cache.lookUps()
	if cache.distances == nil {
		cache.distances = g.prepare(p)
	}
	worked, err := g.workOut(ctx, p, valueOnly, func(p P) *int {
		if cache.distances == nil {
			return nil
		}
		return new(cache.Of(p))
	})
	worked.lookUps += cache.lookUps() - before
	if err != nil {
		return encoded{}, err
	}
	answer := &api.GrundyProbe{Rules: id, Kind: string(api.KindGrundy), Position: p.String(), Terminal: p.Result() != rules.Unknown,
		Value: worked.worth.value.String(), Grundy: worked.worth.grundy, Source: worked.source, Distance: worked.distance, MovesComplete: worked.complete}
	if g.board != nil {
		answer.Board = g.board(p)
	}
	if !valueOnly {
		answer.Moves = worked.wordMoves()
	}
	return encoded{answer: answer, counted: answer.Value, lookUps: worked.lookUps}, nil
}

// grundyLine is a line that grows.
type grundyLine[P rules.Counted] struct {
	api.GrundyLine
	encoder grundy[P]
	value   string          // of the position that it is at
	next    *api.GrundyMove // the best move there, nil if there is none or it is not known
	ends    string          // why there is no going on, though the game is not over
	cache   distanceCache[P]
	spent   int // look-ups for all positions so far
}

func (g grundy[P]) begin(ctx context.Context, _ struct{}, id api.Rules, p P) (lineInProgress[P, struct{}], error) {
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
	l.spent += said.lookUps
	if err != nil {
		return api.GrundyStep{}, err
	}
	probe := said.answer.(*api.GrundyProbe)
	l.value, l.next, l.ends = said.counted, nil, ""
	switch {
	case len(probe.Moves) > 0:
		l.next = &probe.Moves[0]
	case !probe.Terminal:
		l.ends = api.EndBound // lost, and which moves delay that is not known
	}
	return api.GrundyStep{Position: probe.Position, Value: probe.Value, Grundy: probe.Grundy, Distance: probe.Distance}, nil
}

func (l *grundyLine[P]) counted() string { return l.value }

func (l *grundyLine[P]) lookUps() int { return l.spent }

func (l *grundyLine[P]) best() (move, ends string) {
	if l.next == nil {
		return "", l.ends
	}
	return l.next.Move, ""
}

func (l *grundyLine[P]) done(end string) api.Line { l.End = end; return &l.GrundyLine }

func (l *grundyLine[P]) add(ctx context.Context, _ struct{}, ply int, move string, p P) error {
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
	words := verdict(value, distance)
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
	writePosition(&b, g, p.Rules, p.Position, "", false)
	if p.Terminal {
		b.WriteString("The game is over: who would have to move has lost.\n")
		return b.String()
	}
	fmt.Fprintf(&b, "%s, for the side to move.\n\n", grundyVerdict(p.Value, p.Distance, p.Grundy))
	table(&b, func(w *tabwriter.Writer) {
		for _, m := range p.Moves {
			fmt.Fprintf(w, "%s %s\t%s\t%s\n", star(m.Optimal), m.Move, verdict(m.Value, m.Distance), m.Child.Position)
		}
	})
	switch {
	case p.MovesComplete:
	case len(p.Moves) > 0:
		b.WriteString("\nThere are too many moves to list all, or too hard ones; these are known to win.\n")
	default:
		b.WriteString("There are too many moves to list them, or too hard ones; all of them lose.\n")
	}
	return trimLines(b.String())
}

// grundyLineText writes a line of play for people.
func grundyLineText(g rules.Game, line api.Line) string {
	l := line.(*api.GrundyLine)
	var b strings.Builder
	writePosition(&b, g, l.Rules, l.Position, "", false)
	fmt.Fprintf(&b, "%s, for the side to move.\n\n", grundyVerdict(l.Value, l.Distance, l.Grundy))
	table(&b, func(w *tabwriter.Writer) {
		for _, s := range l.Line {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", s.Ply, s.Move, s.Position, grundyWords(s.Grundy))
		}
	})
	writeEnd(&b, l.End)
	return trimLines(b.String())
}
