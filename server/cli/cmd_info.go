package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"solved/rules"
	"solved/server/flags"
	"solved/server/game"
	"solved/server/tables"
	"solved/tablebase"
)

// infoCommand returns the command that prints the header of a table file.
func infoCommand(games game.List) *cobra.Command {
	var histogram, anyDigest bool
	c := &cobra.Command{
		Use:   "info FILE",
		Short: "Print the header of a table file",
		Long: `Print the header of a table file, without checking the rest. With --histogram, read
all of a .ttb or .tb, count its positions by distance, and check that the counted
contents are those of the right table.`,
		Args: arguments(1, false),
		RunE: func(c *cobra.Command, args []string) (err error) {
			in, err := games.Catalog().OpenInput(c.Context(), args[0], tablebase.Mapped)
			if err != nil {
				return err
			}
			defer in.Close()
			source, ok := in.(tables.EntrySource)
			if histogram && !ok {
				return &flags.UsageError{Err: fmt.Errorf("%s has no histogram: %s", game.FileName(args[0]), in.NoEntries()), Command: c.CommandPath()}
			}
			size, err := in.Stat()
			if err != nil {
				return err
			}
			out := c.OutOrStdout()
			in.Describe(out, size.Size())
			if !histogram {
				return nil
			}
			p := newProgress(c.ErrOrStderr())
			defer p.Close()
			return writeHistogram(c.Context(), out, source, games.Catalog(), anyDigest, p)
		},
	}
	c.Flags().BoolVar(&histogram, "histogram", false, "count the positions of each section by distance")
	anyDigestFlag(c, &anyDigest)
	return c
}

// counted is a source that counts the codes that are read from it.
type counted struct {
	tablebase.Source
	counts *[rules.Sections][256]uint64
}

func (c counted) Codes(section rules.Section, lo uint64, dst []rules.Code) error {
	if err := c.Source.Codes(section, lo, dst); err != nil {
		return err
	}
	for _, code := range dst {
		c.counts[section][code]++
	}
	return nil
}

// writeHistogram counts the positions of a table by distance, in plies, and prints the counts.
// It prints nothing if the counted contents are not the right table's, unless anyDigest is set.
func writeHistogram(ctx context.Context, w io.Writer, table tables.EntrySource, catalog tables.Catalog, anyDigest bool, p *progress) error {
	rs := table.Ruleset()
	var counts [rules.Sections][256]uint64
	// This is the digest of the counted entries, even if the file changes meanwhile.
	content, err := tablebase.Write(ctx, io.Discard, rs, counted{table, &counts}, 1, tables.ProgressFunc(p.stage).Positions("counting", rs))
	if err == nil {
		err = table.Close() // a stream reports damage only at its end
	}
	if err != nil {
		return err
	}
	p.Done()
	other, err := catalog.CheckDigest(table.Path(), rs, content, anyDigest)
	if err != nil {
		return err
	}
	if other != nil {
		fmt.Fprintf(w, "sha256     %x, not that of the right table, %x\n", other.Found, other.Right)
	}
	row := func(name string, cell func(rules.Section) any) {
		fmt.Fprintf(w, "%-10s", name)
		for section := range rules.Section(rules.Sections) {
			if rs.Positions[section] > 0 {
				fmt.Fprintf(w, " %15v", cell(section))
			}
		}
		fmt.Fprintln(w)
	}
	row("plies", func(s rules.Section) any { return s })
	for d := range rules.MaxDistance + 1 {
		if counts[rules.Main][d]+counts[rules.Opening][d] > 0 {
			row(fmt.Sprint(d), func(s rules.Section) any { return counts[s][d] })
		}
	}
	row("draw", func(s rules.Section) any { return counts[s][rules.CodeDraw] })
	return nil
}
