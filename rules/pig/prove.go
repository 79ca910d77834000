package pig

import (
	"context"
	"fmt"
	"math"
	"strings"

	"solved/rules"
)

// Bounds of the proof.
const (
	// residualTolerance is the Bellman residual that floating point may leave: a value
	// is rounded some ten times on its way from others, by 1.1·10⁻¹⁶ each.
	residualTolerance = 1e-14
	// sweepTolerance ends the plain sweeps, and agreement is how near they must have
	// come by then. It is less than the two actions differ anywhere, so that both
	// solutions have the same best actions.
	sweepTolerance = 1e-10
	agreement      = 1e-8
	// tableTolerance is how near the values of a table are to the exact ones.
	tableTolerance = 1e-4
	// simulatedGames is how many games each simulation has.
	simulatedGames = 200_000
)

// Prove checks the solution: that it is one, that a second method finds the same, and the
// figures that follow from it. It takes some ten seconds, and needs no solver. Its error is
// the context's.
func (r *Rules) Prove(ctx context.Context, p rules.Proof) error {
	s := Solve()
	if err := proveFixpoint(ctx, p, s); err != nil {
		return err
	}
	proveActions(p, s)
	if err := proveTable(ctx, p, s); err != nil {
		return err
	}
	return proveMatches(ctx, p, s)
}

// atMost and atLeast are a claim that a number is not above or below a bound, which says
// what it is when it fails.
func atMost(text string, bound, found float64) rules.Claim {
	c := rules.Claim{Text: text, Want: fmt.Sprintf("at most %.0e", bound), Found: fmt.Sprint(found)}
	if found <= bound {
		c.Found = c.Want
	}
	return c
}

func atLeast(text string, bound, found float64) rules.Claim {
	c := rules.Claim{Text: text, Want: fmt.Sprintf("at least %.0e", bound), Found: fmt.Sprint(found)}
	if found >= bound {
		c.Found = c.Want
	}
	return c
}

func proveFixpoint(ctx context.Context, p rules.Proof, s *Solution) error {
	residual, difference := s.Residual()
	p.Report(atMost("Bellman residual: no position's value is further from that of its better action than rounding explains",
		residualTolerance, residual))
	p.Report(atLeast("everywhere the two actions differ by more than such errors could hide", agreement, difference))
	swept, _, err := Sweep(ctx, sweepTolerance)
	if err != nil {
		return err
	}
	furthest := 0.0
	for index, win := range swept {
		position, _ := FromIndex(uint64(index))
		furthest = max(furthest, math.Abs(win-s.Win(position)))
	}
	p.Report(atMost("plain value iteration from 0, stopped when no value changes by 1e-10, finds the same in all 990,000 positions",
		agreement, furthest))
	first := s.Win(Position{})
	p.Report(rules.Claimed("perfect play, first player", "0.53059", five(first)))
	p.Report(rules.Claimed("perfect play, second player", "0.46941", five(1-first)))
	return nil
}

// five writes a probability to five places.
func five(probability float64) string { return fmt.Sprintf("%.5f", probability) }

func proveActions(p rules.Proof, s *Solution) {
	idle, bent, reached := 0, 0, 0
	for mine := range Goal {
		for theirs := range Goal {
			position, _ := At(mine, theirs, 0)
			if s.Best(position) == Hold {
				idle++
			}
			if !Threshold(s.Holds(mine, theirs)) {
				bent++
			}
			if s.Reached(mine, theirs) {
				reached++
			}
		}
	}
	p.Report(rules.Claimed("pairs of scores at which a turn had better not begin with a roll", 0, idle))
	p.Report(rules.Claimed("turn totals at which to hold at 0-0", "21-99", intervalsText(s.Holds(0, 0))))
	p.Report(rules.Claimed("pairs of scores, of 10,000, at which the turn totals at which to hold are no threshold", 2503, bent))
	p.Report(rules.Claimed("of these, pairs at which perfect play can come above a total at which it would have held", 111, reached))
	p.Report(rules.Claimed("5-76 is one of them, where it holds at", "30-32, 45-81, 95-99", intervalsText(s.Holds(5, 76))))
	p.Report(rules.Claimed("and can come above that", true, s.Reached(5, 76)))
}

