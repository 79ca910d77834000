package inversetreblecross

// Marked says of each cell, from the first, whether it is marked. It has as many entries
// as the position has cells, so the caller bounds them by [Position.Length] first.
func (p Position) Marked() []bool { return p.strip.Marked() }

// Ring says whether the last cell is next to the first.
func (p Position) Ring() bool { return p.rules.ring }
