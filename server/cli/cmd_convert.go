package cli

import (
	"github.com/spf13/cobra"

	"solved/server/flags"
	"solved/server/game"
	"solved/tablebase"
)

func convertCommand(games game.List) *cobra.Command {
	var threads int
	var anyDigest bool
	c := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Write a table in another format",
		Long: `Write a table in another format, told by the ending of OUT: .ttb, .tb, either
with .zst, or .kernel. IN is told by its contents and checked first: of a damaged IN,
or one that is not the right table of its ruleset, there is no OUT. What is written is
what was checked, whatever becomes of IN meanwhile.`,
		Args: arguments(2, false),
		RunE: func(c *cobra.Command, args []string) error {
			if threads < 1 {
				return &flags.UsageError{Err: errThreads, Command: c.CommandPath()}
			}
			out, err := games.Catalog().ArtifactAt(args[1])
			if err != nil {
				return &flags.UsageError{Err: err, Command: c.CommandPath()}
			}
			// How much room it takes is known when IN is.
			if err := tablebase.CanCreate(out.Path, 0); err != nil {
				return err
			}
			p := newProgress(c.ErrOrStderr())
			defer p.Close()
			if err := games.Catalog().Convert(c.Context(), args[0], out, threads, anyDigest, p.stage); err != nil {
				return err
			}
			p.Done()
			return verifyWritten(c, games.Catalog(), anyDigest, p, out.Path)
		},
	}
	threadsFlag(c, &threads)
	anyDigestFlag(c, &anyDigest)
	return c
}
