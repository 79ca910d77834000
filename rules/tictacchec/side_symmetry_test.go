package tictacchec

import (
	"math/bits"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"solved/rules"
)

// Whatever can occur can occur with either colour to move. White is to move where the
// main phase begins. Were it Black at every such position, too, then from there every game
// could be played with the colours exchanged. So it is enough that each root can occur an
// odd number of plies after some root.
//
// Nearly all have a root before them, from which a knight, bishop or rook moved without
// taking anything. Of each other root there is one two plies before it that has: it comes an
// odd number of plies after that one's own.
func TestEitherColour(t *testing.T) {
	t.Parallel()
	var without []Position
	roots := 0
	whites, blacks := sets3[:], sets3[:]
	if !whole {
		whites, blacks = whites[:1], blacks[:1]
	}
	for _, white := range whites {
		for _, black := range blacks {
			found, list := rootsWithoutQuiet(white | black<<4)
			roots += found
			without = append(without, list...)
		}
	}
	// Pairs of sets, in which six pieces are placed; of mirror images one.
	if want := len(whites) * len(blacks) * 16 * 15 * 14 * 13 * 12 * 11 / 2; roots != want {
		t.Errorf("%d roots, want %d", roots, want)
	}
	if len(without) == 0 {
		t.Error("every root has one before it: this test tests nothing more")
	}
	eachRuleset(t, func(t *testing.T, r *Rules) {
		for _, p := range without {
			if !slices.ContainsFunc(r.Predecessors(p, nil), func(before Position) bool {
				return slices.ContainsFunc(r.Predecessors(before, nil), func(q Position) bool {
					_, index := q.Index()
					return q.Side() == p.Side() && r.ReachGraph().Root(index) && cameQuietly(q)
				})
			}) {
				t.Errorf("%s: no root is two plies before that has one before it", p)
			}
		}
	})
}

// rootsWithoutQuiet counts the roots with a set of pieces, one of each pair of mirror
// images, and returns those to which no quiet move of Black's leads.
func rootsWithoutQuiet(set int) (roots int, without []Position) {
	const part = 1 << 18
	b := &blocks[set]
	n := int((b.end() - b.offset + part - 1) / part)
	counts, lists := make([]int, n), make([][]Position, n)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	g := Rulesets()[0].ReachGraph()
	for i := range n {
		group.Go(func() error {
			lo := b.offset + uint64(i)*part
			for index := lo; index < min(lo+part, b.end()); index++ {
				p := mainAt(index)
				if !p.firstOnLeft() || !g.Root(index) {
					continue
				}
				counts[i]++
				if !cameQuietly(p) {
					lists[i] = append(lists[i], p)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		panic(err) // none returns one
	}
	for i := range n {
		roots += counts[i]
		without = append(without, lists[i]...)
	}
	return roots, without
}

// cameQuietly tells whether the last move to a position, in which each side has three
// pieces on the board, can have been that of a knight, bishop or rook to a square that
// was empty. It leads from a root if it leads to one, as all pawns stay as they are.
func cameQuietly(p Position) bool {
	mover := p.Side().Opponent()
	occupied := p.occupied(rules.White) | p.occupied(rules.Black)
	for set := p.board >> (4 * mover) & 15 &^ 1; set != 0; set &= set - 1 {
		kind := Kind(bits.TrailingZeros8(set))
		if reach(kind, p.square(PieceOf(mover, kind)), occupied).set&^occupied != 0 {
			return true
		}
	}
	return false
}
