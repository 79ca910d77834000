package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"solved/rules"
	"solved/tablebase"
	"solved/tablebase/probability"
)

// Format is a file format of tables.
type Format interface {
	// Ending is the ending of the names of files of the format, such as ".ttb".
	Ending() string
	// Compressible says whether a file of the format may be compressed by Zstandard.
	Compressible() bool
	// Size is the least number of bytes of a file, 0 if that depends on the values.
	Size(rs rules.Ruleset, decisive [rules.Sections]uint64) int64
	// Is says whether the contents of an open file are of the format.
	Is(file *os.File) (bool, error)
	// Open opens the table in a file, of one of the known rulesets. The input closes the file;
	// with an error, the caller does.
	Open(ctx context.Context, file *os.File, mode tablebase.Mode, known []rules.Ruleset) (Input, error)
	// Write writes the entries of a ruleset. It returns the digest of the file; of a kernel, that
	// of the compact table that it equals.
	Write(ctx context.Context, w io.Writer, rs rules.Ruleset, source tablebase.Source, threads int, report func(done uint64)) (tablebase.Digest, error)
}

// Input is an open table file of any format, as commands read it.
type Input interface {
	Path() string
	Ruleset() rules.Ruleset
	Close() error
	// NoEntries says why the file has no wins and losses to read one by one, and what to do
	// about it; empty for an EntrySource.
	NoEntries() string
	// Decisive are the decisive positions, as far as the header tells.
	Decisive() [rules.Sections]uint64
	// Describe writes the header of the file, which has so many bytes, for people.
	Describe(w io.Writer, size int64)
	// Stat describes the open file itself: another one may have its name by now.
	Stat() (fs.FileInfo, error)
	// Verify checks everything about the file.
	Verify(ctx context.Context, threads int, report func(done uint64)) (Digests, error)
	// Rewrite writes the contents as another file, after Verify, whose digests it gets. It writes
	// the verified contents, or returns an error and writes no file.
	Rewrite(ctx context.Context, out Artifact, was Digests, threads int, p ProgressFunc) error
}

// EntrySource is an input with a win, a loss or a draw for each position.
type EntrySource interface {
	Input
	tablebase.Source
}

// Digests are those of a verified file.
type Digests struct {
	// File is the digest of the uncompressed file. Contents is that of the .ttb or .prob with the
	// same contents.
	File, Contents tablebase.Digest
}

// AnyDigestUsage describes the flag with which commands accept tables that are not the right ones.
const AnyDigestUsage = "accept well-formed tables whose contents are not the right ones of their ruleset"

// ProgressFunc is called with the progress of a stage of long work. It may be nil.
type ProgressFunc func(stage string, done, total uint64)

// Positions returns a function that reports the progress of a stage through all positions of a ruleset.
func (p ProgressFunc) Positions(stage string, rs rules.Ruleset) func(done uint64) {
	if p == nil {
		return nil
	}
	total := rs.Positions[rules.Main] + rs.Positions[rules.Opening]
	return func(done uint64) { p(stage, done, total) }
}

// FormatCompact is .ttb: wins, losses and draws, compressed so that any entry can be looked up.
type FormatCompact struct{}

func (FormatCompact) Ending() string            { return ".ttb" }
func (FormatCompact) Compressible() bool        { return true }
func (FormatCompact) Is(*os.File) (bool, error) { return true, nil } // opening a file that is no table returns the reason
func (FormatCompact) Size(rs rules.Ruleset, decisive [rules.Sections]uint64) int64 {
	return tablebase.Header{Kind: tablebase.KindCompact, Tag: rs.Tag, Positions: rs.Positions, Decisive: decisive}.Length()
}

func (FormatCompact) Write(ctx context.Context, w io.Writer, rs rules.Ruleset, source tablebase.Source, threads int, report func(uint64)) (tablebase.Digest, error) {
	return tablebase.Write(ctx, w, rs, source, threads, report)
}

func (FormatCompact) Open(ctx context.Context, file *os.File, mode tablebase.Mode, known []rules.Ruleset) (Input, error) {
	t, err := tablebase.OpenFile(ctx, file, mode, known...)
	if err != nil {
		return nil, err
	}
	return &CompactInput{t, file}, nil
}

// CompactInput is an open .ttb.
type CompactInput struct {
	*tablebase.Table
	file *os.File
}

func (in *CompactInput) Stat() (fs.FileInfo, error) { return in.file.Stat() }
func (in *CompactInput) NoEntries() string          { return "" }
func (in *CompactInput) Close() error               { return errors.Join(in.Table.Close(), in.file.Close()) }

