package treblecross

import (
	"context"
	"fmt"
	"math/bits"
)

// maxPiece is the number of cells of the longest piece that is searched.
const maxPiece = 64

// DefaultBudget is the number of look-ups that a whole answer, the value of a position
// and of all its moves, can be given where it must not keep anybody waiting: about a
// fifth of a second on one core. It suffices for the empty strip of up to 33 cells, and
// so for all that follows from it, under the canonical rules.
const DefaultBudget = 1_600_000

// pieceCost is the number of look-ups that a piece which is met for the first time
// counts as.
const pieceCost = 4

// TooHardError says that a value is past the bound of the search.
type TooHardError struct {
	Position string
	// Piece is the number of cells of a piece that is too long to be searched at all,
	// or 0; otherwise the search has used up its Budget of look-ups.
	Piece  uint64
	Budget int
	// LookUps is the number of look-ups that were spent before the refusal: at least
	// Budget where that was used up, and but a few more.
	LookUps int
	// Moves is the number of moves that the answer would have to list, if that is too
	// many, or 0.
	Moves uint64
}

func (e *TooHardError) Error() string {
	return fmt.Sprintf("position %q is too hard: %s", e.Position, e.Reason())
}

// Reason says what the bound is and how the position exceeds it.
func (e *TooHardError) Reason() string {
	switch {
	case e.Moves > 0:
		return fmt.Sprintf("it has %d moves, and at most %d are valued", e.Moves, MaxMoves)
	case e.Piece > 0:
		return fmt.Sprintf("%d neighbouring cells are played on as one game, and at most %d are searched", e.Piece, maxPiece)
	}
	return fmt.Sprintf("its value was not found within %d look-ups", e.Budget)
}

// search finds Grundy values. It remembers those of the pieces that it has met. It is
// for one goroutine.
//
// A value is the least that no move reaches, so a move matters only as far as it has
// that value or not. Moves that close a cell lead to smaller pieces and are cheap:
// they are valued first, and give a least candidate. Any other move cannot have the
// candidate's value if some move from there does, and again one that closes a cell is
// tried first. Only where there is none, the whole value of the move is searched for.
type search struct {
	ctx    context.Context
	row    int
	plain  bool // do not use the closed form of the empty strip
	budget int  // look-ups that may be made
	left   int  // of these, those that may still be made
	glance int  // what is left when ctx is to be looked at again
	err    error
	known  map[key]uint8
	losses map[key]bool // whether the value is 0, of pieces whose value was not needed
}

// key is a piece of at most maxPiece cells, read from the end, and on a ring from the
// cell and in the direction, that makes its marks the least number.
type key struct {
	marks  uint64 // bit i is set when cell i is marked
	length uint8
	ring   bool
}

// errBudget says that no look-up is left.
var errBudget = fmt.Errorf("out of look-ups")

func newSearch(ctx context.Context, row, budget int) *search {
	return &search{ctx: ctx, row: row, budget: budget, left: budget, glance: budget, known: make(map[key]uint8), losses: make(map[key]bool)}
}

// position returns the Grundy value of a position. Its errors are *TooHardError and
// the context's.
func (s *search) position(p Position) (int, error) {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	value := uint8(0)
	for _, part := range p.pieces() {
		switch {
		case !s.plain && s.row == 3 && part.isEmpty() && !part.ring:
			value ^= EmptyStrip(part.length)
		case part.length > maxPiece:
			return 0, &TooHardError{Position: p.String(), Piece: part.length, LookUps: s.spent()}
		default:
			value ^= s.piece(part.bits(), int(part.length), part.ring)
		}
	}
	if s.err == errBudget {
		return 0, &TooHardError{Position: p.String(), Budget: s.budget, LookUps: s.spent()}
	}
	return int(value), s.err
}

// spent returns the number of look-ups so far.
func (s *search) spent() int { return s.budget - s.left }

// betweenGlances is the number of look-ups, some tenths of a millisecond, after which
// a search looks again whether its context has ended.
const betweenGlances = 1 << 10

// spend counts look-ups, and says whether the search may go on.
func (s *search) spend(lookUps int) bool {
	switch {
	case s.err != nil:
		return false
	case s.left <= 0:
		s.err = errBudget
		return false
	case s.left <= s.glance:
		s.glance = s.left - betweenGlances
		if s.err = s.ctx.Err(); s.err != nil {
			return false
		}
	}
	s.left -= lookUps
	return true
}

// around returns the marks moved up by so many cells, as they are seen from there: off
// the strip, or round the ring.
func around(marks uint64, by, length int, ring bool) uint64 {
	mask := ^uint64(0) >> (64 - length)
	if !ring {
		if by < 0 {
			return marks >> -by
		}
		return marks << by & mask
	}
	by = (by + length) % length
	return (marks<<by | marks>>(length-by)) & mask
}

// shut returns the closed cells: those that are empty and have so many marks in a
// row on both sides together that with one more there would be row.
func (s *search) shut(marks uint64, length int, ring bool) uint64 {
	if length < s.row {
		return 0
	}
	all := ^uint64(0) >> (64 - length)
	// before[i] are the cells with i marks or more in a row before them.
	var before [MaxRow]uint64
	before[0] = all
	for i := 1; i < s.row; i++ {
		before[i] = before[i-1] & around(marks, i, length, ring)
	}
	after, out := all, uint64(0)
	for i := range s.row {
		if i > 0 {
			after &= around(marks, -i, length, ring)
		}
		out |= before[s.row-1-i] & after
	}
	return out &^ marks
}

