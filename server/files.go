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
// was written, and for a kernel that of the compact table that it equals.
func (a artifact) write(ctx context.Context, rs rules.Ruleset, source tablebase.Source, threads int, p *progress, finish func(tablebase.Digest) error) error {
	total := rs.Positions[rules.Main] + rs.Positions[rules.Opening]
	report := func(done uint64) { p.stage("writing "+fileName(a.path), done, total) }
	return tablebase.Create(a.path, func(w io.Writer) error {
		var digest tablebase.Digest
		var err error
		switch a.format {
		case formatCompact:
			digest, err = tablebase.Write(ctx, w, rs, source, threads, report)
		case formatBytes:
			digest, err = tablebase.WriteBytes(ctx, w, rs, source, threads, report)
		case formatKernel:
			digest, err = writeKernel(ctx, w, rs, source, threads, report)
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
		return nil, &unfitError{path, f, only[0]}
	}
	return fitting, nil
}

// unfitError says that a file is of a format that tables of a ruleset do not have.
type unfitError struct {
	path    string
	format  format
	ruleset rules.Ruleset
}

func (e *unfitError) Error() string {
	return fmt.Sprintf("%s is a %s file, of which there are none of %s", e.path, e.format.ending(), describe(e.ruleset))
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

// verified is what is known of a file once everything about it was checked.
type verified struct {
	ruleset rules.Ruleset
	digest  tablebase.Digest // of the file
	// other says that its contents are not those of the right table; nil if they are.
	other *digestError
}

// verifyFile checks everything about a file of any format. Contents other than those of
// the right table are an error unless any will do.
func verifyFile(ctx context.Context, path string, anyDigest bool, p *progress, only ...rules.Ruleset) (verified, error) {
	file, kind, err := openInput(path)
	if err != nil {
		return verified{}, err
	}
	defer file.Close()
	v, content, err := verifyContents(ctx, file, kind, p, only)
	if err != nil {
		return verified{}, err
	}
	v.other, err = heldAgainst(path, v.ruleset, content, anyDigest)
	return v, err
}

// verifyContents checks everything about an open file, but not whether its contents are
// those of the right table: for that it returns their digest, which is that of the .ttb or
// .prob with these contents.
func verifyContents(ctx context.Context, file *os.File, kind format, p *progress, only []rules.Ruleset) (v verified, content tablebase.Digest, err error) {
	path := file.Name()
	switch kind {
	case formatKernel:
		known, err := known(path, formatKernel, only)
		if err != nil {
			return v, content, err
		}
		k, err := kernel.Read(file, tictacchec.LookaheadVersion, known...)
		if err != nil {
			return v, content, err
		}
		return verified{ruleset: k.Ruleset, digest: k.Digest}, k.Equal, nil
	case formatBytes:
		known, err := known(path, formatBytes, only)
		if err != nil {
			return v, content, err
		}
		r, err := tablebase.NewByteReader(file, known...)
		if err != nil {
			return v, content, err
		}
		// The stream checks what goes by. What it holds is known by the other format's digest.
		content, err = tablebase.Write(ctx, io.Discard, r.Ruleset(), r, 1, p.positions("reading "+fileName(path), r.Ruleset()))
		if err := errors.Join(err, r.Close()); err != nil {
			return v, content, err
		}
		return verified{ruleset: r.Ruleset(), digest: r.Digest()}, content, nil
	}
	// The rest are opened as they are for serving.
	t, _, err := openStore(ctx, file, tablebase.Mapped, only...)
	if err != nil {
		return v, content, err
	}
	content, err = t.verify(ctx, runtime.GOMAXPROCS(0))
	return verified{ruleset: t.Ruleset(), digest: content}, content, errors.Join(err, t.Close())
}

// openInput opens a file that a command reads, once for all looks at it, and tells its format
// by its contents. What is no table at all counts as a compact one, which then says what is
// wrong with it.
func openInput(path string) (*os.File, format, error) {
	file, _, err := openRegular(path)
	if err != nil {
		return nil, formatCompact, err
	}
	kind, err := kindOf(file)
	if err != nil {
		return nil, formatCompact, errors.Join(err, file.Close())
	}
	return file, kind, nil
}

// kindOf tells an open file's format by its contents.
func kindOf(file *os.File) (format, error) {
	if is, err := kernel.IsFile(file); is || err != nil {
		return formatKernel, err
	}
	if is, _, err := probability.IsFile(file); is || err != nil {
		return formatProbability, err
	}
	kind, _, err := tablebase.DetectFile(file)
	if kind == tablebase.KindBytes {
		return formatBytes, err
	}
	return formatCompact, err
}

// openVerified opens the compact table in a file and verifies it. It is in memory of our own,
// so that what was verified is what is read, whatever becomes of the file meanwhile.
func openVerified(ctx context.Context, file *os.File, threads int) (*tablebase.Table, tablebase.Digest, error) {
	t, err := tablebase.OpenFile(ctx, file, tablebase.Memory, rulesets(formatCompact)...)
	if err != nil {
		return nil, tablebase.Digest{}, err
	}
	digest, err := t.Verify(ctx, threads)
	if err != nil {
		return nil, tablebase.Digest{}, errors.Join(err, t.Close())
	}
	return t, digest, nil
}

func verifyCommand() *cobra.Command {
	var anyDigest bool
	c := &cobra.Command{
		Use:   "verify FILE…",
		Short: "Check everything about table files",
		Long: `Check everything about table files, and give their digests: those of the
uncompressed file. A file is good if its contents are those of the right table of its
ruleset, whose SHA-256 this program knows; for other well-formed tables there is
--any-digest.`,
		Args: arguments(1, true),
		RunE: func(c *cobra.Command, paths []string) error {
			p := newProgress(c.ErrOrStderr())
			defer p.close()
			var worst error
			for _, path := range paths {
				v, err := verifyFile(c.Context(), path, anyDigest, p)
				p.done()
				if err != nil {
					if c.Context().Err() != nil {
						return err
					}
					fmt.Fprintln(c.ErrOrStderr(), "solved:", printable(oneLine(message(err))))
					if worst == nil || exitCode(err) > exitCode(worst) {
						worst = reportedError{err}
					}
					continue
				}
				writeDigest(c.OutOrStdout(), path, v)
			}
			return worst
		},
	}
	anyDigestFlag(c, &anyDigest)
	return c
}

func writeDigest(w io.Writer, path string, v verified) {
	rs, d := v.ruleset, v.digest
	if v.other != nil {
		fmt.Fprintf(w, "%s: well-formed, %s, %s; not the right table, whose sha256 is %x\n", fileName(path), describe(rs), d, v.other.right)
		return
	}
	if rs.Longest == [rules.Sections]uint8{} { // a table of probabilities, in which nothing is decisive
		fmt.Fprintf(w, "%s: good, %s, %d positions, %s\n", fileName(path), describe(rs), rs.Positions[rules.Main], d)
		return
	}
	fmt.Fprintf(w, "%s: good, %s, %d+%d decisive, %s\n", fileName(path), describe(rs), d.Decisive[rules.Main], d.Decisive[rules.Opening], d)
}

func infoCommand() *cobra.Command {
	var histogram, anyDigest bool
	c := &cobra.Command{
		Use:   "info FILE",
		Short: "Tell what a table file says of itself",
		Long: `Tell what a table file says of itself in its header, without checking the rest.
With --histogram, read a .ttb or .tb through, count its positions by distance, and
check that what was counted is the right table.`,
		Args: arguments(1, false),
		RunE: func(c *cobra.Command, args []string) (err error) {
			file, kind, err := openInput(args[0])
			if err != nil {
				return err
			}
			defer file.Close()
			out := c.OutOrStdout()
			switch {
			case kind == formatProbability && histogram:
				return &usageError{errors.New("a table of probabilities has no histogram"), c.CommandPath()}
			case kind == formatKernel && histogram:
				return &usageError{errors.New("a kernel has no histogram: expand it first"), c.CommandPath()}
			case kind == formatProbability:
				return probabilityInfo(out, file)
			case kind == formatKernel:
				return kernelInfo(out, file)
			}
			table, err := openInfo(c.Context(), file, kind)
			if err != nil {
				return err
			}
			defer table.Close()
			header, rs := table.Header(), table.Ruleset()
			info, err := file.Stat()
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "format     %s\n", header.Kind)
			fmt.Fprintf(out, "rules      %s\n", describe(rs))
			fmt.Fprintf(out, "file       %d bytes\n", info.Size())
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
			return writeHistogram(c.Context(), out, file.Name(), table, anyDigest, p)
		},
	}
	c.Flags().BoolVar(&histogram, "histogram", false, "count the positions of each section by distance")
	anyDigestFlag(c, &anyDigest)
	return c
}

// describedTable is a table that tells of itself, and can be read in order.
type describedTable interface {
	tablebase.Source
	Header() tablebase.Header
	Ruleset() rules.Ruleset
	Close() error
}

// openInfo opens a table of either format.
func openInfo(ctx context.Context, file *os.File, kind format) (describedTable, error) {
	if kind == formatBytes {
		return tablebase.NewByteReader(file, rulesets(formatBytes)...)
	}
	return tablebase.OpenFile(ctx, file, tablebase.Mapped, rulesets(formatCompact)...)
}

// counted counts the codes of a source as they are read.
type counted struct {
	tablebase.Source
	counts *[rules.Sections][256]uint64
}

func (c counted) Codes(section rules.Section, lo uint64, dst []rules.Code) error {
	if err := c.Source.Codes(section, lo, dst); err != nil {
		return err
	}
	for _, code := range dst {
		c.counts[section][code]++
	}
	return nil
}

// writeHistogram counts the positions of a table by distance, in plies. It writes nothing
// unless what it has counted is the right table, or any will do.
func writeHistogram(ctx context.Context, w io.Writer, path string, table describedTable, anyDigest bool, p *progress) error {
	rs := table.Ruleset()
	var counts [rules.Sections][256]uint64
	// Whatever becomes of the file meanwhile, this is the digest of what was counted.
	content, err := tablebase.Write(ctx, io.Discard, rs, counted{table, &counts}, 1, p.positions("counting", rs))
	if err == nil {
		err = table.Close() // only then does a stream say whether it was good
	}
	if err != nil {
		return err
	}
	p.done()
	other, err := heldAgainst(path, rs, content, anyDigest)
	if err != nil {
		return err
	}
	if other != nil {
		fmt.Fprintf(w, "sha256     %x, not that of the right table, %x\n", other.found, other.right)
	}
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
	var anyDigest bool
	c := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Write a table in another format",
		Long: `Write a table in another format, told by the ending of OUT: .ttb, .tb, either
with .zst, or .kernel. IN is told by its contents and checked first: of a damaged IN,
or one that is not the right table of its ruleset, there is no OUT. What is written is
what was checked, whatever becomes of IN meanwhile.`,
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
			if err := convert(c.Context(), args[0], out, threads, anyDigest, p); err != nil {
				return err
			}
			p.done()
			return verifyWritten(c, anyDigest, p, out.path)
		},
	}
	threadsFlag(c, &threads)
	anyDigestFlag(c, &anyDigest)
	return c
}

