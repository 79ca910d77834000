package retrograde

import (
	"context"
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"solved/rules"
)

// Graph is a game as the solver sees it: positions numbered from 0, and moves
// between them. P is the game's own form of a position; the solver only passes
// it back. All methods must be safe for concurrent use.
//
// Several positions may share a number if they are alike in every respect that
// matters (mirror images, for one). Then, for positions p and q, the number of
// times that Predecessors of any one holder of q's number yields a holder of p's
// number must be the number of moves from p to holders of q's number.
type Graph[P any] interface {
	// Size is the number of indices; every index is below it.
	Size() uint64
	// Horizon is the greatest distance that Known finds: 0 to rules.MaxDistance.
	Horizon() uint8
	// Known calls found with the index and the distance of every position whose
	// distance is at most Horizon, and of no other; it may do so more than once
	// for a position, and always with the same distance. The work is cut into
	// shards parts, which may run concurrently; this call does part shard, from
	// 0, and calls found from its own goroutine.
	Known(shard, shards int, found func(index uint64, distance uint8))
	// Position returns a position with that index, and Index the index of a
	// position.
	Position(index uint64) P
	Index(p P) uint64
	// Predecessors appends every position with a move to p.
	Predecessors(p P, dst []P) []P
	// OpenMoves is the number of moves of a position, which is not Known, that
	// do not lead to a win nearer than Horizon: to a Known win, that is, except
	// for those at an odd Horizon itself. From 1 to MaxMoves.
	OpenMoves(p P) int
}

// MaxMoves is the greatest number of moves of a position that a solver can
// count.
const MaxMoves = 127

// Progress reports how far a stage has come, in units of its own: done of total.
// It is called from several goroutines, often; it must be quick. Each call of a
// stage has another done, and one has done equal to total, but calls may come out
// of order.
type Progress func(stage string, done, total uint64)

// stage returns a function that reports n more units of a stage as done. It may
// be called concurrently.
func (p Progress) stage(name string, total uint64) func(n uint64) {
	var done atomic.Uint64
	return func(n uint64) {
		if sum := done.Add(n); p != nil {
			p(name, sum, total)
		}
	}
}

// Solution holds the code of every index of a solved graph.
type Solution struct {
	cells *cells
	size  uint64
}

// A cell of the solver is one byte:
//
//	0            nothing is known yet
//	1 + d        decided, at distance d
//	openBit + n  n moves are still open: they are not known to lose
//
// The count of open moves is made only when a position is first reached from a
// win. A position that is undecided in the end is a draw.
const openBit = 0x80

// Solve finds the value and the distance of every position of a graph.
//
// It works backwards from the positions that the graph knows, in order of distance. A
// predecessor of a position lost in d is won in d+1, unless it is won sooner.
// From a position won in d every predecessor has one open move less; when none
// is left it is lost in d+1. No lists of positions are kept: those at distance d
// are found again by a scan of the cells, over the blocks that are marked to
// hold any.
//
// It stops with the context's cause when that ends, and with an error when a
// position's distance is past rules.MaxDistance or the graph is seen to break its
// contract. Memory is one byte per index, taken from the operating system only
// where it is written.
func Solve[P any](ctx context.Context, g Graph[P], threads int, progress Progress) (*Solution, error) {
	return run(g, progress, func(s *solver[P]) error { return s.solve(ctx, max(threads, 1)) })
}

// Losses tells all losses of a graph beyond its horizon: some are known, and the
// others show themselves in generations, each from the wins that those before it
// make. All methods must be safe for concurrent use.
type Losses[P any] interface {
	// KnownLosses calls found with the index and the distance of every loss of
	// generation 0; more than once for some. The work is cut into shards parts,
	// of which this call does one, from 0.
	KnownLosses(shard, shards int, found func(index uint64, distance uint8))
	// Generations is the number of generations after that.
	Generations() int
	// Lost returns the distance of a position that is lost by the values known in a
	// generation, from 1, and false for any other. won gives the distance of a
	// position that is Known to be won or has a move to a loss of an earlier
	// generation; false for any other. A loss may be found in several
	// generations, and its distance is the least that is found.
	Lost(p P, generation int, won func(P) (uint8, bool)) (distance uint8, ok bool)
}

