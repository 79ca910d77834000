package tictactoe

import "solved/rules"

// Strategy is one side's whole plan: the square to mark in each position with that
// side to move which can come up under it, for any moves of the other side. It is
// immutable and safe for concurrent use.
type Strategy struct {
	side    Side
	squares map[Position]Square
}

// newStrategy follows a choice through everything that the other side can do.
func newStrategy(side Side, choose func(Position) Square) Strategy {
	s := Strategy{side, map[Position]Square{}}
	seen := map[Position]bool{}
	var visit func(p Position)
	visit = func(p Position) {
		if seen[p] || p.Result() != rules.Unknown {
			return
		}
		seen[p] = true
		if p.Side() == side {
			s.squares[p] = choose(p)
			visit(p.Mark(s.squares[p]))
			return
		}
		for square := range p.Free() {
			visit(p.Mark(square))
		}
	}
	visit(Start())
	return s
}

// NeverLosing returns a strategy with which a side does not lose, extracted from the
// solved game: the first move, in ascending order of squares, of those that keep the
// value and win soonest.
func (s *Solution) NeverLosing(side Side) Strategy {
	return newStrategy(side, func(p Position) Square {
		var best Square
		found := false
		for square := range p.Free() {
			// What is best for one is worst for the other, and a nearer loss is worse.
			if !found || worse(s.Entry(p.Mark(square)), s.Entry(p.Mark(best))) {
				best, found = square, true
			}
		}
		return best
	})
}

// worse says whether an entry is worse for its side to move than another.
func worse(a, b rules.Entry) bool {
	rate := func(e rules.Entry) int {
		switch e.Value {
		case rules.Win:
			return 100 - int(e.Distance)
		case rules.Loss:
			return int(e.Distance) - 100
		}
		return 0
	}
	return rate(a) < rate(b)
}

// Side returns whose strategy it is.
func (s Strategy) Side() Side { return s.side }

// Square returns the square to mark, and false where the strategy has no plan, as the
// position does not come up under it or the other side is to move.
func (s Strategy) Square(p Position) (Square, bool) {
	square, ok := s.squares[p]
	return square, ok
}

// Played is the result of a strategy against every reply.
type Played struct {
	Positions int // reached, each counted once
	Losses    int // of them: the other side owns a line there
	// Stuck are those in which the strategy names no square, or one that may not be
	// marked.
	Stuck int
}

// Play plays the strategy against every reply. It knows nothing of where the strategy
// comes from.
func (s Strategy) Play() Played {
	var found Played
	seen := map[Position]bool{}
	var visit func(p Position)
	visit = func(p Position) {
		if seen[p] {
			return
		}
		seen[p] = true
		found.Positions++
		if winner, won := p.Winner(); won && winner != s.side {
			found.Losses++
		}
		own := p.Side() == s.side
		planned, ok := s.Square(p)
		stuck := own && p.Result() == rules.Unknown
		for square := range p.Free() {
			if !own || ok && square == planned {
				stuck = false
				visit(p.Mark(square))
			}
		}
		if stuck {
			found.Stuck++
		}
	}
	visit(Start())
	return found
}

// forcible says of each position, by index, whether a side can force a line of its own
// from there, for any moves of the other: it owns one, or has a move after which it still
// can, or every move of the other leaves it able to.
func forcible(side Side) (forced [Positions]bool) {
	// Every move leads to a greater index.
	for index := Positions - 1; index >= 0; index-- {
		p := numbered.positions[index]
		if p.Result() != rules.Unknown {
			winner, won := p.Winner()
			forced[index] = won && winner == side
			continue
		}
		some, all := false, true
		for square := range p.Free() {
			after := forced[p.Mark(square).Index()]
			some, all = some || after, all && after
		}
		forced[index] = all || some && p.Side() == side
	}
	return forced
}
