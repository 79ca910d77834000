package nim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"solved/rules"
)

func TestAbout(t *testing.T) {
	all := Rulesets()
	if len(all) != 1 {
		t.Fatalf("%d rulesets", len(all))
	}
	var game rules.Game = all[0]
	about := game.About()
	if about.Name != "nim" || about.Tag.String() != "0x4e494d01" || about.Game != "Nim" || about.Title == "" || about.Summary == "" {
		t.Errorf("%+v", about)
	}
	if start := game.Start(); start.String() != "3,5,7" {
		t.Errorf("starts from %s", start)
	}
}

func TestExamples(t *testing.T) {
	want := map[string]string{ // the winning moves
		"start": "[1-1 2-1 3-1]", "balanced": "[]", "twins": "[]", "one-way": "[5-1]", "singles": "[1-1 2-1 3-1 4-1 5-1]", "immense": "[]",
	}
	for i, e := range Examples() {
		moves := []string{}
		for _, m := range e.Position.WinningMoves() {
			moves = append(moves, m.String())
		}
		if got := "[" + join(moves) + "]"; got != want[e.Name] {
			t.Errorf("%s: winning moves %s, want %s", e.Name, got, want[e.Name])
		}
		if e.Summary == "" || parse(t, e.Position.String()).String() != e.Position.String() {
			t.Errorf("example %d: %+v", i, e)
		}
		delete(want, e.Name)
	}
	if len(want) > 0 {
		t.Errorf("no example %v", want)
	}
}

func join(words []string) (s string) {
	for i, w := range words {
		if i > 0 {
			s += " "
		}
		s += w
	}
	return s
}

// The 400 sequences of up to three heaps of 0 to 6, each looked at for itself; Prove
// counts them.
func TestSmallHeaps(t *testing.T) {
	reference := NewReference()
	counts := [4]int{}
	for n := range counts {
		for heaps := range sequences(n, 6) {
			counts[n]++
			p, worth := Position{heaps}, reference.Of(heaps)
			if p.Grundy() != worth.Grundy || p.Value() != worth.Value || (p.Grundy() == 0) != (worth.Value == rules.Loss) {
				t.Errorf("%s: Grundy number %d, %s; the reference says %+v", p, p.Grundy(), p.Value(), worth)
			}
			if distance, ok := p.Distance(); !ok || distance != worth.Distance || (distance%2 == 1) != (worth.Value == rules.Win) {
				t.Errorf("%s: distance %d, %v; the reference says %+v", p, distance, ok, worth)
			}
			if (p.Result() == rules.Loss) != (len(slices.Collect(p.Moves())) == 0) {
				t.Errorf("%s: %s, but it has moves", p, p.Result())
			}
		}
	}
	if counts != [4]int{1, 7, 49, 343} {
		t.Errorf("saw %v sequences", counts)
	}
}

// Larger heaps, drawn at random but always the same ones.
func TestLargerHeaps(t *testing.T) {
	reference := NewReference()
	random := rand.New(rand.NewPCG(0x4e494d01, 0))
	for range 300 {
		most := []uint64{0, 300, 60, 16, 8, 5}
		heaps := make([]uint64, 1+random.IntN(5))
		for i := range heaps {
			heaps[i] = random.Uint64N(most[len(heaps)] + 1)
		}
		var got agreement
		if got.compare(reference, heaps); got != (agreement{1, 1, 1, 1, 1}) {
			t.Errorf("%v: %+v, the reference says %+v", heaps, got, reference.Of(heaps))
		}
	}
}

