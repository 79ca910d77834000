package report

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"solved/rules/tictacchec"
)

// span is a run of indices of one section.
type span struct{ from, to uint64 }

// spanSize is how many positions a goroutine takes at a time.
const spanSize = 1 << 20

// cut cuts spans into pieces of at most size positions.
func cut(spans []span, size uint64) (pieces []span) {
	for _, s := range spans {
		for from := s.from; from < s.to; from += size {
			pieces = append(pieces, span{from, min(from+size, s.to)})
		}
	}
	return pieces
}

// cutBySet cuts spans of the main phase where another set of pieces begins, and into
// pieces of at most spanSize positions. It returns the set of each piece, too.
func cutBySet(spans []span) (pieces []span, sets []uint8) {
	for _, s := range spans {
		for set := range 256 {
			from, to := tictacchec.IndicesOf(uint8(set))
			for _, piece := range cut([]span{{max(from, s.from), min(to, s.to)}}, spanSize) {
				pieces, sets = append(pieces, piece), append(sets, uint8(set))
			}
		}
	}
	return pieces, sets
}

// cutByPly cuts spans of the opening where another ply begins, and into pieces of at
// most size positions. It returns the ply of each piece, too.
func cutByPly(spans []span, size uint64) (pieces []span, plies []int) {
	for _, s := range spans {
		for ply := range tictacchec.OpeningPlies {
			from, to := tictacchec.OpeningPly(ply)
			for _, piece := range cut([]span{{max(from, s.from), min(to, s.to)}}, size) {
				pieces, plies = append(pieces, piece), append(plies, ply)
			}
		}
	}
	return pieces, plies
}

// total is how many positions spans hold.
func total(spans []span) (n uint64) {
	for _, s := range spans {
		n += s.to - s.from
	}
	return n
}

// progress tells how many of total positions of a stage are done; nil tells nobody.
// It is called concurrently.
type progress func(stage string, done, total uint64)

// concurrently calls do for every piece, begun in order, on so many goroutines; with
// one, each ends before the next begins. It ends with the first error, or that of
// the context.
func concurrently(ctx context.Context, threads int, pieces []span, tell progress, stage string, do func(i int, s span) error) error {
	all := total(pieces)
	var done atomic.Uint64
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(max(threads, 1))
	for i, s := range pieces {
		if inner.Err() != nil {
			break
		}
		group.Go(func() error {
			if err := inner.Err(); err != nil {
				return err
			}
			if err := do(i, s); err != nil {
				return err
			}
			if n := done.Add(s.to - s.from); tell != nil {
				tell(stage, n, all)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}
