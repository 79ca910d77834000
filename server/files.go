package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"solved/rules"
	"solved/rules/tictacchec"
	"solved/tablebase"
	"solved/tablebase/kernel"
	"solved/tablebase/probability"
)

// format is a file format that a command can write.
type format uint8

const (
	formatCompact     format = iota // .ttb
	formatBytes                     // .tb
	formatKernel                    // .kernel
	formatProbability               // .prob
)

// ending is how the name of a file of a format ends.
func (f format) ending() string {
	return [...]string{formatCompact: ".ttb", formatBytes: ".tb", formatKernel: ".kernel", formatProbability: ".prob"}[f]
}

// artifact is a file to write.
type artifact struct {
	path   string
	format format
}

// artifactAt takes the format of a file to write from the ending of its name.
// Tables may be compressed; a kernel is already.
func artifactAt(path string) (artifact, error) {
	name, compressed := strings.CutSuffix(path, ".zst")
	switch {
	case strings.HasSuffix(name, ".ttb"):
		return artifact{path, formatCompact}, nil
	case strings.HasSuffix(name, ".tb"):
		return artifact{path, formatBytes}, nil
	case strings.HasSuffix(name, ".prob"):
		return artifact{path, formatProbability}, nil
	case strings.HasSuffix(name, ".kernel") && !compressed:
		return artifact{path, formatKernel}, nil
	}
	return artifact{}, fmt.Errorf("the name %q tells no format: it ends in .ttb, .tb or .prob, or one of these with .zst, or in .kernel", path)
}

// checkOutputs refuses to begin what could not be written as things are: each file in a
// directory that is there and can be written to, and all of them in the room that it has.
// decisive are the decisive positions of the ruleset, as far as they are known.
func checkOutputs(rs rules.Ruleset, decisive [rules.Sections]uint64, files ...artifact) error {
	taken := make(map[string]int64) // by directory
	for _, file := range files {
		dir := filepath.Dir(file.path)
		taken[dir] += file.size(rs, decisive)
		if err := tablebase.CanCreate(file.path, taken[dir]); err != nil {
			return err
		}
	}
	return nil
}

// canMakeFolder refuses a directory that is no directory, or in which a file of some name
// cannot be created; if it is missing, the nearest one above it that is there has to let
// it be made.
func canMakeFolder(dir, name string) error {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return tablebase.CanCreate(filepath.Join(at, name), 0)
		}
	}
}

// size is how many bytes a file will have at least, 0 if that cannot be told beforehand.
func (a artifact) size(rs rules.Ruleset, decisive [rules.Sections]uint64) int64 {
	header := tablebase.Header{Tag: rs.Tag, Positions: rs.Positions, Decisive: decisive}
	switch {
	case strings.HasSuffix(a.path, ".zst"):
		return 0
	case a.format == formatCompact:
		header.Kind = tablebase.KindCompact
	case a.format == formatBytes:
		header.Kind = tablebase.KindBytes
	case a.format == formatProbability:
		return probability.Length(rs.Positions[rules.Main])
	default: // a kernel is small
		return 0
	}
	return header.Length()
}

// write writes the entries of a ruleset, whole or not at all. finish, if not
// nil, is asked before the file takes its name; it is given the digest of what
// was written, except for a kernel.
func (a artifact) write(ctx context.Context, rs rules.Ruleset, source tablebase.Source, threads int, p *progress, finish func(tablebase.Digest) error) error {
	total := rs.Positions[rules.Main] + rs.Positions[rules.Opening]
	report := func(done uint64) { p.stage("writing "+a.path, done, total) }
	return tablebase.Create(a.path, func(w io.Writer) error {
		var digest tablebase.Digest
		var err error
		switch a.format {
		case formatCompact:
			digest, err = tablebase.Write(ctx, w, rs, source, threads, report)
		case formatBytes:
			digest, err = tablebase.WriteBytes(ctx, w, rs, source, threads, report)
		case formatKernel:
			err = writeKernel(ctx, w, rs, source, threads, report)
		default:
			err = fmt.Errorf("a %s file cannot be made of these values", a.format.ending())
		}
		if err == nil && finish != nil {
			err = finish(digest)
		}
		return err
	})
}

