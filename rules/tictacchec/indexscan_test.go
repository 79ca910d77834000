package tictacchec

import (
	"testing"

	"solved/rules"
)

func TestIndicesOf(t *testing.T) {
	end := uint64(0)
	for set := range 256 {
		from, to := IndicesOf(uint8(set))
		if from != end || to <= from {
			t.Fatalf("set %d: %d to %d, after %d", set, from, to, end)
		}
		for _, index := range []uint64{from, to - 1} {
			p := mainAt(index)
			for piece := range Piece(Pieces) {
				if p.On(piece) != (set>>piece&1 == 1) {
					t.Errorf("%d: %s has not exactly the pieces %08b", index, p, set)
				}
			}
		}
		end = to
	}
	if end != MainPositions {
		t.Errorf("%d positions, want %d", end, uint64(MainPositions))
	}
}

func TestOpeningPly(t *testing.T) {
	end := uint64(0)
	for ply := range OpeningPlies {
		from, to := OpeningPly(ply)
		if from != end {
			t.Errorf("ply %d from %d on, after %d", ply, from, end)
		}
		end = to
	}
	if end != OpeningPositions {
		t.Errorf("%d positions, want %d", end, OpeningPositions)
	}
}

// TestRepresentatives: an index is in a run exactly if it is the smaller of its
// own and its mirror image's, wherever the range is cut.
func TestRepresentatives(t *testing.T) {
	g, rng := Rulesets()[0].Graph(), newRand(70)
	check := func(lo, hi uint64) {
		next := lo
		missing := func(to uint64) {
			for ; next < to; next++ {
				if smallerIndex(mainAt(next)) == next {
					t.Fatalf("%d to %d leaves out %d", lo, hi, next)
				}
			}
		}
		for from, to := range g.Representatives(lo, hi) {
			missing(from)
			if from >= to || to > hi {
				t.Fatalf("%d to %d: a run from %d to %d", lo, hi, from, to)
			}
			for ; next < to; next++ {
				if p := mainAt(next); smallerIndex(p) != next {
					t.Fatalf("%d to %d contains %d", lo, hi, next)
				} else if p == p.Mirror() && (next != 0 || to != 1) {
					t.Fatalf("%s is its own mirror image, in a run from %d to %d", p, from, to)
				}
			}
		}
		missing(hi)
	}
	check(0, 100_000)
	check(MainPositions-50_000, MainPositions)
	for range 300 {
		lo := rng.Uint64N(MainPositions - 3000)
		check(lo, lo+rng.Uint64N(3000))
	}
	for set := range 256 {
		from, to := IndicesOf(uint8(set))
		check(from, min(from+200, to))
	}
	for range g.Representatives(0, MainPositions) {
		break // whoever has enough may stop
	}
}

func TestOtherToMove(t *testing.T) {
	rng := newRand(71)
	for range 1000 {
		p := randomMain(rng)
		q := p.OtherToMove()
		b, ok := ReadReferenceBoard(q.String())
		a, okBefore := ReadReferenceBoard(p.String())
		if !ok || !okBefore || a.Squares != b.Squares || a.BlackToMove == b.BlackToMove || b.Opening || q.OtherToMove() != p {
			t.Fatalf("%s becomes %s", p, q)
		}
		if q.Owns(rules.White) != b.WhiteOwnsLine() || q.Owns(rules.Black) != b.BlackOwnsLine() {
			t.Errorf("%s: lines %v and %v", q, q.Owns(rules.White), q.Owns(rules.Black))
		}
	}
}

func TestCountMoves(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *Rules) {
		rng := newRand(72)
		over := 0
		for range 100_000 {
			p := randomMain(rng)
			if n := len(r.Moves(p, nil)); r.CountMoves(p) != n {
				t.Fatalf("%s: %d moves, want %d", p, r.CountMoves(p), n)
			} else if n == 0 {
				over++
			}
		}
		if over == 0 {
			t.Error("no game is over")
		}
	})
}
