package audit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"solved/rules"
)

// madeUp is a game of nothing but numbers: any position may lead to any others, as
// often as it likes. It is a Game and a PlainGame.
type madeUp struct {
	ruleset rules.Ruleset
	moves   [][]uint64 // by number
	drawn   []bool     // by number: over, and a draw
}

// newMadeUp makes a game up. Moves go to positions near by, so that distances get
// long, or to any.
func newMadeUp(seed uint64, sizes [rules.Sections]uint64) *madeUp {
	rnd := rand.New(rand.NewPCG(seed, 7))
	n := int(sizes[0] + sizes[1])
	g := &madeUp{
		ruleset: rules.Ruleset{Name: "made-up", Tag: 0x4d414445, Positions: sizes, Longest: [rules.Sections]uint8{rules.MaxDistance, rules.MaxDistance}},
		moves:   make([][]uint64, n),
		drawn:   make([]bool, n),
	}
	draws := rand.New(rand.NewPCG(seed, 8))
	someDrawn := draws.IntN(2) == 0
	near, over := rnd.IntN(2) == 0, 2+rnd.IntN(40)
	for p := range g.moves {
		if rnd.IntN(over) == 0 {
			g.drawn[p] = someDrawn && draws.IntN(3) == 0
			continue
		}
		for range 1 + rnd.IntN(4) {
			to := rnd.IntN(n)
			if near && rnd.IntN(8) != 0 {
				to = min(max(0, p+2-rnd.IntN(6)), n-1)
			}
			g.moves[p] = append(g.moves[p], uint64(to))
		}
	}
	return g
}

func (g *madeUp) at(p Position) uint64 {
	return uint64(p.Section)*g.ruleset.Positions[rules.Main] + p.Index
}

func (g *madeUp) place(number uint64) Position {
	if n := g.ruleset.Positions[rules.Main]; number >= n {
		return Position{rules.Opening, number - n}
	}
	return Position{rules.Main, number}
}

func (g *madeUp) Result(s rules.Section, index uint64) rules.Value {
	switch number := g.at(Position{s, index}); {
	case len(g.moves[number]) > 0:
		return rules.Unknown
	case g.drawn[number]:
		return rules.Draw
	}
	return rules.Loss
}

func (g *madeUp) Spell(s rules.Section, index uint64) string { return fmt.Sprintf("%s-%d", s, index) }

func (g *madeUp) Successors(s rules.Section, lo uint64, n int, dst []uint64, ends []int) ([]uint64, []int) {
	for i := range uint64(n) {
		dst = append(dst, g.moves[g.at(Position{s, lo + i})]...)
		ends = append(ends, len(dst))
	}
	return dst, ends
}

// plain is the game as a PlainGame, whose methods have other arguments.
type plain struct{ *madeUp }

func (g plain) Spell(p Position) string { return g.madeUp.Spell(p.Section, p.Index) }

func (g plain) Successors(p Position) (successors []Position, result rules.Value) {
	for _, number := range g.moves[g.at(p)] {
		successors = append(successors, g.place(number))
	}
	return successors, g.Result(p.Section, p.Index)
}

// solve finds all entries distance by distance; false if one is too far for a table.
func (g *madeUp) solve() (*entries, bool) {
	e := &entries{g, make([]rules.Entry, len(g.moves))}
	for d := 0; ; d++ {
		fresh := map[int]rules.Value{}
		for p, moves := range g.moves {
			if e.of[p].Value != rules.Unknown || g.drawn[p] {
				continue
			}
			won, lost := false, true
			for _, to := range moves {
				won = won || e.of[to].Value == rules.Loss
				lost = lost && e.of[to].Value == rules.Win
			}
			switch {
			case won:
				fresh[p] = rules.Win
			case lost:
				fresh[p] = rules.Loss
			}
		}
		if len(fresh) == 0 {
			break
		}
		if d > rules.MaxDistance {
			return nil, false
		}
		for p, v := range fresh {
			e.of[p] = rules.Entry{Value: v, Distance: uint8(d)}
		}
	}
	for p := range e.of {
		if e.of[p].Value == rules.Unknown {
			e.of[p] = rules.Entry{Value: rules.Draw}
		}
	}
	return e, true
}

// solved makes up a game, the next whose distances fit into a table, and solves it.
func solved(seed uint64, sizes [rules.Sections]uint64) *entries {
	for ; ; seed++ {
		if e, ok := newMadeUp(seed, sizes).solve(); ok {
			return e
		}
	}
}

// entries are those of a made-up game: a Source and a Lookup.
type entries struct {
	game *madeUp
	of   []rules.Entry // by number
}

var errLookup = errors.New("no such position")

func (e *entries) Lookup(s rules.Section, index uint64) (rules.Entry, error) {
	if index >= e.game.ruleset.Positions[s] {
		return rules.Entry{}, errLookup
	}
	return e.of[e.game.at(Position{s, index})], nil
}

func (e *entries) Codes(s rules.Section, lo uint64, dst []rules.Code) error {
	for i := range dst {
		dst[i] = e.of[e.game.at(Position{s, lo + uint64(i)})].Code()
	}
	return nil
}

// wrong is the naive audit: every position by itself, in order.
func (e *entries) wrong() []Violation {
	var list []Violation
	for number := range uint64(len(e.of)) {
		moves := e.game.moves[number]
		follows := rules.Entry{Value: rules.Loss}
		if e.game.drawn[number] {
			follows.Value = rules.Draw
		}
		if len(moves) > 0 {
			far, lost, drawn := 0, 0, false
			lost = 1000
			for _, to := range moves {
				switch child := e.of[to]; child.Value {
				case rules.Win:
					far = max(far, int(child.Distance))
				case rules.Loss:
					lost = min(lost, int(child.Distance))
				case rules.Draw:
					drawn = true
				}
			}
			switch {
			case lost < 1000:
				follows = rules.Entry{Value: rules.Win, Distance: uint8(lost + 1)}
			case drawn:
				follows = rules.Entry{Value: rules.Draw}
			default:
				follows.Distance = uint8(far + 1)
			}
		}
		if e.of[number] != follows {
			p := e.game.place(number)
			list = append(list, Violation{p, e.game.Spell(p.Section, p.Index), e.of[number], follows})
		}
	}
	return list
}

// unpacked unpacks entries.
func unpacked(t testing.TB, e *entries, threads int) *Table {
	t.Helper()
	table, err := Unpack(context.Background(), e.game.ruleset, e, threads, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(table.Free)
	return table
}
