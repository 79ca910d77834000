package tictacchec

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"solved/rules"
)

// checkIndex holds an index against the position that it names, both ways.
func checkIndex(t *testing.T, section rules.Section, index uint64) Position {
	p, ok := FromIndex(section, index)
	if !ok {
		t.Fatalf("no position at %s %d", section, index)
	}
	if gotSection, got := p.Index(); got != index || gotSection != section || p.Section() != section {
		t.Fatalf("%s %d is %s, which has the index %s %d", section, index, p, gotSection, got)
	}
	return p
}

func TestIndexOfWholeOpening(t *testing.T) {
	t.Parallel()
	positions := [OpeningPlies]int{}
	for index := range uint64(OpeningPositions) {
		p := checkIndex(t, rules.Opening, index)
		ply := bits.OnesCount8(p.board)
		if ply >= OpeningPlies || p.phase != OpeningPhase || p.side != rules.Player(ply&1) {
			t.Fatalf("opening %d is %s", index, p)
		}
		positions[ply]++
	}
	if want := [OpeningPlies]int{1, 64, 3_840, 80_640, 1_572_480, 12_579_840}; positions != want {
		t.Errorf("positions by ply: %v, want %v", positions, want)
	}
}

func TestIndexAtRandom(t *testing.T) {
	const each = 5_000_000
	for seed := range uint64(2) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			rng := newRand(10 + seed)
			for range each {
				index := rng.Uint64N(MainPositions)
				p := checkIndex(t, rules.Main, index)
				if p.side != rules.White {
					t.Fatalf("main %d is %s", index, p)
				}
				if _, swapped := p.SwapColours().Index(); swapped != index {
					t.Fatalf("%s has index %d, with its colours swapped %d", p, index, swapped)
				}
			}
		})
	}
}

// TestIndexAtPieceSets holds the first and the last index of every set of pieces
// against the reference: each block must begin where the one before it ends, and
// hold positions with that set only.
func TestIndexAtPieceSets(t *testing.T) {
	next, pairs := uint64(0), 0
	for set := range 256 {
		pawns, others := uint64(1), uint64(1)
		free := uint64(16)
		switch set & 0x11 {
		case 0x11:
			pawns, free = 536, 14
		case 0x01, 0x10:
			pawns, free = 24, 15
		}
		for range bits.OnesCount(uint(set &^ 0x11)) {
			others *= free
			free--
		}
		first, last := next, next+pawns*others-1
		for _, index := range [2]uint64{first, last} {
			p := checkIndex(t, rules.Main, index)
			if int(p.board) != set {
				t.Errorf("main %d is %s, not in the block of set %08b", index, p, set)
			}
			if _, want := boardOf(t, p).Index(); want != index {
				t.Errorf("main %d is %s, which has the index %d to the reference", index, p, want)
			}
		}
		next = last + 1
	}
	if next != MainPositions {
		t.Errorf("%d positions, want %d", next, uint64(MainPositions))
	}

	next = 0
	placements := uint64(1)
	for ply := range OpeningPlies {
		for white := range 16 {
			for black := range 16 {
				if bits.OnesCount(uint(white)) != (ply+1)/2 || bits.OnesCount(uint(black)) != ply/2 {
					continue
				}
				pairs++
				first, last := next, next+placements-1
				for _, index := range [2]uint64{first, last} {
					p := checkIndex(t, rules.Opening, index)
					if int(p.board) != white|black<<4 {
						t.Errorf("opening %d is %s, not of the sets %04b and %04b", index, p, white, black)
					}
					if _, want := boardOf(t, p).Index(); want != index {
						t.Errorf("opening %d is %s, which has the index %d to the reference", index, p, want)
					}
				}
				next = last + 1
			}
		}
		placements *= uint64(16 - ply)
	}
	if next != OpeningPositions {
		t.Errorf("%d positions, want %d", next, OpeningPositions)
	}
	if pairs != 1+4+16+24+36+24 {
		t.Errorf("saw %d pairs of sets", pairs)
	}
}

func TestIndexPastTheEnd(t *testing.T) {
	for _, c := range []struct {
		section rules.Section
		index   uint64
	}{
		{rules.Main, MainPositions}, {rules.Opening, OpeningPositions}, {rules.Main, 1 << 32}, {rules.Opening, 1 << 32},
		{rules.Main, 1<<64 - 1}, {rules.Opening, 1<<64 - 1},
	} {
		if p, ok := FromIndex(c.section, c.index); ok {
			t.Errorf("%s %d is %s", c.section, c.index, p)
		}
	}
}

// TestReferenceIndex holds the two indices against each other where no moves
// are needed, so over more positions than [TestReferenceAtRandomIndices] can.
func TestReferenceIndex(t *testing.T) {
	t.Parallel()
	rng := newRand(12)
	check := func(p Position) {
		section, index := p.Index()
		if wantSection, want := boardOf(t, p).Index(); index != want || section != wantSection {
			t.Fatalf("%s: %s index %d, reference %s %d", p, section, index, wantSection, want)
		}
	}
	for range 200_000 {
		check(randomMain(rng))
	}
	for range 5_000 {
		check(randomOpening(rng))
	}
}

// TestRandomPositionsCoverSets guards the helper that most tests here rest on.
func TestRandomPositionsCoverSets(t *testing.T) {
	seen := make(map[uint8]bool)
	sides := make(map[rules.Player]bool)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		p := randomMain(rng)
		seen[p.board] = true
		sides[p.side] = true
	}
	if len(seen) != 256 || len(sides) != 2 {
		t.Errorf("saw %d sets of pieces and %d sides to move", len(seen), len(sides))
	}
}
