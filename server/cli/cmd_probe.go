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

func (o *askOptions) Flags(c *cobra.Command) {
	c.Flags().StringVar(&o.table, "table", "", "answer from this table `file`, verified first, instead of the embedded table")
	anyDigestFlag(c, &o.anyDigest)
	c.Flags().BoolVar(&o.json, "json", false, "write the JSON of the HTTP contract")
}

func probeCommand(games game.List) *cobra.Command {
	var o askOptions
	c := &cobra.Command{
		Use:   "probe RULES POSITION|-",
		Short: "Give a position's value, and every move with its value",
		Long: `Give a position's value, and every move with its value, best first.

With - instead of a position, the command reads positions in UTF-8 from standard
input, one a line. For each it writes one line of JSON: the HTTP contract's answer,
or its problem where the position is wrong. The exit code is then 1 if any was.`,
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
				return &flags.UsageError{Err: fmt.Errorf("--max-plies is from 1 to %d", api.MaxPlies), Command: c.CommandPath()}
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

// ask finds the ruleset and its table and hands a prober to f. An error of f is
// the input's; one of the table comes as it is.
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

// answer writes an answer as text or JSON. With JSON a problem of the contract
// is written as such, too.
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

// errLines says that some lines of probe - were wrong, each of which has got its
// own answer.
var errLines = errors.New("some positions were wrong")

// probeLines answers line by line: for each position its probe, for each bad
// one its problem. An error of the table ends it.
func probeLines(ctx context.Context, p game.Prober, in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, maxLine)
	w := bufio.NewWriterSize(out, 1<<16)
	var wrong error
	for {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, w.Flush())
		}
		if lines.Buffered() == 0 {
			// About to wait: whoever asked line by line sees the answer.
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
		// What does not fit is cut there, and is malformed anyway.
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

// answering returns a prober for questions on the command line: from the file at path, verified
// first, or from the embedded table if path is empty. The caller closes it. When a table is
// accepted that is not the right one, it says so on notes.
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
		return nil, nil, fmt.Errorf("%s has no table files: its values are a closed form", game.DescribeAbout(g.About()))
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
