package tictacchec

import (
	"math/rand/v2"
	"testing"

	"solved/rules"
)

// newRand returns the source of random numbers of one test: always the same, so
// that what fails once fails again.
func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x54544303)) }

// randomMain returns a random main-phase position, either side to move. Half of
// all are drawn evenly over the index, half evenly over the sets of pieces, as
// the index consists mostly of full boards.
func randomMain(rng *rand.Rand) Position {
	var p Position
	if rng.IntN(2) == 0 {
		p = mainAt(rng.Uint64N(MainPositions))
	} else {
		b := &blocks[rng.IntN(256)]
		p = mainAt(b.offset + rng.Uint64N(b.end()-b.offset))
	}
	if rng.IntN(2) == 0 {
		p = p.SwapColours()
	}
	return p
}

func randomOpening(rng *rand.Rand) Position {
	ply := openingPlies[rng.IntN(OpeningPlies):]
	return openingAt(ply[0].offset + rng.Uint64N(ply[1].offset-ply[0].offset))
}

// eachRuleset runs a test once for every ruleset, all at the same time.
func eachRuleset(t *testing.T, test func(t *testing.T, r *Rules)) {
	t.Helper()
	seen := 0
	for _, r := range Rulesets() {
		t.Run(r.Ruleset().Name, func(t *testing.T) {
			t.Parallel()
			test(t, r)
		})
		seen++
	}
	if seen != 3 {
		t.Errorf("saw %d rulesets, want 3", seen)
	}
}

// agree holds the fast rules against the reference in one position.
func agree(t *testing.T, r *Rules, ref Reference, p Position) {
	t.Helper()
	board := boardOf(t, p)
	if board.String() != p.String() {
		t.Fatalf("%s is %s to the reference", p, board)
	}
	section, index := p.Index()
	if wantSection, want := board.Index(); index != want || section != wantSection {
		t.Fatalf("%s: %s index %d, reference %s %d", p, section, index, wantSection, want)
	}
	if p.Terminal() != board.Terminal() {
		t.Fatalf("%s: terminal %v", p, p.Terminal())
	}
	switch winner, _, ok := p.Winner(); {
	case ok != board.Terminal():
		t.Fatalf("%s: has a winner: %v", p, ok)
	case ok && winner == rules.White && !board.WhiteOwnsLine(), ok && winner == rules.Black && !board.BlackOwnsLine():
		t.Fatalf("%s: %s owns no line", p, winner)
	}
	var buffer [MaxMoves]Move
	moves, want := r.Moves(p, buffer[:0]), ref.Moves(board)
	if len(moves) != len(want) {
		t.Fatalf("%s: %d moves, reference %d", p, len(moves), len(want))
	}
	if (len(moves) == 0) != p.Terminal() || len(moves) > MaxMoves {
		t.Fatalf("%s: %d moves", p, len(moves))
	}
	children := make(map[Position]bool, len(moves))
	for i, m := range moves {
		if m.String() != want[i] {
			t.Fatalf("%s: move %d is %s, reference %s", p, i, m, want[i])
		}
		victim, captures := p.Captured(m)
		if found := board.Squares[m.To]; captures != (found != '.') || captures && victim.Letter() != found {
			t.Fatalf("%s: %s captures %v, %c", p, m, captures, victim.Letter())
		}
		child := r.Play(p, m)
		if got, want := boardOf(t, child), ref.Play(board, want[i]); got != want {
			t.Fatalf("%s: %s leads to %s, reference %s", p, m, got, want)
		}
		children[child] = true
	}
	if len(children) != len(moves) {
		t.Fatalf("%s: %d moves lead to %d positions", p, len(moves), len(children))
	}
}

func boardOf(t *testing.T, p Position) ReferenceBoard {
	t.Helper()
	board, ok := ReadReferenceBoard(p.String())
	if !ok {
		t.Fatalf("the reference does not read %s", p)
	}
	return board
}

func referenceOf(t *testing.T, r *Rules) Reference {
	t.Helper()
	ref, ok := ReferenceOf(r.Ruleset().Tag)
	if !ok {
		t.Fatalf("no reference for %s", r.Ruleset().Tag)
	}
	return ref
}

func TestReferenceInRandomPlay(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *Rules) {
		ref, rng := referenceOf(t, r), newRand(1)
		ended, longest := 0, 0
		for range 200 {
			p := Start()
			ply := 0
			for ; ply < 100; ply++ {
				agree(t, r, ref, p)
				var buffer [MaxMoves]Move
				moves := r.Moves(p, buffer[:0])
				if len(moves) == 0 {
					ended++
					break
				}
				p = r.Play(p, moves[rng.IntN(len(moves))])
				if wantOpening := ply+1 < OpeningPlies; (p.Phase() == OpeningPhase) != wantOpening {
					t.Fatalf("%s after %d plies", p, ply+1)
				}
			}
			longest = max(longest, ply)
		}
		// Games must really end and really be long, or the test shows little.
		if ended == 0 || longest < 50 {
			t.Errorf("%d games ended; the longest has %d plies", ended, longest)
		}
	})
}

func TestReferenceAtRandomIndices(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *Rules) {
		ref, rng := referenceOf(t, r), newRand(2)
		widest := 0
		for range 15_000 {
			p := randomMain(rng)
			agree(t, r, ref, p)
			widest = max(widest, len(r.Moves(p, nil)))
		}
		for range 1_000 {
			agree(t, r, ref, randomOpening(rng))
		}
		if widest < 50 {
			t.Errorf("no position with more than %d moves", widest)
		}
	})
}

func TestReferenceOfUnknownTag(t *testing.T) {
	if ref, ok := ReferenceOf(0x54544304); ok {
		t.Errorf("reference rules for an unknown tag: %v", ref)
	}
}

func TestReferenceRefusesOtherShapes(t *testing.T) {
	for _, text := range []string{"", "4/4/4/4", "4/4/4/4 w --", "4/4/4/4 w - o", "4/4/4 w -- o", "3/4/4/4 w -- o", "4/4/4/5 w -- o", "4/4/4/4_w_--_o"} {
		if b, ok := ReadReferenceBoard(text); ok {
			t.Errorf("%q is read as %s", text, b)
		}
	}
}

// TestMostMoves pins the greatest number of moves: four pieces in hand and an
// empty board.
func TestMostMoves(t *testing.T) {
	for _, r := range Rulesets() {
		if n := len(r.Moves(Start(), nil)); n != MaxMoves {
			t.Errorf("%s: %d first moves", r.Ruleset().Name, n)
		}
	}
}
