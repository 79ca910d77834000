package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"

	"solved/api"
	"solved/rules"
	"solved/rules/inversetreblecross"
	"solved/rules/nim"
)

// grundy says what positions of an impartial game are worth, from nothing but the
// rules: there is a closed form, or a search.
type grundy struct {
	// workOut works out a position, with its moves unless valueOnly. Its errors are
	// *rules.BeyondBoundError and the context's. It takes distances from left, and puts
	// them there for positions that can come of this one, such as those of a line.
	workOut func(ctx context.Context, p rules.Position, valueOnly bool, left *pliesLeft) (impartial, error)
	// board is the board of a position, nil where an answer shows none. It is itself nil
	// for a game that has none.
	board func(p rules.Position) *api.Board
}

// pliesLeft holds distances that have been worked out, of the one game that is asked about; nil
// where that was too much, or nothing was asked yet.
type pliesLeft struct {
	nim         *nim.Distances
	treblecross *inversetreblecross.Distances
}

// lookUps returns what they have taken so far.
func (d *pliesLeft) lookUps() int {
	switch {
	case d.nim != nil:
		return d.nim.LookUps()
	case d.treblecross != nil:
		return d.treblecross.LookUps()
	}
	return 0
}

// impartial is a position of an impartial game, worked out.
type impartial struct {
	grundy   uint64
	source   string // of that: api.SourceClosedForm or api.SourceSearch
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
	grundy   uint64
	distance *int
}

// workOutNim works out a position of Nim. Nothing is ever too much, but for distances.
func workOutNim(_ context.Context, position rules.Position, valueOnly bool, left *pliesLeft) (worked impartial, err error) {
	p := position.(nim.Position)
	if left.nim == nil {
		left.nim, _ = nim.Solve(p)
	}
	distance := func(p nim.Position) *int {
		if left.nim == nil {
			return nil
		}
		return new(left.nim.Of(p))
	}
	before := left.lookUps()
	defer func() { worked.lookUps = left.lookUps() - before }()
	worked = impartial{grundy: p.Grundy(), source: api.SourceClosedForm, distance: distance(p)}
	if valueOnly {
		return worked, nil
	}
	moves := p.WinningMoves()
	if worked.complete = p.NumMoves() <= rules.MaxLegal; worked.complete {
		moves = slices.Collect(p.Legal())
	}
	worked.moves = make([]impartialMove, 0, len(moves))
	for _, m := range moves {
		child := p.After(m)
		worked.moves = append(worked.moves,
			impartialMove{m.String(), child.String(), child.Result() != rules.Unknown, child.Grundy(), distance(child)})
	}
	return worked, nil
}

// workOutTreblecross works out a position of Inverse Treblecross.
func workOutTreblecross(ctx context.Context, position rules.Position, valueOnly bool, left *pliesLeft) (worked impartial, err error) {
	p := position.(inversetreblecross.Position)
	if left.treblecross == nil {
		left.treblecross, _ = inversetreblecross.NewDistances(p)
	}
	distance := func(p inversetreblecross.Position) *int {
		if left.treblecross == nil {
			return nil
		}
		return new(left.treblecross.Of(p))
	}
	before := left.lookUps()
	worked = impartial{distance: distance(p), complete: !valueOnly}
	defer func() { worked.lookUps += left.lookUps() - before }()
	if valueOnly {
		answer, err := p.Grundy(ctx, inversetreblecross.DefaultBudget)
		worked.grundy, worked.source, worked.lookUps = uint64(answer.Grundy), answer.Source.String(), answer.LookUps
		return worked, tooHard(err)
	}
	answer, err := p.Answer(ctx, inversetreblecross.DefaultBudget)
	if err != nil {
		return impartial{}, tooHard(err)
	}
	worked.lookUps = answer.LookUps
	worked.grundy, worked.source, worked.complete = uint64(answer.Grundy), answer.Source.String(), answer.Complete
	worked.moves = make([]impartialMove, 0, len(answer.Moves))
	for _, m := range answer.Moves {
		child, _ := p.Mark(m.Cell) // it is among the legal ones
		worked.moves = append(worked.moves,
			impartialMove{strconv.FormatUint(m.Cell, 10), child.String(), child.Over(), uint64(m.Grundy), distance(child)})
	}
	return worked, nil
}

// treblecrossBoard is the strip or the ring of a position, if an answer shows so many cells.
func treblecrossBoard(position rules.Position) *api.Board {
	p := position.(inversetreblecross.Position)
	if p.Length() > api.MaxBoard {
		return nil
	}
	mark := "X"
	squares := make([]*string, p.Length())
	for i, marked := range p.Marked() {
		if marked {
			squares[i] = &mark
		}
	}
	shape := api.ShapeStrip
	if p.Ring() {
		shape = api.ShapeRing
	}
	return &api.Board{Shape: shape, Files: len(squares), Ranks: 1, Squares: squares}
}

