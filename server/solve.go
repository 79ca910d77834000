package main

import (
	"context"
	"errors"
	"runtime"

	"github.com/spf13/cobra"

	"solved/rules"
	"solved/rules/tictacchec"
	"solved/tablebase"
	"solved/tablebase/retrograde"
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
func (o *outputs) artifacts(c *cobra.Command) ([]artifact, error) {
	if o.threads < 1 {
		return nil, &usageError{errThreads, c.CommandPath()}
	}
	if len(o.paths) == 0 {
		return nil, &usageError{errors.New("no -o says what to write"), c.CommandPath()}
	}
	var list []artifact
	for _, path := range o.paths {
		a, err := artifactAt(path)
		if err != nil {
			return nil, &usageError{err, c.CommandPath()}
		}
		list = append(list, a)
	}
	return list, nil
}

// run checks the flags, the ruleset and where the files are to be before any work is
// done, has the files made, and reads them back.
func (o *outputs) run(c *cobra.Command, name string, write func(*game, []artifact, *progress) error) error {
	files, err := o.artifacts(c)
	if err != nil {
		return err
	}
	g, err := findGame(name)
	if err != nil {
		return err
	}
	if err := checkFormats(g.About().Tag, files...); err != nil {
		return err
	}
	if err := checkOutputs(*g.file, decisiveOf(g), files...); err != nil {
		return err
	}
	p := newProgress(c.ErrOrStderr())
	defer p.close()
	if err := write(g, files, p); err != nil {
		return err
	}
	return verifyWritten(c, false, p, o.paths...)
}

func solveCommand() *cobra.Command {
	var o outputs
	c := &cobra.Command{
		Use:   "solve RULES -o FILE",
		Short: "Solve a ruleset from nothing and write its table",
		Long: `Solve a ruleset from nothing and write its table, in the format that the ending
of FILE tells. Several -o write several files. Each is read back and checked,
and its digests are printed. Solving Tic Tac Chec takes 2 GB of memory.`,
		Example:           `  solved solve tic-tac-chec -o tic-tac-chec.ttb`,
		Args:              arguments(1, false),
		ValidArgsFunction: completeRules(true),
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(c, args[0], func(g *game, files []artifact, p *progress) error {
				return g.solve(c.Context(), files, o.threads, p)
			})
		},
	}
	o.flags(c)
	return c
}

// writeAll writes the entries of a ruleset to files.
func writeAll(ctx context.Context, files []artifact, rs rules.Ruleset, source tablebase.Source, threads int, p *progress) error {
	for _, file := range files {
		if err := file.write(ctx, rs, source, threads, p, nil); err != nil {
			return err
		}
		p.done()
	}
	return nil
}

// solution is a solved ruleset as a tablebase.Source. The solver keeps one of
// each pair of mirror images; this gives both.
type solution struct {
	graph   tictacchec.Graph
	main    *retrograde.Solution
	opening []rules.Code
}

// Codes gives the codes of a range of positions.
func (s *solution) Codes(section rules.Section, lo uint64, dst []rules.Code) error {
	if section == rules.Opening {
		copy(dst, s.opening[lo:])
		return nil
	}
	s.graph.Unfold(s.main.Codes, lo, dst)
	return nil
}

// solve solves a ruleset: the main phase, and then the opening, which leads
// into it.
func solve(ctx context.Context, r *tictacchec.Rules, threads int, p *progress) (*solution, error) {
	graph := r.Graph()
	deep, err := retrograde.Solve(ctx, retrograde.Graph[tictacchec.Position](graph), threads, p.stage)
	if err != nil {
		return nil, err
	}
	opening, err := retrograde.SolveLayers(ctx, tictacchec.OpeningLayers{}, deep.Code, threads, p.stage)
	if err != nil {
		deep.Free()
		return nil, err
	}
	p.done()
	return &solution{graph, deep, opening}, nil
}

func expandCommand() *cobra.Command {
	var o outputs
	c := &cobra.Command{
		Use:   "expand RULES -o FILE",
		Short: "Write the full table that the embedded one stands for",
		Long: `Write the full table that the embedded one stands for. Each file is read back
and checked, and its digests are printed. For Tic Tac Chec this takes 2 GB of
memory.`,
		Example:           `  solved expand tic-tac-chec -o tic-tac-chec.ttb`,
		Args:              arguments(1, false),
		ValidArgsFunction: completeRules(true),
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(c, args[0], func(g *game, files []artifact, p *progress) error {
				r, err := findTicTacChec(g.About().Name)
				if err != nil {
					return writeCarried(c.Context(), g, files, o.threads, p)
				}
				k, err := embeddedKernel(r)
				if err != nil {
					return err
				}
				return writeExpanded(c.Context(), k, files, o.threads, p)
			})
		},
	}
	o.flags(c)
	return c
}