// known returns the rulesets that the file of a format at path is held against: those
// given, or all, that have files of the format.
func known(path string, f format, only []rules.Ruleset) ([]rules.Ruleset, error) {
	var fitting []rules.Ruleset
	all := rulesets(f)
	for _, rs := range all {
		if len(only) == 0 || slices.ContainsFunc(only, func(o rules.Ruleset) bool { return o.Tag == rs.Tag }) {
			fitting = append(fitting, rs)
		}
	}
	if len(fitting) == 0 {
		return nil, fmt.Errorf("%s is a %s file, of which there are none of %s", path, f.ending(), describe(only[0]))
	}
	return fitting, nil
}

// checkFormats refuses to make files of formats that a ruleset does not have, before any
// work is done.
func checkFormats(tag rules.Tag, files ...artifact) error {
	g, err := findGame(tag.String())
	if err != nil {
		return err
	}
	for _, file := range files {
		if slices.Contains(g.formats, file.format) {
			continue
		}
		if len(g.formats) == 0 {
			return fmt.Errorf("there are no tables of %s: its values are a closed form, or searched for", describeAbout(g.About()))
		}
		var endings []string
		for _, f := range g.formats {
			endings = append(endings, f.ending())
		}
		return fmt.Errorf("%s cannot be a table of %s: those end in %s", file.path, describeAbout(g.About()), strings.Join(endings, ", "))
	}
	return nil
}

// verifyFile checks everything about a file of any format.
func verifyFile(ctx context.Context, path string, p *progress, only ...rules.Ruleset) (rules.Ruleset, tablebase.Digest, error) {
	none := rules.Ruleset{}
	kind, err := kindOf(path)
	if err != nil {
		return none, tablebase.Digest{}, err
	}
	switch kind {
	case formatKernel:
		known, err := known(path, formatKernel, only)
		if err != nil {
			return none, tablebase.Digest{}, err
		}
		k, err := kernel.ReadFile(path, tictacchec.LookaheadVersion, known...)
		if err != nil {
			return none, tablebase.Digest{}, err
		}
		return k.Ruleset, k.Digest, nil
	case formatBytes:
		known, err := known(path, formatBytes, only)
		if err != nil {
			return none, tablebase.Digest{}, err
		}
		f, err := os.Open(path)
		if err != nil {
			return none, tablebase.Digest{}, err
		}
		defer f.Close()
		r, err := tablebase.NewByteReader(f, known...)
		if err != nil {
			return none, tablebase.Digest{}, err
		}
		rs := r.Ruleset()
		// Reading is all there is to it: the stream checks what goes by.
		err = readThrough(ctx, rs, r, p, "reading "+path, func(rules.Section, []rules.Code) {})
		if err := errors.Join(err, r.Close()); err != nil {
			return none, tablebase.Digest{}, err
		}
		return rs, r.Digest(), nil
	}
	// The rest are opened as they are for serving.
	t, _, err := openStore(ctx, path, tablebase.Mapped, only...)
	if err != nil {
		return none, tablebase.Digest{}, err
	}
	digest, err := t.verify(ctx, runtime.GOMAXPROCS(0))
	return t.Ruleset(), digest, errors.Join(err, t.Close())
}

// kindOf tells a file's format by its contents. What is no table at all counts
// as a compact one, which then says what is wrong with it.
func kindOf(path string) (format, error) {
	if is, err := kernel.IsFile(path); is || err != nil {
		return formatKernel, err
	}
	if is, _, err := probability.IsFile(path); is || err != nil {
		return formatProbability, err
	}
	kind, _, err := tablebase.DetectFile(path)
	if kind == tablebase.KindBytes {
		return formatBytes, err
	}
	return formatCompact, err
}

