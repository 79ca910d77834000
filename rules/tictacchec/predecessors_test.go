package tictacchec

import (
	"slices"
	"testing"

	"solved/rules"
)

// predecessorSamples is how many random positions each ruleset is tested with in
// each direction: a million in all.
const predecessorSamples = 500_000 / oneIn

// TestPredecessorsLeadBack shows that whatever Predecessors names is one: a
// position that is not over, named once, with a move to where it is asked from.
func TestPredecessorsLeadBack(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *Rules) {
		rng := newRand(20)
		var buffer [512]Position
		found := 0
		for range predecessorSamples {
			p := randomMain(rng)
			before := r.Predecessors(p, buffer[:0])
			checkPredecessors(t, r, p, before)
			found += len(before)
		}
		for range predecessorSamples / 10 {
			p := randomOpening(rng)
			checkPredecessors(t, r, p, r.Predecessors(p, buffer[:0]))
		}
		if found < predecessorSamples {
			t.Errorf("only %d predecessors of %d positions", found, predecessorSamples)
		}
	})
}

func checkPredecessors(t *testing.T, r *Rules, p Position, before []Position) {
	var buffer [MaxMoves]Move
	for i, q := range before {
		if q.side == p.side || q.phase != p.phase || q.Terminal() {
			t.Fatalf("%s is no predecessor of %s", q, p)
		}
		// It must be a position at all: its pawns' directions can be.
		section, index := q.Index()
		if again, ok := FromIndex(section, index); !ok || again != q && again != q.SwapColours() {
			t.Fatalf("%s, named as a predecessor of %s, is no position", q, p)
		}
		if !leadsTo(r, q, p, buffer[:0]) {
			t.Fatalf("no move leads from %s to %s", q, p)
		}
		if slices.Contains(before[:i], q) {
			t.Fatalf("%s is named twice as a predecessor of %s", q, p)
		}
	}
}

func leadsTo(r *Rules, q, p Position, buffer []Move) bool {
	for _, m := range r.Moves(q, buffer) {
		// Most moves go elsewhere, which is seen without playing them.
		if s, on := p.SquareOf(m.Piece); on && s == m.To && r.Play(q, m) == p {
			return true
		}
	}
	return false
}

// TestSuccessorsLeadBack shows that Predecessors leaves none out: every position
// is among the predecessors of each of its successors in the same phase.
func TestSuccessorsLeadBack(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *Rules) {
		rng := newRand(21)
		var moveBuffer [MaxMoves]Move
		var buffer [512]Position
		check := func(p Position) {
			for _, m := range r.Moves(p, moveBuffer[:0]) {
				child := r.Play(p, m)
				before := r.Predecessors(child, buffer[:0])
				if slices.Contains(before, p) != (child.phase == p.phase) {
					t.Fatalf("%s, %s: %s has %d predecessors, which hold it: %v", p, m, child, len(before), slices.Contains(before, p))
				}
			}
		}
		for range predecessorSamples {
			check(randomMain(rng))
		}
		for range predecessorSamples / 50 {
			check(randomOpening(rng))
		}
	})
}

// TestNoPredecessorWithMoverLine: a game ends with its first line, so the side
// to move can never own one.
func TestNoPredecessorWithMoverLine(t *testing.T) {
	for _, text := range []string{"PNBR/4/4/4 b d- m", "PNBR/4/4/pnbr b du m", "4/4/1nb1/PNBR b u- m"} {
		p, _, err := Parse(text)
		if err != nil {
			// Two lines cannot be read: build it from the one line.
			p, _, _ = Parse("PNBR/4/4/4 b d- m")
			for i, s := range []Square{0, 1, 2, 3} {
				p = p.put(BlackPawn+Piece(i), s)
			}
			p.up |= 2
		}
		p.side = rules.White
		for _, r := range Rulesets() {
			if before := r.Predecessors(p, nil); len(before) != 0 {
				t.Errorf("%s: %s has predecessors %v", r.Ruleset().Name, p, before)
			}
		}
	}
}
