package retrograde

import (
	"context"
	"fmt"
	"testing"

	"solved/rules"
)

// BenchmarkSolve solves made-up graphs. Their positions are their own indices, and
// the positions before one take a third of the time, so it shows what the solver
// itself costs; a game costs more.
func BenchmarkSolve(b *testing.B) {
	for _, g := range []lattice{{17}, {22}} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("positions=%d/threads=%d", g.Size(), threads), func(b *testing.B) {
				for b.Loop() {
					s, err := Solve(context.Background(), g, threads, nil)
					if err != nil {
						b.Fatal(err)
					}
					s.Free()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(g.Size()), "ns/position")
			})
		}
	}
}

// BenchmarkCodes reads a solution out.
func BenchmarkCodes(b *testing.B) {
	s, err := Solve(context.Background(), lattice{17}, 1, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Free()
	codes := make([]rules.Code, s.Size()-1)
	b.SetBytes(int64(len(codes)))
	for b.Loop() {
		s.Codes(1, codes)
	}
}