// The laws of the closed form, for heaps of every size.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPosition(t, MaxHeaps, MaxHeap)
		winning := p.WinningMoves()
		if (p.Value() == rules.Win) != (len(winning) > 0) || len(winning) > 0 && len(winning)%2 == 0 {
			t.Fatalf("%s: %s with the winning moves %v", p, p.Value(), winning)
		}
		for i, m := range winning {
			if !p.IsLegal(m) || p.After(m).Value() != rules.Loss || i > 0 && m.Heap <= winning[i-1].Heap {
				t.Fatalf("%s: winning move %d is %s", p, i, m)
			}
		}
		// The order of the heaps, empty ones and pairs do not count.
		other := Position{rapid.Permutation(append(p.Heaps(), 0)).Draw(t, "order")}
		twin := rapid.Uint64Range(0, MaxHeap).Draw(t, "twin")
		pairs := Position{append(p.Heaps(), twin, twin)}
		if other.Grundy() != p.Grundy() || pairs.Grundy() != p.Grundy() {
			t.Fatalf("%s has %d, %s has %d, %s has %d", p, p.Grundy(), other, other.Grundy(), pairs, pairs.Grundy())
		}
		// Every move changes the Grundy number.
		seen := 0
		for m := range p.Legal() {
			if p.After(m).Grundy() == p.Grundy() {
				t.Fatalf("%s, %s: the Grundy number stays", p, m)
			}
			if seen++; seen == 100 {
				break
			}
		}
	})
}

func TestNumMoves(t *testing.T) {
	for _, test := range []struct {
		heaps []uint64
		want  uint64
	}{
		{[]uint64{0, 3, 5}, 8},
		{[]uint64{MaxHeap, MaxHeap}, math.MaxUint64 - 1},
		{[]uint64{MaxHeap, MaxHeap, 1}, math.MaxUint64},
		{slices.Repeat([]uint64{MaxHeap}, MaxHeaps), math.MaxUint64},
	} {
		if n := (Position{test.heaps}).NumMoves(); n != test.want {
			t.Errorf("%v: %d moves, want %d", test.heaps, n, test.want)
		}
	}
}

// states counts what can be reached, as a walk over all of it does.
func TestStates(t *testing.T) {
	for heaps := range sequences(4, 4) {
		seen := map[string]bool{}
		var walk func(h []uint64)
		walk = func(h []uint64) {
			sorted := Position{slices.Sorted(slices.Values(h))}.String()
			if seen[sorted] {
				return
			}
			seen[sorted] = true
			for m := range (Position{h}).Legal() {
				walk(Position{h}.After(m).heaps)
			}
		}
		walk(heaps)
		if got := states(heaps); got != len(seen) {
			t.Errorf("%v: %d states, a walk finds %d", heaps, got, len(seen))
		}
	}
}

func TestDistanceBound(t *testing.T) {
	for _, c := range []struct {
		text     string
		states   int
		distance int
	}{
		{"0", 1, 0},
		{"3,5,7", 88, 15},
		{"9999", 10_000, 1},
		{"37,37,37", 9880, 75},
		{"139,139", 9870, 278},
		{ones(MaxHeaps), 65, 64},
		{"16,16,16,16", 4845, 64},
		{"10000", 0, 0},
		{"38,38,38", 0, 0},
		{"9223372036854775807,1", 0, 0},
		{"0,0,9223372036854775807,9223372036854775807", 0, 0},
	} {
		p := parse(t, c.text)
		distance, ok := p.Distance()
		if ok != (c.states > 0) || distance != c.distance {
			t.Errorf("%s: distance %d, %v, want %d", p, distance, ok, c.distance)
		}
		if n := states(p.heaps); n != c.states && ok || n <= MaxStates != ok {
			t.Errorf("%s: %d states, want %d", p, n, c.states)
		}
	}
}

// One Distances serves a position and all its children.
func TestDistancesOfChildren(t *testing.T) {
	reference := NewReference()
	p := parse(t, "6,0,9,7")
	d, ok := Solve(p)
	if !ok {
		t.Fatal("refused")
	}
	for m := range p.Legal() {
		child := p.After(m)
		if got, want := d.Of(child), reference.Of(child.heaps).Distance; got != want {
			t.Errorf("%s: %d, want %d", child, got, want)
		}
	}
}

func BenchmarkDistance(b *testing.B) {
	for _, text := range []string{"3,5,7", "37,37,37", "139,139", "16,16,16,16", "9,9,9,9,9"} {
		p := parse(b, text)
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				d, ok := Solve(p)
				if !ok {
					b.Fatal("refused")
				}
				for m := range p.Legal() {
					d.Of(p.After(m))
				}
			}
		})
	}
}