// convert writes the table in the file at path as another file.
func convert(ctx context.Context, path string, out artifact, threads int, anyDigest bool, p *progress) error {
	file, kind, err := openInput(path)
	if err != nil {
		return err
	}
	defer file.Close()
	switch kind {
	case formatProbability:
		return convertProbability(ctx, file, out, anyDigest)
	case formatKernel:
		k, err := kernel.Read(file, tictacchec.LookaheadVersion, rulesets(formatKernel)...)
		if err != nil {
			return err
		}
		if err := checkFormats(k.Ruleset.Tag, out); err != nil {
			return err
		}
		if err := checkOutputs(k.Ruleset, k.Equal.Decisive, out); err != nil {
			return err
		}
		if _, err := heldAgainst(path, k.Ruleset, k.Equal, anyDigest); err != nil {
			return err
		}
		return writeExpanded(ctx, k, []artifact{out}, threads, p)
	case formatBytes:
		return convertStream(ctx, file, out, anyDigest, p)
	}
	// In memory of our own, so that what is verified is what is written.
	t, err := tablebase.OpenFile(ctx, file, tablebase.Memory, rulesets(formatCompact)...)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := checkFormats(t.Ruleset().Tag, out); err != nil {
		return err
	}
	if err := checkOutputs(t.Ruleset(), t.Header().Decisive, out); err != nil {
		return err
	}
	digest, err := t.Verify(ctx, threads)
	if err != nil {
		return err
	}
	if _, err := heldAgainst(path, t.Ruleset(), digest, anyDigest); err != nil {
		return err
	}
	return out.write(ctx, t.Ruleset(), t, threads, p, func(written tablebase.Digest) error {
		return out.checkCopy(path, written, verified{}, digest)
	})
}

