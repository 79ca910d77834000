package tictacchec

import (
	"math/rand/v2"
	"testing"
)

// TestTactics holds what is seen on the board against playing it out: moves that
// win at once, moves that parry, losses in 2, and the unordered children.
func TestTactics(t *testing.T) {
	for _, r := range Rulesets() {
		t.Run(r.Ruleset().Name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, uint64(r.Ruleset().Tag)))
			seen, threatened, lost := 0, 0, 0
			for range 600_000 / oneIn {
				p := mainAt(random.Uint64N(MainPositions))
				if random.IntN(2) == 0 {
					p = p.SwapColours()
				}
				b := p.withSquares()
				// Positions with three in a line are rare and matter most.
				if p.Terminal() || lineAt[b.enemy] == noLine && random.IntN(16) > 0 {
					continue
				}
				seen++
				wins, open := 0, 0
				children := map[Position]bool{}
				for _, m := range r.Moves(p, nil) {
					c := r.Play(p, m)
					children[c] = true
					if c.Terminal() {
						wins++
					} else if !canWin(r, c) {
						open++
					}
				}
				if wins > 1 {
					t.Fatalf("%v: %d ways to complete a line", p, wins)
				}
				if got := r.winsAtOnce(&b); got != (wins == 1) {
					t.Fatalf("%v: winsAtOnce is %v, but %d moves win", p, got, wins)
				}
				var buffer [MaxMoves]board
				n := r.replies(&b, nil, &buffer, MaxMoves)
				if n != len(children) {
					t.Fatalf("%v: %d children, want %d", p, n, len(children))
				}
				for _, c := range buffer[:n] {
					if !children[c.Position] || c != c.withSquares() {
						t.Fatalf("%v: child %v is none, or its squares are wrong", p, c.Position)
					}
				}
				if wins > 0 {
					continue
				}
				if threat, ok := b.enemyThreat(); ok {
					n := r.replies(&b, &threat, &buffer, MaxMoves)
					if n != open {
						t.Fatalf("%v: %d open replies, want %d", p, n, open)
					}
					for _, c := range buffer[:n] {
						if !children[c.Position] || c != c.withSquares() || canWin(r, c.Position) {
							t.Fatalf("%v: open reply %v is none, or its squares are wrong", p, c.Position)
						}
					}
				}
				if got := r.openMoves(&b); got != open {
					t.Fatalf("%v: %d open moves, want %d", p, got, open)
				}
				if got := r.lostInTwo(&b); got != (open == 0) {
					t.Fatalf("%v: lostInTwo is %v with %d open moves", p, got, open)
				}
				if threat, ok := b.enemyThreat(); ok {
					threatened++
					if got := r.parries(&b, &threat, 1); (got > 0) != (open > 0) {
						t.Fatalf("%v: parries stops at %d of %d", p, got, open)
					}
				}
				if open == 0 {
					lost++
				}
			}
			if seen < 20_000 || threatened < 10_000 || lost < 100 {
				t.Fatalf("saw %d positions, %d with three in a line, %d lost: too few to mean anything", seen, threatened, lost)
			}
		})
	}
}

func canWin(r *Rules, p Position) bool {
	for _, m := range r.Moves(p, nil) {
		if r.Play(p, m).Terminal() {
			return true
		}
	}
	return false
}

// TestHalved holds the choice between mirror images to what it promises: the
// smaller index.
func TestHalved(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300_000 {
		p := mainAt(random.Uint64N(MainPositions))
		want := min(p.mainIndex(), p.Mirror().mainIndex())
		if got := p.representative().mainIndex(); got != want {
			t.Fatalf("%v: representative index %d, want %d", p, got, want)
		}
		if p.lossKey() != p.Mirror().lossKey() || p.lossKey() != p.SwapColours().lossKey() {
			t.Fatalf("%v: a mirror image or the other side's view has another key", p)
		}
	}
	var opening OpeningLayers
	for index := range uint64(OpeningPositions) {
		p := openingAt(index)
		if got, want := opening.Representative(index), min(index, p.Mirror().openingIndex()); got != want {
			t.Fatalf("opening %d: representative %d, want %d", index, got, want)
		}
	}
}

// TestKnownIsExact holds Known, on a few of its parts, against the definition: a
// position is found at distance 0, 1 or 2 exactly when it has that distance.
func TestKnownIsExact(t *testing.T) {
	for _, r := range Rulesets() {
		g := r.Graph()
		const shards = 400
		var seen [3]int
		for _, shard := range []int{0, 123, 399} {
			g.Known(shard, shards, func(index uint64, distance uint8) {
				p := mainAt(index)
				if p.representative() != p {
					t.Fatalf("%v is found, but its mirror image stands for it", p)
				}
				b := p.withSquares()
				want := uint8(0)
				switch {
				case p.Terminal():
				case r.winsAtOnce(&b):
					want = 1
				case r.lostInTwo(&b):
					want = 2
				default:
					want = 3
				}
				if distance != want {
					t.Fatalf("%v is found at %d, not %d", p, distance, want)
				}
				seen[distance]++
			})
		}
		for distance, n := range seen {
			if n == 0 {
				t.Errorf("%s: nothing found at distance %d", r.Ruleset().Name, distance)
			}
		}
	}
}
