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

// madeUpLosses tells the losses of a made-up graph, each in a generation or more:
// in the last of its own at its true distance, before that at greater ones.
type madeUpLosses struct {
	*madeUp
	generations int
	told        [][][]uint8 // by class and generation: the distances told
}

func newMadeUpLosses(g *madeUp, generations int, rnd *rand.Rand) *madeUpLosses {
	l := &madeUpLosses{madeUp: g, generations: generations}
	for _, holders := range g.holders {
		told := make([][]uint8, generations)
		if d := g.distance[holders[0]]; d > int(g.horizon) && d%2 == 0 {
			last := rnd.IntN(generations)
			told[last] = append(told[last], uint8(d))
			for range rnd.IntN(3) {
				some := rnd.IntN(last + 1)
				told[some] = append(told[some], uint8(min(d+2*rnd.IntN(4), rules.MaxDistance-1)))
			}
		}
		l.told = append(l.told, told)
	}
	return l
}

func (l *madeUpLosses) Generations() int { return l.generations }

func (l *madeUpLosses) Find(generation, shard, shards int, won func(uint64) (uint8, bool), found func(uint64, uint8)) {
	for c := shard; c < len(l.holders); c += shards {
		got, ok := won(l.index[c])
		if want := l.wonBefore(c, generation); ok != (want != undecided) || ok && int(got) != want {
			l.abuses.Add(1)
		}
		for _, d := range l.told[c][generation] {
			found(l.index[c], d)
		}
	}
}

// wonBefore is the distance of a class that is known to be won or by the losses
// told before a generation.
func (l *madeUpLosses) wonBefore(c, generation int) int {
	best := undecided
	p := l.holders[c][0]
	if l.known(p) && l.distance[p]%2 == 1 {
		return l.distance[p]
	}
	for _, child := range l.moves[p] {
		if l.known(child) && l.distance[child]%2 == 0 && generation > 0 {
			return l.distance[child] + 1
		}
		for _, told := range l.told[l.class[child]][:generation] {
			for _, d := range told {
				if best == undecided || int(d) < best {
					best = int(d) + 1
				}
			}
		}
	}
	return best
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

// From its losses a graph is worked out whole, in however many generations they
// are told.
func TestExpandAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		g := drawKind(t).make(rnd.Uint64())
		generations := rapid.IntRange(1, 4).Draw(t, "generations")
		if len(g.distance) > 0 && slices.Max(g.distance) > rules.MaxDistance {
			return
		}
		if err := checkExpand(newMadeUpLosses(g, generations, rnd)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestExpandLong(t *testing.T) {
	for horizon := range 4 {
		g := plain(horizon, chain(rules.MaxDistance+1)...)
		if err := checkExpand(newMadeUpLosses(g, 3, rand.New(rand.NewPCG(1, 2)))); err != nil {
			t.Errorf("horizon %d: %v", horizon, err)
		}
	}
}

func TestExpandErrors(t *testing.T) {
	g := plain(1, chain(9)...)
	l := newMadeUpLosses(g, 2, rand.New(rand.NewPCG(1, 2)))
	l.told[4] = [][]uint8{nil, {rules.MaxDistance + 1}}
	s, err := Expand(context.Background(), g, l, 2, nil)
	if err == nil || s != nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"position 4 ", "distance 64"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}

	l = newMadeUpLosses(g, 2, rand.New(rand.NewPCG(1, 2)))
	for _, stage := range []string{"known positions", "losses 0", "losses 1", "distance 8"} {
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
