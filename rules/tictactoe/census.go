package tictactoe

import (
	"fmt"

	"solved/rules"
)

// census counts positions or games by how they stand.
type census struct {
	xWon, oWon, drawn, unfinished int
}

// String writes the counts; "unfinished" only if there are such.
func (c census) String() string {
	s := fmt.Sprintf("%d: %d won by X, %d by O, %d drawn", c.xWon+c.oWon+c.drawn+c.unfinished, c.xWon, c.oWon, c.drawn)
	if c.unfinished > 0 {
		s += fmt.Sprintf(", %d unfinished", c.unfinished)
	}
	return s
}

// count counts so many of a position.
func (c *census) count(p Position, n int) {
	winner, won := p.Winner()
	switch {
	case won && winner == X:
		c.xWon += n
	case won:
		c.oWon += n
	case p.Result() == rules.Draw:
		c.drawn += n
	default:
		c.unfinished += n
	}
}

// explore returns everything that can be reached from the empty board, where of the
// positions after a move only what form makes of them is followed.
func explore(form func(Position) Position) map[Position]bool {
	seen := map[Position]bool{}
	var visit func(p Position)
	visit = func(p Position) {
		p = form(p)
		if seen[p] {
			return
		}
		seen[p] = true
		for square := range p.Free() {
			visit(p.Mark(square))
		}
	}
	visit(Start())
	return seen
}

// same leaves a position as it is.
func same(p Position) Position { return p }

// legalBoards filters all 3⁹ boards by the reasons for which Parse refuses one. It does
// not use the index.
func legalBoards() map[Position]bool {
	legal := map[Position]bool{}
	for number := range boards {
		if p := boardOf(number); p.legal() {
			legal[p] = true
		}
	}
	return legal
}

// countAll counts each position of a set once.
func countAll(positions map[Position]bool) (c census) {
	for p := range positions {
		c.count(p, 1)
	}
	return c
}

// differing counts the positions that are in one set only.
func differing(a, b map[Position]bool) (n int) {
	for p := range a {
		if !b[p] {
			n++
		}
	}
	for p := range b {
		if !a[p] {
			n++
		}
	}
	return n
}

// symmetries are the eight ways to lay the board onto itself: where each square goes.
// They are turns by quarters, without and with a reflection first.
var symmetries = func() (t [8][Squares]Square) {
	for i := range t {
		for s := range Square(Squares) {
			row, file := s/3, s%3
			if i >= 4 {
				file = 2 - file
			}
			for range i % 4 {
				row, file = 2-file, row
			}
			t[i][s] = 3*row + file
		}
	}
	return t
}()

// moved returns the position with its squares moved.
func (p Position) moved(to *[Squares]Square) (q Position) {
	for s, t := range to {
		for side := range p.marks {
			q.marks[side] |= p.marks[side] >> s & 1 << t
		}
	}
	return q
}

// canonical returns one of the position's symmetric forms, the same for all of them: the
// one with the least number.
func canonical(p Position) Position {
	least := p
	for i := range symmetries {
		if q := p.moved(&symmetries[i]); q.number() < least.number() {
			least = q
		}
	}
	return least
}

// walkGames walks through all games, move by move.
func walkGames(p Position, c *census) {
	if p.Result() != rules.Unknown {
		c.count(p, 1)
		return
	}
	for square := range p.Free() {
		walkGames(p.Mark(square), c)
	}
}

// addUpGames counts the games without walking through them: as many come to a position
// as to all that lead to it.
func addUpGames() (c census) {
	var games [Positions]int // that come to each, by index
	games[Start().Index()] = 1
	for index, p := range numbered.positions { // every move leads to a greater index
		if p.Result() != rules.Unknown {
			c.count(p, games[index])
		}
		for square := range p.Free() {
			games[p.Mark(square).Index()] += games[index]
		}
	}
	return c
}
