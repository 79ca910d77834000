package inversetreblecross

import (
	"context"

	"solved/rules"
)

// MaxMoves is the greatest number of moves that an answer values.
const MaxMoves = rules.MaxLegal

// Source says how a value is known.
type Source uint8

// The sources.
const (
	// Searched: from the rules, by search.
	Searched Source = iota
	// ClosedForm: from the theorem on the empty strip.
	ClosedForm
)

// String returns "search" or "closed-form".
func (s Source) String() string {
	if s == ClosedForm {
		return "closed-form"
	}
	return "search"
}

// EmptyStrip returns the Grundy value of the empty strip of so many cells, when three
// in a row are forbidden: 0 for n ≡ 0, 2, 3, 6, 9 modulo 10, else 1 (theorem of 2026,
// proved again by [Rules.Prove]).
func EmptyStrip(n uint64) uint8 {
	switch n % 10 {
	case 0, 2, 3, 6, 9:
		return 0
	}
	return 1
}

// WinningReply returns a cell, from 1, whose mark wins on an empty strip of so many
// cells when three in a row are forbidden; ok is false when there is none. It is cell 3
// for n ≡ 5 or 8 and cell 1 for n ≡ 1, 4 or 7 modulo 10 (proved by [Rules.Prove]).
func WinningReply(n uint64) (cell uint64, ok bool) {
	switch n % 10 {
	case 5, 8:
		return 3, true
	case 1, 4, 7:
		return 1, true
	}
	return 0, false
}

// Valued is a move with its value.
type Valued struct {
	Cell uint64 // from 1
	// Grundy is the value of the position after the move: the move wins when it is 0.
	Grundy int
}

// Answer is the value of a position, with its source and its moves.
type Answer struct {
	// Grundy is 0 when the side to move loses.
	Grundy int
	Source Source
	// Moves are the legal moves, by cell. When Complete is false they are not all: the
	// one move of [WinningReply], or none where there is none.
	Moves    []Valued
	Complete bool
	// LookUps is the number of look-ups that the search spent, also where it was refused
	// or its context ended; 0 where no search was needed.
	LookUps int
}

// closedForm says whether the theorem gives the value of a position.
func (p Position) closedForm() bool {
	return p.IsEmpty() && p.rules.row == 3 && !p.rules.ring
}

// Grundy returns the Grundy value of a position without its moves, found with at most so
// many look-ups. Whether a budget suffices depends on the position alone.
// The errors are *[TooHardError] and the context's.
func (p Position) Grundy(ctx context.Context, budget int) (Answer, error) {
	if p.closedForm() {
		return Answer{Grundy: int(EmptyStrip(p.Length())), Source: ClosedForm}, nil
	}
	s := newSearch(ctx, p.rules.row, budget)
	value, err := s.position(p)
	return Answer{Grundy: value, LookUps: s.spent()}, err
}

// Answer returns the value of a position and of each of its moves, found with at most
// so many look-ups. On an empty strip for which these are not enough, or that has more
// than [MaxMoves] cells, the answer comes from the theorem, and is not complete; any
// other position is then refused with a *[TooHardError].
func (p Position) Answer(ctx context.Context, budget int) (Answer, error) {
	var answer Answer
	var err error
	s := newSearch(ctx, p.rules.row, budget)
	if answer.Moves, err = p.valued(s); err == nil {
		answer.Complete = true
		if !p.closedForm() {
			answer.Grundy, err = s.position(p)
		}
	}
	answer.LookUps = s.spent()
	if !p.closedForm() {
		return answer, err
	}
	if ctx.Err() != nil {
		return Answer{LookUps: s.spent()}, ctx.Err()
	}
	n := p.Length()
	answer.Grundy, answer.Source = int(EmptyStrip(n)), ClosedForm
	if !answer.Complete {
		answer.Moves = nil
		if cell, ok := WinningReply(n); ok {
			answer.Moves = []Valued{{Cell: cell}}
		}
	}
	return answer, nil
}

// valued returns the moves with their values.
func (p Position) valued(s *search) ([]Valued, error) {
	count := p.NumMoves()
	if count > MaxMoves {
		return nil, &TooHardError{Position: p.String(), Moves: count}
	}
	moves := make([]Valued, 0, count)
	for cell := range p.Cells() {
		after, _ := p.Mark(cell)
		value, err := s.position(after)
		if err != nil {
			if hard, ok := err.(*TooHardError); ok {
				hard.Position = p.String()
			}
			return nil, err
		}
		moves = append(moves, Valued{cell, value})
	}
	return moves, nil
}
