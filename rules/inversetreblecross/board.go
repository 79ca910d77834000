package inversetreblecross

// Marked says of each cell, from the first, whether it is marked. It has as many entries
// as the position has cells, so the caller bounds them by [Position.Length] first.
func (p Position) Marked() []bool {
	cells := make([]bool, 0, p.Length())
	for i, n := range p.empty {
		cells = append(cells, make([]bool, n)...)
		if i < len(p.marks) {
			for range p.marks[i] {
				cells = append(cells, true)
			}
		}
	}
	return cells
}

// Ring says whether the last cell is next to the first.
func (p Position) Ring() bool { return p.rules.ring }