func (in *CompactInput) Decisive() [rules.Sections]uint64 { return in.Header().Decisive }
func (in *CompactInput) Describe(w io.Writer, size int64) {
	describeHeader(w, in.Header(), in.Ruleset(), size)
}
func (in *CompactInput) Verify(ctx context.Context, threads int, _ func(uint64)) (Digests, error) {
	d, err := in.Table.Verify(ctx, threads)
	return Digests{d, d}, err
}

func (in *CompactInput) Rewrite(ctx context.Context, out Artifact, was Digests, threads int, p ProgressFunc) error {
	return out.Write(ctx, in.Ruleset(), in.Table, threads, p, func(written tablebase.Digest) error {
		return out.CheckCopy(in.Path(), written, Digests{Contents: was.Contents})
	})
}

// FormatBytes is .tb: a byte for each position, in order.
type FormatBytes struct{}

func (FormatBytes) Ending() string     { return ".tb" }
func (FormatBytes) Compressible() bool { return true }
func (FormatBytes) Is(file *os.File) (bool, error) {
	kind, _, err := tablebase.DetectFile(file)
	return kind == tablebase.KindBytes, err
}

func (FormatBytes) Size(rs rules.Ruleset, decisive [rules.Sections]uint64) int64 {
	return tablebase.Header{Kind: tablebase.KindBytes, Tag: rs.Tag, Positions: rs.Positions, Decisive: decisive}.Length()
}

func (FormatBytes) Write(ctx context.Context, w io.Writer, rs rules.Ruleset, source tablebase.Source, threads int, report func(uint64)) (tablebase.Digest, error) {
	return tablebase.WriteBytes(ctx, w, rs, source, threads, report)
}

func (FormatBytes) Open(_ context.Context, file *os.File, _ tablebase.Mode, known []rules.Ruleset) (Input, error) {
	r, err := tablebase.NewByteReader(file, known...)
	if err != nil {
		return nil, err
	}
	return &BytesInput{r, file}, nil
}

// BytesInput is an open .tb. It is a stream: one thread reads its entries once, in order. Damage is
// reported at its end.
type BytesInput struct {
	*tablebase.ByteReader
	file *os.File
}

func (in *BytesInput) Stat() (fs.FileInfo, error)       { return in.file.Stat() }
func (in *BytesInput) NoEntries() string                { return "" }
func (in *BytesInput) Close() error                     { return errors.Join(in.ByteReader.Close(), in.file.Close()) }
func (in *BytesInput) Path() string                     { return in.file.Name() }
func (in *BytesInput) Decisive() [rules.Sections]uint64 { return in.Header().Decisive }
func (in *BytesInput) Describe(w io.Writer, size int64) {
	describeHeader(w, in.Header(), in.Ruleset(), size)
}

func (in *BytesInput) Verify(ctx context.Context, _ int, report func(uint64)) (Digests, error) {
	content, err := tablebase.Write(ctx, io.Discard, in.Ruleset(), in.ByteReader, 1, report)
	err = errors.Join(err, in.ByteReader.Close())
	return Digests{in.Digest(), content}, err
}

func (in *BytesInput) Rewrite(ctx context.Context, out Artifact, was Digests, _ int, p ProgressFunc) error {
	if _, err := in.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r, err := tablebase.NewByteReader(in.file, in.Ruleset())
	if err != nil {
		return err
	}
	err = out.Write(ctx, in.Ruleset(), r, 1, p, func(written tablebase.Digest) error {
		return errors.Join(r.Close(), out.CheckCopy(in.Path(), written, was))
	})
	if err != nil {
		r.Close()
	}
	return err
}

// FormatProbability is .prob: for each position a probability and the better action.
type FormatProbability struct{}

func (FormatProbability) Ending() string     { return ".prob" }
func (FormatProbability) Compressible() bool { return true }
func (in *probabilityInput) NoEntries() string {
	return "a table of probabilities has no wins and losses: 'solved prove' checks its values"
}
func (FormatProbability) Is(file *os.File) (bool, error) {
	is, _, err := probability.IsFile(file)
	return is, err
}

func (FormatProbability) Size(rs rules.Ruleset, _ [rules.Sections]uint64) int64 {
	return probability.Length(rs.Positions[rules.Main])
}

func (f FormatProbability) Write(context.Context, io.Writer, rules.Ruleset, tablebase.Source, int, func(uint64)) (tablebase.Digest, error) {
	return tablebase.Digest{}, fmt.Errorf("a %s file cannot be made of wins, losses and draws", f.Ending())
}

