package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"solved/server/flags"
	"solved/server/game"
)

func ReachCommand(games game.List) *cobra.Command {
	var threads int
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

// afterProgress writes after the last stage has been told to be done.
type afterProgress struct {
	w io.Writer
	p *progress
}

func (a *afterProgress) Write(b []byte) (int, error) {
	a.p.Done()
	return a.w.Write(b)
}
