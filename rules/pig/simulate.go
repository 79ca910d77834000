package pig

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// sample is the result of simulated games.
type sample struct{ games, won int }

// simulate plays games between two strategies, the first of which begins, and counts those
// that the first wins. The same seed gives the same games.
func simulate(first, second Strategy, games int, seed uint64) sample {
	random := rand.New(rand.NewPCG(uint64(Tag), seed))
	holds := [2]*[Goal][Goal][Goal]bool{newPlayer(first).holds, newPlayer(second).holds}
	won := 0
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
				won += 1 - who
				break
			}
		}
	}
	return sample{games, won}
}

// confidence is how many standard deviations of a normal distribution lie to each side of
// its mean for a probability of 99.9 %.
const confidence = 3.2905267

// interval returns a confidence interval of 99.9 % for the probability of winning.
func (s sample) interval() (low, high float64) {
	rate := float64(s.won) / float64(s.games)
	half := confidence * math.Sqrt(rate*(1-rate)/float64(s.games))
	return rate - half, rate + half
}

// String returns the interval, to five places.
func (s sample) String() string {
	low, high := s.interval()
	return fmt.Sprintf("%.5f to %.5f", low, high)
}

// contains says whether a probability is in the interval.
func (s sample) contains(probability float64) bool {
	low, high := s.interval()
	return low <= probability && probability <= high
}
