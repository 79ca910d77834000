package tictacchec

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"solved/rules"
)

// Losses returns the losses of a solved table that a [Lookahead] must be told
// because it does not find them, of each section in ascending order; of a
// position and its mirror image the one with the smaller index. codes gives the
// table, and is called concurrently. The result does not depend on threads.
//
// They are found in order of distance: a loss is kept when the Lookahead, knowing
// those kept so far, does not find it at its true distance. Knowing more losses
// of the same or a greater distance does not change what it finds, since it takes
// the nearest loss to reply with, so each is judged as it will be in the end.
func (r *Rules) Losses(ctx context.Context, codes func(s rules.Section, lo uint64, dst []rules.Code) error, threads int) ([rules.Sections][]rules.IndexedLoss, error) {
	var kept [rules.Sections][]rules.IndexedLoss
	var all [rules.Sections][rules.MaxDistance + 1][]uint64
	for section := range all {
		if err := r.collect(ctx, rules.Section(section), codes, threads, &all[section]); err != nil {
			return kept, err
		}
	}
	count := 0
	for section := range all {
		for _, indices := range all[section] {
			count += len(indices)
		}
	}
	known := NewLookahead(r, count)
	for distance := range uint8(rules.MaxDistance + 1) {
		var missed [rules.Sections][]uint64
		for section := range all {
			var err error
			missed[section], err = known.missed(ctx, rules.Section(section), all[section][distance], distance, threads)
			if err != nil {
				return kept, err
			}
		}
		for section, indices := range missed {
			for _, index := range indices {
				p, _ := FromIndex(rules.Section(section), index)
				known.Add(p, distance)
				kept[section] = append(kept[section], rules.IndexedLoss{Index: index, Distance: distance})
			}
		}
	}
	for section := range kept {
		slices.SortFunc(kept[section], func(a, b rules.IndexedLoss) int { return cmp.Compare(a.Index, b.Index) })
	}
	return kept, nil
}

// firstHidden is the least distance of a loss that cannot be seen on the board.
const firstHidden = GraphHorizon + 2

// collect gathers the indices of the losses of a section that cannot be seen on
// the board, by distance and ascending; one of each pair of mirror images.
func (r *Rules) collect(ctx context.Context, section rules.Section, codes func(rules.Section, uint64, []rules.Code) error, threads int, to *[rules.MaxDistance + 1][]uint64) error {
	const size = 1 << 20
	positions := r.ruleset.Positions[section]
	parts := make([][]rules.IndexedLoss, (positions+size-1)/size)
	err := concurrently(ctx, threads, len(parts), func(i int) error {
		lo := uint64(i) * size
		buffer := make([]rules.Code, min(size, positions-lo))
		if err := codes(section, lo, buffer); err != nil {
			return err
		}
		for j, code := range buffer {
			if code == rules.CodeDraw || code&1 == 1 || code < firstHidden {
				continue
			}
			if code > rules.MaxDistance {
				return fmt.Errorf("%s position %d has the code %d, past the greatest distance", section, lo+uint64(j), code)
			}
			p, _ := FromIndex(section, lo+uint64(j))
			if _, mirrored := p.Mirror().Index(); lo+uint64(j) < mirrored {
				parts[i] = append(parts[i], rules.IndexedLoss{Index: lo + uint64(j), Distance: code})
			}
		}
		return nil
	})
	for _, part := range parts {
		for _, loss := range part {
			to[loss.Distance] = append(to[loss.Distance], loss.Index)
		}
	}
	return err
}

// missed returns those of some losses, all at one distance, that the Lookahead
// does not find at that distance.
func (l *Lookahead) missed(ctx context.Context, section rules.Section, indices []uint64, distance uint8, threads int) ([]uint64, error) {
	const size = 1 << 10
	parts := make([][]uint64, (len(indices)+size-1)/size)
	err := concurrently(ctx, threads, len(parts), func(i int) error {
		for _, index := range indices[i*size : min((i+1)*size, len(indices))] {
			p, _ := FromIndex(section, index)
			if found, ok := l.Loss(p); !ok || found != distance {
				parts[i] = append(parts[i], index)
			}
		}
		return nil
	})
	var missed []uint64
	for _, part := range parts {
		missed = append(missed, part...)
	}
	return missed, err
}

// concurrently calls part with 0 to n−1, on at most threads goroutines (or as
// many as there are processors, if it is not positive).
func concurrently(ctx context.Context, threads, n int, part func(i int) error) error {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(threads)
	for i := range n {
		if running.Err() != nil {
			break
		}
		group.Go(func() error { return part(i) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}