// tooHard is an error of package treblecross in the words of package rules.
func tooHard(err error) error {
	if hard := (*inversetreblecross.TooHardError)(nil); errors.As(err, &hard) {
		return &rules.BeyondBoundError{Position: hard.Position, Detail: hard.Reason(), LookUps: hard.LookUps}
	}
	return err
}

// impartialValue is the value that goes with a Grundy value.
func impartialValue(grundy uint64) rules.Value {
	if grundy == 0 {
		return rules.Loss
	}
	return rules.Win
}

// moves says what the moves of a position are, best first.
func (w impartial) wordMoves() []api.GrundyMove {
	value := impartialValue(w.grundy)
	moves := make([]api.GrundyMove, 0, len(w.moves))
	for _, known := range w.moves {
		after := impartialValue(known.grundy).Negate()
		m := api.GrundyMove{Move: known.text, Value: after.String(), PreservesValue: after == value}
		m.Child = api.GrundyChild{Position: known.child, Terminal: known.terminal,
			Value: after.Negate().String(), Grundy: new(known.grundy), Distance: known.distance}
		if d := known.distance; d != nil {
			m.Distance = new(*d + 1)
		}
		moves = append(moves, m)
	}
	slices.SortStableFunc(moves, func(a, b api.GrundyMove) int { return worthOf(a) - worthOf(b) })
	for i := range moves {
		moves[i].Optimal = worthOf(moves[i]) == worthOf(moves[0])
	}
	return moves
}

// worthOf places a move among others, the best having the least number: wins before
// losses, fast wins and long losses first where that is known.
func worthOf(m api.GrundyMove) int {
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
func (g grundy) size(p rules.Position, valueOnly bool) int {
	text := len(p.String())
	size := grundyHeadSize + text
	if g.board != nil {
		size += grundyBoardSize
	}
	if valueOnly {
		return size
	}
	moves := p.(rules.Counted).NumMoves()
	if moves > rules.MaxLegal {
		moves = nim.MaxHeaps // at most one of each heap wins, and at most one is listed of a strip
	}
	return size + int(moves)*(grundyMoveSize+grundyChildGrows+text)
}

func (g grundy) probe(ctx context.Context, _ any, id api.Rules, p rules.Position, valueOnly bool) (worded, error) {
	return g.answer(ctx, id, p, valueOnly, new(pliesLeft))
}

func (g grundy) answer(ctx context.Context, id api.Rules, p rules.Position, valueOnly bool, left *pliesLeft) (worded, error) {
	worked, err := g.workOut(ctx, p, valueOnly, left)
	if err != nil {
		return worded{}, err
	}
	answer := &api.GrundyProbe{Rules: id, Kind: string(api.KindGrundy), Position: p.String(), Terminal: p.Result() != rules.Unknown,
		Value: impartialValue(worked.grundy).String(), Grundy: new(worked.grundy), Source: worked.source, Distance: worked.distance, MovesComplete: worked.complete}
	if g.board != nil {
		answer.Board = g.board(p)
	}
	if !valueOnly {
		answer.Moves = worked.wordMoves()
	}
	return worded{answer: answer, counted: answer.Value, lookUps: worked.lookUps}, nil
}

// grundyLine is a line that grows.
type grundyLine struct {
	api.GrundyLine
	words grundy
	value string          // of the position that it is at
	next  *api.GrundyMove // the best move there, nil if there is none or it is not known
	ends  string          // why there is no going on, though the game is not over
	left  pliesLeft
	spent int // look-ups for all positions so far
}

func (g grundy) begin(ctx context.Context, _ any, id api.Rules, p rules.Position) (lineInProgress, error) {
	l := &grundyLine{words: g}
	first, err := l.at(ctx, p)
	if err != nil {
		return nil, err
	}
	l.GrundyLine = api.GrundyLine{Rules: id, Kind: string(api.KindGrundy), Position: first.Position, Value: first.Value,
		Grundy: first.Grundy, Distance: first.Distance, Line: []api.GrundyStep{}}
	return l, nil
}

// at takes the line to a position, and returns what there is to say of it.
func (l *grundyLine) at(ctx context.Context, p rules.Position) (api.GrundyStep, error) {
	said, err := l.words.answer(ctx, api.Rules{}, p, false, &l.left)
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

func (l *grundyLine) counted() string { return l.value }

func (l *grundyLine) lookUps() int { return l.spent }

func (l *grundyLine) best() (move, ends string) {
	if l.next == nil {
		return "", l.ends
	}
	return l.next.Move, ""
}

func (l *grundyLine) done(end string) api.Line { l.End = end; return &l.GrundyLine }

func (l *grundyLine) add(ctx context.Context, _ any, ply int, move string, p rules.Position) error {
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
