package retrograde

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"solved/rules"
)

// madeUpLayers is a set of layers held in lists.
type madeUpLayers struct {
	ends     []uint64
	same     []uint64 // the representative of an index
	children [][]uint64
	deep     []int // distances

	mu    sync.Mutex
	abuse string // a call that the solver has no need to make
}

func (l *madeUpLayers) Ends() []uint64                     { return l.ends }
func (l *madeUpLayers) Representative(index uint64) uint64 { return l.same[index] }

func (l *madeUpLayers) Children(index uint64, dst []uint64) []uint64 {
	if l.same[index] != index {
		l.mu.Lock()
		l.abuse = fmt.Sprintf("asked for the children of %d, which %d stands for", index, l.same[index])
		l.mu.Unlock()
	}
	return append(dst, l.children[index]...)
}

func (l *madeUpLayers) code(index uint64) rules.Code { return codeOfDistance(l.deep[index]) }

// distances finds the distance of every position by looking ahead.
func (l *madeUpLayers) distances() []int {
	distance := slices.Repeat([]int{-2}, len(l.children))
	var look func(index uint64) int
	look = func(index uint64) int {
		if distance[index] == -2 {
			last := index >= append([]uint64{0}, l.ends...)[len(l.ends)-1]
			var of []int
			for _, child := range l.children[index] {
				if last {
					of = append(of, l.deep[child])
				} else {
					of = append(of, look(child))
				}
			}
			all := make([]int, len(of))
			for i := range all {
				all[i] = i
			}
			distance[index] = judge(all, of)
		}
		return distance[index]
	}
	for index := range distance {
		look(uint64(index))
	}
	return distance
}

// makeLayers makes layers of random sizes, with random moves, above a graph with
// distances up to a greatest one.
func makeLayers(layers, most, greatest int, rnd *rand.Rand) *madeUpLayers {
	l := &madeUpLayers{}
	for range 1 + rnd.IntN(20) {
		l.deep = append(l.deep, max(undecided, rnd.IntN(greatest+3)-2))
	}
	var ends []uint64
	end := uint64(0)
	for range layers {
		end += uint64(1 + rnd.IntN(most))
		ends = append(ends, end)
	}
	l.ends = ends
	start := uint64(0)
	for layer, end := range ends {
		// Children are in the next layer, or in the graph.
		first, n := uint64(0), len(l.deep)
		if layer+1 < layers {
			first, n = end, int(ends[layer+1]-end)
		}
		var own []uint64
		for index := start; index < end; index++ {
			var children []uint64
			if len(own) > 0 && rnd.IntN(2) == 0 {
				same := own[rnd.IntN(len(own))]
				l.same = append(l.same, same)
				children = slices.Clone(l.children[same])
			} else {
				own = append(own, index)
				l.same = append(l.same, index)
				for range rnd.IntN(4) {
					children = append(children, first+uint64(rnd.IntN(n)))
				}
			}
			l.children = append(l.children, children)
		}
		start = end
	}
	return l
}

func checkLayers(l *madeUpLayers) error {
	want := l.distances()
	tooLong := slices.Max(want) > rules.MaxDistance
	for _, threads := range []int{0, 1, 3} {
		got, err := SolveLayers(context.Background(), l, l.code, threads, nil)
		if tooLong {
			if err == nil || got != nil {
				return fmt.Errorf("%d threads: no error, and distances are to %d", threads, slices.Max(want))
			}
			continue
		}
		if err != nil {
			return err
		}
		if len(got) != len(want) {
			return fmt.Errorf("%d codes, want %d", len(got), len(want))
		}
		for index, d := range want {
			if got[index] != codeOfDistance(d) {
				return fmt.Errorf("%d threads: index %d has %v, want %v", threads, index, rules.EntryOf(got[index]), rules.EntryOf(codeOfDistance(d)))
			}
		}
	}
	// The same from the losses alone.
	if !tooLong {
		got, err := ExpandLayers(context.Background(), l, l.code, func(index uint64) (uint8, bool) {
			return uint8(want[index]), want[index] >= 0 && want[index]%2 == 0
		}, 2, nil)
		if err != nil {
			return fmt.Errorf("from losses: %w", err)
		}
		for index, d := range want {
			if got[index] != codeOfDistance(d) {
				return fmt.Errorf("from losses: index %d has %v, want %v", index, rules.EntryOf(got[index]), rules.EntryOf(codeOfDistance(d)))
			}
		}
	}
	if l.abuse != "" {
		return errors.New(l.abuse)
	}
	return nil
}