func (FormatProbability) Open(_ context.Context, file *os.File, mode tablebase.Mode, known []rules.Ruleset) (Input, error) {
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

func (in *probabilityInput) Stat() (fs.FileInfo, error) { return in.file.Stat() }
func (in *probabilityInput) Close() error               { return errors.Join(in.Table.Close(), in.file.Close()) }

func (in *probabilityInput) Decisive() (none [rules.Sections]uint64) { return none }
func (in *probabilityInput) Describe(w io.Writer, size int64) {
	positions := in.Ruleset().Positions[rules.Main]
	fmt.Fprintf(w, "format     %s\n", probability.Magic)
	fmt.Fprintf(w, "rules      %s\n", Describe(in.Ruleset()))
	fmt.Fprintf(w, "file       %d bytes\n", size)
	fmt.Fprintf(w, "table      %d bytes\n", probability.Length(positions))
	fmt.Fprintf(w, "%-10s %d positions\n", rules.Main, positions)
}

func (in *probabilityInput) Verify(ctx context.Context, _ int, _ func(uint64)) (Digests, error) {
	d, err := in.Table.Verify(ctx)
	return Digests{d, d}, err
}

func (in *probabilityInput) Rewrite(_ context.Context, out Artifact, was Digests, _ int, _ ProgressFunc) error {
	return copyProbability(out.Path, in.Table, was.Contents)
}

// WriteProbability writes a table of probabilities, whole or not at all.
func WriteProbability(path string, rs rules.Ruleset, entry func(index uint64) probability.Entry) error {
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
		return Artifact{path, FormatProbability{}}.CheckCopy(t.Path(), written, Digests{Contents: was})
	})
}

