package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"encoding/hex"

	"solved/api"
	"solved/rules"
	"solved/rules/tictacchec"
	"solved/tablebase"
	"solved/tablebase/kernel"
	"solved/tablebase/probability"
	"solved/tablebase/retrograde"
)

// kernels are the embedded tables, one for each ruleset that has one. Each is
// made by `solved solve RULES -o server/kernels/RULES.kernel`; that of tic-tac-toe, by
// `solved solve tic-tac-toe -o server/kernels/tic-tac-toe.ttb`, and that of Pig, by
// `solved solve pig -o server/kernels/pig.prob.zst`, are whole.
//
//go:embed kernels
var kernels embed.FS

func kernelName(r *tictacchec.Rules) string { return "kernels/" + r.Ruleset().Name + ".kernel" }

// pendingKernel describes a table that the program carries before it is loaded.
func pendingKernel(r *tictacchec.Rules) api.Table {
	positions := r.Ruleset().Positions
	return api.Table{
		Source:           api.SourceEmbedded,
		Format:           new(kernel.Magic),
		MainPositions:    new(positions[rules.Main]),
		OpeningPositions: new(positions[rules.Opening]),
	}
}

// pendingTable describes an embedded table that is whole before it is loaded.
func pendingTable(r rules.Ruleset, magic string) api.Table {
	return api.Table{
		Source:           api.SourceEmbedded,
		Format:           new(magic),
		MainPositions:    &r.Positions[rules.Main],
		OpeningPositions: unlessZero(r.Positions[rules.Opening]),
	}
}

// embeddedFile loads a whole table that the program carries.
func embeddedFile(g *game) (*loadedTable, error) {
	start := time.Now()
	data, table, err := openEmbedded(g)
	if err != nil {
		return nil, err
	}
	digest, err := table.verify(context.Background(), 1)
	if err != nil {
		return nil, err
	}
	wire := table.wire()
	wire.Source = api.SourceEmbedded
	wire.ContentSHA256, wire.CRC64 = new(hex.EncodeToString(digest.SHA256[:])), new(fmt.Sprintf("%016x", digest.CRC64))
	wire.LoadedAt = start.UTC().Format(time.RFC3339)
	wire.LoadSeconds = time.Since(start).Seconds()
	return &loadedTable{entries: g.reading(table.contents()), state: api.StateReady, size: int64(len(data)), wire: wire}, nil
}

// embeddedDigest is the digest of a whole table that the program carries.
func embeddedDigest(g *game) (tablebase.Digest, error) {
	_, table, err := openEmbedded(g)
	if err != nil {
		return tablebase.Digest{}, err
	}
	return table.verify(context.Background(), 1)
}

// openEmbedded opens a whole table that the program carries.
func openEmbedded(g *game) (data []byte, s store, err error) {
	if g.kind == api.KindChance {
		if data, err = kernels.ReadFile("kernels/" + g.file.Name + ".prob.zst"); err != nil {
			return nil, nil, err
		}
		table, err := probability.OpenBytes(data, *g.file)
		return data, probabilityStore{table}, err
	}
	if data, err = kernels.ReadFile("kernels/" + g.file.Name + ".ttb"); err != nil {
		return nil, nil, err
	}
	table, err := tablebase.OpenBytes(data, *g.file)
	return data, compactStore{table}, err
}

// writeCarried writes a table that the program carries whole to files.
func writeCarried(ctx context.Context, g *game, files []artifact, threads int, p *progress) error {
	_, table, err := openEmbedded(g)
	if err != nil {
		return err
	}
	if _, err := table.verify(ctx, threads); err != nil {
		return err
	}
	chances, ok := table.contents().(*probability.Table)
	if !ok {
		return writeAll(ctx, files, *g.file, table.contents().(*tablebase.Table), threads, p)
	}
	for _, file := range files {
		if err := copyProbability(file.path, chances); err != nil {
			return err
		}
	}
	return nil
}

// embeddedKernel reads the kernel that the program carries.
func embeddedKernel(r *tictacchec.Rules) (*kernel.Table, error) {
	data, err := kernels.ReadFile(kernelName(r))
	if err != nil {
		return nil, fmt.Errorf("no table of %s is embedded; name one with --table", describe(r.Ruleset()))
	}
	return kernel.Decode(data, tictacchec.LookaheadVersion, r.Ruleset())
}

// decisiveOf returns how many decisive positions a ruleset has, as far as a kernel says.
func decisiveOf(g *game) [rules.Sections]uint64 {
	if p, ok := g.answers.(pieces); ok {
		if k, err := embeddedKernel(p.rules); err == nil {
			return k.Equal.Decisive
		}
	}
	return [rules.Sections]uint64{}
}

