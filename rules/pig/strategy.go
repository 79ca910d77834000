package pig

// Strategy decides on an action in positions with a turn total of at least 2 in which
// holding does not yet win. It must return the same action for the same position. Where
// holding wins, every strategy holds; where the turn total is 0, every strategy rolls,
// which is never worse, as that turn has nothing to lose.
type Strategy func(Position) Action

// HoldAt returns the strategy that holds when the turn total has reached a number.
func HoldAt(total int) Strategy {
	return func(p Position) Action {
		if p.Turn() >= total {
			return Hold
		}
		return Roll
	}
}

// Match is a match of two strategies: the values of both in every position. It is
// immutable and safe for concurrent use.
type Match struct{ players [2]player }

// NewMatch computes the result of one strategy against another. One that is nil is the
// best response to the other; two of these are perfect play, which is to say that neither
// can do better.
func NewMatch(one, other Strategy) *Match {
	m := &Match{[2]player{newPlayer(one), newPlayer(other)}}
	m.solve()
	return m
}

// Begins returns the probability that the one strategy wins a game that it begins.
func (m *Match) Begins() float64 { return m.players[0].win[0][0][0] }

// Follows returns the probability that the one strategy wins a game that the other begins.
func (m *Match) Follows() float64 { return 1 - m.players[1].win[0][0][0] }

// Strategy returns the one strategy; if NewMatch was given none, the best response.
func (m *Match) Strategy() Strategy {
	one, other := m.players[0], m.players[1]
	return func(p Position) Action {
		// Of a best response, the value is that of the better action.
		hold := 1 - other.win[p.theirs][p.mine+p.turn][0]
		if one.holds != nil && one.holds[p.mine][p.theirs][p.turn] ||
			one.holds == nil && one.win[p.mine][p.theirs][p.turn] == hold {
			return Hold
		}
		return Roll
	}
}

// player has a number for each score, score of the other side, and turn total.
type player struct {
	// holds is the strategy's decision, nil for the best one.
	holds *[Goal][Goal][Goal]bool
	// win is the probability that the player to move wins.
	win *[Goal][Goal][Goal]float64
}

func newPlayer(decide Strategy) player {
	p := player{win: new([Goal][Goal][Goal]float64)}
	if decide == nil {
		return p
	}
	p.holds = new([Goal][Goal][Goal]bool)
	for i := range Goal {
		for j := range Goal {
			for k := Bust + 1; i+k < Goal; k++ {
				p.holds[i][j][k] = decide(Position{uint8(i), uint8(j), uint8(k)}) == Hold
			}
		}
	}
	return p
}

// solve works out the values of both players.
//
// A hold raises the sum of the scores, so pairs of scores are done by descending
// sum. Of pairs with equal sum, (i, j) for one player and (j, i) for the other depend on
// each other, as a lost turn leads from one to the other, and on no other pairs.
func (m *Match) solve() {
	for sum := 2 * MaxScore; sum >= 0; sum-- {
		for i := max(0, sum-MaxScore); i <= min(sum, MaxScore); i++ {
			m.settle(i, sum-i)
		}
	}
}

// leaps is the number of rounds of which every second leaps ahead.
const leaps = 8

// settle works out the first player's turn at a pair of scores, and the second's at the
// same one, which depend on each other. They are worked out in turn until nothing changes
// any more.
//
// The first player's value v follows from what it was a round before, and the more it was
// the more it is: a lost turn is worth more if the next one is. Floating point keeps the
// order of what it rounds, so v goes one way, and stops. On its way the change shrinks
// by a factor f each round, less than 1, that is always the same unless the best actions
// change; so the sum of all changes still to come is known, and v can leap there (Aitken).
func (m *Match) settle(i, j int) {
	v, last := &m.players[0].win[i][j][0], 0.0
	for round := 0; ; round++ {
		before := *v
		m.turn(1, j, i)
		m.turn(0, i, j)
		change := *v - before
		if change == 0 {
			return
		}
		if f := change / last; round%2 == 1 && round < leaps && f > 0 && f < 1 {
			*v = min(max(*v+change*f/(1-f), 0), 1)
		}
		last = change
	}
}

// turn works out the values of a player's turn at a pair of scores, from what the other's
// turn is worth there and at greater sums.
func (m *Match) turn(who, i, j int) {
	var (
		me    = &m.players[who]
		win   = &me.win[i][j]
		other = m.players[1-who].win
		bust  = 1 - other[j][i][0]
	)
	for k := MaxTurn; k >= 0; k-- {
		if k == Bust {
			continue
		}
		if i+k >= Goal {
			win[k] = 1
			continue
		}
		roll := bust
		for die := Bust + 1; die <= Faces; die++ {
			if k+die > MaxTurn {
				roll++ // held at once, and won
			} else {
				roll += win[k+die]
			}
		}
		roll /= Faces
		if win[k] = roll; k == 0 {
			continue
		}
		hold := 1 - other[j][i+k][0]
		if me.holds == nil {
			win[k] = max(roll, hold)
		} else if me.holds[i][j][k] {
			win[k] = hold
		}
	}
}