func intervalsText(intervals []Interval) string {
	var texts []string
	for _, i := range intervals {
		texts = append(texts, fmt.Sprintf("%d-%d", i.From, i.To))
	}
	return strings.Join(texts, ", ")
}

// proveTable evaluates every position from a table's entries.
func proveTable(ctx context.Context, p rules.Proof, s *Solution) error {
	type entry struct {
		probability uint16
		best        Action
	}
	table := make([]entry, Positions)
	for i := range table {
		table[i].probability, table[i].best = s.Entry(uint64(i))
	}
	lookup := func(index uint64) (uint16, Action, error) { return table[index].probability, table[index].best, nil }
	furthest, same := 0.0, 0
	for index := range uint64(Positions) {
		if err := ctx.Err(); err != nil {
			return err
		}
		position, _ := FromIndex(index)
		e, err := Evaluate(position, lookup)
		if err != nil {
			return err
		}
		furthest = max(furthest, math.Abs(e.Win-s.Win(position)),
			math.Abs(e.Roll-s.Action(position, Roll)), math.Abs(e.Hold-s.Action(position, Hold)))
		// The action shown as best is the exact one, and is not shown to be worse.
		shown := e.Roll
		if e.Best == Hold {
			shown = e.Hold
		}
		if e.Best == s.Best(position) && shown == e.Win && e.Roll <= shown && e.Hold <= shown {
			same++
		}
	}
	p.Report(atMost("from a table of 16 bits a position, all probabilities are near the exact ones", tableTolerance, furthest))
	p.Report(rules.Claimed("positions in which the table's best action is the exact one", Positions, same))
	return nil
}

// proveMatches works out match-ups, and simulates them.
func proveMatches(ctx context.Context, p rules.Proof, s *Solution) error {
	const misnomer = "%s, as perfect play; but it is what a best response to hold-at-20 gets, which is another strategy"
	twenty := HoldAt(20)
	for i, c := range []struct {
		name                   string
		one                    Strategy
		begins, follows        string
		publishedB, publishedF string
	}{
		{"hold-at-20 against itself", twenty, "0.53470", "0.46530", "", ""},
		{"a best response to hold-at-20 against it", nil, "0.58737", "0.52238", "", ""},
		{"perfect play against hold-at-20", s.Best, "0.57150", "0.50834", fmt.Sprintf(misnomer, "0.587"), fmt.Sprintf(misnomer, "0.522")},
	} {
		m := NewMatch(c.one, twenty)
		first := rules.Claimed(c.name+", moving first", c.begins, five(m.Begins()))
		second := rules.Claimed(c.name+", moving second", c.follows, five(m.Follows()))
		first.Published, second.Published = c.publishedB, c.publishedF
		p.Report(first)
		p.Report(second)
		if err := ctx.Err(); err != nil {
			return err
		}
		one := m.Strategy()
		p.Report(cross(c.name+", moving first", simulate(one, twenty, simulatedGames, uint64(2*i)), m.Begins()))
		other := simulate(twenty, one, simulatedGames, uint64(2*i+1))
		other.won = other.games - other.won
		p.Report(cross(c.name+", moving second", other, m.Follows()))
	}
	p.Report(cross("perfect play against itself, moving first", simulate(s.Best, s.Best, simulatedGames, 6), s.Win(Position{})))
	return nil
}

// cross is the claim that a simulation does not contradict the computed probability.
func cross(name string, s sample, exact float64) rules.Claim {
	text := fmt.Sprintf("simulation of %d games, %s: the probability worked out is in the 99.9 %% interval, %s", s.games, name, s)
	return rules.Claimed(text, true, s.contains(exact))
}
