package tictacchec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"solved/api"
	"solved/rules"
	"solved/rules/tictacchec"
	"solved/server/tables"
	"solved/tablebase"
	"solved/tablebase/kernel"
	"solved/tablebase/retrograde"
)

// formatKernel is .kernel: the losses that a search does not find by itself.
type formatKernel struct{}

func (formatKernel) Ending() string                                   { return ".kernel" }
func (formatKernel) Compressible() bool                               { return false } // it is already
func (formatKernel) Size(rules.Ruleset, [rules.Sections]uint64) int64 { return 0 }     // small
func (formatKernel) Is(file *os.File) (bool, error)                   { return kernel.IsFile(file) }

func (formatKernel) Open(_ context.Context, file *os.File, _ tablebase.Mode, known []rules.Ruleset) (tables.Input, error) {
	k, err := kernel.Read(file, tictacchec.LookaheadVersion, known...)
	if err != nil {
		return nil, err
	}
	return &kernelInput{k, file}, nil
}

// kernelInput is an open .kernel. It has been read, and so verified.
type kernelInput struct {
	table *kernel.Table
	file  *os.File
}

func (in *kernelInput) Path() string           { return in.file.Name() }
func (in *kernelInput) Ruleset() rules.Ruleset { return in.table.Ruleset }
func (in *kernelInput) NoEntries() string {
	return "a kernel holds no entry for each position: expand it first"
}
func (in *kernelInput) Stat() (fs.FileInfo, error)       { return in.file.Stat() }
func (in *kernelInput) Close() error                     { return in.file.Close() }
func (in *kernelInput) Decisive() [rules.Sections]uint64 { return in.table.Equal.Decisive }

func (in *kernelInput) Verify(context.Context, int, func(uint64)) (tables.Digests, error) {
	return tables.Digests{File: in.table.Digest, Contents: in.table.Equal}, nil
}

func (in *kernelInput) Rewrite(ctx context.Context, out tables.Artifact, _ tables.Digests, threads int, p tables.ProgressFunc) error {
	return writeExpanded(ctx, in.table, []tables.Artifact{out}, threads, p)
}

func (in *kernelInput) Describe(w io.Writer, size int64) {
	k := in.table
	fmt.Fprintf(w, "format     %s\n", kernel.Magic)
	fmt.Fprintf(w, "rules      %s\n", tables.Describe(k.Ruleset))
	fmt.Fprintf(w, "file       %d bytes\n", size)
	for section := range rules.Section(rules.Sections) {
		fmt.Fprintf(w, "%-10s %d positions, %d decisive, %d losses kept\n", section,
			k.Ruleset.Positions[section], k.Equal.Decisive[section], len(k.Losses[section]))
	}
	fmt.Fprintf(w, "equals     %s of %s\n", tablebase.CompactMagic, k.Equal)
}

// lookahead returns the search that a kernel completes.
func lookahead(r *tictacchec.Rules, k *kernel.Table) *tictacchec.Lookahead {
	ahead := tictacchec.NewLookahead(r, len(k.Losses[rules.Main])+len(k.Losses[rules.Opening]))
	for section, losses := range k.Losses {
		for _, loss := range losses {
			p, _ := tictacchec.FromIndex(rules.Section(section), loss.Index) // Decode has checked the range
			ahead.Add(p, loss.Distance)
		}
	}
	return ahead
}

// KernelEntries finds entries by search, from a kernel.
type KernelEntries struct {
	ahead       *tictacchec.Lookahead
	description api.Table
}

func (e KernelEntries) Wire() api.Table { return e.description }

// Entries searches.
func (e KernelEntries) Entries(positions []tictacchec.Position, out []rules.Entry) error {
	e.ahead.Entries(positions, out)
	return nil
}

