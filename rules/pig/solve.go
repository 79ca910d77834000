package pig

import (
	"math"

	"solved/rules"
)

// Solution is the exact solution of the game, as far as 64-bit floating point goes: the
// probability that the side to move wins under perfect play of both, in every position. It
// is immutable and safe for concurrent use.
type Solution struct {
	win *[Goal][Goal][Goal]float64 // by score, the other's score and turn total
}

// Solve solves the game. It takes about a second.
func Solve() *Solution {
	return &Solution{NewMatch(nil, nil).players[0].win}
}

// Win returns the probability that the side to move wins.
func (s *Solution) Win(p Position) float64 {
	if p.Result() != rules.Unknown {
		return 0
	}
	return s.win[p.mine][p.theirs][p.turn]
}

// Action returns the probability that the side to move wins if it takes an action now, and
// plays perfectly from then on.
func (s *Solution) Action(p Position, a Action) float64 {
	return actionValue(p, a, s.Win)
}

// actionValue returns the value of an action from the values one move on.
func actionValue(p Position, a Action, win func(Position) float64) float64 {
	after := func(next Position, passes bool) float64 {
		if passes {
			return 1 - win(next)
		}
		return win(next)
	}
	if a == Hold {
		return after(p.Held(), true)
	}
	sum := 0.0
	for die := Bust; die <= Faces; die++ {
		sum += after(p.Rolled(die))
	}
	return sum / Faces
}

// Best returns the action that is best. Both are never equally good ([Solution.Residual]).
func (s *Solution) Best(p Position) Action {
	if s.Action(p, Hold) > s.Action(p, Roll) {
		return Hold
	}
	return Roll
}

// Entry returns a table's entry for the position with an index, which is below
// Positions: the probability that the side to move wins, in parts of [One], to the nearest,
// and the best action.
func (s *Solution) Entry(index uint64) (probability uint16, best Action) {
	p, _ := FromIndex(index)
	return uint16(math.Round(s.Win(p) * One)), s.Best(p)
}

// Residual returns the greatest difference, among all positions, between the probability
// that the side to move wins and that with the better of its two actions: 0 in exact
// numbers. It also returns the least difference between the two actions, which tells how
// sure it is which one is better.
func (s *Solution) Residual() (residual, leastDifference float64) {
	leastDifference = math.Inf(1)
	for index := range uint64(Positions) {
		p, _ := FromIndex(index)
		roll, hold := s.Action(p, Roll), s.Action(p, Hold)
		residual = max(residual, math.Abs(s.Win(p)-max(roll, hold)))
		leastDifference = min(leastDifference, math.Abs(roll-hold))
	}
	return residual, leastDifference
}
