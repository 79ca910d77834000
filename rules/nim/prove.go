package nim

import (
	"context"
	"fmt"
	"slices"

	"solved/rules"
)

// Prove checks the closed form: against the recursion of [Reference], for small heaps,
// and with an SMT solver, for heaps of every size that a position can have. It takes some
// seconds. Its error says that something could not be checked.
func (r *Rules) Prove(ctx context.Context, p rules.Proof) error {
	if err := proveSmall(ctx, p); err != nil {
		return err
	}
	for _, c := range []struct{ name, text, script string }{
		{"nim-progress", "SMT, three heaps: from a nim-sum other than 0 some move reaches 0, and any other number below it",
			progress(terms{}, 3)},
		{"nim-closure", "SMT, three heaps: from a nim-sum of 0 no move reaches 0, nor does any other nim-sum stay",
			closure(terms{}, 3)},
		{"nim-progress-6", "SMT, six heaps: the same progress", progress(terms{}, 6)},
		{"nim-closure-6", "SMT, six heaps: the same closure", closure(terms{}, 6)},
		{"nim-closure-any", "SMT, any number of heaps, all but one of them as one number: the same closure", closureAny(terms{})},
		{"nim-progress-start", "SMT, any number of heaps: the nim-sum itself can be balanced to any number below", progressStart(terms{})},
		{"nim-progress-split",
			"SMT, any number of heaps: what can be balanced in a nim-sum can be in one of its parts, so in a heap",
			progressSplit(terms{})},
		{"nim-progress-reach", "SMT, any number of heaps: a heap that is balanced gives the number wanted", progressReach(terms{})},
	} {
		unsatisfiable, err := p.Unsatisfiable(ctx, c.name, c.script)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		found := "unsatisfiable"
		if !unsatisfiable {
			found = "satisfiable: there is a counterexample"
		}
		p.Report(rules.Claimed(c.text, "unsatisfiable", found))
	}
	return nil
}

// agreement counts the positions in which the closed forms agree with the reference.
type agreement struct{ positions, grundy, loss, moves, distance int }

// proveSmall holds the closed forms against the reference at every sequence of up to
// three heaps of 0 to 6, and of four of 0 to 7.
func proveSmall(ctx context.Context, p rules.Proof) error {
	reference := NewReference()
	var upTo [5]agreement // by the number of heaps
	for n := range upTo {
		most := uint64(6)
		if n == 4 {
			most = 7
		}
		for heaps := range sequences(n, most) {
			if err := ctx.Err(); err != nil {
				return err
			}
			upTo[n].compare(reference, heaps)
		}
	}
	var three agreement
	counts := ""
	for n, a := range upTo[:4] {
		if n > 0 {
			counts += " + "
		}
		counts += fmt.Sprint(a.positions)
		three.positions += a.positions
		three.grundy += a.grundy
		three.loss += a.loss
		three.moves += a.moves
		three.distance += a.distance
	}
	p.Report(rules.Claimed("ordered sequences of up to three heaps of 0 to 6",
		"1 + 7 + 49 + 343 = 400", fmt.Sprintf("%s = %d", counts, three.positions)))
	for _, s := range []struct {
		where     string
		a         agreement
		positions int
	}{
		{"all of these", three, 400},
		{"all sequences of four heaps of 0 to 7", upTo[4], 4096},
	} {
		p.Report(rules.Claimed("in "+s.where+", the Grundy number by mex recursion is the nim-sum", s.positions, s.a.grundy))
		p.Report(rules.Claimed("in "+s.where+", the side to move loses exactly when the nim-sum is 0", s.positions, s.a.loss))
		p.Report(rules.Claimed("in "+s.where+", the winning moves in closed form are those to lost positions", s.positions, s.a.moves))
		p.Report(rules.Claimed("in "+s.where+", the distance is that of plain minimax", s.positions, s.a.distance))
	}
	start := Position{[]uint64{3, 5, 7}}
	distance, _ := start.Distance()
	p.Report(rules.Claimed("plies from 3,5,7", reference.Of(start.heaps).Distance, distance))
	return nil
}

// compare counts one more position.
func (a *agreement) compare(r *Reference, heaps []uint64) {
	count := func(n *int, agrees bool) {
		if agrees {
			*n++
		}
	}
	position, worth := Position{heaps}, r.Of(heaps)
	a.positions++
	count(&a.grundy, position.Grundy() == worth.Grundy)
	count(&a.loss, (position.Grundy() == 0) == (worth.Value == rules.Loss))
	var winning []Move
	for m := range position.Legal() {
		if r.Of(position.After(m).heaps).Value == rules.Loss {
			winning = append(winning, m)
		}
	}
	count(&a.moves, slices.Equal(position.WinningMoves(), winning))
	distance, ok := position.Distance()
	count(&a.distance, ok && distance == worth.Distance)
}

// sequences yields every sequence of n numbers from 0 to most. A yielded slice is good
// until the next.
func sequences(n int, most uint64) func(yield func([]uint64) bool) {
	return func(yield func([]uint64) bool) {
		for heaps := make([]uint64, n); ; {
			if !yield(heaps) {
				return
			}
			i := 0
			for ; i < n && heaps[i] == most; i++ {
				heaps[i] = 0
			}
			if i == n {
				return
			}
			heaps[i]++
		}
	}
}
