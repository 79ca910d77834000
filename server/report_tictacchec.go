package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"solved/rules/tictacchec"
	"solved/server/report"
	"solved/tablebase"
)

// differingError says that a table gives other figures than have been published.
type differingError struct {
	path    string
	figures []report.Figure
}

// differingShown is how many figures the error names; the report has all.
const differingShown = 3

func (e *differingError) Error() string {
	var list []string
	for _, f := range e.figures[:min(len(e.figures), differingShown)] {
		list = append(list, fmt.Sprintf("%s: published %s, found %s", f.What, f.Published, f.Found))
	}
	if more := len(e.figures) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("%s does not bear out what has been published: %s", e.path, strings.Join(list, "; "))
}

// Is says that figures are not borne out.
func (e *differingError) Is(target error) bool { return target == errRefuted }

// report counts the table in a file, and writes report.md, report.json and plots.
func (g ticTacChecGame) report(ctx context.Context, o reportOptions, p progressFunc, out io.Writer) error {
	counted := report.Options{Quick: o.quick, Threads: o.threads, Progress: p}
	for _, text := range o.from {
		p, _, err := tictacchec.Parse(text)
		if err != nil {
			return err
		}
		counted.From = append(counted.From, p)
	}
	r, err := makeReport(ctx, o, counted)
	if contradiction := (*report.ContradictionError)(nil); errors.As(err, &contradiction) {
		return refutedError{err.Error()}
	}
	if err != nil {
		return err
	}
	names, err := r.Write(o.dir)
	if err != nil {
		return err
	}
	states := map[string]int{}
	for _, f := range r.Published {
		states[f.State]++
	}
	fmt.Fprintf(out, "%s: %s; of %d published figures %d agree, %d are corrected, %d differ, %d are left out\n", fileName(o.dir),
		strings.Join(names, ", "), len(r.Published), states[report.Agrees], states[report.Corrected], states[report.Differs], states[report.LeftOut])
	if list := r.Differing(); len(list) > 0 {
		return &differingError{o.path, list}
	}
	return nil
}

// makeReport opens the tables to compare with, unpacks the file, and counts.
func makeReport(ctx context.Context, o reportOptions, counted report.Options) (*report.Report, error) {
	for _, path := range o.compare {
		in, r, err := openReported(ctx, o, path)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		t, ok := in.(*compactInput)
		if !ok {
			return nil, fmt.Errorf("%s: a comparison needs a .ttb: convert it first", path)
		}
		d, err := t.verify(ctx, o.threads, nil)
		if err != nil {
			return nil, err
		}
		if _, err := o.catalog.checkDigest(path, t.Ruleset(), d.contents, o.anyDigest); err != nil {
			return nil, err
		}
		counted.Others = append(counted.Others, report.Other{Rules: r, Source: t.Table})
	}
	table, digest, err := unpackForReport(ctx, o, counted.Progress)
	if err != nil {
		return nil, err
	}
	defer table.Free()
	counted.Digest = digest
	return report.Make(ctx, table, counted)
}

// openReported opens a file with entries of Tic Tac Chec.
func openReported(ctx context.Context, o reportOptions, path string) (entrySource, *tictacchec.Rules, error) {
	in, err := openEntries(ctx, o.catalog, path)
	if err != nil {
		return nil, nil, err
	}
	r, err := rulesOfTag(in.Ruleset().Tag)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), in.Close())
	}
	return in, r, nil
}

// unpackForReport verifies the file to count and unpacks it. It returns the digest of the file.
func unpackForReport(ctx context.Context, o reportOptions, p progressFunc) (*report.Table, tablebase.Digest, error) {
	none := tablebase.Digest{}
	in, r, err := openReported(ctx, o, o.path)
	if err != nil {
		return nil, none, err
	}
	defer in.Close()
	if stream, ok := in.(*bytesInput); ok {
		return unpackStream(ctx, stream, r, o, p)
	}
	d, err := in.verify(ctx, o.threads, nil)
	if err != nil {
		return nil, none, err
	}
	if _, err := o.catalog.checkDigest(o.path, in.Ruleset(), d.contents, o.anyDigest); err != nil {
		return nil, none, err
	}
	table, err := report.Unpack(ctx, r, in, o.threads, p)
	return table, d.file, err
}

// unpackStream is unpackForReport for a byte table.
func unpackStream(ctx context.Context, in *bytesInput, r *tictacchec.Rules, o reportOptions, p progressFunc) (*report.Table, tablebase.Digest, error) {
	// A stream is read in order, by one thread, and checked as it goes by.
	table, err := report.Unpack(ctx, r, in, 1, p)
	err = errors.Join(err, in.ByteReader.Close())
	if err == nil {
		var content tablebase.Digest
		content, err = tablebase.Write(ctx, io.Discard, in.Ruleset(), table, o.threads, nil)
		if err == nil {
			_, err = o.catalog.checkDigest(o.path, in.Ruleset(), content, o.anyDigest)
		}
	}
	if err != nil {
		if table != nil {
			table.Free()
		}
		return nil, tablebase.Digest{}, err
	}
	return table, in.Digest(), nil
}