// Layers are solved as the definition has it, also near the greatest distance.
func TestSolveLayersAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layers := rapid.IntRange(1, 7).Draw(t, "layers")
		most := rapid.IntRange(1, 40).Draw(t, "positions of a layer, at most")
		greatest := rapid.SampledFrom([]int{0, 3, 30, 58, 61, 63}).Draw(t, "greatest distance")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		if err := checkLayers(makeLayers(layers, most, greatest, rnd)); err != nil {
			t.Fatal(err)
		}
	})
}

// Layers of more positions than one part has, and a layer without any.
func TestSolveLayersLarge(t *testing.T) {
	l := makeLayers(3, 100_000, 20, rand.New(rand.NewPCG(3, 0)))
	if n := l.ends[2]; n < 100_000 {
		t.Fatalf("only %d positions", n)
	}
	if err := checkLayers(l); err != nil {
		t.Error(err)
	}
	l = &madeUpLayers{ends: []uint64{0, 0, 1}, same: []uint64{0}, children: [][]uint64{{0}}, deep: []int{4}}
	if err := checkLayers(l); err != nil {
		t.Error(err)
	}
}

func TestSolveLayersByHand(t *testing.T) {
	const draw = undecided
	tests := []struct {
		name string
		deep []int // the only position's children's
		want int
	}{
		{"no move", nil, 0},
		{"nearest loss", []int{6, 2, 1, draw, 4}, 3},
		{"farthest win", []int{1, 7, 3}, 8},
		{"draw for want of a loss", []int{1, draw, 3}, draw},
		{"longest win", []int{62}, 63},
		{"longest loss", []int{61, 1}, 62},
		{"a shorter win than one past the greatest distance", []int{63, 0}, 1},
		{"a draw rather than a loss past the greatest distance", []int{63, draw}, draw},
	}
	for _, test := range tests {
		l := &madeUpLayers{ends: []uint64{1}, same: []uint64{0}, children: [][]uint64{nil}, deep: test.deep}
		for i := range test.deep {
			l.children[0] = append(l.children[0], uint64(i))
		}
		if got := l.distances()[0]; got != test.want {
			t.Errorf("%s: the test's own %d, want %d", test.name, got, test.want)
		}
		if err := checkLayers(l); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestSolveLayersErrors(t *testing.T) {
	// Position 2 loses in 64, so nothing above it is looked at.
	l := &madeUpLayers{ends: []uint64{1, 3}, same: []uint64{0, 1, 2}, children: [][]uint64{{1}, {1}, {0}}, deep: []int{63, 0}}
	codes, err := SolveLayers(context.Background(), l, l.code, 2, nil)
	if err == nil || codes != nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"position 2 ", "distance 64"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
}

func TestSolveLayersProgressAndCancel(t *testing.T) {
	l := makeLayers(3, 100_000, 20, rand.New(rand.NewPCG(3, 0)))
	for _, threads := range []int{1, 4} {
		var s stages
		if _, err := SolveLayers(context.Background(), l, l.code, threads, s.progress); err != nil {
			t.Fatal(err)
		}
		s.check(t, "layer 2", "layer 1", "layer 0")
		if n := s.total["layer 1"]; n != l.ends[1]-l.ends[0] {
			t.Errorf("layer 1 has %d positions, want %d", n, l.ends[1]-l.ends[0])
		}
	}

	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	var s stages
	if codes, err := SolveLayers(ctx, l, l.code, 2, s.progress); !errors.Is(err, cause) || codes != nil {
		t.Errorf("cancelled before: %v", err)
	}
	if len(s.names) != 0 {
		t.Errorf("cancelled before, and went through %q", s.names)
	}
	for i, stage := range []string{"layer 2", "layer 1", "layer 0"} {
		ctx, cancel := context.WithCancel(context.Background())
		s := stages{hook: func(name string) {
			if name == stage {
				cancel()
			}
		}}
		if codes, err := SolveLayers(ctx, l, l.code, 1, s.progress); !errors.Is(err, context.Canceled) || codes != nil {
			t.Errorf("cancelled in %s: %v", stage, err)
		}
		cancel()
		if len(s.names) != i+1 || len(s.done[stage]) != 1 {
			t.Errorf("cancelled in %s: went through %q, and %d parts of the last", stage, s.names, len(s.done[stage]))
		}
	}
}