// readThrough reads a table from its beginning to its end, and shows what it reads
// to visit.
func readThrough(ctx context.Context, rs rules.Ruleset, source tablebase.Source, p *progress, stage string, visit func(rules.Section, []rules.Code)) error {
	total := rs.Positions[rules.Main] + rs.Positions[rules.Opening]
	buffer := make([]rules.Code, 1<<20)
	done := uint64(0)
	for section := range rules.Section(rules.Sections) {
		positions := rs.Positions[section]
		for lo := uint64(0); lo < positions; {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(uint64(len(buffer)), positions-lo)
			if err := source.Codes(section, lo, buffer[:n]); err != nil {
				return err
			}
			visit(section, buffer[:n])
			lo, done = lo+n, done+n
			p.stage(stage, done, total)
		}
	}
	return nil
}

func verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE…",
		Short: "Check everything about table files",
		Long: `Check everything about table files, and give their digests: those of the
uncompressed file.`,
		Args: arguments(1, true),
		RunE: func(c *cobra.Command, paths []string) error {
			p := newProgress(c.ErrOrStderr())
			defer p.close()
			var worst error
			for _, path := range paths {
				rs, digest, err := verifyFile(c.Context(), path, p)
				p.done()
				if err != nil {
					if c.Context().Err() != nil {
						return err
					}
					fmt.Fprintln(c.ErrOrStderr(), "solved:", oneLine(message(err)))
					if worst == nil || exitCode(err) > exitCode(worst) {
						worst = reportedError{err}
					}
					continue
				}
				writeDigest(c.OutOrStdout(), path, rs, digest)
			}
			return worst
		},
	}
}

func writeDigest(w io.Writer, path string, rs rules.Ruleset, d tablebase.Digest) {
	if rs.Longest == [rules.Sections]uint8{} { // a table of probabilities, in which nothing is decisive
		fmt.Fprintf(w, "%s: good, %s, %d positions, %s\n", path, describe(rs), rs.Positions[rules.Main], d)
		return
	}
	fmt.Fprintf(w, "%s: good, %s, %d+%d decisive, %s\n", path, describe(rs), d.Decisive[rules.Main], d.Decisive[rules.Opening], d)
}

func infoCommand() *cobra.Command {
	var histogram bool
	c := &cobra.Command{
		Use:   "info FILE",
		Short: "Tell what a table file says of itself",
		Long: `Tell what a table file says of itself in its header, without checking the rest.
With --histogram, read a .ttb or .tb through and count its positions by distance.`,
		Args: arguments(1, false),
		RunE: func(c *cobra.Command, args []string) (err error) {
			path := args[0]
			out := c.OutOrStdout()
			kind, err := kindOf(path)
			if err != nil {
				return err
			}
			var header tablebase.Header
			var rs rules.Ruleset
			var source tablebase.Source
			switch kind {
			case formatProbability:
				if histogram {
					return &usageError{errors.New("a table of probabilities has no histogram"), c.CommandPath()}
				}
				return probabilityInfo(out, path)
			case formatKernel:
				if histogram {
					return &usageError{errors.New("a kernel has no histogram: expand it first"), c.CommandPath()}
				}
				return kernelInfo(out, path)
			case formatBytes:
				f, err := os.Open(path)
				if err != nil {
					return err
				}
				defer f.Close()
				r, err := tablebase.NewByteReader(f, rulesets(formatBytes)...)
				if err != nil {
					return err
				}
				header, rs = r.Header(), r.Ruleset()
				if histogram {
					defer func() { err = errors.Join(err, r.Close()) }()
					source = r
				}
			default:
				t, err := tablebase.Open(path, tablebase.Mapped, rulesets(formatCompact)...)
				if err != nil {
					return err
				}
				header, rs = t.Header(), t.Ruleset()
				defer t.Close()
				source = t
			}
			file, err := os.Stat(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "format     %s\n", header.Kind)
			fmt.Fprintf(out, "rules      %s\n", describe(rs))
			fmt.Fprintf(out, "file       %d bytes\n", file.Size())
			fmt.Fprintf(out, "table      %d bytes\n", header.Length())
			for section := range rules.Section(rules.Sections) {
				if header.Positions[section] == 0 {
					continue // the game has no such section
				}
				fmt.Fprintf(out, "%-10s %d positions", section, header.Positions[section])
				if header.Kind == tablebase.KindCompact {
					fmt.Fprintf(out, ", %d decisive", header.Decisive[section])
				}
				fmt.Fprintln(out)
			}
			if !histogram {
				return nil
			}
			p := newProgress(c.ErrOrStderr())
			defer p.close()
			return writeHistogram(c.Context(), out, rs, source, p)
		},
	}
	c.Flags().BoolVar(&histogram, "histogram", false, "count the positions of each section by distance")
	return c
}

