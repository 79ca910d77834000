package inversetreblecross

import (
	_ "embed"
	"encoding/binary"
	"iter"
	"math/bits"
)

// The file holds the values that take longest to search: those of the parts with many
// empty cells that can come of an empty strip of up to 25 cells, and of rings with few
// marks. They are in a file that is made by
//
//	go test -tags whole -run TestValues -update ./rules/inversetreblecross
//
// and that Prove checks by brute force.

// Bounds of the parts whose values the file has.
const (
	// valuedStrip is the number of cells of the longest strip.
	valuedStrip = 25
	// valuedEmpty is the least number of empty cells of a part of a strip.
	valuedEmpty = 18
	// valuedRing is the number of cells of the longest ring, three in a row being
	// forbidden, and valuedMarks the greatest number of marks on it. Two that close the
	// cell between them leave a strip, which is in the file, too.
	valuedRing  = 47
	valuedMarks = 2
)

// valuesFile begins with valuesMagic and eight bytes of a seed. Then comes a table of 4
// bits an entry, the lower half of a byte first. It has no keys: the value of a part is
// the exclusive or of three entries, one in each third of the table, which its hash
// tells. For a part that has no value in the file, it is any number. (This is the way
// in which an xor filter keeps its fingerprints; see Graf and Lemire 2020.)
//
//go:embed values.bin
var valuesFile string

const (
	valuesMagic  = "ITXvals1"
	valuesHeader = len(valuesMagic) + 8
)

// fileValue returns the value of a part from the file, which has to have it.
func fileValue(row int, g part) uint8 {
	seed := binary.LittleEndian.Uint64([]byte(valuesFile[len(valuesMagic):valuesHeader]))
	table := valuesFile[valuesHeader:]
	value := uint8(0)
	for _, at := range valuePlaces(row, g, seed, 2*len(table)) {
		value ^= table[at/2] >> (at % 2 * 4) & 15
	}
	return value
}

// valuePlaces returns which of so many entries make up the value of a part.
func valuePlaces(row int, g part, seed uint64, entries int) [3]uint64 {
	h := seed
	for _, word := range [...]uint64{g.first, g.last, uint64(g.ring)<<8 | uint64(row)} {
		h = (h ^ word) * 0x9e3779b97f4a7c15
		h = (h ^ h>>32) * 0xd6e8feb86659fd93
		h ^= h >> 29
	}
	third := uint64(entries / 3)
	var at [3]uint64
	for i := range at {
		high, _ := bits.Mul64(bits.RotateLeft64(h, 21*i), third)
		at[i] = uint64(i)*third + high
	}
	return at
}

// inFile says whether the file has the value of a part; short says whether the part comes of a
// strip of up to valuedStrip cells.
func inFile(row int, g part, short bool) bool {
	switch {
	case g.ring > 0:
		return row == MinRow && g.ring <= valuedRing && bits.OnesCount64(g.first) <= valuedMarks
	case short:
		return g.empty() >= valuedEmpty
	}
	return row == MinRow && g.betweenMarks()
}

// betweenMarks says whether a part is [XnX], n cells between two marks, three in a row being
// forbidden, and no longer than the rest of a ring in the file after two marks.
func (g part) betweenMarks() bool {
	n := bits.Len64(g.last)
	return n >= 4 && n <= valuedRing-3 && g.first == 1<<(n-3)-1|1<<(n-2) && g.last == bits.Reverse64(g.first)>>(64-n)
}

// ringMarks yields the marks of a ring with up to valuedMarks marks, turned so that the
// first cell is marked if any is.
func ringMarks(length int) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		if !yield(0) || length == 0 || !yield(1) {
			return
		}
		for second := 1; second < length; second++ {
			if !yield(1 | 1<<second) {
				return
			}
		}
	}
}
