//go:build !linux

package reach

// newCells returns n cells, all zero, and a function that frees them.
func newCells(n uint64) (cells, func(), error) {
	words, err := wordsFor(n)
	if err != nil {
		return nil, nil, err
	}
	return make([]uint64, words), func() {}, nil
}
