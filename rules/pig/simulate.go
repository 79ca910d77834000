package pig

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Sample is what came of simulated games.
type Sample struct{ Games, Won int }

// simulate plays games between two strategies, the first of which begins, and counts those
// that the first wins. The same seed gives the same games.
func simulate(first, second Strategy, games int, seed uint64) Sample {
	random := rand.New(rand.NewPCG(uint64(Tag), seed))
	holds := [2]*[Goal][Goal][Goal]bool{newPlayer(first).holds, newPlayer(second).holds}
	sample := Sample{Games: games}
	for range games {
		var score [2]int
		for who := 0; ; who = 1 - who {
			turn := 0
			for score[who]+turn < Goal && (turn == 0 || !holds[who][score[who]][score[1-who]][turn]) {
				die := random.IntN(Faces) + 1
				if die == Bust {
					turn = 0
					break
				}
				turn += die
			}
			if score[who] += turn; score[who] >= Goal {
				sample.Won += 1 - who
				break
			}
		}
	}
	return sample
}

// confidence is how many standard deviations of a normal distribution lie to each side of
// its mean for a probability of 99.9 %.
const confidence = 3.2905267

// Interval returns a confidence interval of 99.9 % for the probability of winning.
func (s Sample) Interval() (low, high float64) {
	rate := float64(s.Won) / float64(s.Games)
	half := confidence * math.Sqrt(rate*(1-rate)/float64(s.Games))
	return rate - half, rate + half
}

// String returns the interval, to five places.
func (s Sample) String() string {
	low, high := s.Interval()
	return fmt.Sprintf("%.5f to %.5f", low, high)
}

// Contains says whether a probability is in the interval.
func (s Sample) Contains(probability float64) bool {
	low, high := s.Interval()
	return low <= probability && probability <= high
}
