package reach

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

const all = 1 << 30 // more violations than there can be

func explore(t testing.TB, g Forwards, threads int) *Set {
	t.Helper()
	s, err := Explore(context.Background(), g, threads, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Free)
	return s
}

func check(t testing.TB, s *Set, g Backwards, threads, enough int) Report {
	t.Helper()
	report, err := s.Check(context.Background(), g, Options{Threads: threads, Violations: enough})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// list reads all depths.
func (s *Set) list() []int {
	depths := make([]int, s.Size())
	for p := range depths {
		depth, ok := s.Depth(uint64(p))
		if ok != s.Has(uint64(p)) || !ok && depth != -1 {
			panic("Depth and Has differ")
		}
		depths[p] = depth
	}
	return depths
}

func drawGame(t *rapid.T) *madeUp {
	for seed := rapid.Uint64().Draw(t, "seed"); ; seed++ {
		g := newMadeUp(seed, rapid.IntRange(0, 700).Draw(t, "positions"))
		if d := g.depths(); len(d) == 0 || slices.Max(d) <= MaxDepth {
			return g
		}
	}
}

// What is explored is what a plain search finds, on any number of threads, and it has
// no violation; everything is counted.
func TestExplore(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := drawGame(rt)
		want := g.depths()
		var counts Report
		for p, depth := range want {
			orbit := uint64(g.orbits[p])
			counts.Positions += orbit
			counts.Edges += orbit * uint64(len(g.before[p]))
			if depth >= 0 {
				counts.Reached += orbit
				for len(counts.Plies) <= depth {
					counts.Plies = append(counts.Plies, 0)
				}
				counts.Plies[depth] += orbit
			}
		}
		for threads := range 3 {
			s := explore(t, g, threads+1)
			if got := s.list(); !slices.Equal(got, want) {
				rt.Fatalf("%v, want %v", got, want)
			}
			got := check(t, s, g, threads+1, all)
			if len(got.Violations) != 0 || got.Positions != counts.Positions || got.Reached != counts.Reached ||
				got.Edges != counts.Edges || !slices.Equal(got.Plies, counts.Plies) {
				rt.Fatalf("%+v, want %+v", got, counts)
			}
		}
	})
}

// However depths are changed, what is found is what a naive check finds, and the first
// so many of it if fewer are enough. It is never nothing, as no other set follows from
// itself.
func TestCheckAgainstNaive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := drawGame(rt)
		depths := g.depths()
		if len(depths) == 0 {
			return
		}
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "changes"), 1))
		for _, p := range rnd.Perm(len(depths))[:1+rnd.IntN(min(len(depths), 20))] {
			depths[p] += 1 + rnd.IntN(3)
			if rnd.IntN(2) == 0 {
				depths[p] = -1
			}
		}
		s := setOf(t, depths)
		want := g.wrong(depths)
		if len(want) == 0 && !slices.Equal(depths, g.depths()) {
			rt.Fatal("a set that is not the game's follows from itself")
		}
		for threads := range 3 {
			if got := check(t, s, g, threads+1, all).Violations; !slices.Equal(got, want) {
				rt.Fatalf("%v, want %v", got, want)
			}
			enough := 1 + rnd.IntN(len(want)+1)
			if got := check(t, s, g, threads+1, enough).Violations; !slices.Equal(got, want[:min(enough, len(want))]) {
				rt.Fatalf("%v, want the first %d of %v", got, enough, want)
			}
		}
	})
}

// Each kind of error is found at the first, the last and some other index that can have
// it, in a game of several blocks.
func TestPlantedErrors(t *testing.T) {
	const n = 3*checkBlock + 77
	g := newMadeUp(3, n)
	s := explore(t, g, 2)
	right := s.list()
	if wrong := check(t, s, g, 2, all).Violations; len(wrong) != 0 {
		t.Fatal(wrong)
	}
	kinds := []struct {
		name   string
		change func(p uint64) (depth int, ok bool)
	}{
		{"marked, and cannot occur", func(p uint64) (int, bool) { return 3, right[p] < 0 && g.orbits[p] > 0 }},
		{"marked, and not in use", func(p uint64) (int, bool) { return 3, g.orbits[p] == 0 }},
		{"not marked", func(p uint64) (int, bool) { return -1, right[p] >= 0 }},
		{"a root not marked", func(p uint64) (int, bool) { return -1, g.roots[p] }},
		{"a ply late", func(p uint64) (int, bool) { return right[p] + 1, right[p] >= 0 }},
		{"a ply early", func(p uint64) (int, bool) { return right[p] - 1, right[p] > 0 }},
	}
	rnd := rand.New(rand.NewPCG(1, 3))
	for _, kind := range kinds {
		next := func(p, step uint64) uint64 {
			for range n {
				if _, ok := kind.change(p % n); ok {
					return p % n
				}
				p += step
			}
			t.Fatalf("nothing can be %s", kind.name)
			return 0
		}
		for _, p := range []uint64{next(0, 1), next(n-1, n-1), next(rnd.Uint64N(n), 1), next(rnd.Uint64N(n), 1)} {
			depth, _ := kind.change(p)
			s.change(p, depth)
			got := check(t, s, g, 2, all).Violations
			if !slices.ContainsFunc(got, func(v Violation) bool { return v.Index == p && v.Found == depth }) {
				t.Errorf("%s, at %d: found %v", kind.name, p, got)
			}
			s.change(p, right[p])
		}
	}
	if wrong := check(t, s, g, 2, all).Violations; len(wrong) != 0 {
		t.Fatal(wrong)
	}
}

