package cli

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"solved/rules"
	"solved/server/game"
	"solved/server/tables"
)

// verifyCommand returns the command that checks table files.
func verifyCommand(games game.List) *cobra.Command {
	var anyDigest bool
	c := &cobra.Command{
		Use:   "verify FILE…",
		Short: "Check everything about table files",
		Long: `Check everything about table files, and print the digests of the uncompressed files. A
file is good if its contents are those of the right table of its ruleset. The program
knows the SHA-256 of that table. --any-digest accepts other well-formed tables.`,
		Args: arguments(1, true),
		RunE: func(c *cobra.Command, paths []string) error {
			p := newProgress(c.ErrOrStderr())
			defer p.Close()
			var worst error
			for _, path := range paths {
				v, err := games.Catalog().VerifyFile(c.Context(), path, anyDigest, runtime.GOMAXPROCS(0), p.stage)
				p.Done()
				if err != nil {
					if c.Context().Err() != nil {
						return err
					}
					fmt.Fprintln(c.ErrOrStderr(), "solved:", game.Printable(oneLine(message(err))))
					if worst == nil || exitCode(err) > exitCode(worst) {
						worst = reportedError{err}
					}
					continue
				}
				writeDigest(c.OutOrStdout(), v)
			}
			return worst
		},
	}
	anyDigestFlag(c, &anyDigest)
	return c
}

// writeDigest prints the result of verifying a file.
func writeDigest(w io.Writer, v tables.Verified) {
	path, rs, d := v.Path, v.Ruleset, v.Digest
	if v.Other != nil {
		fmt.Fprintf(w, "%s: well-formed, %s, %s; not the right table, whose sha256 is %x\n", game.FileName(path), tables.Describe(rs), d, v.Other.Right)
		return
	}
	if rs.Longest == [rules.Sections]uint8{} { // a table of probabilities has no decisive positions
		fmt.Fprintf(w, "%s: good, %s, %d positions, %s\n", game.FileName(path), tables.Describe(rs), rs.Positions[rules.Main], d)
		return
	}
	fmt.Fprintf(w, "%s: good, %s, %d+%d decisive, %s\n", game.FileName(path), tables.Describe(rs), d.Decisive[rules.Main], d.Decisive[rules.Opening], d)
}

// verifyWritten verifies files that a command has just written, and prints their digests.
func verifyWritten(c *cobra.Command, catalog tables.Catalog, anyDigest bool, p *progress, paths ...string) error {
	for _, path := range paths {
		v, err := catalog.VerifyFile(c.Context(), path, anyDigest, runtime.GOMAXPROCS(0), p.stage)
		p.Done()
		if err != nil {
			return err
		}
		writeDigest(c.OutOrStdout(), v)
	}
	return nil
}

// anyDigestFlag declares --any-digest, which accepts tables that are not the right ones.
func anyDigestFlag(c *cobra.Command, anyDigest *bool) {
	c.Flags().BoolVar(anyDigest, "any-digest", false, tables.AnyDigestUsage)
}
