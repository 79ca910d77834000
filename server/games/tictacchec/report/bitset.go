package report

import (
	"sync/atomic"

	"solved/rules/tictacchec"
)

// bitset is a set of main-phase positions by index.
type bitset []uint64

func newBitset() bitset { return make(bitset, (tictacchec.MainPositions+63)/64) }

// add adds an index. It may be called concurrently.
func (b bitset) add(index uint64) { atomic.OrUint64(&b[index>>6], 1<<(index&63)) }

func (b bitset) has(index uint64) bool { return b[index>>6]>>(index&63)&1 == 1 }