// A circle of positions that bear one another out does not pass, whatever depths it is
// given: that nothing leads into it shows at the least.
func TestCircle(t *testing.T) {
	const n = 10
	g := &madeUp{roots: make([]bool, n), orbits: slices.Repeat([]int{1}, n), after: make([][]uint64, n), before: make([][]uint64, n)}
	for p := range uint64(n) {
		g.after[p] = []uint64{(p + 1) % n}
		g.before[(p+1)%n] = []uint64{p}
	}
	for first := range n {
		depths := make([]int, n)
		for p := range depths {
			depths[(first+p)%n] = p + 1
		}
		if len(check(t, setOf(t, depths), g, 1, all).Violations) == 0 {
			t.Error("a circle without a root passes")
		}
	}
}

// newChain is a game of one line of moves.
func newChain(n int) *madeUp {
	g := &madeUp{roots: make([]bool, n), orbits: slices.Repeat([]int{1}, n), after: make([][]uint64, n), before: make([][]uint64, n)}
	g.roots[0] = true
	for p := 1; p < n; p++ {
		g.after[p-1], g.before[p] = []uint64{uint64(p)}, []uint64{uint64(p - 1)}
	}
	return g
}

// The greatest depth that fits is found, and one more is an error.
func TestMaxDepth(t *testing.T) {
	g := newChain(MaxDepth + 1)
	s := explore(t, g, 2)
	if depth, ok := s.Depth(MaxDepth); depth != MaxDepth || !ok {
		t.Errorf("depth %d, %v", depth, ok)
	}
	if r := check(t, s, g, 2, all); len(r.Violations) != 0 || len(r.Plies) != MaxDepth+1 {
		t.Errorf("%+v", r)
	}
	if _, err := Explore(t.Context(), newChain(MaxDepth+2), 2, nil); err == nil {
		t.Error("a position too deep is no error")
	}
}

// strange gives numbers that are no position's.
type strange struct {
	*madeUp
	root, after, before uint64
}

func (g strange) Roots(shard, shards int, found func(uint64)) {
	g.madeUp.Roots(shard, shards, found)
	if shard == shards-1 {
		found(g.root)
	}
}
func (g strange) Successors(_ uint64, dst []uint64) []uint64   { return append(dst, g.after) }
func (g strange) Predecessors(_ uint64, dst []uint64) []uint64 { return append(dst, g.before) }

func TestErrors(t *testing.T) {
	g := newChain(20)
	s := explore(t, g, 1)
	o := Options{Threads: 2, Violations: 1}
	for _, bad := range []strange{{g, 20, 0, 0}, {g, 0, 20, 0}, {g, 0, 1 << 63, 0}} {
		if _, err := Explore(t.Context(), bad, 2, nil); err == nil {
			t.Errorf("%+v is explored", bad)
		}
	}
	if _, err := s.Check(t.Context(), strange{g, 0, 0, 20}, o); err == nil {
		t.Error("a predecessor that is none is taken")
	}
	if _, err := s.Check(t.Context(), newChain(21), o); err == nil {
		t.Error("a game of another size is taken")
	}
	if _, err := s.Check(t.Context(), g, Options{Threads: 1}); err == nil {
		t.Error("no violations are enough")
	}
	if _, err := s.Check(t.Context(), g, Options{Violations: 1}); err == nil {
		t.Error("no threads are enough")
	}
	cause := errors.New("enough of it")
	ended, end := context.WithCancelCause(t.Context())
	end(cause)
	if _, err := Explore(ended, g, 2, nil); !errors.Is(err, cause) {
		t.Error(err)
	}
	if _, err := s.Check(ended, g, o); !errors.Is(err, cause) {
		t.Error(err)
	}
	if _, err := wordsFor(1 << 50); err == nil {
		t.Error("no amount of memory is too much")
	}
}

// misjudged is a game with a rule that is wrong about one position.
type misjudged struct {
	*madeUp
	at uint64
}

func (g misjudged) Reachable(index uint64) bool { return g.madeUp.Reachable(index) != (index == g.at) }

// A rule that is wrong about a position is found out.
func TestRule(t *testing.T) {
	g := newMadeUp(5, 2*checkBlock+3)
	s := explore(t, g, 2)
	var can, cannot []uint64
	for p, depth := range g.depths() {
		switch {
		case g.orbits[p] == 0:
		case depth < 0:
			cannot = append(cannot, uint64(p))
		default:
			can = append(can, uint64(p))
		}
	}
	for _, p := range []uint64{can[0], can[len(can)-1], cannot[0], cannot[len(cannot)-1]} {
		depth, ok := s.Depth(p)
		want := []Violation{{p, depth, depth, !ok}}
		if got := check(t, s, misjudged{g, p}, 2, all); !slices.Equal(got.Violations, want) {
			t.Errorf("found %v, want %v", got.Violations, want)
		}
	}
}

// Each stage is told of to its end.
func TestProgress(t *testing.T) {
	g := newMadeUp(9, 3*checkBlock)
	var calls, ends atomic.Int64
	progress := func(_ string, done, total uint64) {
		calls.Add(1)
		if done == total {
			ends.Add(1)
		}
		if done > total || done == 0 {
			t.Errorf("%d of %d", done, total)
		}
	}
	s, err := Explore(t.Context(), g, 2, progress)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	deepest := slices.Max(s.list())
	// The roots, and every wave: the last one marks nothing.
	if got := ends.Swap(0); got != int64(1+deepest+1) {
		t.Errorf("%d stages were ended, want %d", got, deepest+2)
	}
	calls.Store(0)
	if _, err := s.Check(t.Context(), g, Options{2, 1, progress}); err != nil || ends.Load() != 1 || calls.Load() != 3 {
		t.Errorf("%v, %d calls", err, calls.Load())
	}
}