// describeHeader writes the header of a .ttb or .tb for people.
func describeHeader(w io.Writer, header tablebase.Header, rs rules.Ruleset, size int64) {
	fmt.Fprintf(w, "format     %s\n", header.Kind)
	fmt.Fprintf(w, "rules      %s\n", Describe(rs))
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

// Artifact is a file to write.
type Artifact struct {
	Path   string
	Format Format
}

// Size is the least number of bytes of the file, 0 if it is not known beforehand.
func (a Artifact) Size(rs rules.Ruleset, decisive [rules.Sections]uint64) int64 {
	if strings.HasSuffix(a.Path, ".zst") {
		return 0
	}
	return a.Format.Size(rs, decisive)
}

// CheckOutputs returns an error if files could not be written: each file needs a directory that can be
// written to, and all of them need room there. decisive is the number of decisive positions of the
// ruleset, as far as it is known.
func CheckOutputs(rs rules.Ruleset, decisive [rules.Sections]uint64, files ...Artifact) error {
	taken := make(map[string]int64) // by directory
	for _, file := range files {
		dir := filepath.Dir(file.Path)
		taken[dir] += file.Size(rs, decisive)
		if err := tablebase.CanCreate(file.Path, taken[dir]); err != nil {
			return err
		}
	}
	return nil
}

// Write writes the entries of a ruleset, whole or not at all. Before the file takes its name, Write
// calls finish, if not nil, with the digest that the format's Write returns. If finish returns an
// error, Write removes the file.
func (a Artifact) Write(ctx context.Context, rs rules.Ruleset, source tablebase.Source, threads int, p ProgressFunc, finish func(tablebase.Digest) error) error {
	return tablebase.Create(a.Path, func(w io.Writer) error {
		digest, err := a.Format.Write(ctx, w, rs, source, threads, p.Positions("writing "+a.Path, rs))
		if err == nil && finish != nil {
			err = finish(digest)
		}
		return err
	})
}

// WriteAll writes the entries of a ruleset to files.
func WriteAll(ctx context.Context, files []Artifact, rs rules.Ruleset, source tablebase.Source, threads int, p ProgressFunc) error {
	for _, file := range files {
		if err := file.Write(ctx, rs, source, threads, p, nil); err != nil {
			return err
		}
	}
	return nil
}

// CheckCopy compares the digest of a written file with those of the file that it was made from. was.File
// is empty if that file had another format.
func (a Artifact) CheckCopy(from string, written tablebase.Digest, was Digests) error {
	same := written == was.Contents
	if _, ok := a.Format.(FormatBytes); ok {
		same = written.Decisive == was.Contents.Decisive && (was.File.Bytes == 0 || written == was.File)
	}
	if !same {
		return fmt.Errorf("%s: the contents that were written are not those that were verified: %w", from, ErrUnsettled)
	}
	return nil
}

// TableKind describes the table files of one ruleset.
type TableKind struct {
	Ruleset rules.Ruleset
	// Formats are the formats of the ruleset's files. A server makes files of the first.
	Formats []Format
	// Right returns the digest of the right table's .ttb or .prob.
	Right func() (tablebase.Digest, error)
}

// has says whether files of the ruleset can have a format.
func (k TableKind) has(f Format) bool { return slices.Contains(k.Formats, f) }

// Check returns an error if the ruleset does not have the format of a file.
func (k TableKind) Check(files ...Artifact) error {
	for _, file := range files {
		if k.has(file.Format) {
			continue
		}
		var endings []string
		for _, f := range k.Formats {
			endings = append(endings, f.Ending())
		}
		return fmt.Errorf("%s cannot be a table of %s: those end in %s", file.Path, Describe(k.Ruleset), strings.Join(endings, ", "))
	}
	return nil
}

// Catalog lists the rulesets that have table files.
type Catalog []TableKind

// find finds the ruleset with a tag.
func (c Catalog) find(tag rules.Tag) (TableKind, error) {
	for _, k := range c {
		if k.Ruleset.Tag == tag {
			return k, nil
		}
	}
	return TableKind{}, fmt.Errorf("there are no table files of the rules tag %s", tag)
}

// formats returns all formats, each once.
func (c Catalog) formats() (all []Format) {
	for _, k := range c {
		for _, f := range k.Formats {
			if !slices.Contains(all, f) {
				all = append(all, f)
			}
		}
	}
	return all
}

// Rulesets returns the rulesets that have files of a format.
func (c Catalog) Rulesets(f Format) (list []rules.Ruleset) {
	for _, k := range c {
		if k.has(f) {
			list = append(list, k.Ruleset)
		}
	}
	return list
}

// known returns the rulesets of which the file at path may be a table: those of only, or all if only is
// empty, that have files of the format.
func (c Catalog) known(path string, f Format, only []rules.Ruleset) ([]rules.Ruleset, error) {
	var fitting []rules.Ruleset
	for _, rs := range c.Rulesets(f) {
		if len(only) == 0 || slices.ContainsFunc(only, func(o rules.Ruleset) bool { return o.Tag == rs.Tag }) {
			fitting = append(fitting, rs)
		}
	}
	if len(fitting) == 0 {
		return nil, &UnfitError{path, f, only}
	}
	return fitting, nil
}

// UnfitError is the error of a file in a format that the ruleset does not have.
type UnfitError struct {
	path     string
	format   Format
	rulesets []rules.Ruleset // the expected rulesets; none for any
}

func (e *UnfitError) Error() string {
	of := "any ruleset"
	if len(e.rulesets) > 0 {
		of = Describe(e.rulesets[0])
	}
	return fmt.Sprintf("%s is a %s file, of which there are none of %s", e.path, e.format.Ending(), of)
}

// ArtifactAt returns a file to write, whose format follows from the ending of its name.
func (c Catalog) ArtifactAt(path string) (Artifact, error) {
	name, compressed := strings.CutSuffix(path, ".zst")
	var endings []string
	for _, f := range c.formats() {
		if strings.HasSuffix(name, f.Ending()) && (f.Compressible() || !compressed) {
			return Artifact{path, f}, nil
		}
		ending := f.Ending()
		if f.Compressible() {
			ending += "[.zst]"
		}
		endings = append(endings, ending)
	}
	return Artifact{}, fmt.Errorf("the name %q tells no format: a table's name ends in %s", path, strings.Join(endings, ", "))
}

// OpenInput opens a file that a command reads. It recognizes the format by the contents. A file that
// is no table counts as a compact table, whose error gives the reason.
func (c Catalog) OpenInput(ctx context.Context, path string, mode tablebase.Mode) (Input, error) {
	file, _, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	f, err := c.formatOf(file)
	var known []rules.Ruleset
	if err == nil {
		known, err = c.known(path, f, nil)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	in, err := f.Open(ctx, file, mode, known)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return in, nil
}

// formatOf recognizes the format of an open file by its contents.
func (c Catalog) formatOf(file *os.File) (Format, error) {
	for _, f := range c.formats() {
		if f == (FormatCompact{}) {
			continue
		}
		if is, err := f.Is(file); is || err != nil {
			return f, err
		}
	}
	return FormatCompact{}, nil
}

// OpenEntries opens a file that has a win, a loss or a draw for each position. It reads a compact table
// into memory, so that the verified bytes are the bytes that are used.
func (c Catalog) OpenEntries(ctx context.Context, path string) (EntrySource, error) {
	in, err := c.OpenInput(ctx, path, tablebase.Memory)
	if err != nil {
		return nil, err
	}
	source, ok := in.(EntrySource)
	if !ok {
		return nil, errors.Join(fmt.Errorf("%s: %s", path, in.NoEntries()), in.Close())
	}
	return source, nil
}
