package tictacchec

import (
	"math/rand/v2"
	"slices"
	"testing"

	"solved/rules"
)

// whiteToMove returns a random main-phase position with White to move, the one of it
// and its mirror image with the smaller index, and that index.
func whiteToMove(rng *rand.Rand) (Position, uint64) {
	p := randomMain(rng)
	if p.Side() == rules.Black {
		p = p.SwapColours()
	}
	index := smallerIndex(p)
	p, _ = FromIndex(rules.Main, index)
	return p, index
}

// Forwards, the reach graph plays all moves.
func TestReachGraphSuccessors(t *testing.T) {
	t.Parallel()
	eachRuleset(t, func(t *testing.T, r *Rules) {
		g := r.ReachGraph()
		rng := newRand(70)
		for range 10_000 {
			p, index := whiteToMove(rng)
			want := []uint64{1}
			for _, m := range r.Moves(p, nil) {
				want = append(want, smallerIndex(r.Play(p, m)))
			}
			got := g.Successors(index, []uint64{1})
			slices.Sort(want[1:])
			slices.Sort(got[1:])
			if !slices.Equal(got, want) {
				t.Fatalf("%s: successors %d, want %d", p, got, want)
			}
		}
	})
}

// Backwards it finds what a move leads from, both ways.
func TestReachGraphPredecessors(t *testing.T) {
	t.Parallel()
	eachRuleset(t, func(t *testing.T, r *Rules) {
		g := r.ReachGraph()
		rng := newRand(71)
		for range 1_000 {
			_, index := whiteToMove(rng)
			for _, after := range g.Successors(index, nil) {
				if !slices.Contains(g.Predecessors(after, nil), index) {
					t.Fatalf("a move leads from %d to %d, and not back", index, after)
				}
			}
			for _, before := range g.Predecessors(index, nil) {
				if !slices.Contains(g.Successors(before, nil), index) {
					t.Fatalf("%d is before %d, and no move leads there", before, index)
				}
			}
		}
	})
}

// One of each pair of mirror images stands for both.
func TestReachGraphOrbitSize(t *testing.T) {
	t.Parallel()
	g := Rulesets()[0].ReachGraph()
	rng := newRand(72)
	if got := g.OrbitSize(0); got != 1 {
		t.Errorf("the empty board stands for %d", got)
	}
	for range 200_000 {
		index := 1 + rng.Uint64N(MainPositions-1)
		p, _ := FromIndex(rules.Main, index)
		want := 0
		if smallerIndex(p) == index {
			want = 2
		}
		if got := g.OrbitSize(index); got != want {
			t.Fatalf("%s stands for %d, want %d", p, got, want)
		}
	}
}

// Roots are what six placements of the reference rules come to.
func TestReachGraphRoots(t *testing.T) {
	t.Parallel()
	g := Rulesets()[0].ReachGraph()
	reference, _ := ReferenceOf(Rulesets()[0].Ruleset().Tag)
	rng := newRand(73)
	for range 20_000 {
		b, _ := ReadReferenceBoard(Start().String())
		for range OpeningPlies {
			moves := reference.Moves(b)
			b = reference.Play(b, moves[rng.IntN(len(moves))])
		}
		if _, index := b.Index(); b.Opening || !g.Root(index) {
			t.Fatalf("%s is no root", b)
		}
	}
	// Each root that is called one is found, by the placement of any piece of Black's.
	roots := 0
	for range 30_000 {
		board := sets3[rng.IntN(len(sets3))] | sets3[rng.IntN(len(sets3))]<<4
		b := &blocks[board]
		index := b.offset + rng.Uint64N(b.end()-b.offset)
		p, _ := FromIndex(rules.Main, index)
		if !g.Root(index) {
			continue
		}
		roots++
		for piece := BlackPawn; piece <= BlackRook; piece++ {
			if !p.On(piece) {
				continue
			}
			before := p.lift(piece)
			before.side, before.phase = rules.Black, OpeningPhase
			if after := (OpeningLayers{}).Children(before.openingIndex(), nil); !slices.Contains(after, smallerIndex(p)) {
				t.Fatalf("%s is called a root, and does not follow from %s", p, before)
			}
		}
	}
	if roots < 3_000 {
		t.Errorf("only %d roots", roots)
	}
	// And none is found that is not called one, nor any but the smaller of two.
	const shards = 1 << 14
	found := 0
	for _, shard := range []int{0, 1, shards / 3, shards / 2, shards - 1} {
		g.Roots(shard, shards, func(index uint64) {
			found++
			if !g.Root(index) || g.OrbitSize(index) != 2 {
				t.Fatalf("%d is found, and no root", index)
			}
		})
	}
	if found < 10_000 {
		t.Errorf("only %d roots are found", found)
	}
	// The shards are everything.
	ends := OpeningLayers{}.Ends()
	if lo, hi := ends[OpeningPlies-2], ends[OpeningPlies-1]; hi != OpeningPositions || lo != openingPlies[5].offset {
		t.Errorf("the last ply is from %d to %d", lo, hi)
	}
}

// sets3 are the sets of three of a side's pieces.
var sets3 = []int{7, 11, 13, 14}