// embeddedTable loads the table that the program carries.
func embeddedTable(r *tictacchec.Rules) (*loadedTable, error) {
	start := time.Now()
	k, err := embeddedKernel(r)
	if err != nil {
		return nil, err
	}
	ahead := lookahead(r, k)
	wire := pendingKernel(r)
	wire.ContentSHA256, wire.CRC64 = new(hex.EncodeToString(k.Equal.SHA256[:])), new(fmt.Sprintf("%016x", k.Digest.CRC64))
	wire.Decisive = new(k.Equal.Decisive[rules.Main] + k.Equal.Decisive[rules.Opening])
	wire.LoadedAt = start.UTC().Format(time.RFC3339)
	wire.LoadSeconds = time.Since(start).Seconds()
	return &loadedTable{entries: kernelEntries{ahead}, state: api.StateReady, size: k.Digest.Bytes, wire: wire}, nil
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

// kernelEntries finds entries by search, from a kernel.
type kernelEntries struct{ ahead *tictacchec.Lookahead }

// Entries searches.
func (e kernelEntries) Entries(positions []tictacchec.Position, out []rules.Entry) error {
	e.ahead.Entries(positions, out)
	return nil
}

// writeKernel writes the kernel of a table, and returns the digest of the compact table that
// it equals.
func writeKernel(ctx context.Context, w io.Writer, rs rules.Ruleset, source tablebase.Source, threads int, report func(uint64)) (tablebase.Digest, error) {
	none := tablebase.Digest{}
	r, err := findTicTacChec(rs.Tag.String())
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

// kernelInfo tells what a kernel file says of itself.
func kernelInfo(w io.Writer, file *os.File) error {
	k, err := kernel.Read(file, tictacchec.LookaheadVersion, rulesets(formatKernel)...)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "format     %s\n", kernel.Magic)
	fmt.Fprintf(w, "rules      %s\n", describe(k.Ruleset))
	fmt.Fprintf(w, "file       %d bytes\n", k.Digest.Bytes)
	for section := range rules.Section(rules.Sections) {
		fmt.Fprintf(w, "%-10s %d positions, %d decisive, %d losses kept\n", section,
			k.Ruleset.Positions[section], k.Equal.Decisive[section], len(k.Losses[section]))
	}
	fmt.Fprintf(w, "equals     %s of %s\n", tablebase.CompactMagic, k.Equal)
	return nil
}

// expand works out the whole table that a kernel stands for. Every loss in it is
// one that the search answers; wins are the positions one move before a loss.
func expand(ctx context.Context, k *kernel.Table, threads int, p *progress) (*solution, error) {
	r, err := findTicTacChec(k.Ruleset.Tag.String())
	if err != nil {
		return nil, err
	}
	ahead := lookahead(r, k)
	graph := r.Graph()
	deep, err := retrograde.Expand(ctx, retrograde.Graph[tictacchec.Position](graph), ahead, threads, p.stage)
	if err != nil {
		return nil, err
	}
	opening, err := retrograde.ExpandLayers(ctx, tictacchec.OpeningLayers{}, deep.Code, func(index uint64) (uint8, bool) {
		position, _ := tictacchec.FromIndex(rules.Opening, index)
		return ahead.Loss(position)
	}, threads, p.stage)
	if err != nil {
		deep.Free()
		return nil, err
	}
	p.done()
	return &solution{graph, deep, opening}, nil
}

// errExpansion says that an expanded kernel is not the table that it claims to be.
var errExpansion = errors.New("the kernel does not hold the table whose digest it carries")

// writeExpanded expands a kernel and writes the table to files. A compact table
// that has not the digest that the kernel states is not kept, nor any other with
// another number of decisive positions.
func writeExpanded(ctx context.Context, k *kernel.Table, files []artifact, threads int, p *progress) error {
	source, err := expand(ctx, k, threads, p)
	if err != nil {
		return err
	}
	defer source.main.Free()
	for _, file := range files {
		err := file.write(ctx, k.Ruleset, source, threads, p, func(d tablebase.Digest) error {
			switch file.format {
			case formatCompact:
				if d != k.Equal {
					return fmt.Errorf("%w: expanded %s, stated %s", errExpansion, d, k.Equal)
				}
			case formatBytes:
				if d.Decisive != k.Equal.Decisive {
					return fmt.Errorf("%w: %v decisive positions, stated %v", errExpansion, d.Decisive, k.Equal.Decisive)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		p.done()
	}
	return nil
}
