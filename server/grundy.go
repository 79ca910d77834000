package main

import (
	"math"
	"slices"

	"solved/api"
	"solved/rules"
	"solved/rules/nim"
)

// grundy says what positions of an impartial game are worth, from nothing but the
// rules: there is a closed form, or a search.
type grundy struct {
	// examine prepares what is to be told about a position and what its moves make of it.
	examine func(rules.Position) examined
}

// examined is a position of an impartial game, looked into.
type examined interface {
	// grundy returns the Grundy value of the position, or of one that a move makes of it.
	// Its errors are *rules.BeyondBoundError.
	grundy(p rules.Position) (uint64, error)
	// distance returns the plies left in one of them, nil if that is not worked out.
	distance(p rules.Position) *int
	// winning returns the moves of the position that are known to win without all moves
	// being gone through.
	winning() []string
}

// examinedNim is a position of Nim.
type examinedNim struct {
	position nim.Position
	left     *nim.Distances // nil if that is too much
}

func examineNim(position rules.Position) examined {
	p := position.(nim.Position)
	left, ok := nim.Solve(p)
	if !ok {
		left = nil
	}
	return examinedNim{p, left}
}

func (e examinedNim) grundy(p rules.Position) (uint64, error) { return p.(nim.Position).Grundy(), nil }

func (e examinedNim) distance(p rules.Position) *int {
	if e.left == nil {
		return nil
	}
	return new(e.left.Of(p.(nim.Position)))
}

func (e examinedNim) winning() []string {
	var moves []string
	for _, m := range e.position.WinningMoves() {
		moves = append(moves, m.String())
	}
	return moves
}

// impartialValue is the value that goes with a Grundy value.
func impartialValue(grundy uint64) rules.Value {
	if grundy == 0 {
		return rules.Loss
	}
	return rules.Win
}

// moves returns the moves of a position, best first, and whether they are all of them.
func (g grundy) moves(e examined, p rules.Position, value rules.Value) ([]api.GrundyMove, bool, error) {
	listed, complete := slices.AppendSeq([]string(nil), firstMoves(p, rules.MaxLegal+1)), true
	if len(listed) > rules.MaxLegal {
		listed, complete = e.winning(), false
	}
	moves := make([]api.GrundyMove, 0, len(listed))
	for _, move := range listed {
		child, _, err := p.Play(move)
		if err != nil {
			return nil, false, err
		}
		number, err := e.grundy(child)
		if err != nil {
			return nil, false, err
		}
		after := impartialValue(number).Negate()
		m := api.GrundyMove{Move: move, Value: after.String(), PreservesValue: after == value}
		m.Child = api.GrundyChild{Position: child.String(), Terminal: child.Result() != rules.Unknown,
			Value: after.Negate().String(), Grundy: number, Distance: e.distance(child)}
		if d := m.Child.Distance; d != nil {
			m.Distance = new(*d + 1)
		}
		moves = append(moves, m)
	}
	slices.SortStableFunc(moves, func(a, b api.GrundyMove) int { return worthOf(a) - worthOf(b) })
	for i := range moves {
		moves[i].Optimal = worthOf(moves[i]) == worthOf(moves[0])
	}
	return moves, complete, nil
}

// firstMoves are the first moves of a position, n at most.
func firstMoves(p rules.Position, n int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		left := n
		for move := range p.Moves() {
			if left == 0 || !yield(move) {
				return
			}
			left--
		}
	}
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

func (g grundy) probe(_ any, id api.Rules, p rules.Position, valueOnly bool) (api.Probe, string, error) {
	e := g.examine(p)
	number, err := e.grundy(p)
	if err != nil {
		return nil, "", err
	}
	value := impartialValue(number)
	answer := &api.GrundyProbe{Rules: id, Kind: string(api.KindGrundy), Position: p.String(), Terminal: p.Result() != rules.Unknown,
		Value: value.String(), Grundy: number, Distance: e.distance(p)}
	if !valueOnly {
		if answer.Moves, answer.MovesComplete, err = g.moves(e, p, value); err != nil {
			return nil, "", err
		}
	}
	return answer, answer.Value, nil
}

// grundyLine is a line that grows.
type grundyLine struct {
	api.GrundyLine
	words grundy
	value string // of the position that it is at
	next  string // the best move there
}

func (g grundy) begin(_ any, id api.Rules, p rules.Position) (lineInProgress, error) {
	l := &grundyLine{words: g}
	first, err := l.at(p)
	if err != nil {
		return nil, err
	}
	l.GrundyLine = api.GrundyLine{Rules: id, Kind: string(api.KindGrundy), Position: first.Position, Value: first.Value,
		Grundy: first.Grundy, Distance: first.Distance, Line: []api.GrundyStep{}}
	return l, nil
}

// at takes the line to a position, and returns what there is to say of it.
func (l *grundyLine) at(p rules.Position) (api.GrundyStep, error) {
	answer, counted, err := l.words.probe(nil, api.Rules{}, p, false)
	if err != nil {
		return api.GrundyStep{}, err
	}
	probe := answer.(*api.GrundyProbe)
	l.value, l.next = counted, ""
	switch {
	case len(probe.Moves) > 0:
		l.next = probe.Moves[0].Move
	case !probe.Terminal: // lost, with more moves than are listed
		for l.next = range p.Moves() {
			break
		}
	}
	return api.GrundyStep{Position: probe.Position, Value: probe.Value, Grundy: probe.Grundy, Distance: probe.Distance}, nil
}

func (l *grundyLine) counted() string           { return l.value }
func (l *grundyLine) best() (move, ends string) { return l.next, "" }
func (l *grundyLine) done(end string) api.Line  { l.End = end; return &l.GrundyLine }
func (l *grundyLine) add(_ any, ply int, move string, p rules.Position) error {
	step, err := l.at(p)
	if err == nil {
		step.Ply, step.Move = ply, move
		l.Line = append(l.Line, step)
	}
	return err
}
