package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"solved/rules"
	"solved/tablebase"
	"solved/tablebase/probability"
)

// format is a file format of tables.
type format interface {
	// ending is how the name of a file of the format ends, such as ".ttb".
	ending() string
	// compressible says whether a file of the format may be compressed by Zstandard.
	compressible() bool
	// size is how many bytes a file will have at least, 0 if that depends on the values.
	size(rs rules.Ruleset, decisive [rules.Sections]uint64) int64
	// is says whether an open file is of the format, by its contents.
	is(file *os.File) (bool, error)
	// open opens the table in a file, of one of the known rulesets. The input closes the file;
	// with an error, the caller does.
	open(ctx context.Context, file *os.File, mode tablebase.Mode, known []rules.Ruleset) (input, error)
	// write writes the entries of a ruleset. It returns the digest of the file; of a kernel, that
	// of the compact table that it equals.
	write(ctx context.Context, w io.Writer, rs rules.Ruleset, source tablebase.Source, threads int, report func(done uint64)) (tablebase.Digest, error)
}

// input is an open table file of any format, as commands read it.
type input interface {
	Path() string
	Ruleset() rules.Ruleset
	Close() error
	// noEntries says why the file has no wins and losses to read one by one, and what to do
	// about it; empty for an entrySource.
	noEntries() string
	// decisive are the decisive positions, as far as the header tells.
	decisive() [rules.Sections]uint64
	// describe writes the header of the file, which has so many bytes, for people.
	describe(w io.Writer, size int64)
	// verify checks everything about the file.
	verify(ctx context.Context, threads int, report func(done uint64)) (digests, error)
	// rewrite writes the contents as another file, after verify, whose digests it is given. The
	// contents are those that were verified, or there is an error and no file.
	rewrite(ctx context.Context, out artifact, was digests, threads int, p progressFunc) error
}

// entrySource is an input with a win, a loss or a draw for each position.
type entrySource interface {
	input
	tablebase.Source
}

// digests are those of a verified file.
type digests struct {
	// file is of the uncompressed file, and contents of the .ttb or .prob with the same contents.
	file, contents tablebase.Digest
}

// anyDigestUsage describes the flag with which commands accept tables that are not the right ones.
const anyDigestUsage = "accept well-formed tables whose contents are not the right ones of their ruleset"

// progressFunc is told how far a stage of long work has come. Nil is told nothing.
type progressFunc func(stage string, done, total uint64)

// positions returns a function that tells of a stage through all positions of a ruleset.
func (p progressFunc) positions(stage string, rs rules.Ruleset) func(done uint64) {
	if p == nil {
		return nil
	}
	total := rs.Positions[rules.Main] + rs.Positions[rules.Opening]
	return func(done uint64) { p(stage, done, total) }
}

// formatCompact is .ttb: wins, losses and draws, compressed so that any entry can be looked up.
type formatCompact struct{}

func (formatCompact) ending() string            { return ".ttb" }
func (formatCompact) compressible() bool        { return true }
func (formatCompact) is(*os.File) (bool, error) { return true, nil } // what is no table at all says so when it is opened
func (formatCompact) size(rs rules.Ruleset, decisive [rules.Sections]uint64) int64 {
	return tablebase.Header{Kind: tablebase.KindCompact, Tag: rs.Tag, Positions: rs.Positions, Decisive: decisive}.Length()
}

func (formatCompact) write(ctx context.Context, w io.Writer, rs rules.Ruleset, source tablebase.Source, threads int, report func(uint64)) (tablebase.Digest, error) {
	return tablebase.Write(ctx, w, rs, source, threads, report)
}

func (formatCompact) open(ctx context.Context, file *os.File, mode tablebase.Mode, known []rules.Ruleset) (input, error) {
	t, err := tablebase.OpenFile(ctx, file, mode, known...)
	if err != nil {
		return nil, err
	}
	return &compactInput{t, file}, nil
}

// compactInput is an open .ttb.
type compactInput struct {
	*tablebase.Table
	file *os.File
}

func (in *compactInput) noEntries() string { return "" }
func (in *compactInput) Close() error      { return errors.Join(in.Table.Close(), in.file.Close()) }

func (in *compactInput) decisive() [rules.Sections]uint64 { return in.Header().Decisive }
func (in *compactInput) describe(w io.Writer, size int64) {
	describeHeader(w, in.Header(), in.Ruleset(), size)
}
func (in *compactInput) verify(ctx context.Context, threads int, _ func(uint64)) (digests, error) {
	d, err := in.Verify(ctx, threads)
	return digests{d, d}, err
}

