package tictacchec

// The board is small enough for every attack to be looked up. All tables here
// are constants in all but name: they are made once and never written again.

// lines are the ten lines of four: rows, files and the two long diagonals, as
// sets of squares.
var lines = [10]uint16{
	0x000f, 0x00f0, 0x0f00, 0xf000,
	0x1111, 0x2222, 0x4444, 0x8888,
	0x8421, 0x1248,
}

// lineAt tells, for the set of squares that one side stands on, whether the set
// is a line (completeLine), or holds exactly three squares of one, or neither
// (noLine). For three of a line it is the line's fourth square plus 16 times the
// line's way (see lineThrough). Two lines share at most one square, so among
// four pieces at most one line can hold three: the fourth square is unique.
var lineAt = func() *[1 << Squares]uint8 {
	var t [1 << Squares]uint8
	for i := range t {
		t[i] = noLine
	}
	for set := range t {
		if n := popCount(uint16(set)); n != 3 && n != 4 {
			continue
		}
		for i, line := range lines {
			switch missing := line &^ uint16(set); popCount(missing) {
			case 0:
				t[set] = completeLine
			case 1:
				t[set] = uint8(firstSquare(missing)) | uint8(way(i))<<4
			}
		}
	}
	return &t
}()

// Values of lineAt that are not three of a line; those are below completeLine.
const (
	completeLine = 0x40
	noLine       = 0xff
)

// way is the direction of line i: row, file, rising or falling diagonal.
func way(i int) int {
	if i < 8 {
		return i / 4
	}
	return i - 6
}

// lineThrough holds the line by 16·way + a square of it.
var lineThrough = func() (t [4 * Squares]uint16) {
	for i, line := range lines {
		for s := range Squares {
			if line>>s&1 == 1 {
				t[way(i)<<4|s] = line
			}
		}
	}
	return t
}()

func popCount(set uint16) int {
	n := 0
	for ; set != 0; set &= set - 1 {
		n++
	}
	return n
}

func firstSquare(set uint16) Square {
	s := Square(0)
	for set>>s&1 == 0 {
		s++
	}
	return s
}

// nibbles holds, for a set of pieces, a mask of their four-bit fields in
// Position.squares.
var nibbles = func() (t [256]uint32) {
	for set := range t {
		for piece := range Pieces {
			if set>>piece&1 == 1 {
				t[set] |= 15 << (4 * piece)
			}
		}
	}
	return t
}()

// step is a direction on the board.
type step struct{ file, row int }

// The published order of targets.
var (
	knightSteps = []step{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}
	bishopRays  = []step{{1, 1}, {1, -1}, {-1, -1}, {-1, 1}}
	rookRays    = []step{{1, 0}, {0, -1}, {-1, 0}, {0, 1}}
)

// shifted returns the square that lies a step away from s, if it is on the board.
func shifted(s Square, by step) (Square, bool) {
	file, row := int(s&3)+by.file, int(s>>2)+by.row
	if file < 0 || file > 3 || row < 0 || row > 3 {
		return 0, false
	}
	return Square(4*row + file), true
}

// targets are the squares that a piece reaches from one square: in published
// order, and as a set. Blockers are included, as they may be captured.
type targets struct {
	set   uint16
	n     uint8
	order [8]Square
}

func (t *targets) add(s Square) {
	t.order[t.n] = s
	t.n++
	t.set |= 1 << s
}

// knightFrom holds the knight's targets from each square.
var knightFrom = func() (t [Squares]targets) {
	for s := range Square(Squares) {
		for _, by := range knightSteps {
			if to, ok := shifted(s, by); ok {
				t[s].add(to)
			}
		}
	}
	return t
}()

// bishopFrom holds the bishop's targets from each square, by the occupation of
// the four central squares (see centre): a ray can only be cut short at a square
// that is not its last, and for a bishop on a 4×4 board those are all central.
var bishopFrom = sliderTable(bishopRays, func(Square) [4]Square { return [4]Square{5, 6, 9, 10} })

// rookFrom holds the rook's targets from each square, by the occupation of the
// two inner squares of its row and of its file (see cross).
var rookFrom = sliderTable(rookRays, func(s Square) [4]Square {
	row, file := s&12, s&3
	return [4]Square{row + 1, row + 2, file + 4, file + 8}
})

// centre gathers the occupation of b2, c2, b3, c3 into four bits.
func centre(occupied uint16) int { return int(occupied>>5&3 | occupied>>7&12) }

// cross gathers the occupation of the inner squares of s's row and file into
// four bits.
func cross(s Square, occupied uint16) int {
	row := occupied >> (s&12 + 1) & 3
	file := occupied >> (s & 3)
	return int(row | file>>2&4 | file>>5&8)
}

// sliderTable makes the table of a slider from its rays and, for each square it
// can stand on, the squares whose occupation matters, from the lowest bit of the
// table's second index on.
func sliderTable(rays []step, blockers func(Square) [4]Square) *[Squares][16]targets {
	var t [Squares][16]targets
	for s := range Square(Squares) {
		for key := range 16 {
			occupied := uint16(0)
			for i, blocker := range blockers(s) {
				occupied |= uint16(key>>i&1) << blocker
			}
			for _, by := range rays {
				for to, ok := shifted(s, by); ok; to, ok = shifted(to, by) {
					t[s][key].add(to)
					if occupied>>to&1 == 1 {
						break
					}
				}
			}
		}
	}
	return &t
}
