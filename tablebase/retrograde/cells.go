package retrograde

import (
	"fmt"
	"math"
	"sync/atomic"
)

// cells is an array of bytes that several goroutines write: eight to a word, so
// that a byte is changed by a compare-and-swap of its word.
type cells struct {
	words   []uint64
	release func() // nil for memory of the garbage collector's
}

// wordsFor is the number of words for n cells: enough that even cell n, just
// past the last, is in one.
func wordsFor(n uint64) (int, error) {
	words := n/8 + 1
	if words > min(1<<40, math.MaxInt/8) {
		return 0, fmt.Errorf("cannot reserve memory for %d positions", n)
	}
	return int(words), nil
}

// load returns the word that holds a cell, and the cell.
func (c *cells) load(index uint64) (word uint64, cell byte) {
	word = atomic.LoadUint64(&c.words[index/8])
	return word, byte(word >> (index % 8 * 8))
}

// touch reads the cells of some indices, to bring them into the processor's cache.
// As nothing waits for the results, many are fetched at a time. It returns
// something that depends on all of them, so that they really are read.
func (c *cells) touch(indices []uint64) uint64 {
	touched := uint64(0)
	for _, index := range indices {
		touched ^= atomic.LoadUint64(&c.words[index/8])
	}
	return touched
}

// replace changes a cell from one value to another, if its word is still as it
// was loaded.
func (c *cells) replace(index, word uint64, from, to byte) bool {
	return atomic.CompareAndSwapUint64(&c.words[index/8], word, word^uint64(from^to)<<(index%8*8))
}

// decide decides a cell at distance d unless it is decided already, at d or less,
// and reports whether it did.
func (c *cells) decide(index uint64, d uint8) bool {
	for {
		word, cell := c.load(index)
		if cell != 0 && cell <= d+1 {
			return false
		}
		if c.replace(index, word, cell, d+1) {
			return true
		}
	}
}

// free gives the memory back.
func (c *cells) free() {
	if c.release != nil {
		c.release()
	}
	c.release, c.words = nil, nil
}
