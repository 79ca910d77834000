package pig

import (
	"context"
	"math"
)

// Sweep solves the game once more, by plain value iteration: from 0 everywhere, all
// positions are worked out again from what they were before, until none changes by more
// than the tolerance. It knows no order of the positions and shares nothing with Solve; holding
// at a turn total of 0 is an action like any other. It returns the probabilities that the
// side to move wins, by [Position.Index], and how often it went through them.
//
// An error is the context's.
func Sweep(ctx context.Context, tolerance float64) (win []float64, sweeps int, err error) {
	now, next := make([]float64, Positions), make([]float64, Positions)
	for change := math.Inf(1); change > tolerance; sweeps++ {
		if err := ctx.Err(); err != nil {
			return nil, sweeps, err
		}
		change = 0
		index := 0
		for mine := range Goal {
			for theirs := range Goal {
				// What the other side has at the start of its turn, by its opponent's score.
				reply := now[theirs*Goal*Turns:][:Goal*Turns]
				turns := now[index:][:Turns] // of this pair of scores
				for slot := range Turns {
					turn := slot + 1
					if slot == 0 {
						turn = 0
					}
					roll := 1 - reply[mine*Turns]
					for die := 2; die <= 6; die++ {
						if turn+die > 99 {
							roll++
						} else {
							roll += turns[turn+die-1]
						}
					}
					best := roll / 6
					if mine+turn >= 100 {
						best = 1
					} else if hold := 1 - reply[(mine+turn)*Turns]; hold > best {
						best = hold
					}
					change = max(change, math.Abs(best-now[index]))
					next[index] = best
					index++
				}
			}
		}
		now, next = next, now
	}
	return now, sweeps, nil
}
