package cli

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"solved/rules"
	"solved/server/flags"
	"solved/server/game"
	"solved/server/tables"
)

// errThreads is the usage error of a wrong --threads.
var errThreads = errors.New("--threads must be at least 1")

// threadsFlag declares --threads.
func threadsFlag(c *cobra.Command, threads *int) {
	c.Flags().IntVar(threads, "threads", runtime.GOMAXPROCS(0), "number of threads")
}

// outputs are the flags of the commands that make tables.
type outputs struct {
	paths   []string
	threads int
}

// Flags declares the flags on a command.
func (o *outputs) Flags(c *cobra.Command) {
	c.Flags().StringArrayVarP(&o.paths, "output", "o", nil, "write this `file`: .ttb, .tb or .prob, each also with .zst, or .kernel; repeatable")
	threadsFlag(c, &o.threads)
}

// artifacts checks the flags, and returns the files that they name.
func (o *outputs) artifacts(c *cobra.Command, catalog tables.Catalog) ([]tables.Artifact, error) {
	if o.threads < 1 {
		return nil, &flags.UsageError{Err: errThreads, Command: c.CommandPath()}
	}
	if len(o.paths) == 0 {
		return nil, &flags.UsageError{Err: errors.New("missing -o FILE"), Command: c.CommandPath()}
	}
	var list []tables.Artifact
	for _, path := range o.paths {
		a, err := catalog.ArtifactAt(path)
		if err != nil {
			return nil, &flags.UsageError{Err: err, Command: c.CommandPath()}
		}
		list = append(list, a)
	}
	return list, nil
}

// run checks the flags, the ruleset and the directories of the files. Then it calls write, and
// verifies the files.
func (o *outputs) run(c *cobra.Command, games game.List, name string, write func(game.Game, []tables.Artifact, *progress) error) error {
	files, err := o.artifacts(c, games.Catalog())
	if err != nil {
		return err
	}
	g, err := games.Find(name)
	if err != nil {
		return err
	}
	kind := g.Files()
	if kind == nil {
		return fmt.Errorf("there are no tables of %s: its values come from a closed form or a search", game.DescribeAbout(g.About()))
	}
	if err := kind.Check(files...); err != nil {
		return err
	}
	var decisive [rules.Sections]uint64
	if e, ok := g.(game.Expander); ok {
		decisive = e.Decisive()
	}
	if err := tables.CheckOutputs(kind.Ruleset, decisive, files...); err != nil {
		return err
	}
	p := newProgress(c.ErrOrStderr())
	defer p.Close()
	if err := write(g, files, p); err != nil {
		return err
	}
	p.Done()
	return verifyWritten(c, games.Catalog(), false, p, o.paths...)
}

// SolveCommand returns the command that solves a ruleset.
func SolveCommand(games game.List) *cobra.Command {
	var o outputs
	c := &cobra.Command{
		Use:   "solve RULES -o FILE",
		Short: "Solve a ruleset from the rules alone and write its table",
		Long: `Solve a ruleset from the rules alone and write its table. The ending of FILE names
the format. Several -o write several files. The command reads each file back,
checks it and prints its digests. Solving Tic Tac Chec takes 2 GB of memory.`,
		Example:           `  solved solve tic-tac-chec -o tic-tac-chec.ttb`,
		Args:              arguments(1, false),
		ValidArgsFunction: completeRules(games, true),
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(c, games, args[0], func(g game.Game, files []tables.Artifact, p *progress) error {
				s, ok := g.(game.Solver)
				if !ok {
					return fmt.Errorf("there is no solver for %s", game.DescribeAbout(g.About()))
				}
				return s.Solve(c.Context(), files, o.threads, p.stage)
			})
		},
	}
	o.Flags(c)
	return c
}

// ExpandCommand returns the command that writes the full table of an embedded one.
func ExpandCommand(games game.List) *cobra.Command {
	var o outputs
	c := &cobra.Command{
		Use:   "expand RULES -o FILE",
		Short: "Write the full table from the embedded one",
		Long: `Write the full table from the embedded one. The command reads each file back, checks
it and prints its digests. For Tic Tac Chec this takes 2 GB of memory.`,
		Example:           `  solved expand tic-tac-chec -o tic-tac-chec.ttb`,
		Args:              arguments(1, false),
		ValidArgsFunction: completeRules(games, true),
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(c, games, args[0], func(g game.Game, files []tables.Artifact, p *progress) error {
				e, ok := g.(game.Expander)
				if !ok {
					return fmt.Errorf("no table of %s is embedded", game.DescribeAbout(g.About()))
				}
				return e.Expand(c.Context(), files, o.threads, p.stage)
			})
		},
	}
	o.Flags(c)
	return c
}
