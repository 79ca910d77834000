package inversetreblecross

import (
	"testing"
)

// answered asks about a position with its moves, and counts the look-ups.
func answered(t *testing.T, p Position, most *int) Answer {
	t.Helper()
	answer, err := p.Answer(t.Context(), DefaultBudget)
	if err != nil {
		t.Fatalf("%s: %v", p.rules.About().Name, err)
	}
	if !answer.Complete || uint64(len(answer.Moves)) != p.NumMoves() {
		t.Fatalf("%s %s: %d moves", p.rules.About().Name, p, len(answer.Moves))
	}
	*most = max(*most, answer.LookUps)
	return answer
}

// linesEnd plays from a position to the end, with the first move that wins or else the
// first of all, and asks about each position with its moves.
func linesEnd(t *testing.T, p Position, most *int) {
	t.Helper()
	for {
		answer := answered(t, p, most)
		if len(answer.Moves) == 0 {
			return
		}
		move := answer.Moves[0]
		for _, other := range answer.Moves {
			if other.Grundy == 0 {
				move = other
				break
			}
		}
		if (move.Grundy == 0) != (answer.Grundy != 0) {
			t.Fatalf("%s %s: Grundy value %d, and the best move leads to %d", p.rules.About().Name, p, answer.Grundy, move.Grundy)
		}
		p, _ = p.Mark(move.Cell)
	}
}

// TestPublishedAnswers asks about what others have published, within the bound of a
// question: every empty strip of the published table, its moves and what they lead to,
// with a line to the end; and rings as far as they are in the file.
func TestPublishedAnswers(t *testing.T) {
	tables, err := readPublished()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rulesets() {
		t.Run(r.About().Name, func(t *testing.T) {
			t.Parallel()
			most := 0
			longest := valuedRing
			if !r.Ring() {
				longest = len(tables.EmptyStrip[r.Row()]) - 1
			}
			for n := 1; n <= longest; n++ {
				answer := answered(t, r.Empty(uint64(n)), &most)
				want := publishedRings[n%10]
				if !r.Ring() {
					want = tables.EmptyStrip[r.Row()][n]
				}
				if want >= 0 && answer.Grundy != want {
					t.Errorf("%d cells: %d, published as %d", n, answer.Grundy, want)
				}
				for _, move := range answer.Moves[:(n+1)/2] {
					after, _ := r.Empty(uint64(n)).Mark(move.Cell)
					if value := answered(t, after, &most).Grundy; value != move.Grundy {
						t.Errorf("%s: %d, as a move %d", after, value, move.Grundy)
					}
					if r.Ring() {
						break // the others are turns of this one
					}
				}
			}
			asked := most
			if r.Ring() {
				longest = answeredRing
			}
			for n := range uint64(longest + 1) {
				linesEnd(t, r.Empty(n), &most)
			}
			t.Logf("%d look-ups at most for an empty one and what its moves lead to, %d for a line", asked, most)
		})
	}
}
