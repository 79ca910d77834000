package audit

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"solved/rules"
)

// Game is a game as Check sees it: numbers. A position of the main section has its
// index for a number, one of the opening its index and the number of positions of
// the main section.
type Game interface {
	// Successors appends to dst the numbers of the positions that the moves of n
	// positions lead to, from index lo of a section on, one position after the
	// other; and to ends, for each, the length of dst after its moves.
	Successors(s rules.Section, lo uint64, n int, dst []uint64, ends []int) ([]uint64, []int)
	// Result tells how the game has ended in a position, for the side that would be to
	// move: Loss or Draw, and Unknown if it goes on. It is asked where there are no
	// moves.
	Result(s rules.Section, index uint64) rules.Value
	// Spell writes a position for people.
	Spell(s rules.Section, index uint64) string
}

// checkBlock is how many positions a goroutine takes at a time, checkBatch how many
// of them have their successors read together.
const (
	checkBlock = 1 << 16
	checkBatch = 128
)

// Check audits ranges of a table. Ranges must not overlap.
//
// The report holds the findings; errors are those of a context that ended, of a
// range that is none, and of a game that gives a number which is no position's.
func (t *Table) Check(ctx context.Context, game Game, ranges []Range, o Options) (Report, error) {
	var blocks []Range
	for _, r := range ranges {
		if err := r.check(t.ruleset); err != nil {
			return Report{}, err
		}
		for from := r.From; from < r.To; from += checkBlock {
			blocks = append(blocks, Range{r.Section, from, min(from+checkBlock, r.To)})
		}
	}

	var done atomic.Uint64
	workers := sync.Pool{New: func() any { return new(worker) }}
	return gather(ctx, o, len(blocks), func(i int) (part, error) {
		w := workers.Get().(*worker)
		defer workers.Put(w)
		p, err := w.check(t, game, blocks[i], o.Violations)
		if err == nil {
			tell(o.Progress, done.Add(p.count.Positions))
		}
		return p, err
	})
}

// worker is one goroutine's scratch memory.
type worker struct {
	successors []uint64
	ends       []int
	codes      []rules.Code // of the successors
}

// check audits a range, and keeps the first violations, at most so many.
func (w *worker) check(t *Table, game Game, r Range, most int) (part, error) {
	p := part{section: r.Section}
	own := t.section(r.Section)
	for lo := r.From; lo < r.To; lo += checkBatch {
		n := int(min(checkBatch, r.To-lo))
		w.successors, w.ends = game.Successors(r.Section, lo, n, w.successors[:0], w.ends[:0])
		if len(w.ends) != n || w.ends[n-1] != len(w.successors) {
			return part{}, fmt.Errorf("audit: the successors of the %d positions from %s %d on are not told apart", n, r.Section, lo)
		}
		if err := w.read(t); err != nil {
			return part{}, fmt.Errorf("audit: among the %d positions from %s %d on: %w", n, r.Section, lo, err)
		}
		start := 0
		for i, end := range w.ends {
			index := lo + uint64(i)
			found, follows, known := own[index], rules.Code(0), true
			if start == end {
				var ended rules.Entry
				ended, known = ending(game.Result(r.Section, index))
				follows = ended.Code()
			} else {
				f := newFollow()
				for _, c := range w.codes[start:end] {
					f.add(c)
				}
				follows = f.code()
			}
			p.count.see(rules.EntryOf(found).Value, end-start)
			if (found != follows || !known) && len(p.violations) < most {
				v := Violation{
					Position: Position{r.Section, index},
					Spelt:    game.Spell(r.Section, index),
					Found:    rules.EntryOf(found),
				}
				if known {
					v.Follows = rules.EntryOf(follows)
				}
				p.violations = append(p.violations, v)
			}
			start = end
		}
	}
	return p, nil
}

// read reads the codes of all successors. Each read stands for itself, so that the
// processor has many under way at a time.
func (w *worker) read(t *Table) error {
	if cap(w.codes) < len(w.successors) {
		w.codes = make([]rules.Code, 2*len(w.successors))
	}
	codes := w.codes[:len(w.successors)]
	for i, number := range w.successors {
		if number >= uint64(len(t.codes)) {
			return fmt.Errorf("a successor has the number %d, and there are %d positions", number, len(t.codes))
		}
		codes[i] = t.codes[number]
	}
	w.codes = codes
	return nil
}
