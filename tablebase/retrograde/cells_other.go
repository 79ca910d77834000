//go:build !linux

package retrograde

// newCells returns n cells, all zero.
func newCells(n uint64) (*cells, error) {
	words, err := wordsFor(n)
	if err != nil {
		return nil, err
	}
	return &cells{words: make([]uint64, words)}, nil
}
