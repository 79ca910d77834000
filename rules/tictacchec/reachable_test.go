package tictacchec

import (
	"cmp"
	"slices"
	"testing"

	"solved/rules"
)

// passedHome tells whether two pawns on their way home have passed one another on a file,
// as the squares have it. Only where pawns capture the way they travel is there a way to that.
func passedHome(p Position) bool {
	for square := range Square(Squares) {
		if piece, ok := p.At(square); !ok || piece != WhitePawn || p.PawnUp(rules.White) {
			continue
		}
		for above := square + 4; above < Squares; above += 4 {
			if piece, ok := p.At(above); ok && piece == BlackPawn {
				return p.PawnUp(rules.Black)
			}
		}
	}
	return false
}

// wentBack tells whether play can have been so many plies before a position, from
// predecessors and pawns alone.
func wentBack(r *Rules, p Position, plies int) bool {
	if r.Ruleset().Name != CanonicalName && passedHome(p) {
		return false
	}
	if plies == 0 {
		return true
	}
	var before [maxPredecessors]Position
	return slices.ContainsFunc(r.Predecessors(p, before[:0]), func(q Position) bool { return wentBack(r, q, plies-1) })
}

// A position of the main phase can occur exactly if play can have been four plies back: at
// random, and wherever it cannot. Where it can have been four, it can have been more.
func TestReachable(t *testing.T) {
	t.Parallel()
	// How many positions of the sets below cannot occur, besides those whose side to move owns
	// a line and those whose pawns have passed; and how many of them have nothing of Black's.
	cannot, nothingOfBlacks := map[string]int{CanonicalName: 20_413, OutboundName: 21_929, TowardOpponentName: 21_171}, 20_353
	if whole {
		cannot, nothingOfBlacks = map[string]int{CanonicalName: 190_177, OutboundName: 202_445, TowardOpponentName: 191_979}, 85_513
	}
	eachRuleset(t, func(t *testing.T, r *Rules) {
		check := func(p Position) bool {
			can := r.Reachable(p)
			if back := wentBack(r, p, 4); can != back || can && !wentBack(r, p, 7) {
				t.Fatalf("%s can occur: %v, and play can have been four plies back: %v", p, can, back)
			}
			return can
		}
		rng := newRand(80)
		seen := 0
		for range 30_000 {
			p := randomMain(rng)
			can := check(p)
			if !can {
				seen++
			}
			if check(p.Mirror()) != can || check(p.SwapColours()) != can {
				t.Fatalf("%s can occur, and mirrored or with the other colours it cannot, or the reverse", p)
			}
		}
		if seen == 0 {
			t.Error("all can occur")
		}
		none, all := 0, 0
		for set := range blocks {
			if !whole && referenceCount(set) > 3 {
				continue
			}
			if white, black := set&15&^1, set>>4&^1; white != 0 && black != 0 && referenceCount(set) > 4 {
				continue // each can have placed something, several times
			}
			for index := blocks[set].offset; index < blocks[set].end(); index++ {
				p, _ := FromIndex(rules.Main, index)
				if lineAt[p.occupied(rules.White)] == completeLine || r.Reachable(p) {
					continue
				}
				check(p)
				if r.Ruleset().Name != CanonicalName && passedHome(p) {
					continue
				}
				all++
				if set < 16 {
					none++
				}
			}
		}
		if want := cannot[r.Ruleset().Name]; none != nothingOfBlacks || all != want {
			t.Errorf("%d cannot occur, %d with nothing of Black's on the board, want %d and %d", all, none, want, nothingOfBlacks)
		}
		for range 1_000 {
			if p := randomOpening(rng); !r.Reachable(p) {
				t.Errorf("%s cannot occur", p)
			}
		}
	})
}

// Two pawns that travel home never pass on their file, unless pawns capture the way they
// travel: the opening ends in no such position, and only from such a position does a move
// lead to one. So none can occur.
func TestPassedHome(t *testing.T) {
	t.Parallel()
	eachRuleset(t, func(t *testing.T, r *Rules) {
		total := uint64(0)
		runs := r.PawnsAtOdds()
		for _, run := range runs {
			total += run.To - run.From
		}
		inRuns := func(index uint64) bool {
			i, _ := slices.BinarySearchFunc(runs, index, func(run Run, index uint64) int { return cmp.Compare(run.To, index+1) })
			return i < len(runs) && runs[i].From <= index
		}
		passed, entered := 0, 0
		check := func(p Position) {
			if _, index := p.Index(); inRuns(index) != (passedHome(p) && r.Ruleset().Name != CanonicalName) {
				t.Fatalf("%s is in a run of pawns at odds: %v", p, inRuns(index))
			}
			if !passedHome(p) {
				return
			}
			passed++
			if _, index := p.Index(); r.ReachGraph().Root(index) {
				t.Fatalf("the opening can end in %s", p)
			}
			for _, before := range r.Predecessors(p, nil) {
				if !passedHome(before) {
					entered++
				}
			}
			if r.Ruleset().Name != CanonicalName && r.Reachable(p) {
				t.Fatalf("%s can occur", p)
			}
		}
		for set := range blocks {
			if set&pawnSet != pawnSet || referenceCount(set) > 4 {
				continue
			}
			for index := blocks[set].offset; index < blocks[set].end(); index++ {
				p, _ := FromIndex(rules.Main, index)
				check(p)
			}
		}
		// Four files; none, one or two of six others on fourteen squares.
		if want := 4 * (1 + 6*14 + 15*14*13); passed != want {
			t.Errorf("%d positions with up to four pieces have pawns that have passed, want %d", passed, want)
		}
		rng := newRand(82)
		for range 400_000 {
			check(randomMain(rng))
		}
		// And so on, up to all six others.
		want := uint64(0)
		if r.Ruleset().Name != CanonicalName {
			want = 4 * (1 + 6*14 + 15*14*13 + 20*14*13*12 + 15*14*13*12*11 + 6*14*13*12*11*10 + 14*13*12*11*10*9)
		}
		if total != want {
			t.Errorf("%d positions have pawns at odds, want %d", total, want)
		}
		if can := entered > 0; can != (r.Ruleset().Name == CanonicalName) {
			t.Errorf("%d moves lead to pawns that have passed, from where they have not", entered)
		}
	})
}

// What occurs in games by the reference rules can occur.
func TestPlayedPositionsAreReachable(t *testing.T) {
	t.Parallel()
	eachRuleset(t, func(t *testing.T, r *Rules) {
		reference, _ := ReferenceOf(r.Ruleset().Tag)
		rng := newRand(81)
		few, over := 0, 0 // positions with few pieces, games that ended
		for range 150 {
			b, _ := ReadReferenceBoard(Start().String())
			for range 120 {
				p, _, err := Parse(b.String())
				if err != nil || !r.Reachable(p) {
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
