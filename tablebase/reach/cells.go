package reach

import (
	"fmt"
	"math"
	"math/bits"
	"sync/atomic"
)

// cells is an array of bytes that several goroutines write: eight to a word, so that
// a byte is changed by a compare-and-swap of its word. A cell is 0, or one more than
// a depth.
type cells []uint64

// wordsFor is the number of words for n cells, at least one.
func wordsFor(n uint64) (int, error) {
	words := n/8 + 1
	if words > min(1<<40, math.MaxInt/8) {
		return 0, fmt.Errorf("reach: cannot reserve memory for %d positions", n)
	}
	return int(words), nil
}

// load returns a cell.
func (c cells) load(index uint64) byte {
	return byte(atomic.LoadUint64(&c[index/8]) >> (index % 8 * 8))
}

// touch reads the cells of some indices, to bring them into the processor's cache. It
// returns something that depends on all of them, so that they really are read.
func (c cells) touch(indices []uint64) (touched uint64) {
	for _, index := range indices {
		touched ^= atomic.LoadUint64(&c[index/8])
	}
	return touched
}

// mark sets a cell that is 0, and reports whether it was.
func (c cells) mark(index uint64, cell byte) bool {
	at, shift := &c[index/8], index%8*8
	for {
		word := atomic.LoadUint64(at)
		if byte(word>>shift) != 0 {
			return false
		}
		if atomic.CompareAndSwapUint64(at, word, word|uint64(cell)<<shift) {
			return true
		}
	}
}

// scan calls found with the indices from lo to just before hi that have a cell, until
// it returns an error. lo is a multiple of 8.
func (c cells) scan(lo, hi uint64, cell byte, found func(index uint64) error) error {
	const low, high = 0x0101010101010101, 0x8080808080808080
	for at := lo / 8; at*8 < hi; at++ {
		word := atomic.LoadUint64(&c[at])
		// A byte that is zero after this is borrowed from, as may be those above it.
		differs := word ^ low*uint64(cell)
		for maybe := (differs - low) &^ differs & high; maybe != 0; maybe &= maybe - 1 {
			i := uint64(bits.TrailingZeros64(maybe)) / 8
			if byte(word>>(8*i)) != cell || at*8+i >= hi {
				continue
			}
			if err := found(at*8 + i); err != nil {
				return err
			}
		}
	}
	return nil
}
