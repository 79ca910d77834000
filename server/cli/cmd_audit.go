package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"solved/rules"
	"solved/server/flags"
	"solved/server/game"
	"solved/server/tables"
	"solved/tablebase/audit"
)

// wrongTableError is the error of an audit that found wrong entries in a well-formed file.
type wrongTableError struct {
	path    string
	entries string // their number and the verb, such as "1 entry does"
	sample  string // the flags that take the sample again, empty for a whole audit
}

func (e *wrongTableError) Error() string {
	text := fmt.Sprintf("%s: %s not follow from what its moves lead to", e.path, e.entries)
	if e.sample != "" {
		text += fmt.Sprintf(" (%s)", e.sample)
	}
	return text
}

// AuditCommand returns the command that compares every entry of a table with the rules.
func AuditCommand(games game.List) *cobra.Command {
	var o audit.Options
	var sample int
	var seed uint64
	c := &cobra.Command{
		Use:   "audit FILE",
		Short: "Compare every entry of a table with the rules",
		Long: `Compare every entry of a .ttb or .tb with the rules. The audit generates the moves of
each position, looks up the positions after them, and checks that the entry follows.
It shares no code with the solver. For Tic Tac Chec it takes some minutes and 3 GB
of memory.

With --sample, the audit takes some positions of each phase at random. It uses the
plain reference rules and single look-ups of a .ttb: a second opinion, in seconds.
The result names the --seed that takes the same positions again.

The audit prints the first violations, in the order of the index. After --violations
of them it ends, with exit code 3. An audit that is interrupted prints the violations
that it has found.`,
		Example: `  solved audit tic-tac-chec.ttb
  solved audit --sample 10000 --seed 7 tic-tac-chec.ttb`,
		Args: arguments(1, false),
		RunE: func(c *cobra.Command, args []string) error {
			sampling := c.Flags().Changed("sample")
			var err error
			switch {
			case o.Threads < 1:
				err = errThreads
			case o.Violations < 1:
				err = errors.New("--violations must be at least 1")
			case sampling && sample < 1:
				err = errors.New("--sample must be at least 1")
			case !sampling && c.Flags().Changed("seed"):
				err = errors.New("--seed needs --sample")
			}
			if err != nil {
				return &flags.UsageError{Err: err, Command: c.CommandPath()}
			}
			if !c.Flags().Changed("seed") {
				seed = rand.Uint64()
			}
			p := newProgress(c.ErrOrStderr())
			defer p.Close()
			var rs rules.Ruleset
			var report audit.Report
			if sampling {
				rs, report, err = auditSample(c.Context(), games, args[0], sample, seed, o, p)
			} else {
				rs, report, err = auditWhole(c.Context(), games, args[0], o, p)
			}
			if err != nil && (c.Context().Err() == nil || len(report.Violations) == 0) {
				return err
			}
			p.Done()
			a := audited{path: args[0], rules: rs, report: report, enough: o.Violations, interrupted: err != nil}
			if sampling {
				a.sample = fmt.Sprintf("--sample %d --seed %d", sample, seed)
			}
			return a.Write(c.OutOrStdout())
		},
	}
	c.Flags().IntVar(&sample, "sample", 0, "audit `N` positions of each phase, taken at random")
	c.Flags().Uint64Var(&seed, "seed", 0, "`number` from which the random positions follow (default: another each time)")
	c.Flags().IntVar(&o.Violations, "violations", 10, "end after `N` violations")
	threadsFlag(c, &o.Threads)
	return c
}

// audited is the result of an audit.
type audited struct {
	path        string
	rules       rules.Ruleset
	report      audit.Report
	enough      int    // the number of violations after which the audit ends
	sample      string // the flags that take the sample again, empty for a whole audit
	interrupted bool   // the audit was interrupted, and had found violations
}

