package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"solved/rules"
	"solved/rules/tictacchec"
	"solved/tablebase/reach"
)

func reachCommand() *cobra.Command {
	o := reach.Options{Violations: 10}
	c := &cobra.Command{
		Use:   "reach RULES",
		Short: "Find all positions that can occur in a game, and check that these are they",
		Long: `Find all positions of the main phase that can occur in a game from the empty board,
by playing, and in how many plies at least. Then check it backwards: for each position,
whether it can occur or not, generate what can have been before it, and see whether it
follows from that. Also hold each against the rule by which 'solved probe' tells.

Positions are those of the table, so that the side to move is White there; what can occur
can with either colour to move. Plies are counted from the end of the opening, which
takes six. This takes some twenty minutes on two cores, and 2.5 GB of memory.`,
		Example:           `  solved reach tic-tac-chec`,
		Args:              arguments(1, false),
		ValidArgsFunction: completeRules(false),
		RunE: func(c *cobra.Command, args []string) error {
			if o.Threads < 1 {
				return &usageError{errThreads, c.CommandPath()}
			}
			r, err := findTicTacChec(args[0])
			if err != nil {
				return err
			}
			p := newProgress(c.ErrOrStderr())
			defer p.close()
			o.Progress = p.stage
			set, err := explore(c.Context(), r, o.Threads, p)
			if err != nil {
				return err
			}
			defer set.Free()
			report, err := set.Check(c.Context(), r.ReachGraph(), o)
			if err != nil && (c.Context().Err() == nil || len(report.Violations) == 0) {
				return err
			}
			p.done()
			return writeReach(c.OutOrStdout(), r, report)
		},
	}
	threadsFlag(c, &o.Threads)
	return c
}

// explore finds the positions of the main phase that can occur, and their depths. The
// set knows one of each pair of mirror images, the one with the smaller index.
func explore(ctx context.Context, r *tictacchec.Rules, threads int, p *progress) (*reach.Set, error) {
	set, err := reach.Explore(ctx, r.ReachGraph(), threads, p.stage)
	p.done()
	return set, err
}

// errReach says that what was found by playing is not what was found by going back.
var errReach = errors.New("what was found by playing does not follow from what can be before")

// writeReach tells what was found.
func writeReach(w io.Writer, r *tictacchec.Rules, report reach.Report) error {
	if len(report.Violations) > 0 {
		for _, v := range report.Violations {
			fmt.Fprintf(w, "%s: %s\n", mainPosition(v.Index), v)
		}
		return errReach
	}
	fmt.Fprintf(w, "%s: %d of %d positions of the main phase can occur, %d cannot\n",
		describe(r.Ruleset()), report.Reached, report.Positions, report.Positions-report.Reached)
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
