package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"solved/rules/tictacchec"
	"solved/server/report"
	"solved/tablebase"
)

// differingError says that a table gives other figures than have been published.
type differingError struct {
	path    string
	figures []report.Figure
}

// differingShown is how many figures the error names; the report has all.
const differingShown = 3

func (e *differingError) Error() string {
	var list []string
	for _, f := range e.figures[:min(len(e.figures), differingShown)] {
		list = append(list, fmt.Sprintf("%s: published %s, found %s", f.What, f.Published, f.Found))
	}
	if more := len(e.figures) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("%s does not bear out what has been published: %s", e.path, strings.Join(list, "; "))
}

func reportCommand() *cobra.Command {
	var o report.Options
	var dir string
	var compare, from []string
	var anyDigest bool
	c := &cobra.Command{
		Use:   "report FILE -o DIR",
		Short: "Count what a table holds, as Markdown, JSON and plots",
		Long: `Count what a .ttb or .tb holds, and write report.md, report.json and plots (SVG) into a
directory: values and distances, the opening by ply, the longest wins and losses and
the drawing lasso, replayed, threats and zugzwangs, how many moves draw, values by the
pieces on the board, which positions a game can reach, and how the values differ from
those of other tables. Figures that have been published are held against what is
counted; if one is not borne out without a known reason, the exit code is 3, and the
files are written all the same. A table that is not the right one of its ruleset, by its
SHA-256, is refused at once; with --any-digest it is counted, too.

It takes minutes, and 5 GB of memory. With --compare it takes 6 GB. With --quick,
what needs all moves of the main phase is left out, and it takes less than a minute.
The files are the same whenever and on however many threads they are made.`,
		Example: `  solved report tic-tac-chec.ttb -o report
  solved report --quick --from '4/1Nn1/BPRr/b3 b u- m' tic-tac-chec.ttb -o report
  solved report tic-tac-chec.ttb --compare tic-tac-chec-outbound.ttb -o report`,
		Args: arguments(1, false),
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			switch {
			case dir == "":
				err = errors.New("-o says where to write")
			case o.Threads < 1:
				err = errThreads
			}
			if err != nil {
				return &usageError{err, c.CommandPath()}
			}
			for _, text := range from {
				p, _, err := tictacchec.Parse(text)
				if err != nil {
					return err
				}
				o.From = append(o.From, p)
			}
			if err := canMakeFolder(dir, "report.md"); err != nil {
				return err
			}
			p := newProgress(c.ErrOrStderr())
			defer p.close()
			r, err := makeReport(c.Context(), args[0], compare, anyDigest, o, p)
			if err != nil {
				return err
			}
			p.done()
			names, err := r.Write(dir)
			if err != nil {
				return err
			}
			states := map[string]int{}
			for _, f := range r.Published {
				states[f.State]++
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: %s; of %d published figures %d agree, %d are corrected, %d differ, %d are left out\n", fileName(dir),
				strings.Join(names, ", "), len(r.Published), states[report.Agrees], states[report.Corrected], states[report.Differs], states[report.LeftOut])
			if list := r.Differing(); len(list) > 0 {
				return &differingError{args[0], list}
			}
			return nil
		},
	}
	c.Flags().StringVarP(&dir, "output", "o", "", "write into this `directory`")
	c.Flags().StringArrayVar(&compare, "compare", nil, "compare with this `file`, a .ttb; repeatable, then all pairs are compared")
	c.Flags().StringArrayVar(&from, "from", nil, "show the line from this `position`, too; repeatable")
	c.Flags().BoolVar(&o.Quick, "quick", false, "leave out what takes minutes")
	threadsFlag(c, &o.Threads)
	anyDigestFlag(c, &anyDigest)
	return c
}

// makeReport unpacks a file, opens those to compare with, and counts.
func makeReport(ctx context.Context, path string, compare []string, anyDigest bool, o report.Options, p *progress) (*report.Report, error) {
	o.Progress = p.stage
	for _, path := range compare {
		t, err := openCompared(ctx, path, o.Threads, anyDigest)
		if err != nil {
			return nil, err
		}
		defer t.Close()
		r, err := findTicTacChec(t.Ruleset().Tag.String())
		if err != nil {
			return nil, err
		}
		o.Others = append(o.Others, report.Other{Rules: r, Source: t})
	}
	table, digest, err := unpackForReport(ctx, path, anyDigest, o.Threads, p)
	if err != nil {
		return nil, err
	}
	defer table.Free()
	o.Digest = digest
	return report.Make(ctx, table, o)
}

// openCompared opens and verifies a table to compare with.
func openCompared(ctx context.Context, path string, threads int, anyDigest bool) (*tablebase.Table, error) {
	file, kind, err := openInput(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if kind != formatCompact {
		return nil, fmt.Errorf("%s: a comparison needs a .ttb: convert it first", path)
	}
	t, digest, err := openVerified(ctx, file, threads)
	if err != nil {
		return nil, err
	}
	if _, err := heldAgainst(path, t.Ruleset(), digest, anyDigest); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// unpackForReport verifies a file and unpacks it.
func unpackForReport(ctx context.Context, path string, anyDigest bool, threads int, p *progress) (*report.Table, tablebase.Digest, error) {
	none := tablebase.Digest{}
	file, kind, err := openInput(path)
	if err != nil {
		return nil, none, err
	}
	defer file.Close()
	switch kind {
	case formatKernel:
		return nil, none, fmt.Errorf("%s: a kernel has no entries to count: expand it first", path)
	case formatProbability:
		return nil, none, fmt.Errorf("%s: a table of probabilities is not of Tic Tac Chec", path)
	case formatBytes:
		return unpackStream(ctx, file, anyDigest, threads, p)
	}
	t, digest, err := openVerified(ctx, file, threads)
	if err != nil {
		return nil, none, err
	}
	defer t.Close()
	r, err := findTicTacChec(t.Ruleset().Tag.String())
	if err != nil {
		return nil, none, err
	}
	if _, err := heldAgainst(path, t.Ruleset(), digest, anyDigest); err != nil {
		return nil, none, err
	}
	table, err := report.Unpack(ctx, r, t, threads, p.stage)
	return table, digest, err
}

// unpackStream is unpackForReport for a byte table.
func unpackStream(ctx context.Context, file *os.File, anyDigest bool, threads int, p *progress) (*report.Table, tablebase.Digest, error) {
	none := tablebase.Digest{}
	stream, err := tablebase.NewByteReader(file, rulesets(formatBytes)...)
	if err != nil {
		return nil, none, err
	}
	rs := stream.Ruleset()
	r, err := findTicTacChec(rs.Tag.String())
	if err != nil {
		stream.Close()
		return nil, none, err
	}
	// A stream is read in order, by one thread, and checked as it goes by.
	table, err := report.Unpack(ctx, r, stream, 1, p.stage)
	err = errors.Join(err, stream.Close())
	if err == nil {
		var content tablebase.Digest
		content, err = tablebase.Write(ctx, io.Discard, rs, table, threads, nil)
		if err == nil {
			_, err = heldAgainst(file.Name(), rs, content, anyDigest)
		}
	}
	if err != nil {
		if table != nil {
			table.Free()
		}
		return nil, none, err
	}
	return table, stream.Digest(), nil
}
