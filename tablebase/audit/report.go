package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"solved/rules"
)

// Options are how to audit.
type Options struct {
	// Threads is the number of goroutines, at least 1.
	Threads int
	// Violations is how many are enough: after so many the audit ends. At least 1.
	Violations int
	// Progress, if not nil, is told how many positions are done. It is called
	// concurrently.
	Progress func(done uint64)
}

// Count counts the entries seen of a section.
type Count struct {
	Positions           uint64
	Edges               uint64 // moves, each from one position to another
	MostMoves           int    // of one position
	Over                uint64 // positions in which the game is over
	Wins, Losses, Draws uint64 // as the table has them, with those that are over
}

// see counts one position.
func (c *Count) see(v rules.Value, moves int) {
	c.Positions++
	c.Edges += uint64(moves)
	c.MostMoves = max(c.MostMoves, moves)
	if moves == 0 {
		c.Over++
	}
	switch v {
	case rules.Win:
		c.Wins++
	case rules.Loss:
		c.Losses++
	default:
		c.Draws++
	}
}

func (c *Count) add(d Count) {
	c.Positions += d.Positions
	c.Edges += d.Edges
	c.MostMoves = max(c.MostMoves, d.MostMoves)
	c.Over += d.Over
	c.Wins += d.Wins
	c.Losses += d.Losses
	c.Draws += d.Draws
}

// Report is the result of an audit.
type Report struct {
	// Violations are the first there are, in the order of the audit, at most as
	// many as were enough. If there are fewer, they are all. With an error they are
	// those that were found before it.
	Violations []Violation
	// Sections count the entries seen: all, if there are fewer violations than
	// were enough. If not, how much was seen before the end depends on chance.
	Sections [rules.Sections]Count
}

// part is the result of a part of an audit.
type part struct {
	section    rules.Section
	count      Count
	violations []Violation
}

// gather does the n parts of an audit and joins their results.
func gather(ctx context.Context, o Options, n int, do func(i int) (part, error)) (Report, error) {
	if o.Violations < 1 {
		return Report{}, fmt.Errorf("audit: %d violations cannot be enough", o.Violations)
	}
	// Parts are begun in order and all that are begun are ended. So when enough
	// violations are known, the first of all are among them.
	type wrong struct {
		part       int
		violations []Violation
	}
	var (
		report Report
		found  []wrong
		number int
		mu     sync.Mutex // guards these
	)
	err := parallel(ctx, o.Threads, n, func(i int) (bool, error) {
		p, err := do(i)
		if err != nil {
			return false, err
		}
		mu.Lock()
		defer mu.Unlock()
		report.Sections[p.section].add(p.count)
		if len(p.violations) > 0 {
			found = append(found, wrong{i, p.violations})
			number += len(p.violations)
		}
		return number >= o.Violations, nil
	})
	slices.SortFunc(found, func(a, b wrong) int { return cmp.Compare(a.part, b.part) })
	for _, w := range found {
		report.Violations = append(report.Violations, w.violations...)
	}
	report.Violations = report.Violations[:min(len(report.Violations), o.Violations)]
	return report, err
}