// Expand finds the value and the distance of every position of a graph from its
// losses: those within the horizon from the graph, the others from losses. A win
// is a position with a move to a loss. OpenMoves is not asked.
//
// A generation's losses are looked for among the predecessors of the wins that
// are new since the one before, as no other can have become lost.
func Expand[P any](ctx context.Context, g Graph[P], losses Losses[P], threads int, progress Progress) (*Solution, error) {
	return run(g, progress, func(s *solver[P]) error { return s.expand(ctx, max(threads, 1), losses) })
}

// run does the work of a solver and returns its solution.
func run[P any](g Graph[P], progress Progress, work func(*solver[P]) error) (*Solution, error) {
	if horizon := g.Horizon(); horizon > rules.MaxDistance {
		return nil, fmt.Errorf("the horizon is distance %d, past the greatest that a table can hold", horizon)
	}
	cells, err := newCells(g.Size())
	if err != nil {
		return nil, err
	}
	s := &solver[P]{
		graph:    g,
		cells:    cells,
		marks:    make([]atomic.Uint64, (g.Size()+blockSize-1)/blockSize),
		progress: progress,
	}
	if err := work(s); err != nil {
		cells.free()
		return nil, err
	}
	return &Solution{cells: cells, size: g.Size()}, nil
}

// blockSize is the number of cells that share a mark. It is a multiple of the
// word size.
const blockSize = 1 << 14

type solver[P any] struct {
	graph Graph[P]
	cells *cells
	// marks has, for every block, bit d set when a cell of it was decided at
	// distance d.
	marks    []atomic.Uint64
	progress Progress
}

// enumerate decides the positions that known finds, at distances up to a greatest
// one.
func (s *solver[P]) enumerate(ctx context.Context, threads int, stage string, greatest uint8, known func(shard, shards int, found func(uint64, uint8))) error {
	shards := 64 * threads // they differ in size
	done := s.progress.stage(stage, uint64(shards))
	return parallel(ctx, threads, shards, func(shard int) error {
		batch := decisions{cells: s.cells, mark: s.mark, greatest: greatest}
		known(shard, shards, batch.add)
		batch.flush()
		done(1)
		return batch.stray
	})
}

// decisions are positions to be decided, gathered so that their cells can be
// fetched at once.
type decisions struct {
	cells     *cells
	mark      func(index uint64, d uint8)
	greatest  uint8 // distance that may be decided
	stray     error // set by one that may not
	n         int
	indices   [batchSize]uint64
	distances [batchSize]uint8
	touched   uint64
}

func (b *decisions) add(index uint64, d uint8) {
	if d > b.greatest {
		b.stray = fmt.Errorf("position %d is known at distance %d, past the greatest of %d", index, d, b.greatest)
		return
	}
	b.indices[b.n], b.distances[b.n] = index, d
	if b.n++; b.n == batchSize {
		b.flush()
	}
}

func (b *decisions) flush() {
	b.touched = b.cells.touch(b.indices[:b.n])
	for i, index := range b.indices[:b.n] {
		if d := b.distances[i]; b.cells.decide(index, d) {
			b.mark(index, d)
		}
	}
	b.n = 0
}

func (s *solver[P]) expand(ctx context.Context, threads int, losses Losses[P]) error {
	horizon := s.graph.Horizon()
	if err := s.enumerate(ctx, threads, "known positions", horizon, s.graph.Known); err != nil {
		return err
	}
	if err := s.enumerate(ctx, threads, "known losses", rules.MaxDistance-1, losses.KnownLosses); err != nil {
		return err
	}
	for generation := 1; ; generation++ {
		// Only blocks with new losses are marked, so only these are processed.
		// A position that leads to a loss nearer than the horizon is known to be won.
		for d := (horizon + 1) &^ 1; d < rules.MaxDistance; d += 2 {
			if _, err := s.wave(ctx, threads, d); err != nil {
				return err
			}
		}
		if generation > losses.Generations() {
			return nil
		}
		if err := s.generation(ctx, threads, generation, losses); err != nil {
			return err
		}
	}
}

