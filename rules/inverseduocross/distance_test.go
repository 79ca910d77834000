package inverseduocross

import (
	"testing"

	"pgregory.net/rapid"

	"solved/rules/strip"
)

// partitions yields the sums of a width of up to so many cells, with parts of up to so many.
func partitions(width, part int, yield func(s sum)) {
	var rest func(s sum, i, width, part int)
	rest = func(s sum, i, width, part int) {
		yield(s)
		for n := 1; n <= part && n+partWidth <= width; n++ {
			if n == 2 {
				continue // written as 1
			}
			next := s
			next[i] = uint8(n)
			rest(next, i+1, width-n-partWidth, n)
		}
	}
	rest(sum{}, 0, width, part)
}

// All sums that a distance is found for, worked out one after the other, take fewer look-ups than
// are allowed. So does every position with its moves, which are some of them.
func TestDistanceLookUps(t *testing.T) {
	d, _ := NewDistances(Empty(0))
	sums := 0
	partitions(MaxDistanceWidth, MaxDistanceWidth, func(s sum) {
		sums++
		if plies := d.find(s); (plies%2 == 0) != (s.grundy() == 0) {
			t.Errorf("%v: %d plies with the value %d", s, plies, s.grundy())
		}
	})
	// Each sum was asked for once more than the moves that lead to it.
	if most := d.LookUps() - sums + 1 + MaxDistanceWidth; most > MaxDistanceLookUps || most < MaxDistanceLookUps*9/10 {
		t.Errorf("up to %d look-ups, the bound is %d", most, MaxDistanceLookUps)
	}
	if sums != 8487 || len(d.known) != sums-1 { // all but that of a game that is over
		t.Errorf("%d sums, want 8487, of which %d are known", sums, len(d.known))
	}
}

func TestDistanceBound(t *testing.T) {
	for _, c := range []struct {
		text  string
		plies int // -1 where it is refused
	}{
		{"0", 0},
		{"1", 1},
		{"2", 1},
		{"12", 5},
		{"X1X", 0},
		{"45", 21},
		{"46", -1},
		{"X46", 21},
		{"X47", -1},
		{"9223372036854775807", -1},
		{"9223372036854775803X3", -1},
		{"X3X3X3X3X3X3X3X3X3X3X3X3X", 12},
		{"X3X3X3X3X3X3X3X3X3X3X3X3X3X", -1},
	} {
		p := parse(t, c.text)
		d, ok := NewDistances(p)
		if ok != (c.plies >= 0) {
			t.Errorf("%s: ok %v", p, ok)
		}
		if ok {
			if plies := d.Of(p); plies != c.plies {
				t.Errorf("%s: %d plies, want %d", p, plies, c.plies)
			}
		}
	}
}

// checkDistances holds the distance of a position against those of all its moves, also of the
// moves that Distances passes over: the shortest that wins, else the longest.
func checkDistances(t rapid.TB, p Position) {
	t.Helper()
	d, ok := NewDistances(p)
	if !ok {
		t.Fatalf("%s is refused", p)
	}
	fastest, slowest := -1, 0
	for cell := range p.Cells() {
		next, _ := p.Mark(cell)
		plies := 1 + d.Of(next)
		if plies%2 == 1 && (fastest < 0 || plies < fastest) {
			fastest = plies
		}
		slowest = max(slowest, plies)
	}
	want := slowest
	if fastest >= 0 {
		want = fastest
	}
	if got := d.Of(p); got != want || (got%2 == 1) != (p.Grundy() != 0) {
		t.Fatalf("%s: %d plies, its moves give %d", p, got, want)
	}
	if d.LookUps() > MaxDistanceLookUps {
		t.Fatalf("%s takes %d look-ups", p, d.LookUps())
	}
}

func TestDistanceLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkDistances(t, drawPosition(t, 5)) })
	for n := range uint64(MaxDistanceWidth - partWidth + 1) {
		checkDistances(t, Empty(n))
		if n > 0 {
			checkDistances(t, Position{strip.OfRuns(n/3, 1, n-n/3-1)})
		}
	}
}

func BenchmarkDistances(b *testing.B) {
	for _, text := range []string{"12", "30", "45", "X3X7X11X4X9X"} {
		p := parse(b, text)
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				d, ok := NewDistances(p)
				if !ok {
					b.Fatal("refused")
				}
				for cell := range p.Cells() {
					next, _ := p.Mark(cell)
					d.Of(next)
				}
				b.ReportMetric(float64(d.LookUps()), "look-ups/op")
			}
		})
	}
}
