package inversetreblecross

// Reference finds values by the plain rules, of every position of one length at a
// time: no piece, no symmetry, no closed form. It shares nothing with the search.
type Reference struct {
	row, length int
	ring        bool
	values      []uint8 // by the set of marked cells, bit 0 the first cell
}

// forbidden is the value that a Reference holds for positions with too many marks in a row.
const forbidden = 255

// NewReference values all positions of a strip or ring of at most 30 cells, in one byte
// of memory each. Row, the number of marks in a row that is forbidden, is 2 or more.
func NewReference(row, length int, ring bool) *Reference {
	r := &Reference{row: row, length: length, ring: ring, values: make([]uint8, 1<<length)}
	// A move adds a mark, and so leads to a greater number.
	for marks := len(r.values) - 1; marks >= 0; marks-- {
		if r.tooMany(uint64(marks)) {
			r.values[marks] = forbidden
			continue
		}
		var seen uint64
		for cell := range length {
			if marks>>cell&1 == 0 {
				if value := r.values[marks|1<<cell]; value != forbidden {
					seen |= 1 << value
				}
			}
		}
		for seen>>r.values[marks]&1 == 1 {
			r.values[marks]++
		}
	}
	return r
}

// tooMany says whether row different cells in a row are marked.
func (r *Reference) tooMany(marks uint64) bool {
	if r.length < r.row {
		return false
	}
	if r.ring {
		// The cells before the seam are seen once more behind it.
		marks |= marks & (1<<(r.row-1) - 1) << r.length
	}
	for range r.row - 1 {
		marks &= marks >> 1
	}
	return marks != 0
}

// Value returns the Grundy value of a position, bit 0 of marks being the first cell;
// ok is false when it has too many marks in a row.
func (r *Reference) Value(marks uint64) (value int, ok bool) {
	v := r.values[marks]
	return int(v), v != forbidden
}
