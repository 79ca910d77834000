package tictacchec

import (
	"context"
	"fmt"
	"io"

	"solved/rules"
	"solved/rules/tictacchec"
	"solved/server/game"
	"solved/server/tables"
	"solved/tablebase/reach"
)

// Reach finds all positions of the main phase that can occur, and checks them backwards.
func (g Game) Reach(ctx context.Context, threads int, p tables.ProgressFunc, out io.Writer) error {
	set, err := Explore(ctx, g.Rules, threads, p)
	if err != nil {
		return err
	}
	defer set.Free()
	report, err := set.Check(ctx, g.Rules.ReachGraph(), reach.Options{Violations: 10, Threads: threads, Progress: reach.Progress(p)})
	if err != nil && (ctx.Err() == nil || len(report.Violations) == 0) {
		return err
	}
	return WriteReach(out, g.Rules, report)
}

// Explore finds the positions of the main phase that can occur, and their depths. The
// set knows one of each pair of mirror images, the one with the smaller index.
func Explore(ctx context.Context, r *tictacchec.Rules, threads int, p tables.ProgressFunc) (*reach.Set, error) {
	return reach.Explore(ctx, r.ReachGraph(), threads, reach.Progress(p))
}

// ErrReach says that what was found by playing is not what was found by going back.
var ErrReach error = game.RefutedError{Text: "the positions found by playing do not follow from those that can be before them"}

// WriteReach tells what was found.
func WriteReach(w io.Writer, r *tictacchec.Rules, report reach.Report) error {
	if len(report.Violations) > 0 {
		for _, v := range report.Violations {
			fmt.Fprintf(w, "%s: %s\n", mainPosition(v.Index), v)
		}
		return ErrReach
	}
	fmt.Fprintf(w, "%s: %d of %d positions of the main phase can occur, %d cannot\n",
		tables.Describe(r.Ruleset()), report.Reached, report.Positions, report.Positions-report.Reached)
	fmt.Fprintf(w, "each follows from what can be before it (%d moves), and the rule agrees\n", report.Edges)
	for depth, n := range report.Plies {
		fmt.Fprintf(w, "first after %d plies: %d\n", depth, n)
	}
	return nil
}

// mainPosition spells the position of an index.
func mainPosition(index uint64) string {
	p, _ := tictacchec.FromIndex(rules.Main, index)
	return p.String()
}
