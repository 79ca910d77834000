package inversetreblecross

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// maxPiece is the number of cells of the longest piece that is searched.
const maxPiece = 64

// DefaultBudget is the number of look-ups that a whole answer, the value of a position
// and of all its moves, can be given where no client must wait for long: about a
// twentieth of a second on one core. It suffices for all published positions, and more:
// see RESULTS.md.
const DefaultBudget = 300_000

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

// Reason names the bound and how the position exceeds it.
func (e *TooHardError) Reason() string {
	switch {
	case e.Moves > 0:
		return fmt.Sprintf("it has %d moves, and at most %d are valued", e.Moves, MaxMoves)
	case e.Piece > 0:
		return fmt.Sprintf("%d neighbouring cells are played on as one game, and at most %d are searched", e.Piece, maxPiece)
	}
	return fmt.Sprintf("its value was not found within %d look-ups", e.Budget)
}

// search finds Grundy values. It remembers those of the parts that it has met, as many
// as it has room for. It is for one goroutine.
//
// A value is the least that no move reaches. So a move matters only as far as it has
// one of the values that are asked about or not, and that it has not is known as soon
// as one reply to it has that value.
type search struct {
	ctx    context.Context
	row    int
	plain  bool // do not use what is known beforehand: the closed form and the file
	short  bool // what is searched comes of a strip that the file has the values of
	budget int  // look-ups that may be made
	left   int  // of these, those that may still be made
	glance int  // what is left when ctx is to be looked at again
	err    error
	memory memory
}

// errBudget says that no look-up is left.
var errBudget = errors.New("out of look-ups")

func newSearch(ctx context.Context, row, budget int) *search {
	return &search{ctx: ctx, row: row, budget: budget, left: budget, glance: budget, memory: newMemory(maxMemory)}
}

// position returns the Grundy value of a position. Its errors are *TooHardError and
// the context's.
func (s *search) position(p Position) (int, error) {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	value := uint8(0)
	for _, part := range p.pieces() {
		s.spend()
		switch {
		case !s.plain && s.row == 3 && part.isEmpty() && !part.ring:
			value ^= EmptyStrip(part.length)
		case part.length > maxPiece:
			return 0, &TooHardError{Position: p.String(), Piece: part.length, LookUps: s.spent()}
		default:
			value ^= s.value(part.bits(), int(part.length), part.ring)
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

// spend counts a look-up, and notes the error if there may be no more.
func (s *search) spend() {
	switch {
	case s.err != nil:
		return
	case s.left <= 0:
		s.err = errBudget
		return
	case s.left <= s.glance:
		s.glance = s.left - betweenGlances
		s.err = s.ctx.Err()
	}
	s.left--
}

// value returns the Grundy value of marked and empty cells between walls or on a ring, at
// most maxPiece of them; any number if there is an error.
func (s *search) value(marks uint64, length int, ring bool) uint8 {
	x := s.begin(marks, length, ring)
	value := uint8(x.free & 1)
	for _, g := range x.list[:x.count] {
		value ^= s.part(g)
	}
	return value
}

// lost says whether marked and empty cells have the value 0, which is often cheaper to
// find than the value.
func (s *search) lost(marks uint64, length int, ring bool) bool {
	x := s.begin(marks, length, ring)
	return s.is(&x, 0)
}

// begin begins with other cells.
func (s *search) begin(marks uint64, length int, ring bool) (x parts) {
	x.addCells(s.row, marks, length, ring)
	s.short = length <= valuedStrip || ring && length == valuedStrip+1 // of which a closed cell is taken off
	return x
}

// known is a part's value, as far as the search has found it.
type known struct {
	exact   bool
	value   uint8  // if exact
	reached uint64 // values that moves are known to have
}

// lookUp returns what earlier searches found of a part.
func (s *search) lookUp(g part) known {
	s.spend()
	if s.plain {
		return s.memory.get(g)
	}
	if s.row == 3 && g.ring == 0 {
		// Where all windows have three cells, nothing is marked.
		n := bits.Len64(g.last)
		if g.last == g.first<<2 && g.first == 1<<(n-2)-1 {
			return known{exact: true, value: EmptyStrip(uint64(n))}
		}
	}
	if inFile(s.row, g, s.short) {
		return known{exact: true, value: fileValue(s.row, g)}
	}
	return s.memory.get(g)
}

// none is no value.
const none = 255

// part returns the value of a part.
func (s *search) part(g part) uint8 {
	value, _ := s.settle(g, none)
	return value
}

// settle finds out whether a part has a value; if it has none of that value, then what
// value it has may stay open, and is none then.
func (s *search) settle(g part, want uint8) (value uint8, is bool) {
	now := s.lookUp(g)
	switch {
	case s.err != nil:
		return none, false
	case now.exact:
		return now.value, now.value == want
	case now.reached>>want&1 == 1 || want != none && int(want) > g.empty():
		return none, false // no move reaches a value greater than that either
	}
	// Moves whose parts' values are known come first, and then those that leave the
	// smallest parts.
	var order [maxPiece]uint16
	open := 0
	var x parts
	for cells := g.cells(); cells != 0; cells &= cells - 1 {
		cell := bits.TrailingZeros64(cells)
		x.after(s.row, g, cell)
		value, exact, greatest := uint8(x.free&1), true, 0
		for _, h := range x.list[:x.count] {
			k := s.lookUp(h)
			value ^= k.value
			if !k.exact {
				exact, greatest = false, max(greatest, 2*h.empty()-bits.OnesCount64(h.first))
			}
		}
		switch {
		case !exact:
			order[open] = uint16(greatest<<8 | cell)
			open++
		case value == want && s.err == nil:
			now.reached |= 1 << value
			s.memory.put(g, now)
			return none, false
		default:
			now.reached |= 1 << value
		}
	}
	if s.err != nil {
		return none, false
	}
	slices.Sort(order[:open])
	// That no move has a value is dear to find. Of 0 and 1, which most parts have, the
	// one that is asked about is tried first, as it mostly has.
	tried := want <= 1
	if tried && s.reaches(g, order[:open], want, &x) {
		now.reached |= 1 << want
		s.memory.put(g, now)
		return none, false
	}
	for value := uint8(0); s.err == nil; value++ {
		if now.reached>>value&1 == 1 {
			continue
		}
		reached := !(tried && value == want) && s.reaches(g, order[:open], value, &x)
		if s.err != nil {
			break
		}
		if !reached {
			s.memory.put(g, known{exact: true, value: value})
			return value, value == want
		}
		now.reached |= 1 << value
		if value == want {
			s.memory.put(g, now)
			return none, false
		}
	}
	return none, false
}

// reaches says whether one of some moves has a value. It uses x.
func (s *search) reaches(g part, moves []uint16, value uint8, x *parts) bool {
	for _, move := range moves {
		x.after(s.row, g, int(move&0xff))
		if s.is(x, value) {
			return true
		}
		if s.err != nil {
			return false
		}
	}
	return false
}

// is says whether parts together have a value: all but the greatest are valued.
func (s *search) is(x *parts, want uint8) bool {
	want ^= uint8(x.free & 1)
	if x.count == 0 {
		return want == 0
	}
	greatest := 0
	for i, g := range x.list[:x.count] {
		if g.empty() > x.list[greatest].empty() {
			greatest = i
		}
	}
	for i, g := range x.list[:x.count] {
		if i != greatest {
			want ^= s.part(g)
		}
	}
	_, is := s.settle(x.list[greatest], want)
	return is && s.err == nil
}