// generation decides the losses of a generation.
func (s *solver[P]) generation(ctx context.Context, threads, generation int, losses Losses[P]) error {
	fresh := make([]uint64, len(s.marks))
	var todo []uint32
	for block := range s.marks {
		fresh[block] = s.marks[block].Swap(0)
		// All moves of a loss beyond the horizon lead to wins, one of them to a
		// win at the horizon or beyond.
		fresh[block] &= oddDistances &^ (1<<s.graph.Horizon() - 1)
		if fresh[block] != 0 {
			todo = append(todo, uint32(block))
		}
	}
	won := s.won // once: a method value is made anew wherever it stands
	done := s.progress.stage(fmt.Sprintf("losses of generation %d", generation), uint64(len(todo)))
	return parallel(ctx, threads, len(todo), func(i int) error {
		block := uint64(todo[i])
		batch := decisions{cells: s.cells, mark: s.mark, greatest: rules.MaxDistance - 1}
		var before []P
		for set := fresh[block]; set != 0; set &= set - 1 {
			s.scan(block, uint8(bits.TrailingZeros64(set)), func(index uint64) error {
				before = s.graph.Predecessors(s.graph.Position(index), before[:0])
				for _, p := range before {
					if d, ok := losses.Lost(p, generation, won); ok {
						batch.add(s.graph.Index(p), d)
					}
				}
				return nil
			})
		}
		batch.flush()
		done(1)
		return batch.stray
	})
}

// oddDistances has the bits of the distances of wins.
const oddDistances = 0xaaaaaaaaaaaaaaaa

// won returns the distance of a position that is known to be won.
func (s *solver[P]) won(p P) (uint8, bool) {
	_, cell := s.cells.load(s.graph.Index(p))
	return cell - 1, cell < openBit && cell&1 == 0 && cell != 0
}

func (s *solver[P]) solve(ctx context.Context, threads int) error {
	horizon := s.graph.Horizon()
	err := s.enumerate(ctx, threads, "known positions", horizon, s.graph.Known)
	if err != nil {
		return err
	}
	// A distance without positions ends it all, since a position at distance d
	// has a child at d−1.
	for d, found := horizon, true; found && d <= rules.MaxDistance; d++ {
		if found, err = s.wave(ctx, threads, d); err != nil {
			return err
		}
	}
	return nil
}

func (s *solver[P]) mark(index uint64, d uint8) {
	m := &s.marks[index/blockSize]
	if bit := uint64(1) << d; m.Load()&bit == 0 {
		m.Or(bit)
	}
}

// wave processes every position at distance d and reports whether there was any.
func (s *solver[P]) wave(ctx context.Context, threads int, d uint8) (bool, error) {
	var todo []uint32
	for block := range s.marks {
		if s.marks[block].Load()>>d&1 == 1 {
			todo = append(todo, uint32(block))
		}
	}
	if len(todo) == 0 {
		return false, nil
	}
	done := s.progress.stage(fmt.Sprintf("distance %d", d), uint64(len(todo)))
	const blocksPerPart = 8
	parts := (len(todo) + blocksPerPart - 1) / blocksPerPart
	workers := sync.Pool{New: func() any { return newWorker(s) }}
	err := parallel(ctx, threads, parts, func(part int) error {
		w := workers.Get().(*worker[P])
		defer workers.Put(w)
		end := min((part+1)*blocksPerPart, len(todo))
		for _, block := range todo[part*blocksPerPart : end] {
			if err := w.block(uint64(block), d); err != nil {
				return err
			}
		}
		if err := w.flush(d); err != nil {
			return err
		}
		done(uint64(end - part*blocksPerPart))
		return nil
	})
	return true, err
}

// worker holds the predecessors that one goroutine has gathered: they are
// written in batches, so that the cells of a batch can be fetched at once.
type worker[P any] struct {
	solver    *solver[P]
	positions []P
	indices   []uint64
	touched   uint64
}

const batchSize = 1 << 10

func newWorker[P any](s *solver[P]) *worker[P] {
	return &worker[P]{solver: s, positions: make([]P, 0, 2*batchSize), indices: make([]uint64, 2*batchSize)}
}

// block gathers the predecessors of the positions at distance d in a block.
func (w *worker[P]) block(block uint64, d uint8) error {
	s := w.solver
	return s.scan(block, d, func(index uint64) error {
		w.positions = s.graph.Predecessors(s.graph.Position(index), w.positions)
		if len(w.positions) < batchSize {
			return nil
		}
		return w.flush(d)
	})
}