// closing returns the moves that close a cell: those on one of the two empty cells of
// row neighbouring cells that are marked but for these. No cell may be closed yet.
func (s *search) closing(marks uint64, length int, ring bool) uint64 {
	if length < s.row {
		return 0
	}
	all := ^uint64(0) >> (64 - length)
	empty := all &^ marks
	// Bit i of these says how many of the row cells from cell i on are empty.
	var one, two, three uint64
	for i := range s.row {
		cells := around(empty, -i, length, ring)
		three |= two & cells
		two |= one & cells
		one |= cells
	}
	windows := two &^ three
	if !ring {
		windows &= all >> (s.row - 1)
	}
	out := uint64(0)
	for i := range s.row {
		out |= around(windows, i, length, ring)
	}
	return out & empty
}

// parts calls f with each piece that closed cells leave, by its marks and length.
func (s *search) parts(marks uint64, length int, ring bool, f func(marks uint64, length int, ring bool)) {
	s.left--
	shut := s.shut(marks, length, ring)
	if shut == 0 {
		f(marks, length, ring)
		return
	}
	if ring {
		// Turn the ring until a closed cell comes last, and take that off.
		by := length - 1 - bits.TrailingZeros64(shut)
		marks, shut = around(marks, by, length, true), around(shut, by, length, true)
		length--
		shut &^= 1 << length
	}
	first := 0
	for ; shut != 0; shut &= shut - 1 {
		end := bits.TrailingZeros64(shut)
		f(marks>>first&(1<<(end-first)-1), end-first, false)
		first = end + 1
	}
	f(marks>>first, length-first, false)
}

// cut returns the value of marks beside which cells can be closed.
func (s *search) cut(marks uint64, length int, ring bool) uint8 {
	value := uint8(0)
	s.parts(marks, length, ring, func(marks uint64, length int, ring bool) {
		value ^= s.piece(marks, length, ring)
	})
	return value
}

// piece returns the Grundy value of a piece.
func (s *search) piece(marks uint64, length int, ring bool) uint8 {
	if !s.spend(1) {
		return 0
	}
	free := length - bits.OnesCount64(marks)
	switch {
	case free == 0:
		return 0
	case length < s.row:
		return uint8(free & 1) // no row is possible, so every empty cell gets its mark
	case marks == 0 && !ring && s.row == 3 && !s.plain:
		return EmptyStrip(uint64(length))
	}
	k := keyOf(marks, length, ring)
	if value, ok := s.known[k]; ok {
		return value
	}
	s.left -= pieceCost
	value := s.least(k.marks, length, ring)
	if s.err == nil {
		s.known[k] = value
	}
	return value
}

func keyOf(marks uint64, length int, ring bool) key {
	back := bits.Reverse64(marks) >> (64 - length)
	least := min(marks, back)
	if ring {
		for i := 1; i < length; i++ {
			least = min(least, around(marks, i, length, true), around(back, i, length, true))
		}
	}
	return key{least, uint8(length), ring}
}

// least returns the least value that no move has. A value is at most the number of
// empty cells, so values and their exclusive ors are less than 64.
func (s *search) least(marks uint64, length int, ring bool) uint8 {
	var seen uint64 // values of moves
	moves := ^uint64(0) >> (64 - length) &^ marks
	if marks == 0 && ring {
		moves = 1 // the others are turns of this one
	}
	closing := s.closing(marks, length, ring) & moves
	others := moves &^ closing // those that are not valued yet
	for ; closing != 0 && s.err == nil; closing &= closing - 1 {
		after := marks | closing&-closing
		seen |= 1 << s.cut(after, length, ring)
	}
	for left := others; left != 0; left &= left - 1 {
		if value, ok := s.known[keyOf(marks|left&-left, length, ring)]; ok {
			seen |= 1 << value
			others &^= left & -left
		}
	}
	value := uint8(bits.TrailingZeros64(^seen))
	for left := others; left != 0 && s.err == nil; {
		move := left & -left
		left &^= move
		if s.closes(marks|move, length, ring, value, bits.TrailingZeros64(move)) {
			continue
		}
		others &^= move
		seen |= 1 << s.piece(marks|move, length, ring)
		if seen>>value&1 == 1 {
			// The moves that were passed over must be held against the next candidate.
			value = uint8(bits.TrailingZeros64(^seen))
			left = others
		}
	}
	return value
}

// closes says whether a move that closes a cell leads to a value from a piece without
// closed cells. Moves next to the last one are tried first, then those one cell away,
// and so on: they mostly do.
func (s *search) closes(marks uint64, length int, ring bool, value uint8, last int) bool {
	left := s.closing(marks, length, ring)
	for i := 1; i < s.row && left != 0; i++ {
		for _, by := range [...]int{i, -i} {
			if i >= length {
				continue // there is no cell so far away
			}
			if move := around(1<<last, by, length, ring) & left; move != 0 {
				left &^= move
				if s.cut(marks|move, length, ring) == value {
					return true
				}
			}
		}
	}
	for ; left != 0 && s.err == nil; left &= left - 1 {
		if s.cut(marks|left&-left, length, ring) == value {
			return true
		}
	}
	return false
}
