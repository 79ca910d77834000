package treblecross

import "math/bits"

// lost says whether a piece has the value 0, which is cheaper to find than the value: a
// piece is lost when none of its moves is. The search for a ring needs no more, as all
// its first moves are alike.
func (s *search) lost(marks uint64, length int, ring bool) bool {
	if length == bits.OnesCount64(marks) {
		return true
	}
	if length < s.row || marks == 0 && !ring {
		return s.piece(marks, length, ring) == 0
	}
	k := keyOf(marks, length, ring)
	if value, ok := s.known[k]; ok {
		return value == 0
	}
	if lost, ok := s.losses[k]; ok {
		return lost
	}
	if !s.spend(pieceCost) {
		return false
	}
	lost := s.allWon(k.marks, length, ring)
	if s.err == nil {
		s.losses[k] = lost
	}
	return lost
}

// allWon says whether all that a move leads to is won for the side then to move.
func (s *search) allWon(marks uint64, length int, ring bool) bool {
	moves := ^uint64(0) >> (64 - length) &^ marks
	if marks == 0 && ring {
		moves = 1 // the others are turns of this one
	}
	closing := s.closing(marks, length, ring) & moves
	for left := closing; left != 0; left &= left - 1 {
		if s.cutLost(marks|left&-left, length, ring) || s.err != nil {
			return false
		}
	}
	for left := moves &^ closing; left != 0; left &= left - 1 {
		if s.lost(marks|left&-left, length, ring) || s.err != nil {
			return false
		}
	}
	return true
}

// cutLost says whether marks beside which cells can be closed have the value 0. Where
// they leave one piece to play on, its value is not needed.
func (s *search) cutLost(marks uint64, length int, ring bool) bool {
	var only key
	count := 0
	s.parts(marks, length, ring, func(marks uint64, length int, ring bool) {
		if bits.OnesCount64(marks) < length {
			only = key{marks, uint8(length), ring}
			count++
		}
	})
	if count == 1 {
		return s.lost(only.marks, int(only.length), only.ring)
	}
	return s.cut(marks, length, ring) == 0
}
