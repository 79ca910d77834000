package tictacchec

import (
	"slices"
	"testing"

	"solved/rules"
)

// A position of the main phase can occur exactly if it has a predecessor that has one:
// at random, and wherever the side that has just moved has at most its pawn on the
// board.
func TestCanOccur(t *testing.T) {
	t.Parallel()
	// Those that cannot, of which the side to move owns no line: with nothing of the
	// other side's on the board, and with its pawn only. They were counted among all
	// positions first, by 'solved reach'.
	lonePawns := map[string]int{CanonicalName: 104_664, OutboundName: 127_956, TowardOpponentName: 117_334}
	eachRuleset(t, func(t *testing.T, r *Rules) {
		var buffer, earlier [maxPredecessors]Position
		check := func(p Position) bool {
			can := r.CanOccur(p)
			back := slices.ContainsFunc(r.Predecessors(p, buffer[:0]), func(q Position) bool { return len(r.Predecessors(q, earlier[:0])) > 0 })
			if can != back {
				t.Fatalf("%s can occur: %v, and play can have been two plies back: %v", p, can, back)
			}
			return can
		}
		rng := newRand(80)
		cannot := 0
		for range 60_000 {
			p := randomMain(rng)
			if !check(p) {
				cannot++
			}
			if p.Mirror(); check(p.Mirror()) != check(p) || check(p.SwapColours()) != check(p) {
				t.Fatalf("%s can occur, and mirrored or with the other colours it cannot, or the reverse", p)
			}
		}
		if cannot == 0 {
			t.Error("all can occur")
		}
		none, lone := 0, 0
		for set := range 32 { // Black has nothing, or its pawn
			for index := blocks[set].offset; index < blocks[set].end(); index++ {
				p, _ := FromIndex(rules.Main, index)
				if check(p) || lineAt[p.occupied(rules.White)] == completeLine {
					continue
				}
				if set < 16 {
					none++
				} else {
					lone++
				}
			}
		}
		if want := lonePawns[r.Ruleset().Name]; none != 85_513 || lone != want {
			t.Errorf("%d without anything, %d with the pawn only cannot occur, want 85513 and %d", none, lone, want)
		}
		for range 1_000 {
			if p := randomOpening(rng); !r.CanOccur(p) {
				t.Errorf("%s cannot occur", p)
			}
		}
	})
}

// What occurs in games by the reference rules can occur.
func TestWhatOccursCanOccur(t *testing.T) {
	t.Parallel()
	eachRuleset(t, func(t *testing.T, r *Rules) {
		reference, _ := ReferenceOf(r.Ruleset().Tag)
		rng := newRand(81)
		few, over := 0, 0 // positions with few pieces, games that ended
		for range 150 {
			b, _ := ReadReferenceBoard(Start().String())
			for range 120 {
				p, _, err := Parse(b.String())
				if err != nil || !r.CanOccur(p) {
					t.Fatalf("%s cannot occur: %v", b, err)
				}
				moves := reference.Moves(b)
				if len(moves) == 0 {
					over++
					break
				}
				// Captures more often than not, as few pieces are where it is narrow.
				b2 := reference.Play(b, moves[rng.IntN(len(moves))])
				for range 8 {
					if count(b2) < count(b) {
						break
					}
					b2 = reference.Play(b, moves[rng.IntN(len(moves))])
				}
				if b = b2; count(b) <= 3 && !b.Opening {
					few++
				}
			}
		}
		if few < 50 || over == 0 {
			t.Errorf("%d positions had few pieces, %d games ended", few, over)
		}
	})
}

// count returns the number of pieces on the board.
func count(b ReferenceBoard) int { return referenceCount(b.mask()) }
