package reach

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Backwards gives the predecessors of a game's positions. It is to
// share as little as it can with how the game is played forwards. The methods must be
// safe for concurrent use.
type Backwards interface {
	// Size is the number of indices.
	Size() uint64
	// OrbitSize is the number of positions that an index stands for; 0 for an index that
	// is not in use, which is no position's predecessor.
	OrbitSize(index uint64) int
	// Root tells whether games begin from a position.
	Root(index uint64) bool
	// Predecessors appends the positions from which a move leads to one. Those in
	// which the game is over are not among them.
	Predecessors(index uint64, dst []uint64) []uint64
	// Reachable tells whether a position can occur, by a rule that needs no set. It is
	// asked of indices in use.
	Reachable(index uint64) bool
}

// Violation is an index whose depth does not follow from those of its predecessors, or
// of which the game's own rule has it otherwise. A depth of −1 says that it cannot
// occur.
type Violation struct {
	Index   uint64
	Found   int  // in the set
	Follows int  // from the predecessors in the same set
	Rule    bool // what the game's rule says, whether it can occur
}

// String says it all in one line.
func (v Violation) String() string {
	rule := "that it can occur"
	if !v.Rule {
		rule = "that it cannot"
	}
	return fmt.Sprintf("position %d: the set has it %s, what can be before it has it %s, and the rule says %s",
		v.Index, spell(v.Found), spell(v.Follows), rule)
}

func spell(depth int) string {
	if depth < 0 {
		return "never"
	}
	return fmt.Sprintf("in ply %d", depth)
}

// Report is the result of a check.
type Report struct {
	// Violations are the first there are, in order of the index, at most as many as
	// were enough. If there are fewer, they are all, and the rest counts everything.
	// With an error it holds the findings before it.
	Violations []Violation
	// Positions is the number of positions that the indices stand for, Reached how
	// many of them the set has, and Plies how many of these at each depth, in plies.
	Positions, Reached uint64
	Plies              []uint64
	// Edges is the number of moves that lead to any position, from any.
	Edges uint64
}

// Options are how to check.
type Options struct {
	// Threads is the number of goroutines, at least 1.
	Threads int
	// Violations is how many are enough: after so many the check ends. At least 1.
	Violations int
	Progress   Progress // may be nil
}

// checkBlock is how many indices a goroutine takes at a time, checkBatch how many of
// them have their predecessors looked up together.
const (
	checkBlock = 1 << 16
	checkBatch = 128
)

// Check holds a whole set against the game, backwards: the depth of a root is 0, that
// of any other position one more than the least of its predecessors' that can occur,
// and a position that is no root and has no such predecessor cannot occur.
//
// The report holds the findings; errors are those of a context that ended, and of a
// game that does not fit the set or contradicts itself.
func (s *Set) Check(ctx context.Context, g Backwards, o Options) (Report, error) {
	if o.Threads < 1 || o.Violations < 1 {
		return Report{}, fmt.Errorf("reach: a check needs at least one thread, and one violation to be enough")
	}
	if g.Size() != s.size {
		return Report{}, fmt.Errorf("reach: the game has %d positions, and the set is of %d", g.Size(), s.size)
	}
	n := int((s.size + checkBlock - 1) / checkBlock)
	told := o.Progress.stage("what can be before", uint64(n))
	workers := sync.Pool{New: func() any { return new(checker) }}
	var (
		report Report
		enough bool
		mu     sync.Mutex // guards these
	)
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(o.Threads)
	for i := range n {
		mu.Lock()
		stop := enough || running.Err() != nil
		mu.Unlock()
		if stop {
			break
		}
		// Blocks are begun in order, and all that are begun are ended. So when enough
		// violations are known, the first of all are among them.
		group.Go(func() error {
			w := workers.Get().(*checker)
			defer workers.Put(w)
			lo := uint64(i) * checkBlock
			part, err := w.check(s, g, lo, min(lo+checkBlock, s.size), o.Violations)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			report.add(part)
			enough = len(report.Violations) >= o.Violations
			told()
			return nil
		})
	}
	err := group.Wait()
	if err == nil {
		err = context.Cause(ctx)
	}
	slices.SortFunc(report.Violations, func(a, b Violation) int { return cmp.Compare(a.Index, b.Index) })
	report.Violations = report.Violations[:min(len(report.Violations), o.Violations)]
	return report, err
}

func (r *Report) add(part Report) {
	r.Violations = append(r.Violations, part.Violations...)
	r.Positions += part.Positions
	r.Reached += part.Reached
	r.Edges += part.Edges
	for len(r.Plies) < len(part.Plies) {
		r.Plies = append(r.Plies, 0)
	}
	for depth, n := range part.Plies {
		r.Plies[depth] += n
	}
}

// none is one less than the cell of a position that cannot occur.
const none = 255

// checker is one goroutine's scratch memory.
type checker struct {
	before []uint64
	ends   []int
	cells  []byte // of the predecessors
}

// check checks the indices from lo to just before hi.
func (w *checker) check(s *Set, g Backwards, lo, hi uint64, most int) (Report, error) {
	var plies [255]uint64 // whatever a cell can hold
	var r Report
	for ; lo < hi; lo += checkBatch {
		n := min(checkBatch, hi-lo)
		w.before, w.ends = w.before[:0], w.ends[:0]
		for index := lo; index < lo+n; index++ {
			if g.OrbitSize(index) > 0 {
				w.before = g.Predecessors(index, w.before)
			}
			w.ends = append(w.ends, len(w.before))
		}
		if err := w.look(s); err != nil {
			return Report{}, err
		}
		start := 0
		for i, end := range w.ends {
			index := lo + uint64(i)
			orbit := uint64(g.OrbitSize(index))
			found, follows := s.depth(index), -1
			// Cells less one, so that a position that cannot occur is the greatest.
			nearest, reachable := byte(none), false
			for _, cell := range w.cells[start:end] {
				nearest = min(nearest, cell-1)
			}
			if orbit > 0 {
				reachable = g.Reachable(index)
				if g.Root(index) {
					follows = 0
				} else if nearest != none {
					follows = int(nearest) + 1
				}
			}
			if (found != follows || reachable != (found >= 0)) && len(r.Violations) < most {
				r.Violations = append(r.Violations, Violation{index, found, follows, reachable})
			}
			r.Positions += orbit
			r.Edges += orbit * uint64(end-start)
			if found >= 0 {
				r.Reached += orbit
				plies[found] += orbit
			}
			start = end
		}
	}
	deepest := len(plies)
	for deepest > 0 && plies[deepest-1] == 0 {
		deepest--
	}
	r.Plies = plies[:deepest]
	return r, nil
}

// look reads the cells of all predecessors. Each read stands for itself, so that the
// processor has many under way at a time.
func (w *checker) look(s *Set) error {
	if cap(w.cells) < len(w.before) {
		w.cells = make([]byte, 2*len(w.before))
	}
	w.cells = w.cells[:len(w.before)]
	for i, index := range w.before {
		if index >= s.size {
			return fmt.Errorf("reach: position %d is before another, and there are %d", index, s.size)
		}
		w.cells[i] = s.cells.load(index)
	}
	return nil
}
