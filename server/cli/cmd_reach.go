package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"solved/server/flags"
	"solved/server/game"
)

// ReachCommand returns the command that finds all positions that can occur in a game.
func ReachCommand(games game.List) *cobra.Command {
	var threads int
	c := &cobra.Command{
		Use:   "reach RULES",
		Short: "Find all positions that can occur in a game, and check the result",
		Long: `Find all positions of the main phase that can occur in a game from the empty board,
and the least number of plies to each, by playing forwards. Then check the result
backwards: for each position, generate the positions that can come before it, and check
that the result follows from them. Also compare each position with the rule by which
'solved probe' decides whether a position is reachable.

Positions are those of the table, in which White is to move. A position that can occur
can do so with either colour to move. Plies are counted from the end of the opening,
which takes six. This takes some twenty minutes on two cores, and 2.5 GB of memory.`,
		Example:           `  solved reach tic-tac-chec`,
		Args:              arguments(1, false),
		ValidArgsFunction: completeRules(games, false),
		RunE: func(c *cobra.Command, args []string) error {
			if threads < 1 {
				return &flags.UsageError{Err: errThreads, Command: c.CommandPath()}
			}
			g, err := games.Find(args[0])
			if err != nil {
				return err
			}
			r, ok := g.(game.Reachable)
			if !ok {
				return fmt.Errorf("there is no search for the reachable positions of %s", game.DescribeAbout(g.About()))
			}
			p := newProgress(c.ErrOrStderr())
			defer p.Close()
			return r.Reach(c.Context(), threads, p.stage, &afterProgress{c.OutOrStdout(), p})
		},
	}
	threadsFlag(c, &threads)
	return c
}

// afterProgress is a writer that ends the stage under way before it writes.
type afterProgress struct {
	w io.Writer
	p *progress
}

func (a *afterProgress) Write(b []byte) (int, error) {
	a.p.Done()
	return a.w.Write(b)
}
