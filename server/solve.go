package main

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"solved/rules"
)

var errThreads = errors.New("--threads is at least 1")

func threadsFlag(c *cobra.Command, threads *int) {
	c.Flags().IntVar(threads, "threads", runtime.GOMAXPROCS(0), "number of threads")
}

// outputs are the flags of the commands that make tables.
type outputs struct {
	paths   []string
	threads int
}

func (o *outputs) flags(c *cobra.Command) {
	c.Flags().StringArrayVarP(&o.paths, "output", "o", nil, "write this `file`: .ttb, .tb or .prob, each also with .zst, or .kernel; repeatable")
	threadsFlag(c, &o.threads)
}

// artifacts checks the flags before any work is done.
func (o *outputs) artifacts(c *cobra.Command, catalog catalog) ([]artifact, error) {
	if o.threads < 1 {
		return nil, &usageError{errThreads, c.CommandPath()}
	}
	if len(o.paths) == 0 {
		return nil, &usageError{errors.New("missing -o FILE"), c.CommandPath()}
	}
	var list []artifact
	for _, path := range o.paths {
		a, err := catalog.artifactAt(path)
		if err != nil {
			return nil, &usageError{err, c.CommandPath()}
		}
		list = append(list, a)
	}
	return list, nil
}

// run checks the flags, the ruleset and where the files are to be before any work is
// done, has the files made, and reads them back.
func (o *outputs) run(c *cobra.Command, games gameList, name string, write func(game, []artifact, *progress) error) error {
	files, err := o.artifacts(c, games.catalog())
	if err != nil {
		return err
	}
	g, err := games.find(name)
	if err != nil {
		return err
	}
	kind := g.files()
	if kind == nil {
		return fmt.Errorf("there are no tables of %s: its values are a closed form, or searched for", describeAbout(g.About()))
	}
	if err := kind.check(files...); err != nil {
		return err
	}
	var decisive [rules.Sections]uint64
	if e, ok := g.(expander); ok {
		decisive = e.decisive()
	}
	if err := checkOutputs(kind.ruleset, decisive, files...); err != nil {
		return err
	}
	p := newProgress(c.ErrOrStderr())
	defer p.close()
	if err := write(g, files, p); err != nil {
		return err
	}
	p.done()
	return verifyWritten(c, games.catalog(), false, p, o.paths...)
}

func solveCommand(games gameList) *cobra.Command {
	var o outputs
	c := &cobra.Command{
		Use:   "solve RULES -o FILE",
		Short: "Solve a ruleset from nothing and write its table",
		Long: `Solve a ruleset from nothing and write its table, in the format that the ending
of FILE tells. Several -o write several files. Each is read back and checked,
and its digests are printed. Solving Tic Tac Chec takes 2 GB of memory.`,
		Example:           `  solved solve tic-tac-chec -o tic-tac-chec.ttb`,
		Args:              arguments(1, false),
		ValidArgsFunction: completeRules(games, true),
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(c, games, args[0], func(g game, files []artifact, p *progress) error {
				s, ok := g.(solver)
				if !ok {
					return fmt.Errorf("there is no solver for %s", describeAbout(g.About()))
				}
				return s.solve(c.Context(), files, o.threads, p.stage)
			})
		},
	}
	o.flags(c)
	return c
}

func expandCommand(games gameList) *cobra.Command {
	var o outputs
	c := &cobra.Command{
		Use:   "expand RULES -o FILE",
		Short: "Write the full table that the embedded one stands for",
		Long: `Write the full table that the embedded one stands for. Each file is read back
and checked, and its digests are printed. For Tic Tac Chec this takes 2 GB of
memory.`,
		Example:           `  solved expand tic-tac-chec -o tic-tac-chec.ttb`,
		Args:              arguments(1, false),
		ValidArgsFunction: completeRules(games, true),
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(c, games, args[0], func(g game, files []artifact, p *progress) error {
				e, ok := g.(expander)
				if !ok {
					return fmt.Errorf("no table of %s is embedded", describeAbout(g.About()))
				}
				return e.expand(c.Context(), files, o.threads, p.stage)
			})
		},
	}
	o.flags(c)
	return c
}
