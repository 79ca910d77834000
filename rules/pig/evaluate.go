package pig

import "solved/rules"

// One is the probability 1 in a table.
const One = 65535

// Lookup returns the entry of a table for the position with an index ([Position.Index]):
// the probability that the side to move wins, in parts of [One], and the best action.
type Lookup func(index uint64) (probability uint16, best Action, err error)

// Interval is the turn totals from From to To, both included.
type Interval struct{ From, To int }

// Evaluation holds the probabilities and the best actions of a position. Probabilities are those that the
// side to move wins, if both play perfectly after the action.
type Evaluation struct {
	// Win is with the best action, Roll and Hold are with that action.
	Win, Roll, Hold float64
	Best            Action
	// Holds are the turn totals at which holding is best with the scores at hand, for any
	// turn total now; they ascend, and do not touch. Often there is just one
	// interval up to MaxTurn, but not everywhere: some totals are so good for a last few
	// rolls that rolling is best once more above totals at which one holds. There may be
	// none.
	Holds []Interval
}

// Evaluate evaluates a position from a table, looking at the positions one move on and
// those with the same scores: some hundred look-ups. With a table of this package's
// [Solution], the probabilities are within 10⁻⁵ of the exact ones, and the actions are
// exact, as the table has them; the better action is never shown to be worse by the
// rounding. Of a finished game all is zero.
//
// An error is the look-up's.
func Evaluate(p Position, lookup Lookup) (Evaluation, error) {
	if p.Result() != rules.Unknown {
		return Evaluation{}, nil
	}
	var err error
	entry := func(p Position) (float64, Action) {
		if err != nil || p.Result() != rules.Unknown {
			return 0, Roll
		}
		var probability uint16
		var best Action
		probability, best, err = lookup(p.Index())
		return float64(probability) / One, best
	}
	win := func(p Position) float64 {
		w, _ := entry(p)
		return w
	}
	var e Evaluation
	e.Win, e.Best = entry(p)
	// An entry is rounded, and so is what follows from others: the value of the best action
	// is the position's, and that of the other is no greater.
	if e.Best == Roll {
		e.Roll, e.Hold = e.Win, min(actionValue(p, Hold, win), e.Win)
	} else {
		e.Roll, e.Hold = min(actionValue(p, Roll, win), e.Win), e.Win
	}
	e.Holds = holds(p.Mine(), p.Theirs(), func(p Position) Action {
		_, best := entry(p)
		return best
	})
	if err != nil {
		return Evaluation{}, err
	}
	return e, nil
}

// holds returns the turn totals at which holding is best with some scores.
func holds(mine, theirs int, best func(Position) Action) []Interval {
	intervals := []Interval{}
	last := 0 // the last turn total at which to hold
	for slot := range Turns {
		turn := turnOf(slot)
		if p, _ := At(mine, theirs, turn); best(p) != Hold {
			continue
		}
		if n := len(intervals); n > 0 && last == turn-1 {
			intervals[n-1].To = turn
		} else {
			intervals = append(intervals, Interval{turn, turn})
		}
		last = turn
	}
	return intervals
}

// Holds returns the turn totals at which holding is best with some scores, each from 0 to
// MaxScore, by the exact solution.
func (s *Solution) Holds(mine, theirs int) []Interval { return holds(mine, theirs, s.Best) }

// Threshold says whether some turn totals are a threshold: whether no action but holding
// is best above the first of them.
func Threshold(holds []Interval) bool {
	return len(holds) == 0 || len(holds) == 1 && holds[0].To == MaxTurn
}

// Reached says whether perfect play can come, in one turn with those scores, to a turn total
// above one at which it would have held: whether it matters that the totals are no
// threshold.
func (s *Solution) Reached(mine, theirs int) bool {
	var reached [MaxTurn + Faces + 1]bool
	reached[0] = true
	held := false
	for slot := range Turns {
		turn := turnOf(slot)
		p, _ := At(mine, theirs, turn)
		switch {
		case s.Best(p) == Hold:
			held = true
		case reached[turn] && held:
			return true
		case reached[turn]:
			for die := Bust + 1; die <= Faces; die++ {
				reached[turn+die] = true
			}
		}
	}
	return false
}
