package cli

import (
	"github.com/spf13/cobra"

	"solved/server/flags"
	"solved/server/game"
	"solved/tablebase"
)

// convertCommand returns the command that writes a table in another format.
func convertCommand(games game.List) *cobra.Command {
	var threads int
	var anyDigest bool
	c := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Write a table in another format",
		Long: `Write a table in another format. The ending of OUT names the format: .ttb, .tb, either
with .zst, or .kernel. The command recognizes the format of IN by its contents, and
checks IN first. It writes no OUT if IN is damaged or is not the right table of its
ruleset. OUT holds the contents that were checked, even if IN changes meanwhile.`,
		Args: arguments(2, false),
		RunE: func(c *cobra.Command, args []string) error {
			if threads < 1 {
				return &flags.UsageError{Err: errThreads, Command: c.CommandPath()}
			}
			out, err := games.Catalog().ArtifactAt(args[1])
			if err != nil {
				return &flags.UsageError{Err: err, Command: c.CommandPath()}
			}
			// The size of OUT is known only once IN is open.
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