// scan calls visit with every index of a block that is decided at distance d,
// until an error.
func (s *solver[P]) scan(block uint64, d uint8, visit func(index uint64) error) error {
	pattern := uint64(d+1) * lowBits
	words := s.cells.words[block*blockSize/8 : min((block+1)*blockSize/8, uint64(len(s.cells.words)))]
	for i := range words {
		word := atomic.LoadUint64(&words[i]) ^ pattern
		// The high bit of each byte of zero is set exactly where a byte is equal.
		zero := ^((word&^highBits + ^uint64(highBits)) | word | ^uint64(highBits))
		for ; zero != 0; zero &= zero - 1 {
			if err := visit(block*blockSize + uint64(i)*8 + uint64(bits.TrailingZeros64(zero))/8); err != nil {
				return err
			}
		}
	}
	return nil
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// flush writes what the gathered predecessors of positions at distance d learn
// from them.
func (w *worker[P]) flush(d uint8) error {
	s := w.solver
	if len(w.positions) > len(w.indices) {
		w.indices = make([]uint64, 2*len(w.positions))
	}
	indices := w.indices[:len(w.positions)]
	for i, p := range w.positions {
		indices[i] = s.graph.Index(p)
	}
	w.touched = s.cells.touch(indices)
	if d&1 == 0 {
		for _, index := range indices {
			if s.cells.decide(index, d+1) {
				s.mark(index, d+1)
			}
		}
	} else {
		for i, index := range indices {
			lost, err := s.close(index, w.positions[i], d+1)
			if err != nil {
				return err
			}
			if lost {
				s.mark(index, d+1)
			}
		}
	}
	w.positions = w.positions[:0]
	return nil
}

// close takes one open move from a position, and reports whether that decided
// it as lost at distance d.
func (s *solver[P]) close(index uint64, p P, d uint8) (bool, error) {
	fresh := -1
	for {
		word, cell := s.cells.load(index)
		open := int(cell) - openBit
		switch {
		case cell == 0:
			if fresh < 0 {
				if fresh = s.graph.OpenMoves(p); fresh < 1 || fresh > MaxMoves {
					return false, fmt.Errorf("position %d has %d open moves, not 1 to %d", index, fresh, MaxMoves)
				}
			}
			open = fresh
		case open < 0:
			return false, nil
		}
		next := byte(openBit + open - 1)
		if open == 1 {
			if d > rules.MaxDistance {
				return false, fmt.Errorf("position %d is lost at distance %d, past the greatest that a table can hold", index, d)
			}
			next = d + 1
		}
		if s.cells.replace(index, word, cell, next) {
			return open == 1, nil
		}
	}
}

// Size is the number of indices of the graph.
func (s *Solution) Size() uint64 { return s.size }

// Code returns the code of an index below Size.
func (s *Solution) Code(index uint64) rules.Code {
	cell := byte(s.cells.words[index/8] >> (index % 8 * 8))
	return codeOf[cell]
}

// Codes fills dst with the codes of the indices from lo on.
func (s *Solution) Codes(lo uint64, dst []rules.Code) {
	words := s.cells.words[lo/8:]
	word, shift := words[0], lo%8*8
	next := 1
	for i := range dst {
		if shift == 64 {
			word, shift = words[next], 0
			next++
		}
		dst[i] = codeOf[byte(word>>shift)]
		shift += 8
	}
}

// Free gives the solution's memory back. The solution must not be used after.
func (s *Solution) Free() { s.cells.free() }

// codeOf turns a finished cell into a code.
var codeOf = func() (t [256]rules.Code) {
	for cell := range t {
		t[cell] = rules.CodeDraw
		if cell > 0 && cell < openBit {
			t[cell] = rules.Code(cell - 1)
		}
	}
	return t
}()

// parallel runs parts 0 to n−1 on some goroutines, in order of their numbers,
// until all are done, one fails or the context ends.
func parallel(ctx context.Context, threads, n int, part func(int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(threads, n) {
		wait.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := part(i); err != nil {
					cancel(err)
				}
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}
