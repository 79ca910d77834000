package main

import (
	"github.com/spf13/cobra"

	"solved/tablebase"
)

func convertCommand(games gameList) *cobra.Command {
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
				return &usageError{errThreads, c.CommandPath()}
			}
			out, err := games.catalog().artifactAt(args[1])
			if err != nil {
				return &usageError{err, c.CommandPath()}
			}
			// How much room it takes is known when IN is.
			if err := tablebase.CanCreate(out.path, 0); err != nil {
				return err
			}
			p := newProgress(c.ErrOrStderr())
			defer p.close()
			if err := games.catalog().convert(c.Context(), args[0], out, threads, anyDigest, p.stage); err != nil {
				return err
			}
			p.done()
			return verifyWritten(c, games.catalog(), anyDigest, p, out.path)
		},
	}
	threadsFlag(c, &threads)
	anyDigestFlag(c, &anyDigest)
	return c
}
