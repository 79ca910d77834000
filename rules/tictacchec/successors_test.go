package tictacchec

import (
	"slices"
	"testing"

	"solved/rules"
)

// playedSuccessors are the numbers of the positions after each move, sorted.
func playedSuccessors(r *Rules, p Position) []uint64 {
	var numbers []uint64
	for _, m := range r.Moves(p, nil) {
		section, index := r.Play(p, m).Index()
		if section == rules.Opening {
			index += MainPositions
		}
		numbers = append(numbers, index)
	}
	slices.Sort(numbers)
	return numbers
}

// Successors are where the moves lead: at both ends of every set of pieces and of
// every ply of the opening, and at random.
func TestSuccessors(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *Rules) {
		random := newRand(4)
		const run = 7
		check := func(section rules.Section, lo uint64, n int) {
			// What is there already stays.
			dst, ends := r.Successors(section, lo, n, []uint64{1}, []int{2})
			if dst[0] != 1 || ends[0] != 2 || len(ends) != n+1 || ends[n] != len(dst) {
				t.Fatalf("%s %d: %d successors, ends %v", section, lo, len(dst), ends)
			}
			before := 1
			for i, end := range ends[1:] {
				p, _ := FromIndex(section, lo+uint64(i))
				got := slices.Sorted(slices.Values(dst[before:end]))
				if want := playedSuccessors(r, p); !slices.Equal(got, want) {
					t.Fatalf("%s: successors %d, want %d", p, got, want)
				}
				if (before == end) != p.Terminal() {
					t.Fatalf("%s: %d successors", p, end-before)
				}
				before = end
			}
		}
		for _, b := range blocks {
			n := int(min(run, b.end()-b.offset))
			check(rules.Main, b.offset, n)
			check(rules.Main, b.end()-uint64(n), n)
		}
		for ply := range OpeningPlies {
			lo, hi := openingPlies[ply].offset, openingPlies[ply+1].offset
			n := int(min(run, hi-lo))
			check(rules.Opening, lo, n)
			check(rules.Opening, hi-uint64(n), n)
		}
		for range 5000 {
			check(rules.Main, random.Uint64N(MainPositions-run), run)
			check(rules.Opening, random.Uint64N(OpeningPositions-run), run)
		}
	})
}

func TestSuccessorsAllocateNothing(t *testing.T) {
	r := rulesNamed(t, CanonicalName)
	dst, ends := make([]uint64, 0, 100*MaxMoves), make([]int, 0, 100)
	for _, section := range []rules.Section{rules.Main, rules.Opening} {
		if n := testing.AllocsPerRun(10, func() { r.Successors(section, 10_000_000, 100, dst, ends) }); n != 0 {
			t.Errorf("%s: %v allocations", section, n)
		}
	}
}

// BenchmarkSuccessors goes through runs of positions.
func BenchmarkSuccessors(b *testing.B) {
	r := Rulesets()[0]
	for _, section := range []rules.Section{rules.Main, rules.Opening} {
		b.Run(section.String(), func(b *testing.B) {
			random := newRand(5)
			const run = 128
			dst, ends := make([]uint64, 0, run*MaxMoves), make([]int, 0, run)
			edges := 0
			for b.Loop() {
				lo := random.Uint64N(r.Ruleset().Positions[section] - run)
				dst, ends = r.Successors(section, lo, run, dst[:0], ends[:0])
				edges += len(dst)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(edges), "ns/edge")
		})
	}
}
