package tictacchec

import (
	"slices"
	"testing"

	"solved/rules"
)

// The solver's view is held against the rules: each of its short cuts must say
// what the legal moves say.

// smallerIndex returns the smaller of the indices of a position and its mirror
// image.
func smallerIndex(p Position) uint64 {
	_, index := p.Index()
	_, mirrored := p.Mirror().Index()
	return min(index, mirrored)
}

// distanceToTwo returns the distance of a position if it is 0, 1 or 2, from the
// legal moves alone.
func distanceToTwo(r *Rules, p Position) (distance uint8, ok bool) {
	if p.Terminal() {
		return 0, true
	}
	if winsAtOnce(r, p) {
		return 1, true
	}
	return 2, openMovesByPlay(r, p) == 0
}

func openMovesByPlay(r *Rules, p Position) (open int) {
	var buffer [MaxMoves]Move
	for _, m := range r.Moves(p, buffer[:0]) {
		if !winsAtOnce(r, r.Play(p, m)) {
			open++
		}
	}
	return open
}

// winsAtOnce reports whether a move of the side to move completes a line.
func winsAtOnce(r *Rules, p Position) bool {
	var buffer [MaxMoves]Move
	for _, m := range r.Moves(p, buffer[:0]) {
		if r.Play(p, m).Terminal() {
			return true
		}
	}
	return false
}

func TestGraphNumbersMirrorImagesAlike(t *testing.T) {
	t.Parallel()
	g := Rulesets()[0].Graph()
	rng := newRand(60)
	for range 200_000 {
		p := randomMain(rng)
		if p.side == rules.Black {
			p = p.SwapColours()
		}
		want := smallerIndex(p)
		if got := g.Index(p); got != want || g.Index(p.Mirror()) != want {
			t.Fatalf("%s: %d, mirrored %d, want %d", p, got, g.Index(p.Mirror()), want)
		}
		if q := g.Position(want); q != p && q != p.Mirror() {
			t.Fatalf("%d is %s, want %s or its mirror image", want, q, p)
		}
	}
	if g.Size() != MainPositions {
		t.Errorf("size %d", g.Size())
	}
}

func TestGraphOpenMoves(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *Rules) {
		g, rng := r.Graph(), newRand(61)
		threatened := 0
		for range 20_000 {
			p := randomMain(rng)
			if p.side == rules.Black {
				p = p.SwapColours()
			}
			if distance, ok := distanceToTwo(r, p); ok && distance < 2 {
				continue
			}
			want := openMovesByPlay(r, p)
			if got := g.OpenMoves(p); got != want {
				t.Fatalf("%s: %d open moves, want %d", p, got, want)
			}
			if want < len(r.Moves(p, nil)) {
				threatened++
			}
		}
		if threatened < 100 {
			t.Errorf("only %d positions with a move that loses at once", threatened)
		}
	})
}

func TestGraphPredecessors(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *Rules) {
		g, rng := r.Graph(), newRand(62)
		for range 20_000 {
			p := mainAt(rng.Uint64N(MainPositions))
			for _, m := range r.Moves(p, nil) {
				// With the colours swapped, White is to move again.
				child := r.Play(p, m).SwapColours()
				if before := g.Predecessors(child, nil); !slices.Contains(before, p) {
					t.Fatalf("%s is no predecessor of %s", p, child)
				}
			}
		}
	})
}

// TestGraphKnows holds a sample of what is known at the start of a solve against
// the moves. That nothing is missing shows in the published counts.
func TestGraphKnows(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *Rules) {
		g := r.Graph()
		var seen [GraphHorizon + 1]int
		n := 0
		for _, shard := range []int{1, 500, 999} {
			g.Known(shard, 1000, func(index uint64, distance uint8) {
				if n++; n%31 != 0 {
					return
				}
				p := g.Position(index)
				if want, ok := distanceToTwo(r, p); !ok || distance != want || smallerIndex(p) != index {
					t.Fatalf("%d, %s, is known at distance %d, want %d, %v", index, p, distance, want, ok)
				}
				seen[distance]++
			})
		}
		if slices.Min(seen[:]) < 10 {
			t.Errorf("saw %v positions by distance", seen)
		}
	})
}

// TestGraphUnfolds copies made-up codes to mirror images, over ranges that begin
// and end anywhere.
func TestGraphUnfolds(t *testing.T) {
	t.Parallel()
	g := Rulesets()[0].Graph()
	code := func(index uint64) rules.Code { return rules.Code(index * 0x9e3779b97f4a7c15 >> 57) }
	codes := func(lo uint64, dst []rules.Code) {
		for i := range dst {
			dst[i] = 200 // not one of the graph's numbers
			if index := lo + uint64(i); smallerIndex(mainAt(index)) == index {
				dst[i] = code(index)
			}
		}
	}
	rng := newRand(63)
	var starts []uint64
	for range 150 {
		starts = append(starts, rng.Uint64N(MainPositions))
	}
	for set := range blocks {
		// Around the end of each block.
		starts = append(starts, blocks[set].offset, blocks[set].end()-min(blocks[set].end(), 100))
	}
	for _, lo := range starts {
		dst := make([]rules.Code, min(1+rng.Uint64N(1000), MainPositions-lo))
		g.Unfold(codes, lo, dst)
		for i, got := range dst {
			if index := lo + uint64(i); got != code(smallerIndex(mainAt(index))) {
				t.Fatalf("from %d, %d codes: %d has the code %d, want that of %d", lo, len(dst), index, got, smallerIndex(mainAt(index)))
			}
		}
	}
}

func TestOpeningLayers(t *testing.T) {
	t.Parallel()
	var opening OpeningLayers
	if ends := opening.Ends(); !slices.Equal(ends, []uint64{1, 65, 3_905, 84_545, 1_657_025, OpeningPositions}) {
		t.Errorf("plies end at %v", ends)
	}
	r := Rulesets()[0]
	rng := newRand(64)
	for range 5_000 {
		p := randomOpening(rng)
		_, index := p.Index()
		if got := opening.Representative(index); got != smallerIndex(p) {
			t.Fatalf("%s: represented by %d, want %d", p, got, smallerIndex(p))
		}
		var want []uint64
		for _, m := range r.Moves(p, nil) {
			child := r.Play(p, m)
			_, index := child.Index()
			if child.Phase() == MainPhase {
				index = smallerIndex(child)
			}
			want = append(want, index)
		}
		got := opening.Children(index, nil)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: children %v, want %v", p, got, want)
		}
	}
}
