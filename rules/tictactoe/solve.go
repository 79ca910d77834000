package tictactoe

import (
	"fmt"

	"solved/rules"
)

// Solution is the solved game: an entry for each position. It is immutable and safe
// for concurrent use. It is a tablebase.Source.
type Solution struct {
	codes [Positions]rules.Code // by index
}

// Solve solves the game from the rules alone, in a few milliseconds. A finished line is
// lost in 0 for the side that would be to move, a full board without one is a draw. As
// every move leads to a greater index, the positions are gone through once, from the
// last to the first.
func Solve() *Solution {
	s := new(Solution)
	for index := len(s.codes) - 1; index >= 0; index-- {
		s.codes[index] = s.follows(numbered.positions[index])
	}
	return s
}

// follows returns the entry that follows from those of the successors: a win in one ply
// more than the nearest loss, or a loss in one more than the farthest win if all are won.
func (s *Solution) follows(p Position) rules.Code {
	switch p.Result() {
	case rules.Loss:
		return 0
	case rules.Draw:
		return rules.CodeDraw
	}
	nearestLoss, farthestWin, drawn := rules.CodeDraw, rules.Code(0), false
	for square := range p.Free() {
		switch c := s.codes[p.Mark(square).Index()]; {
		case c == rules.CodeDraw:
			drawn = true
		case c%2 == 0:
			nearestLoss = min(nearestLoss, c)
		default:
			farthestWin = max(farthestWin, c)
		}
	}
	switch {
	case nearestLoss != rules.CodeDraw:
		return nearestLoss + 1
	case drawn:
		return rules.CodeDraw
	}
	return farthestWin + 1
}

// Entry returns the entry of a position.
func (s *Solution) Entry(p Position) rules.Entry { return rules.EntryOf(s.codes[p.Index()]) }

// Codes sets dst to the codes of as many positions of a section, from index lo on. A
// range that is not in the main section is an error.
func (s *Solution) Codes(section rules.Section, lo uint64, dst []rules.Code) error {
	n := uint64(len(dst))
	if section == rules.Opening && n > 0 || n > Positions || lo > Positions-n {
		return fmt.Errorf("tic-tac-toe has no %d positions from %s %d on", n, section, lo)
	}
	copy(dst, s.codes[lo:])
	return nil
}