// convertStream is convert for a byte table. It is read twice: to check it, and to write what
// it holds. A stream is read in order, by one thread.
func convertStream(ctx context.Context, file *os.File, out artifact, anyDigest bool, p *progress) error {
	r, err := tablebase.NewByteReader(file, rulesets(formatBytes)...)
	if err != nil {
		return err
	}
	rs := r.Ruleset()
	r.Close() // to read it from its beginning
	if err := checkFormats(rs.Tag, out); err != nil {
		return err
	}
	if err := checkOutputs(rs, r.Header().Decisive, out); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	v, content, err := verifyContents(ctx, file, formatBytes, p, []rules.Ruleset{rs})
	if err != nil {
		return err
	}
	if _, err := heldAgainst(file.Name(), rs, content, anyDigest); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if r, err = tablebase.NewByteReader(file, rs); err != nil {
		return err
	}
	err = out.write(ctx, rs, r, 1, p, func(written tablebase.Digest) error {
		return errors.Join(r.Close(), out.checkCopy(file.Name(), written, v, content))
	})
	if err != nil {
		r.Close()
	}
	return err
}

// checkCopy holds what was written of a file against what was verified of it: v if that is
// a byte table, and otherwise the digest of its contents.
func (a artifact) checkCopy(from string, written tablebase.Digest, v verified, content tablebase.Digest) error {
	same := written == content
	if a.format == formatBytes {
		same = written.Decisive == content.Decisive && (v.digest.Bytes == 0 || written == v.digest)
	}
	if !same {
		return fmt.Errorf("%s: what was written is not what was verified: %w", from, errUnsettled)
	}
	return nil
}

// verifyWritten reads files back that have just been written and prints their
// digests.
func verifyWritten(c *cobra.Command, anyDigest bool, p *progress, paths ...string) error {
	for _, path := range paths {
		v, err := verifyFile(c.Context(), path, anyDigest, p)
		p.done()
		if err != nil {
			return err
		}
		writeDigest(c.OutOrStdout(), path, v)
	}
	return nil
}