func (in *compactInput) rewrite(ctx context.Context, out artifact, was digests, threads int, p progressFunc) error {
	return out.write(ctx, in.Ruleset(), in.Table, threads, p, func(written tablebase.Digest) error {
		return out.checkCopy(in.Path(), written, digests{contents: was.contents})
	})
}

// formatBytes is .tb: a byte for each position, in order.
type formatBytes struct{}

func (formatBytes) ending() string     { return ".tb" }
func (formatBytes) compressible() bool { return true }
func (formatBytes) is(file *os.File) (bool, error) {
	kind, _, err := tablebase.DetectFile(file)
	return kind == tablebase.KindBytes, err
}

func (formatBytes) size(rs rules.Ruleset, decisive [rules.Sections]uint64) int64 {
	return tablebase.Header{Kind: tablebase.KindBytes, Tag: rs.Tag, Positions: rs.Positions, Decisive: decisive}.Length()
}

func (formatBytes) write(ctx context.Context, w io.Writer, rs rules.Ruleset, source tablebase.Source, threads int, report func(uint64)) (tablebase.Digest, error) {
	return tablebase.WriteBytes(ctx, w, rs, source, threads, report)
}

func (formatBytes) open(_ context.Context, file *os.File, _ tablebase.Mode, known []rules.Ruleset) (input, error) {
	r, err := tablebase.NewByteReader(file, known...)
	if err != nil {
		return nil, err
	}
	return &bytesInput{r, file}, nil
}

// bytesInput is an open .tb. It is a stream: its entries are read in order, once, by one thread, and
// it says at its end whether it was good.
type bytesInput struct {
	*tablebase.ByteReader
	file *os.File
}

func (in *bytesInput) noEntries() string                { return "" }
func (in *bytesInput) Close() error                     { return errors.Join(in.ByteReader.Close(), in.file.Close()) }
func (in *bytesInput) Path() string                     { return in.file.Name() }
func (in *bytesInput) decisive() [rules.Sections]uint64 { return in.Header().Decisive }
func (in *bytesInput) describe(w io.Writer, size int64) {
	describeHeader(w, in.Header(), in.Ruleset(), size)
}

func (in *bytesInput) verify(ctx context.Context, _ int, report func(uint64)) (digests, error) {
	content, err := tablebase.Write(ctx, io.Discard, in.Ruleset(), in.ByteReader, 1, report)
	err = errors.Join(err, in.ByteReader.Close())
	return digests{in.Digest(), content}, err
}

func (in *bytesInput) rewrite(ctx context.Context, out artifact, was digests, _ int, p progressFunc) error {
	if _, err := in.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r, err := tablebase.NewByteReader(in.file, in.Ruleset())
	if err != nil {
		return err
	}
	err = out.write(ctx, in.Ruleset(), r, 1, p, func(written tablebase.Digest) error {
		return errors.Join(r.Close(), out.checkCopy(in.Path(), written, was))
	})
	if err != nil {
		r.Close()
	}
	return err
}

// formatProbability is .prob: for each position a probability and the better action.
type formatProbability struct{}

func (formatProbability) ending() string     { return ".prob" }
func (formatProbability) compressible() bool { return true }
func (in *probabilityInput) noEntries() string {
	return "a table of probabilities has no wins and losses: 'solved prove' checks its values"
}
func (formatProbability) is(file *os.File) (bool, error) {
	is, _, err := probability.IsFile(file)
	return is, err
}

func (formatProbability) size(rs rules.Ruleset, _ [rules.Sections]uint64) int64 {
	return probability.Length(rs.Positions[rules.Main])
}

func (f formatProbability) write(context.Context, io.Writer, rules.Ruleset, tablebase.Source, int, func(uint64)) (tablebase.Digest, error) {
	return tablebase.Digest{}, fmt.Errorf("a %s file cannot be made of wins, losses and draws", f.ending())
}

func (formatProbability) open(_ context.Context, file *os.File, mode tablebase.Mode, known []rules.Ruleset) (input, error) {
	t, err := probability.OpenFile(file, mode, known...)
	if err != nil {
		return nil, err
	}
	return &probabilityInput{t, file}, nil
}

// probabilityInput is an open .prob.
type probabilityInput struct {
	*probability.Table
	file *os.File
}

func (in *probabilityInput) Close() error { return errors.Join(in.Table.Close(), in.file.Close()) }