// writeHistogram counts the positions of a table by distance, in plies.
func writeHistogram(ctx context.Context, w io.Writer, rs rules.Ruleset, source tablebase.Source, p *progress) error {
	var counts [rules.Sections][256]uint64
	err := readThrough(ctx, rs, source, p, "counting", func(section rules.Section, codes []rules.Code) {
		for _, code := range codes {
			counts[section][code]++
		}
	})
	if err != nil {
		return err
	}
	p.done()
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

func convertCommand() *cobra.Command {
	var threads int
	c := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Write a table in another format",
		Long: `Write a table in another format, told by the ending of OUT: .ttb, .tb, either
with .zst, or .kernel. IN is told by its contents and checked on the way: of a
damaged IN there is no OUT.`,
		Args: arguments(2, false),
		RunE: func(c *cobra.Command, args []string) error {
			if threads < 1 {
				return &usageError{errThreads, c.CommandPath()}
			}
			out, err := artifactAt(args[1])
			if err != nil {
				return &usageError{err, c.CommandPath()}
			}
			// How much room it takes is known when IN is.
			if err := tablebase.CanCreate(out.path, 0); err != nil {
				return err
			}
			p := newProgress(c.ErrOrStderr())
			defer p.close()
			if err := convert(c.Context(), args[0], out, threads, p); err != nil {
				return err
			}
			p.done()
			return verifyWritten(c, p, out.path)
		},
	}
	threadsFlag(c, &threads)
	return c
}

// convert writes the table in the file at path as another file.
func convert(ctx context.Context, path string, out artifact, threads int, p *progress) error {
	kind, err := kindOf(path)
	if err != nil {
		return err
	}
	switch kind {
	case formatProbability:
		return convertProbability(ctx, path, out)
	case formatKernel:
		k, err := kernel.ReadFile(path, tictacchec.LookaheadVersion, rulesets(formatKernel)...)
		if err != nil {
			return err
		}
		if err := checkFormats(k.Ruleset.Tag, out); err != nil {
			return err
		}
		if err := checkOutputs(k.Ruleset, k.Equal.Decisive, out); err != nil {
			return err
		}
		return writeExpanded(ctx, k, []artifact{out}, threads, p)
	case formatBytes:
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		r, err := tablebase.NewByteReader(f, rulesets(formatBytes)...)
		if err != nil {
			return err
		}
		if err := checkFormats(r.Ruleset().Tag, out); err != nil {
			return err
		}
		if err := checkOutputs(r.Ruleset(), r.Header().Decisive, out); err != nil {
			return err
		}
		// A stream is read in order, by one thread. Its checksum comes last,
		// so the new file must not have its name before.
		err = out.write(ctx, r.Ruleset(), r, 1, p, func(tablebase.Digest) error { return r.Close() })
		if err != nil {
			r.Close()
		}
		return err
	}
	t, err := tablebase.Open(path, tablebase.Mapped, rulesets(formatCompact)...)
	if err != nil {
		return err
	}
	if err = checkFormats(t.Ruleset().Tag, out); err != nil {
		return errors.Join(err, t.Close())
	}
	if err = checkOutputs(t.Ruleset(), t.Header().Decisive, out); err != nil {
		return errors.Join(err, t.Close())
	}
	if _, err = t.Verify(ctx, threads); err == nil {
		err = out.write(ctx, t.Ruleset(), t, threads, p, nil)
	}
	return errors.Join(err, t.Close())
}

// verifyWritten reads files back that have just been written and prints their
// digests.
func verifyWritten(c *cobra.Command, p *progress, paths ...string) error {
	for _, path := range paths {
		rs, digest, err := verifyFile(c.Context(), path, p)
		p.done()
		if err != nil {
			return err
		}
		writeDigest(c.OutOrStdout(), path, rs, digest)
	}
	return nil
}
