package retrograde

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"solved/rules"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// checkSolve holds the solution of a graph against its definition, on one thread
// and on several.
func checkSolve(g *madeUp) error {
	if err := g.lawful(); err != nil {
		return fmt.Errorf("the test's own graph: %w", err)
	}
	tooLong := len(g.distance) > 0 && slices.Max(g.distance) > rules.MaxDistance
	for _, threads := range []int{1, 3} {
		s, err := Solve(context.Background(), g, threads, nil)
		if tooLong {
			if err == nil {
				return fmt.Errorf("%d threads: no error, and distances are to %d", threads, slices.Max(g.distance))
			}
			continue
		}
		if err != nil {
			return err
		}
		err = g.check(s)
		s.Free()
		if err != nil {
			return fmt.Errorf("%d threads: %w", threads, err)
		}
	}
	return nil
}

// Every graph is solved as the definition has it, whatever the horizon, whoever
// shares an index, and however many threads are at work.
func TestSolveAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		kind := drawKind(t)
		if err := checkSolve(kind.make(seed)); err != nil {
			t.Fatal(err)
		}
	})
}

// The same for a grid of kinds, which is sure to have all that matters in it.
func TestSolveAllKinds(t *testing.T) {
	seen := map[string]int{}
	for seed, kind := range kinds() {
		g := kind.make(uint64(seed))
		if err := checkSolve(g); err != nil {
			t.Errorf("%+v: %v", kind, err)
		}
		longest := slices.Max(g.distance)
		if slices.Contains(g.distance, undecided) {
			seen["draws"]++
		}
		if longest > rules.MaxDistance {
			seen["too long"]++
		} else if longest > 30 {
			seen["long"]++
		}
		if longest > kind.horizon+1 {
			seen[fmt.Sprintf("past horizon %d", kind.horizon)]++
		}
	}
	for _, what := range []string{"draws", "long", "too long", "past horizon 0", "past horizon 1", "past horizon 2", "past horizon 3"} {
		if seen[what] < 5 {
			t.Errorf("%d graphs only had %s", seen[what], what)
		}
	}
}

// A graph with enough positions for many blocks and full batches gives the same,
// and right, codes on any number of threads.
func TestSolveManyBlocks(t *testing.T) {
	g := lattice{17}
	distance := fixpoint(g.moves())
	if longest := slices.Max(distance); longest < 10 || longest > rules.MaxDistance || !slices.Contains(distance, undecided) {
		t.Fatalf("the graph is no good test: its longest distance is %d", longest)
	}
	for _, threads := range []int{-1, 1, 2, 8} {
		s, err := Solve(context.Background(), g, threads, nil)
		if err != nil {
			t.Fatal(err)
		}
		for index, d := range distance {
			if got, want := s.Code(uint64(index)), codeOfDistance(d); got != want {
				t.Fatalf("%d threads, index %d: %v, want %v", threads, index, rules.EntryOf(got), rules.EntryOf(want))
			}
		}
		s.Free()
	}
}

// chain is a line of n positions, each with one move, to the one before.
func chain(n int) [][]int {
	moves := make([][]int, n)
	for p := 1; p < n; p++ {
		moves[p] = []int{p - 1}
	}
	return moves
}

// fan is a position that is over and n positions that move to it.
func fan(n int) [][]int {
	moves := make([][]int, n+1)
	for p := 1; p <= n; p++ {
		moves[p] = []int{0}
	}
	return moves
}

