package retrograde

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"solved/rules"
)

// madeUpLosses tells the losses of a made-up graph: some are known, and the others
// are those all of whose moves lead to wins, from the generation on in which that
// shows. It holds what it is told of the wins against a simulation.
type madeUpLosses struct {
	*madeUp
	told        []int   // by class: the distance at which it is known, or undecided
	generations int     // until nothing changes any more
	wins        [][]int // by generation and class: the distance of a win made before it, or undecided
}

func newMadeUpLosses(g *madeUp, rnd *rand.Rand) *madeUpLosses {
	l := &madeUpLosses{madeUp: g, told: make([]int, len(g.holders))}
	losses := make([]int, len(g.holders)) // as far as known or found
	for c, holders := range g.holders {
		l.told[c], losses[c] = undecided, undecided
		if d := g.distance[holders[0]]; d != undecided && d%2 == 0 && (d <= int(g.horizon) || rnd.IntN(4) == 0) {
			losses[c] = d
			if d > int(g.horizon) {
				l.told[c] = d
			}
		}
	}
	for {
		wins := make([]int, len(g.holders))
		for c, holders := range g.holders {
			p := holders[0]
			wins[c] = undecided
			if d := g.distance[p]; g.known(p) && d%2 == 1 {
				wins[c] = d
				continue
			}
			for _, child := range g.moves[p] {
				if d := losses[g.class[child]]; d != undecided && (wins[c] == undecided || d+1 < wins[c]) {
					wins[c] = d + 1
				}
			}
		}
		l.wins = append(l.wins, wins)
		changed := false
		for c, holders := range g.holders {
			d := l.lost(holders[0], func(child int) int { return wins[g.class[child]] })
			if d != undecided && (losses[c] == undecided || d < losses[c]) {
				losses[c] = d
				changed = true
			}
		}
		if !changed {
			return l
		}
		l.generations++
	}
}

// lost is the distance of a position beyond the horizon whose moves all lead to
// wins; undecided for any other, and for a known loss.
func (l *madeUpLosses) lost(p int, won func(int) int) int {
	if l.told[l.class[p]] != undecided || l.known(p) || len(l.moves[p]) == 0 {
		return undecided
	}
	worst := 0
	for _, child := range l.moves[p] {
		d := won(child)
		if d == undecided {
			return undecided
		}
		worst = max(worst, d)
	}
	return worst + 1
}

func (l *madeUpLosses) Generations() int { return l.generations }

func (l *madeUpLosses) KnownLosses(shard, shards int, found func(uint64, uint8)) {
	for c := shard; c < len(l.holders); c += shards {
		if d := l.told[c]; d != undecided {
			found(l.index[c], uint8(d))
		}
	}
}

func (l *madeUpLosses) Lost(p, generation int, won func(int) (uint8, bool)) (uint8, bool) {
	for _, child := range l.moves[p] {
		got, ok := won(child)
		if want := l.wins[generation-1][l.class[child]]; ok != (want != undecided) || ok && int(got) != want {
			l.abuses.Add(1)
		}
	}
	d := l.lost(p, func(child int) int {
		if d, ok := won(child); ok {
			return int(d)
		}
		return undecided
	})
	return uint8(d), d != undecided
}

func checkExpand(l *madeUpLosses) error {
	for _, threads := range []int{0, 1, 3} {
		s, err := Expand(context.Background(), l.madeUp, l, threads, nil)
		if err != nil {
			return err
		}
		err = l.check(s)
		s.Free()
		if err != nil {
			return fmt.Errorf("%d threads: %w", threads, err)
		}
	}
	if n := l.calls.Load(); n != 0 {
		return fmt.Errorf("moves counted %d times", n)
	}
	return nil
}

// From its losses a graph is worked out whole, whichever of them are known.
func TestExpandAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		g := drawKind(t).make(rnd.Uint64())
		if len(g.distance) > 0 && slices.Max(g.distance) > rules.MaxDistance {
			return
		}
		if err := checkExpand(newMadeUpLosses(g, rnd)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestExpandLong(t *testing.T) {
	for horizon := range 4 {
		g := plain(horizon, chain(rules.MaxDistance+1)...)
		if err := checkExpand(newMadeUpLosses(g, rand.New(rand.NewPCG(1, 2)))); err != nil {
			t.Errorf("horizon %d: %v", horizon, err)
		}
	}
}

func TestExpandErrors(t *testing.T) {
	g := plain(1, chain(9)...)
	l := newMadeUpLosses(g, rand.New(rand.NewPCG(1, 2)))
	l.told[4] = rules.MaxDistance + 1
	s, err := Expand(context.Background(), g, l, 2, nil)
	if err == nil || s != nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"position 4 ", "distance 64"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}

	l = newMadeUpLosses(g, rand.New(rand.NewPCG(1, 2)))
	for _, stage := range []string{"known positions", "known losses", "losses of generation 1", "distance 8"} {
		ctx, cancel := context.WithCancel(context.Background())
		s, err := Expand(ctx, g, l, 2, func(name string, _, _ uint64) {
			if name == stage {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || s != nil {
			t.Errorf("cancelled in %s: %v", stage, err)
		}
		cancel()
	}
}
