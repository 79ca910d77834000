package inversetreblecross

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// playout plays the theorem's strategy against every reply. It knows the positions that
// it has been through as their pieces, mirror images and order apart.
type playout struct {
	theory *theory
	rules  *Rules
	seen   map[string]bool
	// near and far count the answers that were and were not near the last mark.
	near, far int
}

func newPlayout(t *theory) *playout {
	return &playout{theory: t, rules: &Rules{row: MinRow}, seen: make(map[string]bool)}
}

// win plays on from pieces in which the opponent is to move, and which should be lost
// for it: after each of its marks, the strategy has an answer, so that in the end it is
// the opponent who cannot move.
func (o *playout) win(ctx context.Context, parts []piece) error {
	name := sumKey(parts)
	if o.seen[name] {
		return nil
	}
	o.seen[name] = true
	if err := ctx.Err(); err != nil {
		return err
	}
	played := make(map[string]bool)
	for i, part := range parts {
		one := string(part.appendKey(nil))
		if played[one] {
			continue
		}
		played[one] = true
		rest := slices.Concat(parts[:i], parts[i+1:])
		p := positionOf(o.rules, part.runs)
		for cell := range p.Cells() {
			after, _ := p.Mark(cell)
			next, ok := o.answer(after, cell, rest)
			if !ok {
				return fmt.Errorf("the strategy has no answer to %d in %s of %s", cell, p, name)
			}
			if err := o.win(ctx, next); err != nil {
				return err
			}
		}
	}
	return nil
}

// answer returns the pieces that the strategy leaves after a mark on a cell of a
// position that is played beside other pieces: a mark near it whose pieces have
// claimed values with the exclusive or 0, or any such mark.
func (o *playout) answer(p Position, last uint64, rest []piece) (next []piece, ok bool) {
	beside, ok := o.theory.sum(rest)
	if !ok {
		return nil, false
	}
	for _, cell := range near(last) {
		if after, ok := p.Mark(cell); ok {
			parts := after.pieces()
			if v, ok := o.theory.sum(parts); ok && v == beside {
				o.near++
				return slices.Concat(rest, parts), true
			}
		}
	}
	all := slices.Concat(p.pieces(), rest)
	for i, part := range all {
		others := slices.Concat(all[:i], all[i+1:])
		beside, ok := o.theory.sum(others)
		if !ok {
			continue
		}
		q := positionOf(o.rules, part.runs)
		for cell := range q.Cells() {
			after, _ := q.Mark(cell)
			parts := after.pieces()
			if v, ok := o.theory.sum(parts); ok && v == beside {
				o.far++
				return slices.Concat(others, parts), true
			}
		}
	}
	return nil, false
}

// sumKey names pieces, their order and mirror images apart.
func sumKey(parts []piece) string {
	keys := make([]string, len(parts))
	for i, p := range parts {
		keys[i] = string(p.appendKey(nil))
	}
	slices.Sort(keys)
	return strings.Join(keys, "+")
}

// strip plays the strategy on the empty strip of n cells: as the second player where
// the theorem says 0; else as the first, who begins as [WinningReply] says.
func (o *playout) strip(ctx context.Context, n uint64) error {
	p := o.rules.Empty(n)
	if cell, ok := WinningReply(n); ok {
		p, _ = p.Mark(cell)
	}
	if v, ok := o.theory.sum(p.pieces()); !ok || v != 0 {
		return fmt.Errorf("the strategy's first move on %d cells does not lead to a claimed 0", n)
	}
	return o.win(ctx, p.pieces())
}
