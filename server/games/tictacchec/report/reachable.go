package report

import (
	"context"

	"solved/rules"
	"solved/rules/tictacchec"
)

// findUnreachable returns the positions of the main phase that cannot occur in a game
// from the empty board, by the rule of [tictacchec.Rules.Reachable]. That the rule is
// right has been found by playing, for every position ('solved reach').
//
// The rule is asked only where it can say no: where a line is owned, so that the code is
// 0, and of the sets of pieces with which other positions cannot occur. Those whose pawns
// are at odds lie together.
func findUnreachable(ctx context.Context, t *Table, spans []span, threads int, tell progress) (bitset, error) {
	unreachable := newBitset()
	codes := t.section(rules.Main)
	pieces, sets := cutBySet(spans)
	err := concurrently(ctx, threads, pieces, tell, "finding what can occur", func(i int, s span) error {
		all := tictacchec.ReachableUnlessWon(sets[i])
		for index := s.from; index < s.to; index++ {
			if codes[index] != 0 && all {
				continue
			}
			if p, _ := tictacchec.FromIndex(rules.Main, index); !t.rules.Reachable(p) {
				unreachable.add(index)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, run := range t.rules.PawnsAtOdds() {
		for _, s := range spans {
			for index := max(run.From, s.from); index < min(run.To, s.to); index++ {
				unreachable.add(index)
			}
		}
	}
	return unreachable, nil
}