func (in *probabilityInput) decisive() (none [rules.Sections]uint64) { return none }
func (in *probabilityInput) describe(w io.Writer, size int64) {
	positions := in.Ruleset().Positions[rules.Main]
	fmt.Fprintf(w, "format     %s\n", probability.Magic)
	fmt.Fprintf(w, "rules      %s\n", describe(in.Ruleset()))
	fmt.Fprintf(w, "file       %d bytes\n", size)
	fmt.Fprintf(w, "table      %d bytes\n", probability.Length(positions))
	fmt.Fprintf(w, "%-10s %d positions\n", rules.Main, positions)
}

func (in *probabilityInput) verify(ctx context.Context, _ int, _ func(uint64)) (digests, error) {
	d, err := in.Verify(ctx)
	return digests{d, d}, err
}

func (in *probabilityInput) rewrite(_ context.Context, out artifact, was digests, _ int, _ progressFunc) error {
	return copyProbability(out.path, in.Table, was.contents)
}

// writeProbability writes a table of probabilities, whole or not at all.
func writeProbability(path string, rs rules.Ruleset, entry func(index uint64) probability.Entry) error {
	return tablebase.Create(path, func(w io.Writer) error {
		_, err := probability.Write(w, rs, entry)
		return err
	})
}

// copyProbability writes the values of a table of probabilities as another file, whole or not
// at all. The table has been verified, with this digest.
func copyProbability(path string, t *probability.Table, was tablebase.Digest) error {
	return tablebase.Create(path, func(w io.Writer) error {
		var failed error
		written, err := probability.Write(w, t.Ruleset(), func(index uint64) probability.Entry {
			e, err := t.Lookup(index)
			failed = errors.Join(failed, err)
			return e
		})
		if err := errors.Join(failed, err); err != nil {
			return err
		}
		return artifact{path, formatProbability{}}.checkCopy(t.Path(), written, digests{contents: was})
	})
}

// describeHeader writes the header of a .ttb or .tb for people.
func describeHeader(w io.Writer, header tablebase.Header, rs rules.Ruleset, size int64) {
	fmt.Fprintf(w, "format     %s\n", header.Kind)
	fmt.Fprintf(w, "rules      %s\n", describe(rs))
	fmt.Fprintf(w, "file       %d bytes\n", size)
	fmt.Fprintf(w, "table      %d bytes\n", header.Length())
	for section := range rules.Section(rules.Sections) {
		if header.Positions[section] == 0 {
			continue // the game has no such section
		}
		fmt.Fprintf(w, "%-10s %d positions", section, header.Positions[section])
		if header.Kind == tablebase.KindCompact {
			fmt.Fprintf(w, ", %d decisive", header.Decisive[section])
		}
		fmt.Fprintln(w)
	}
}

// artifact is a file to write.
type artifact struct {
	path   string
	format format
}

// size is how many bytes the file will have at least, 0 if that cannot be told beforehand.
func (a artifact) size(rs rules.Ruleset, decisive [rules.Sections]uint64) int64 {
	if strings.HasSuffix(a.path, ".zst") {
		return 0
	}
	return a.format.size(rs, decisive)
}

// checkOutputs refuses to begin work whose files could not be written as things are: each file
// needs a directory that can be written to, and all of them need room there. decisive are the
// decisive positions of the ruleset, as far as they are known.
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

// write writes the entries of a ruleset, whole or not at all. finish, if not nil, is called
// before the file takes its name, with the digest that the format's write returns. Its error
// keeps the file from being kept.
func (a artifact) write(ctx context.Context, rs rules.Ruleset, source tablebase.Source, threads int, p progressFunc, finish func(tablebase.Digest) error) error {
	return tablebase.Create(a.path, func(w io.Writer) error {
		digest, err := a.format.write(ctx, w, rs, source, threads, p.positions("writing "+a.path, rs))
		if err == nil && finish != nil {
			err = finish(digest)
		}
		return err
	})
}

// writeAll writes the entries of a ruleset to files.
func writeAll(ctx context.Context, files []artifact, rs rules.Ruleset, source tablebase.Source, threads int, p progressFunc) error {
	for _, file := range files {
		if err := file.write(ctx, rs, source, threads, p, nil); err != nil {
			return err
		}
	}
	return nil
}

// checkCopy holds the digest of a written file against those of the file that it was made
// from. Without a digest of the file, that file was not of the same format.
func (a artifact) checkCopy(from string, written tablebase.Digest, was digests) error {
	same := written == was.contents
	if _, ok := a.format.(formatBytes); ok {
		same = written.Decisive == was.contents.Decisive && (was.file.Bytes == 0 || written == was.file)
	}
	if !same {
		return fmt.Errorf("%s: the contents that were written are not those that were verified: %w", from, errUnsettled)
	}
	return nil
}

