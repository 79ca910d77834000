package reach

import (
	"context"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Forwards is a game as it is played: positions numbered from 0, and moves between
// them. Several positions may share a number if they are alike in every respect that
// matters (mirror images, for one); it then stands for all of them. The methods must
// be safe for concurrent use.
type Forwards interface {
	// Size is the number of indices; every index is below it.
	Size() uint64
	// Roots calls found with every position that games begin from, as often as it
	// likes. The work is cut into shards parts, of which this call does one, from 0;
	// found is called from its own goroutine.
	Roots(shard, shards int, found func(index uint64))
	// Successors appends the positions after each move. A position in which the game
	// is over has none.
	Successors(index uint64, dst []uint64) []uint64
}

// Progress is told how far a stage has come: done of total, in units of its own. It
// is called concurrently, and often.
type Progress func(stage string, done, total uint64)

// exploreBlock is how many indices a goroutine takes at a time, batchSize about how
// many successors it gathers before it looks at the first.
const (
	exploreBlock = 1 << 18
	batchSize    = 4096
)

// Explore finds every position that can occur, and in how many plies: the roots in
// none, and wave by wave the positions after one more move.
//
// It ends with the context's cause when that ends, and with an error if the game
// gives a number that is no position's, or has positions deeper than MaxDepth.
func Explore(ctx context.Context, g Forwards, threads int, progress Progress) (*Set, error) {
	s, err := newSet(g.Size())
	if err != nil {
		return nil, err
	}
	if err := s.explore(ctx, g, threads, progress); err != nil {
		s.Free()
		return nil, err
	}
	return s, nil
}

func (s *Set) explore(ctx context.Context, g Forwards, threads int, progress Progress) error {
	const shards = 256
	fresh, err := s.wave(ctx, threads, shards, progress.stage("where games begin", shards), func(shard int, w *wave) error {
		var bad error
		g.Roots(shard, shards, func(index uint64) {
			if err := w.add(index); err != nil {
				bad = err
			}
		})
		return bad
	}, 0)
	for depth := 0; err == nil && fresh; depth++ {
		if depth > MaxDepth {
			return fmt.Errorf("reach: there are positions more than %d plies deep", MaxDepth)
		}
		blocks := int((s.size + exploreBlock - 1) / exploreBlock)
		told := progress.stage(fmt.Sprintf("ply %d", depth+1), uint64(blocks))
		fresh, err = s.wave(ctx, threads, blocks, told, func(block int, w *wave) error {
			lo := uint64(block) * exploreBlock
			return s.cells.scan(lo, min(lo+exploreBlock, s.size), byte(depth+1), func(index uint64) error {
				w.after = g.Successors(index, w.after)
				return w.flushIf(batchSize)
			})
		}, depth+1)
	}
	return err
}

// wave does the n parts of a wave, and reports whether any of them marked a
// position that was not marked before.
func (s *Set) wave(ctx context.Context, threads, n int, told func(), part func(int, *wave) error, depth int) (bool, error) {
	var marked atomic.Bool
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(max(threads, 1))
	for i := range n {
		if running.Err() != nil {
			break
		}
		group.Go(func() error {
			w := &wave{set: s, cell: byte(depth + 1)}
			if err := part(i, w); err != nil {
				return err
			}
			if err := w.flushIf(0); err != nil {
				return err
			}
			if w.marked {
				marked.Store(true)
			}
			told()
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return false, err
	}
	return marked.Load(), context.Cause(ctx)
}

// wave is the positions that one part of a wave has gathered, to be marked.
type wave struct {
	set     *Set
	cell    byte // to mark them with
	marked  bool
	after   []uint64
	touched uint64
}

func (w *wave) add(index uint64) error {
	w.after = append(w.after, index)
	return w.flushIf(batchSize)
}

// flushIf marks the gathered positions, if there are so many.
func (w *wave) flushIf(most int) error {
	if len(w.after) < most {
		return nil
	}
	for _, index := range w.after {
		if index >= w.set.size {
			return fmt.Errorf("reach: a move leads to position %d, and there are %d", index, w.set.size)
		}
	}
	// Nothing waits for the results, so that many reads are under way at a time.
	w.touched = w.set.cells.touch(w.after)
	for _, index := range w.after {
		if w.set.cells.mark(index, w.cell) {
			w.marked = true
		}
	}
	w.after = w.after[:0]
	return nil
}

// stage returns a function that reports one more unit of a stage.
func (p Progress) stage(name string, total uint64) func() {
	var done atomic.Uint64
	return func() {
		if n := done.Add(1); p != nil {
			p(name, n, total)
		}
	}
}
