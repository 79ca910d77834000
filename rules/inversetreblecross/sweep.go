package inversetreblecross

import "math/bits"

// Sweep finds values by the plain rules, as [Reference] does, of every position of a
// strip at a time, but 64 positions in a step: for each value it keeps one bit of each
// position, whether that is its value. This reaches ten times as many positions in the
// same time, and so two or three cells further.
type Sweep struct {
	row, length int
	// planes[v] has a bit for each set of marked cells, bit 0 the first cell. The low six
	// cells choose the bit in a word, the others the word.
	planes [][]uint64
}

// low[i] are the bits of a word that stand for sets with cell i marked.
var low = [6]uint64{
	0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
}

// lowMarks[n] are the bits of a word that stand for sets with n of the low six cells
// marked.
var lowMarks = func() (t [7]uint64) {
	for set := range uint(64) {
		t[bits.OnesCount(set)] |= 1 << set
	}
	return t
}()

// NewSweep values all positions of a strip of at most 32 cells. Row, the number of marks in
// a row that is forbidden, is 2 to [MaxRow]. It takes an eighth of a byte of memory
// for each position and each value that there is.
func NewSweep(row, length int) *Sweep {
	s := &Sweep{row: row, length: length}
	words := 1 << max(0, length-6)
	// A move adds a mark, and so leads to a greater word, or to a greater bit of the
	// same word. Within a word, sets with more marks come first.
	seen := make([]uint64, 0, 64)
	for w := words - 1; w >= 0; w-- {
		legal := s.legal(uint64(w))
		if legal == 0 {
			continue
		}
		seen = seen[:0]
		for _, plane := range s.planes {
			reached := uint64(0)
			for free := (words - 1) &^ w; free != 0; free &= free - 1 {
				reached |= plane[w|free&-free]
			}
			seen = append(seen, reached)
		}
		for n := len(lowMarks) - 1; n >= 0; n-- {
			open := legal & lowMarks[n]
			for v := 0; open != 0; v++ {
				if v == len(s.planes) {
					s.planes = append(s.planes, make([]uint64, words))
					seen = append(seen, 0)
				}
				plane := &s.planes[v][w]
				for i := range min(6, length) {
					seen[v] |= *plane & low[i] >> (1 << i)
				}
				*plane |= open &^ seen[v]
				open &= seen[v]
			}
		}
	}
	return s
}

// legal returns the bits of a word that stand for sets without row marks in a row.
func (s *Sweep) legal(w uint64) uint64 {
	cells := func(i int) uint64 {
		if i < 6 {
			return low[i]
		}
		return -(w >> (i - 6) & 1)
	}
	bad := uint64(0)
	if s.length < 6 {
		bad = ^uint64(0) << (1 << s.length) // sets with a cell that does not exist
	}
	for first := range max(0, s.length-s.row+1) {
		marked := ^uint64(0)
		for i := 0; i < s.row && marked != 0; i++ {
			marked &= cells(first + i)
		}
		bad |= marked
	}
	return ^bad
}

// Value returns the Grundy value of a position, bit 0 of marks being the first cell;
// ok is false when it has too many marks in a row.
func (s *Sweep) Value(marks uint64) (value int, ok bool) {
	for value, plane := range s.planes {
		if plane[marks>>6]>>(marks&63)&1 == 1 {
			return value, true
		}
	}
	return 0, false
}
