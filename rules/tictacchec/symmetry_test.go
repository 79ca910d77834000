package tictacchec

import (
	"slices"
	"testing"

	"solved/rules"
)

// symmetry is a way to look at the same game differently: it maps positions and
// moves, so that playing and mapping can change places.
type symmetry struct {
	name     string
	position func(Position) Position
	square   func(Square) Square
	piece    func(Piece) Piece
}

func (y symmetry) move(m Move) Move {
	mapped := Move{Piece: y.piece(m.Piece), From: NoSquare, To: y.square(m.To)}
	if m.From != NoSquare {
		mapped.From = y.square(m.From)
	}
	return mapped
}

var symmetries = []symmetry{
	{"mirror", Position.Mirror, func(s Square) Square { return s/4*4 + 3 - s%4 }, func(p Piece) Piece { return p }},
	{"colours", Position.SwapColours, func(s Square) Square { return 15 - s }, func(p Piece) Piece { return (p + 4) % 8 }},
}

func TestSymmetries(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *Rules) {
		for i, y := range symmetries {
			rng := newRand(30 + uint64(i))
			for range 150_000 {
				checkSymmetry(t, r, y, randomMain(rng))
			}
			// Only White moves first, so in the opening the colours stay.
			for range 20_000 {
				if y.name == "mirror" {
					checkSymmetry(t, r, y, randomOpening(rng))
				}
			}
		}
	})
}

func checkSymmetry(t *testing.T, r *Rules, y symmetry, p Position) {
	q := y.position(p)
	if back := y.position(q); back != p {
		t.Fatalf("%s twice: %s becomes %s", y.name, p, back)
	}
	if q.Terminal() != p.Terminal() {
		t.Fatalf("%s: %s is terminal %v, %s %v", y.name, p, p.Terminal(), q, q.Terminal())
	}
	for piece := range Piece(Pieces) {
		s, on := p.SquareOf(piece)
		mapped, mappedOn := q.SquareOf(y.piece(piece))
		if on != mappedOn || on && mapped != y.square(s) {
			t.Fatalf("%s: %s becomes %s", y.name, p, q)
		}
	}
	var buffer, mappedBuffer, otherBuffer [MaxMoves]Move
	mapped := mappedBuffer[:0]
	for _, m := range r.Moves(p, buffer[:0]) {
		mapped = append(mapped, y.move(m))
		if got, want := r.Play(q, y.move(m)), y.position(r.Play(p, m)); got != want {
			t.Fatalf("%s: %s in %s leads to %s, want %s", y.name, y.move(m), q, got, want)
		}
	}
	moves := r.Moves(q, otherBuffer[:0])
	if len(moves) != len(mapped) {
		t.Fatalf("%s: %s has %d moves, %s has %d", y.name, p, len(mapped), q, len(moves))
	}
	for _, m := range mapped {
		if !slices.Contains(moves, m) {
			t.Fatalf("%s: %s is no move of %s", y.name, m, q)
		}
	}
}

// TestSymmetriesOfBoard pins what the symmetries are, on one crooked position.
func TestSymmetriesOfBoard(t *testing.T) {
	p, _, err := Parse("Pb2/n1R1/2rp/N3 w dd m")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Mirror().String(), "2bP/1R1n/pr2/3N w dd m"; got != want {
		t.Errorf("mirrored: %s, want %s", got, want)
	}
	if got, want := p.SwapColours().String(), "3n/PR2/1r1N/2Bp b uu m"; got != want {
		t.Errorf("colours swapped: %s, want %s", got, want)
	}
	if p.Mirror().SwapColours() != p.SwapColours().Mirror() {
		t.Error("the symmetries do not change places")
	}
	_, index := p.Index()
	if _, swapped := p.SwapColours().Index(); swapped != index {
		t.Errorf("index %d, with colours swapped %d", index, swapped)
	}
	if p.Side() != rules.White || p.SwapColours().Side() != rules.Black {
		t.Error("wrong side to move")
	}
}
