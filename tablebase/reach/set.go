package reach

// MaxDepth is the greatest depth, in plies, that a Set can hold.
const MaxDepth = 253

// Set holds which positions can occur, and how soon. It may be read from many
// goroutines until it is freed.
type Set struct {
	size    uint64
	cells   cells
	release func()
}

func newSet(size uint64) (*Set, error) {
	cells, release, err := newCells(size)
	if err != nil {
		return nil, err
	}
	return &Set{size, cells, release}, nil
}

// Size is the number of indices.
func (s *Set) Size() uint64 { return s.size }

// Depth returns the least number of plies, from where games begin, in which a position
// can occur; false if it cannot. The index must be below Size.
func (s *Set) Depth(index uint64) (int, bool) {
	depth := s.depth(index)
	return depth, depth >= 0
}

// depth is −1 for a position that cannot occur.
func (s *Set) depth(index uint64) int { return int(s.cells.load(index)) - 1 }

// Has tells whether a position can occur. The index must be below Size.
func (s *Set) Has(index uint64) bool { return s.cells.load(index) != 0 }

// Free gives the memory back. The set must not be used after it, nor meanwhile.
func (s *Set) Free() {
	s.release()
	s.cells, s.release = nil, func() {}
}
