//go:build !linux

package retrograde

import "fmt"

// newCells returns n cells, all zero.
func newCells(n uint64) (*cells, error) {
	words := max((n+7)/8, 1)
	if words > 1<<40 {
		return nil, fmt.Errorf("cannot reserve memory for %d positions", n)
	}
	return &cells{words: make([]uint64, words)}, nil
}