// tableKind describes the table files of one ruleset.
type tableKind struct {
	ruleset rules.Ruleset
	// formats are those that files of the ruleset can have; a server makes the first.
	formats []format
	// right returns the digest of the contents of the only right table: that of its .ttb or .prob.
	right func() (tablebase.Digest, error)
}

// has says whether files of the ruleset can have a format.
func (k tableKind) has(f format) bool { return slices.Contains(k.formats, f) }

// check refuses to make files of formats that the ruleset does not have.
func (k tableKind) check(files ...artifact) error {
	for _, file := range files {
		if k.has(file.format) {
			continue
		}
		var endings []string
		for _, f := range k.formats {
			endings = append(endings, f.ending())
		}
		return fmt.Errorf("%s cannot be a table of %s: those end in %s", file.path, describe(k.ruleset), strings.Join(endings, ", "))
	}
	return nil
}

// catalog lists the rulesets that have table files.
type catalog []tableKind

// find finds the ruleset with a tag.
func (c catalog) find(tag rules.Tag) (tableKind, error) {
	for _, k := range c {
		if k.ruleset.Tag == tag {
			return k, nil
		}
	}
	return tableKind{}, fmt.Errorf("there are no table files of the rules tag %s", tag)
}

// formats returns all formats, each once.
func (c catalog) formats() (all []format) {
	for _, k := range c {
		for _, f := range k.formats {
			if !slices.Contains(all, f) {
				all = append(all, f)
			}
		}
	}
	return all
}

// rulesets returns those that have files of a format.
func (c catalog) rulesets(f format) (list []rules.Ruleset) {
	for _, k := range c {
		if k.has(f) {
			list = append(list, k.ruleset)
		}
	}
	return list
}

// known returns the rulesets that a file of a format at path is held against: those given, or
// all if none is given, that have files of the format.
func (c catalog) known(path string, f format, only []rules.Ruleset) ([]rules.Ruleset, error) {
	var fitting []rules.Ruleset
	for _, rs := range c.rulesets(f) {
		if len(only) == 0 || slices.ContainsFunc(only, func(o rules.Ruleset) bool { return o.Tag == rs.Tag }) {
			fitting = append(fitting, rs)
		}
	}
	if len(fitting) == 0 {
		return nil, &unfitError{path, f, only}
	}
	return fitting, nil
}

// unfitError says that a file is of a format that tables of a ruleset do not have.
type unfitError struct {
	path     string
	format   format
	rulesets []rules.Ruleset // that it was to be of; none for any
}

func (e *unfitError) Error() string {
	of := "any ruleset"
	if len(e.rulesets) > 0 {
		of = describe(e.rulesets[0])
	}
	return fmt.Sprintf("%s is a %s file, of which there are none of %s", e.path, e.format.ending(), of)
}

// artifactAt takes the format of a file to write from the ending of its name.
func (c catalog) artifactAt(path string) (artifact, error) {
	name, compressed := strings.CutSuffix(path, ".zst")
	var endings []string
	for _, f := range c.formats() {
		if strings.HasSuffix(name, f.ending()) && (f.compressible() || !compressed) {
			return artifact{path, f}, nil
		}
		ending := f.ending()
		if f.compressible() {
			ending += "[.zst]"
		}
		endings = append(endings, ending)
	}
	return artifact{}, fmt.Errorf("the name %q tells no format: a table's name ends in %s", path, strings.Join(endings, ", "))
}

// openInput opens a file that a command reads, once for all looks at it, with the format that its
// contents tell, and of the given rulesets, or of any if none is given. A file that is no table
// at all counts as a compact table, whose error says why it is none.
func (c catalog) openInput(ctx context.Context, path string, mode tablebase.Mode, only ...rules.Ruleset) (input, error) {
	file, _, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	f, err := c.formatOf(file)
	var known []rules.Ruleset
	if err == nil {
		known, err = c.known(path, f, only)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	in, err := f.open(ctx, file, mode, known)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return in, nil
}

// formatOf tells the format of an open file by its contents.
func (c catalog) formatOf(file *os.File) (format, error) {
	for _, f := range c.formats() {
		if f == (formatCompact{}) {
			continue
		}
		if is, err := f.is(file); is || err != nil {
			return f, err
		}
	}
	return formatCompact{}, nil
}