// Write prints the result of an audit. It returns an error if there are violations.
func (a audited) Write(w io.Writer) error {
	for _, v := range a.report.Violations {
		fmt.Fprintln(w, v)
	}
	if n := len(a.report.Violations); n > 0 {
		wrong := &wrongTableError{path: a.path, entries: fmt.Sprintf("%d entries do", n), sample: a.sample}
		if n == 1 {
			wrong.entries = "1 entry does"
		}
		switch {
		case a.interrupted:
			wrong.entries = "interrupted, and so far " + wrong.entries
		case n >= a.enough:
			wrong.entries = fmt.Sprintf("at least %d entries do", n)
		}
		return wrong
	}
	if a.sample == "" {
		fmt.Fprintf(w, "%s: right, %s\n", game.FileName(a.path), tables.Describe(a.rules))
	} else {
		fmt.Fprintf(w, "%s: right as far as sampled (%s), %s\n", game.FileName(a.path), a.sample, tables.Describe(a.rules))
	}
	for section, n := range a.report.Sections {
		if a.rules.Positions[section] == 0 {
			continue
		}
		fmt.Fprintf(w, "%-10s %d positions, %d edges, at most %d moves; %d over; %d wins, %d losses, %d draws\n",
			rules.Section(section), n.Positions, n.Edges, n.MostMoves, n.Over, n.Wins, n.Losses, n.Draws)
	}
	return nil
}

// auditWhole verifies a file and audits every position of it.
func auditWhole(ctx context.Context, games game.List, path string, o audit.Options, p *progress) (rules.Ruleset, audit.Report, error) {
	in, err := games.Catalog().OpenEntries(ctx, path)
	if err != nil {
		return rules.Ruleset{}, audit.Report{}, err
	}
	defer in.Close()
	rs := in.Ruleset()
	g, err := games.OfTag(rs.Tag)
	if err != nil {
		return rs, audit.Report{}, err
	}
	a, ok := g.(game.Auditor)
	if !ok {
		return rs, audit.Report{}, fmt.Errorf("there is no audit for tables of %s", tables.Describe(rs))
	}
	table, err := unpack(ctx, in, o.Threads, p)
	if err != nil {
		return rs, audit.Report{}, err
	}
	defer table.Free()
	o.Progress = tables.ProgressFunc(p.stage).Positions("auditing "+path, rs)
	report, err := table.Check(ctx, a.AuditRules(), audit.All(rs), o)
	return rs, report, err
}

// unpack verifies a file and unpacks it into memory.
func unpack(ctx context.Context, in tables.EntrySource, threads int, p *progress) (*audit.Table, error) {
	told := tables.ProgressFunc(p.stage).Positions("unpacking "+in.Path(), in.Ruleset())
	if stream, ok := in.(*tables.BytesInput); ok {
		// One thread reads a stream in order, and checks it while it reads.
		table, err := audit.Unpack(ctx, in.Ruleset(), in, 1, told)
		if err := errors.Join(err, stream.ByteReader.Close()); err != nil {
			if table != nil {
				table.Free()
			}
			return nil, err
		}
		return table, nil
	}
	if _, err := in.Verify(ctx, threads, nil); err != nil {
		return nil, err
	}
	return audit.Unpack(ctx, in.Ruleset(), in, threads, told)
}

// auditSample verifies a file and audits n random positions of each phase.
func auditSample(ctx context.Context, games game.List, path string, n int, seed uint64, o audit.Options, p *progress) (rules.Ruleset, audit.Report, error) {
	in, err := games.Catalog().OpenEntries(ctx, path)
	if err != nil {
		return rules.Ruleset{}, audit.Report{}, err
	}
	defer in.Close()
	rs := in.Ruleset()
	table, ok := in.(*tables.CompactInput)
	if !ok {
		return rs, audit.Report{}, fmt.Errorf("%s: single look-ups need a .ttb: convert it first", path)
	}
	if _, err := table.Verify(ctx, o.Threads, nil); err != nil {
		return rs, audit.Report{}, err
	}
	g, err := games.OfTag(rs.Tag)
	if err != nil {
		return rs, audit.Report{}, err
	}
	s, ok := g.(game.Sampler)
	if !ok {
		return rs, audit.Report{}, fmt.Errorf("there are no reference rules for %s", tables.Describe(rs))
	}
	total := uint64(0)
	for _, positions := range rs.Positions {
		if positions > 0 {
			total += uint64(n)
		}
	}
	o.Progress = func(done uint64) { p.stage("sampling "+path, done, total) }
	report, err := audit.Sample(ctx, rs, table.Table, s.ReferenceRules(), n, seed, o)
	return rs, report, err
}