// Write writes the kernel of a table, and returns the digest of the compact table that
// it equals.
func (f formatKernel) Write(ctx context.Context, w io.Writer, rs rules.Ruleset, source tablebase.Source, threads int, report func(uint64)) (tablebase.Digest, error) {
	none := tablebase.Digest{}
	r, err := rulesOfTag(rs.Tag)
	if err != nil {
		return none, err
	}
	var compact bytes.Buffer
	to := io.Discard
	stream, once := source.(*tablebase.ByteReader)
	if once {
		to = &compact // a stream is read only once, so what it gives is kept
	}
	k := kernel.Table{Ruleset: rs, Search: tictacchec.LookaheadVersion}
	if k.Equal, err = tablebase.Write(ctx, to, rs, source, threads, report); err != nil {
		return none, err
	}
	if once {
		if err := stream.Close(); err != nil {
			return none, err
		}
		table, err := tablebase.OpenBytes(compact.Bytes(), rs)
		if err != nil {
			return none, err
		}
		source, threads = table, 0
	}
	if k.Losses, err = r.Losses(ctx, source.Codes, threads); err != nil {
		return none, err
	}
	data, err := k.Encode()
	if err != nil {
		return none, err
	}
	_, err = w.Write(data)
	return k.Equal, err
}

// expand works out the whole table that a kernel stands for. Every loss in it is
// one that the search answers; wins are the positions one move before a loss.
func expand(ctx context.Context, k *kernel.Table, threads int, p tables.ProgressFunc) (*solution, error) {
	r, err := rulesOfTag(k.Ruleset.Tag)
	if err != nil {
		return nil, err
	}
	ahead := lookahead(r, k)
	graph := r.Graph()
	deep, err := retrograde.Expand(ctx, retrograde.Graph[tictacchec.Position](graph), ahead, threads, retrograde.Progress(p))
	if err != nil {
		return nil, err
	}
	opening, err := retrograde.ExpandLayers(ctx, tictacchec.OpeningLayers{}, deep.Code, func(index uint64) (uint8, bool) {
		position, _ := tictacchec.FromIndex(rules.Opening, index)
		return ahead.Loss(position)
	}, threads, retrograde.Progress(p))
	if err != nil {
		deep.Free()
		return nil, err
	}
	return &solution{graph, deep, opening}, nil
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
func solve(ctx context.Context, r *tictacchec.Rules, threads int, p tables.ProgressFunc) (*solution, error) {
	graph := r.Graph()
	deep, err := retrograde.Solve(ctx, retrograde.Graph[tictacchec.Position](graph), threads, retrograde.Progress(p))
	if err != nil {
		return nil, err
	}
	opening, err := retrograde.SolveLayers(ctx, tictacchec.OpeningLayers{}, deep.Code, threads, retrograde.Progress(p))
	if err != nil {
		deep.Free()
		return nil, err
	}
	return &solution{graph, deep, opening}, nil
}

// errExpansion says that an expanded kernel is not the table that it claims to be.
var errExpansion = errors.New("the kernel does not hold the table whose digest it carries")

// writeExpanded expands a kernel and writes the table to files. A compact table
// that has not the digest that the kernel states is not kept, nor any other with
// another number of decisive positions.
func writeExpanded(ctx context.Context, k *kernel.Table, files []tables.Artifact, threads int, p tables.ProgressFunc) error {
	source, err := expand(ctx, k, threads, p)
	if err != nil {
		return err
	}
	defer source.main.Free()
	for _, file := range files {
		err := file.Write(ctx, k.Ruleset, source, threads, p, func(d tablebase.Digest) error {
			switch file.Format.(type) {
			case tables.FormatCompact:
				if d != k.Equal {
					return fmt.Errorf("%w: expanded %s, stated %s", errExpansion, d, k.Equal)
				}
			case tables.FormatBytes:
				if d.Decisive != k.Equal.Decisive {
					return fmt.Errorf("%w: %v decisive positions, stated %v", errExpansion, d.Decisive, k.Equal.Decisive)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
