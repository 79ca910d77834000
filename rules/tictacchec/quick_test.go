package tictacchec

import (
	"math/rand/v2"
	"testing"

	"solved/rules"
)

func TestQuickIndex(t *testing.T) {
	if blocks[255].end() != MainPositions {
		t.Fatal(blocks[255].end())
	}
	if openingPlies[6].offset != OpeningPositions {
		t.Fatal(openingPlies)
	}
	for i := 0; i < 1000000; i++ {
		x := rand.Uint64N(MainPositions)
		p, _ := FromIndex(rules.Main, x)
		_, y := p.Index()
		if x != y {
			t.Fatal(x, y, p)
		}
		q := p.SwapColours()
		_, y = q.Index()
		if x != y {
			t.Fatal("swap", x, y)
		}
		if q.SwapColours() != p {
			t.Fatal("ss")
		}
		if p.Mirror().Mirror() != p {
			t.Fatal("mm")
		}
	}
	for x := uint64(0); x < OpeningPositions; x++ {
		p, _ := FromIndex(rules.Opening, x)
		_, y := p.Index()
		if x != y {
			t.Fatal(x, y, p)
		}
	}
}

func randomMain(n int) []Position {
	ps := make([]Position, n)
	for i := range ps {
		ps[i] = mainAt(rand.Uint64N(MainPositions))
	}
	return ps
}
func BenchmarkIndex(b *testing.B) {
	ps := randomMain(4096)
	s := uint64(0)
	i := 0
	for b.Loop() {
		s += ps[i&4095].mainIndex()
		i++
	}
	sink = s
}
func BenchmarkUnindex(b *testing.B) {
	ps := make([]uint64, 4096)
	for i := range ps {
		ps[i] = (rand.Uint64N(MainPositions))
	}
	s := uint32(0)
	i := 0
	for b.Loop() {
		s += mainAt(ps[i&4095]).squares
		i++
	}
	sink = uint64(s)
}
func BenchmarkMoves(b *testing.B) {
	r := Rulesets()[0]
	ps := randomMain(4096)
	var buf [64]Move
	s := uint64(0)
	i := 0
	for b.Loop() {
		s += uint64(len(r.Moves(ps[i&4095], buf[:0])))
		i++
	}
	sink = s
}

var sink uint64