func TestSolveByHand(t *testing.T) {
	const draw = rules.CodeDraw
	up := func(n int) (codes []rules.Code) {
		for d := range n {
			codes = append(codes, rules.Code(d))
		}
		return codes
	}
	tests := []struct {
		name  string
		moves [][]int
		want  []rules.Code
	}{
		{"nothing", nil, nil},
		{"over", [][]int{{}}, []rules.Code{0}},
		{"alone", [][]int{{0}}, []rules.Code{draw}},
		{"chain", chain(8), up(8)},
		{"longest chain", chain(rules.MaxDistance + 1), up(rules.MaxDistance + 1)},
		{"cycle", [][]int{{1}, {2}, {0}}, []rules.Code{draw, draw, draw}},
		{"cycle with a way out", [][]int{{1}, {0, 2}, {}}, []rules.Code{2, 1, 0}},
		{"cycle above an end", [][]int{{}, {0}, {1, 3}, {2}}, []rules.Code{0, 1, draw, draw}},
		{"nobody need enter", [][]int{{}, {0}, {1, 2}}, []rules.Code{0, 1, draw}},
		{"bound to move", [][]int{{}, {0}, {1}, {2, 1}}, []rules.Code{0, 1, 2, 3}},
		{"longest defence", [][]int{{}, {0}, {1}, {2}, {1, 3}}, []rules.Code{0, 1, 2, 3, 4}},
		{"shortest win", [][]int{{}, {0}, {1}, {2, 0, 4}, {4, 3}}, []rules.Code{0, 1, 2, 1, draw}},
		{"counted, then won", [][]int{{}, {0}, {1}, {2}, {3}, {1, 4}}, []rules.Code{0, 1, 2, 3, 4, 5}},
		{"two moves to one win", [][]int{{}, {0}, {1, 1}, {1, 1, 3}}, []rules.Code{0, 1, 2, draw}},
		{"escape at the end of the longest chain", append(chain(rules.MaxDistance+1), []int{rules.MaxDistance, rules.MaxDistance + 1}),
			append(up(rules.MaxDistance+1), draw)},
		{"as many moves as can be counted", append(fan(MaxMoves), func() (all []int) {
			for p := 1; p <= MaxMoves; p++ {
				all = append(all, p)
			}
			return all
		}()), append(append([]rules.Code{0}, slices.Repeat([]rules.Code{1}, MaxMoves)...), 2)},
		{"more predecessors than a batch", fan(5 * batchSize), append([]rules.Code{0}, slices.Repeat([]rules.Code{1}, 5*batchSize)...)},
	}
	for _, test := range tests {
		for horizon := range 4 {
			t.Run(fmt.Sprintf("%s, horizon %d", test.name, horizon), func(t *testing.T) {
				g := plain(horizon, test.moves...)
				s, err := Solve(context.Background(), g, 2, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Free()
				got := make([]rules.Code, s.Size())
				s.Codes(0, got)
				if !slices.Equal(got, test.want) {
					t.Errorf("got  %v\nwant %v", got, test.want)
				}
				if err := g.check(s); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// horizonAt changes a graph's horizon and what it knows.
type horizonAt struct {
	*madeUp
	horizon uint8
	tells   map[uint64]uint8
}

func (g horizonAt) Horizon() uint8 { return g.horizon }
func (g horizonAt) Known(shard, shards int, found func(uint64, uint8)) {
	if shard == 0 {
		for index, d := range g.tells {
			found(index, d)
		}
	}
}

type sized struct {
	*madeUp
	size uint64
}

func (g sized) Size() uint64 { return g.size }

func TestSolveErrors(t *testing.T) {
	opens := func(n int) *madeUp {
		g := plain(0, chain(6)...)
		g.open = func(p int) (int, bool) { return n, p == 4 }
		return g
	}
	tests := []struct {
		name  string
		graph Graph[int]
		want  []string
	}{
		{"too long", plain(0, chain(rules.MaxDistance+2)...), []string{"position 64 ", "distance 64"}},
		{"too long from an odd horizon", plain(3, chain(90)...), []string{"position 64 ", "distance 64"}},
		{"no move", opens(0), []string{"position 4 ", " 0 open moves"}},
		{"fewer than no move", opens(-1), []string{"position 4 ", " -1 open moves"}},
		{"too many moves", opens(MaxMoves + 1), []string{"position 4 ", " 128 open moves"}},
		{"known past the horizon", horizonAt{plain(0, chain(6)...), 1, map[uint64]uint8{0: 0, 1: 1, 2: 2}}, []string{"position 2 ", "distance 2", " of 1"}},
		{"known past any horizon", horizonAt{plain(0, chain(6)...), 1, map[uint64]uint8{3: 255}}, []string{"position 3 ", "distance 255"}},
		{"horizon too far", horizonAt{plain(0, chain(6)...), 64, nil}, []string{"horizon", "64"}},
		{"size", sized{plain(0, chain(6)...), 1<<64 - 1}, []string{"memory", "18446744073709551615"}},
	}
	for _, test := range tests {
		for _, threads := range []int{1, 4} {
			s, err := Solve(context.Background(), test.graph, threads, nil)
			if err == nil || s != nil {
				t.Errorf("%s: no error", test.name)
				continue
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: error %q does not say %q", test.name, err, want)
				}
			}
		}
	}
	// The greatest horizon of all leaves nothing to find.
	g := plain(rules.MaxDistance, chain(rules.MaxDistance+1)...)
	s, err := Solve(context.Background(), g, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	if err := g.check(s); err != nil {
		t.Error(err)
	}
	if n := g.calls.Load(); n != 0 {
		t.Errorf("moves counted %d times", n)
	}
}

// stages records what Progress is told.
type stages struct {
	mu    sync.Mutex
	names []string
	done  map[string][]uint64
	total map[string]uint64
	hook  func(stage string)
}

func (s *stages) progress(stage string, done, total uint64) {
	s.mu.Lock()
	if s.done == nil {
		s.done, s.total = map[string][]uint64{}, map[string]uint64{}
	}
	if !slices.Contains(s.names, stage) {
		s.names, s.total[stage] = append(s.names, stage), total
	}
	if total != s.total[stage] {
		total = 0 // cannot be right
	}
	s.done[stage], s.total[stage] = append(s.done[stage], done), total
	s.mu.Unlock()
	if s.hook != nil {
		s.hook(stage)
	}
}

// check holds what was told against the contract of Progress, for stages that all
// came to their end.
func (s *stages) check(t *testing.T, names ...string) {
	t.Helper()
	if !slices.Equal(s.names, names) {
		t.Errorf("stages %q, want %q", s.names, names)
	}
	for _, name := range s.names {
		done := slices.Sorted(slices.Values(s.done[name]))
		if len(slices.Compact(slices.Clone(done))) != len(done) || done[len(done)-1] != s.total[name] {
			t.Errorf("%s: told %v of %d", name, done, s.total[name])
		}
	}
}

func TestSolveProgress(t *testing.T) {
	g := lattice{15}
	want := []string{"known positions"}
	for d := range slices.Max(fixpoint(g.moves())) + 1 {
		want = append(want, fmt.Sprintf("distance %d", d))
	}
	for _, threads := range []int{1, 4} {
		var s stages
		solution, err := Solve(context.Background(), g, threads, s.progress)
		if err != nil {
			t.Fatal(err)
		}
		solution.Free()
		s.check(t, want...)
	}
}

// A context that ends, before the work or in any stage of it, ends the work.
func TestSolveCancelled(t *testing.T) {
	g := plain(1, chain(7)...)
	g.size = 40 * 8 * blockSize // room for many parts
	cause := errors.New("enough")

	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	s := stages{}
	if solution, err := Solve(ctx, g, 2, s.progress); !errors.Is(err, cause) || solution != nil {
		t.Errorf("cancelled before: %v", err)
	}
	if len(s.names) != 0 {
		t.Errorf("cancelled before, and went through %q", s.names)
	}

	all := []string{"known positions", "distance 1", "distance 2", "distance 3", "distance 4", "distance 5", "distance 6"}
	for i, stage := range all {
		for _, threads := range []int{1, 3} {
			ctx, cancel := context.WithCancel(context.Background())
			s := stages{hook: func(name string) {
				if name == stage {
					cancel()
				}
			}}
			if solution, err := Solve(ctx, g, threads, s.progress); !errors.Is(err, context.Canceled) || solution != nil {
				t.Errorf("cancelled in %s: %v", stage, err)
			}
			cancel()
			if !slices.Equal(s.names, all[:i+1]) {
				t.Errorf("cancelled in %s: went through %q", stage, s.names)
			}
			if i == 0 && len(s.done[stage]) > threads {
				t.Errorf("cancelled in %s: %d parts on %d threads", stage, len(s.done[stage]), threads)
			}
		}
	}

	// In a wave of many parts, those not begun are left out.
	ctx2, cancel2 := context.WithCancel(context.Background())
	defer cancel2()
	wave := stages{hook: func(name string) {
		if name == "distance 2" {
			cancel2()
		}
	}}
	if _, err := Solve(ctx2, lattice{19}, 1, wave.progress); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled in a wave: %v", err)
	}
	if n := len(wave.done["distance 2"]); n != 1 || wave.total["distance 2"] < 2 {
		t.Errorf("cancelled in a wave: %d parts", n)
	}
}

// Codes gives what Code gives, from anywhere to anywhere.
func TestCodesAlignment(t *testing.T) {
	for size := range 35 {
		s := &Solution{size: uint64(size)}
		var err error
		if s.cells, err = newCells(uint64(size)); err != nil {
			t.Fatal(err)
		}
		for i := range size {
			if d := uint8(i * 7 % 80); d <= rules.MaxDistance {
				s.cells.decide(uint64(i), d)
			}
		}
		for lo := 0; lo <= size; lo++ {
			for hi := lo; hi <= size; hi++ {
				dst := slices.Repeat([]rules.Code{99}, hi-lo)
				s.Codes(uint64(lo), dst)
				for i, code := range dst {
					want := rules.CodeDraw
					if d := (lo + i) * 7 % 80; d <= rules.MaxDistance {
						want = rules.Code(d)
					}
					if code != want || s.Code(uint64(lo+i)) != want {
						t.Fatalf("size %d, from %d to %d: code %d of index %d, want %d", size, lo, hi, code, lo+i, want)
					}
				}
			}
		}
		s.Free()
		s.Free() // does no harm
	}
}

// An open count that is left over is a draw.
func TestCodesOfOpenCells(t *testing.T) {
	for cell, code := range codeOf {
		want := rules.CodeDraw
		if cell >= 1 && cell <= rules.MaxDistance+1 {
			want = rules.Code(cell - 1)
		}
		if cell <= rules.MaxDistance+1 || cell >= openBit {
			if code != want {
				t.Errorf("cell %#x gives %d, want %d", cell, code, want)
			}
		}
	}
}
