package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"solved/api"
	"solved/server/flags"
	"solved/server/game"
	"solved/server/tables"
	"solved/tablebase"
)

// askOptions are the flags of the commands that ask about a position.
type askOptions struct {
	table     string
	anyDigest bool
	json      bool
}

// Flags declares the flags on a command.
func (o *askOptions) Flags(c *cobra.Command) {
	c.Flags().StringVar(&o.table, "table", "", "answer from this table `file`, verified first, instead of the embedded table")
	anyDigestFlag(c, &o.anyDigest)
	c.Flags().BoolVar(&o.json, "json", false, "write the JSON of the HTTP contract")
}

// probeCommand returns the command that gives a position's value and its moves.
func probeCommand(games game.List) *cobra.Command {
	var o askOptions
	c := &cobra.Command{
		Use:   "probe RULES POSITION|-",
		Short: "Give a position's value, and every move with its value",
		Long: `Give a position's value, and every move with its value, best first.

With - instead of a position, the command reads positions in UTF-8 from standard
input, one a line. For each it writes one line of JSON: the HTTP contract's answer,
or its problem if the position is wrong. The exit code is 1 if any position was wrong.`,
		Example: `  solved probe tic-tac-chec 'Pb2/n1R1/2rp/N3 w dd m'
  solved probe tic-tac-chec post:1059850930 --json`,
		Args:              arguments(2, false),
		ValidArgsFunction: completeRules(games, false),
		RunE: func(c *cobra.Command, args []string) error {
			return ask(c, games, o, args[0], func(p game.Prober) error {
				if args[1] == "-" {
					return probeLines(c.Context(), p, TextInput(c.InOrStdin()), c.OutOrStdout())
				}
				answer, err := game.ProbeOne(c.Context(), p, api.Question{Position: &args[1]})
				return o.answer(c, answer, err, func() string { return p.Game().ProbeText(answer) })
			})
		},
	}
	o.Flags(c)
	return c
}

// lineCommand returns the command that gives a line of optimal play.
func lineCommand(games game.List) *cobra.Command {
	var o askOptions
	var maxPlies int
	c := &cobra.Command{
		Use:               "line RULES POSITION",
		Short:             "Give a line of optimal play to its end",
		Example:           `  solved line tic-tac-chec '4/4/4/4 w -- o'`,
		Args:              arguments(2, false),
		ValidArgsFunction: completeRules(games, false),
		RunE: func(c *cobra.Command, args []string) error {
			if maxPlies < 1 || maxPlies > api.MaxPlies {
				return &flags.UsageError{Err: fmt.Errorf("--max-plies must be from 1 to %d", api.MaxPlies), Command: c.CommandPath()}
			}
			return ask(c, games, o, args[0], func(p game.Prober) error {
				answer, err := p.Line(c.Context(), api.Question{Position: &args[1]}, maxPlies, nil)
				return o.answer(c, answer, err, func() string { return p.Game().LineText(answer) })
			})
		},
	}
	o.Flags(c)
	c.Flags().IntVar(&maxPlies, "max-plies", api.DefaultMaxPlies, "greatest length of the line, in plies")
	return c
}

// ask finds the ruleset, opens its table, and calls f with its prober. It closes the table
// afterwards.
func ask(c *cobra.Command, games game.List, o askOptions, ruleset string, f func(game.Prober) error) error {
	g, err := games.Find(ruleset)
	if err != nil {
		return o.answer(c, nil, err, nil)
	}
	p, done, err := answering(c.Context(), g, o.table, o.anyDigest, c.ErrOrStderr())
	if err != nil {
		return err
	}
	return errors.Join(f(p), done())
}

// answer writes an answer as text or JSON. With JSON it writes an error of the input as a
// problem of the contract.
func (o *askOptions) answer(c *cobra.Command, body any, err error, text func() string) error {
	out := c.OutOrStdout()
	switch {
	case err != nil && o.json:
		p := api.ProblemOf(err)
		if p.Kind() == api.Internal || p.Kind() == api.TableUnavailable {
			return err
		}
		if werr := api.WriteJSON(out, p); werr != nil {
			return werr
		}
		return reportedError{err}
	case err != nil:
		return err
	case o.json:
		return api.WriteJSON(out, body)
	}
	_, err = io.WriteString(out, text())
	return err
}

// maxLine bounds a line of probe -, in bytes. The longest position has 26.
const maxLine = 4096

// errLines is the error of probe - after wrong lines. Each of them has got its own answer.
var errLines = errors.New("some positions were wrong")

// probeLines answers each line of its input: a position with its probe, a wrong one with its
// problem. An error of the table ends it.
func probeLines(ctx context.Context, p game.Prober, in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, maxLine)
	w := bufio.NewWriterSize(out, 1<<16)
	var wrong error
	for {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, w.Flush())
		}
		if lines.Buffered() == 0 {
			// Before waiting for the next line, write the answers: the caller may wait for them.
			if err := w.Flush(); err != nil {
				return err
			}
		}
		line, err := lines.ReadSlice('\n')
		if err == io.EOF && len(line) == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
			return wrong
		}
		// A line that is too long is cut: it is malformed anyway.
		position := string(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")))
		for err == bufio.ErrBufferFull {
			_, err = lines.ReadSlice('\n')
		}
		if err != nil && err != io.EOF {
			return errors.Join(err, w.Flush())
		}
		var body any
		answer, err := game.ProbeOne(ctx, p, api.Question{Position: &position})
		if body = answer; err != nil {
			problem := api.ProblemOf(err)
			if problem.Kind() == api.Internal || problem.Kind() == api.TableUnavailable {
				return errors.Join(err, w.Flush())
			}
			body, wrong = problem, reportedError{errLines}
		}
		if err := api.WriteJSON(w, body); err != nil {
			return err
		}
	}
}

// answering returns a prober for questions on the command line. It answers from the file at path,
// which is verified first, or from the embedded table if path is empty. The caller calls close. If
// anyDigest accepts a table that is not the right one, answering writes a note on notes.
func answering(ctx context.Context, g game.Game, path string, anyDigest bool, notes io.Writer) (p game.Prober, close func() error, err error) {
	p = game.NewProber(g)
	if path == "" {
		t, err := g.Embedded()
		if err != nil {
			return nil, nil, err
		}
		p.Slot().Table.Store(t)
		return p, func() error { return nil }, nil
	}
	kind := g.Files()
	if kind == nil {
		return nil, nil, fmt.Errorf("%s has no table files: its values come from a closed form or a search", game.DescribeAbout(g.About()))
	}
	file, err := tables.Catalog{*kind}.OpenTable(ctx, path, tablebase.Mapped, kind.Ruleset)
	if err != nil {
		return nil, nil, err
	}
	t, err := file.Verify(ctx, runtime.GOMAXPROCS(0), anyDigest)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	if t.Other != nil {
		fmt.Fprintf(notes, "solved: note: %s: not the table of %s: the SHA-256 of its contents is %x, that of the right ones %x\n",
			path, tables.Describe(t.Other.Ruleset), t.Other.Found, t.Other.Right)
	}
	p.Slot().Table.Store(t)
	return p, file.Close, nil
}
