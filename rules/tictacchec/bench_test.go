package tictacchec

import "testing"

// benchmarkSize is the number of random positions that a benchmark goes round.
const benchmarkSize = 4096

func randomPositions() *[benchmarkSize]Position {
	var positions [benchmarkSize]Position
	rng := newRand(40)
	for i := range positions {
		positions[i] = mainAt(rng.Uint64N(MainPositions))
	}
	return &positions
}

func BenchmarkIndex(b *testing.B) {
	positions := randomPositions()
	i := 0
	for b.Loop() {
		positions[i%benchmarkSize].Index()
		i++
	}
}

func BenchmarkFromIndex(b *testing.B) {
	var indices [benchmarkSize]uint64
	rng := newRand(41)
	for i := range indices {
		indices[i] = rng.Uint64N(MainPositions)
	}
	i := 0
	for b.Loop() {
		mainAt(indices[i%benchmarkSize])
		i++
	}
}

func BenchmarkMoves(b *testing.B) {
	r := Rulesets()[0]
	positions := randomPositions()
	var buffer [MaxMoves]Move
	i := 0
	for b.Loop() {
		r.Moves(positions[i%benchmarkSize], buffer[:0])
		i++
	}
}

func BenchmarkPredecessors(b *testing.B) {
	r := Rulesets()[0]
	positions := randomPositions()
	var buffer [512]Position
	i := 0
	for b.Loop() {
		r.Predecessors(positions[i%benchmarkSize], buffer[:0])
		i++
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	var texts [benchmarkSize]string
	for i, p := range randomPositions() {
		texts[i] = p.SwapColours().String() // White never owns the mover's line then
	}
	i := 0
	for b.Loop() {
		Parse(texts[i%benchmarkSize])
		i++
	}
}

func BenchmarkAppendString(b *testing.B) {
	b.ReportAllocs()
	positions := randomPositions()
	var buffer [64]byte
	i := 0
	for b.Loop() {
		positions[i%benchmarkSize].AppendString(buffer[:0])
		i++
	}
}

func BenchmarkAppendKey(b *testing.B) {
	b.ReportAllocs()
	positions := randomPositions()
	var buffer [64]byte
	i := 0
	for b.Loop() {
		positions[i%benchmarkSize].AppendKey(buffer[:0])
		i++
	}
}

func BenchmarkPlayMoves(b *testing.B) {
	b.ReportAllocs()
	r := Rulesets()[0]
	for b.Loop() {
		if _, _, err := r.PlayMoves(Start(), "P@a1,P@b1,N@c1,N@d1,B@a2,B@b2,a2-b3"); err != nil {
			b.Fatal(err)
		}
	}
}
