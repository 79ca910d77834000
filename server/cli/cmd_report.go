package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"solved/server/flags"
	"solved/server/game"
	"solved/server/tables"
)

// ReportCommand returns the command that writes statistics of a table.
func ReportCommand(games game.List) *cobra.Command {
	var o game.ReportOptions
	c := &cobra.Command{
		Use:   "report FILE -o DIR",
		Short: "Write statistics of a table as Markdown, JSON and plots",
		Long: `Count the entries of a .ttb or .tb, and write report.md, report.json and plots (SVG)
into a directory. The report has values and distances, the opening by ply, the longest
wins and losses and the drawing lasso, replayed, threats and zugzwangs, the number of
moves that draw, values by the pieces on the board, the positions that a game can
reach, and the differences from other tables.

The command compares published figures with the counts. If one differs without a known
reason, the exit code is 3, and the command writes the files all the same. It refuses a
table that is not the right one of its ruleset, by its SHA-256; --any-digest accepts it.

It takes minutes, and 5 GB of memory. With --compare it takes 6 GB. With --quick, it
leaves out statistics that need all moves of the main phase, and takes less than a
minute. The files do not depend on the time or on the number of threads.`,
		Example: `  solved report tic-tac-chec.ttb -o report
  solved report --quick --from '4/1Nn1/BPRr/b3 b u- m' tic-tac-chec.ttb -o report
  solved report tic-tac-chec.ttb --compare tic-tac-chec-outbound.ttb -o report`,
		Args: arguments(1, false),
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			switch {
			case o.Dir == "":
				err = errors.New("missing -o DIR")
			case o.Threads < 1:
				err = errThreads
			}
			if err != nil {
				return &flags.UsageError{Err: err, Command: c.CommandPath()}
			}
			if err := canMakeFolder(o.Dir, "report.md"); err != nil {
				return err
			}
			o.Catalog = games.Catalog()
			in, err := o.Catalog.OpenEntries(c.Context(), args[0])
			if err != nil {
				return err
			}
			defer in.Close()
			g, err := games.OfTag(in.Ruleset().Tag)
			if err != nil {
				return err
			}
			r, ok := g.(game.Reporter)
			if !ok {
				return fmt.Errorf("there is no report for tables of %s", tables.Describe(in.Ruleset()))
			}
			p := newProgress(c.ErrOrStderr())
			defer p.Close()
			return r.Report(c.Context(), in, o, p.stage, &afterProgress{c.OutOrStdout(), p})
		},
	}
	c.Flags().StringVarP(&o.Dir, "output", "o", "", "write into this `directory`")
	c.Flags().StringArrayVar(&o.Compare, "compare", nil, "compare with this `file`, a .ttb; repeatable, then all pairs are compared")
	c.Flags().StringArrayVar(&o.From, "from", nil, "show the line from this `position`, too; repeatable")
	c.Flags().BoolVar(&o.Quick, "quick", false, "leave out the statistics that take minutes")
	threadsFlag(c, &o.Threads)
	anyDigestFlag(c, &o.AnyDigest)
	return c
}
