package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"solved/rules"
)

func verifyCommand(games gameList) *cobra.Command {
	var anyDigest bool
	c := &cobra.Command{
		Use:   "verify FILE…",
		Short: "Check everything about table files",
		Long: `Check everything about table files, and give their digests: those of the
uncompressed file. A file is good if its contents are those of the right table of its
ruleset, whose SHA-256 this program knows; for other well-formed tables there is
--any-digest.`,
		Args: arguments(1, true),
		RunE: func(c *cobra.Command, paths []string) error {
			p := newProgress(c.ErrOrStderr())
			defer p.close()
			var worst error
			for _, path := range paths {
				v, err := games.catalog().verifyFile(c.Context(), path, anyDigest, runtime.GOMAXPROCS(0), p.stage)
				p.done()
				if err != nil {
					if c.Context().Err() != nil {
						return err
					}
					fmt.Fprintln(c.ErrOrStderr(), "solved:", printable(oneLine(message(err))))
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

// writeDigest prints what is known of a file that was checked.
func writeDigest(w io.Writer, v verified) {
	path, rs, d := v.path, v.ruleset, v.digest
	if v.other != nil {
		fmt.Fprintf(w, "%s: well-formed, %s, %s; not the right table, whose sha256 is %x\n", fileName(path), describe(rs), d, v.other.right)
		return
	}
	if rs.Longest == [rules.Sections]uint8{} { // a table of probabilities, in which nothing is decisive
		fmt.Fprintf(w, "%s: good, %s, %d positions, %s\n", fileName(path), describe(rs), rs.Positions[rules.Main], d)
		return
	}
	fmt.Fprintf(w, "%s: good, %s, %d+%d decisive, %s\n", fileName(path), describe(rs), d.Decisive[rules.Main], d.Decisive[rules.Opening], d)
}

// verifyWritten reads files back that have just been written and prints their
// digests.
func verifyWritten(c *cobra.Command, catalog catalog, anyDigest bool, p *progress, paths ...string) error {
	for _, path := range paths {
		v, err := catalog.verifyFile(c.Context(), path, anyDigest, runtime.GOMAXPROCS(0), p.stage)
		p.done()
		if err != nil {
			return err
		}
		writeDigest(c.OutOrStdout(), v)
	}
	return nil
}

// anyDigestFlag lets a command accept tables that are not the right ones.
func anyDigestFlag(c *cobra.Command, anyDigest *bool) {
	c.Flags().BoolVar(anyDigest, "any-digest", false, anyDigestUsage)
}
