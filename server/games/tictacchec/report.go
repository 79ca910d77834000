package tictacchec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"solved/rules/tictacchec"
	"solved/server/game"
	"solved/server/games/tictacchec/report"
	"solved/server/tables"
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
func (e *differingError) Is(target error) bool { return target == game.ErrRefuted }

// Report counts the table in an open file, and writes report.md, report.json and plots. It closes the
// file when it has read it.
func (g Game) Report(ctx context.Context, in tables.EntrySource, o game.ReportOptions, p tables.ProgressFunc, out io.Writer) error {
	counted := report.Options{Quick: o.Quick, Threads: o.Threads, Progress: p}
	for _, text := range o.From {
		p, _, err := tictacchec.Parse(text)
		if err != nil {
			return err
		}
		counted.From = append(counted.From, p)
	}
	r, err := makeReport(ctx, in, o, counted)
	if contradiction := (*report.ContradictionError)(nil); errors.As(err, &contradiction) {
		return game.RefutedError{Text: err.Error()}
	}
	if err != nil {
		return err
	}
	names, err := r.Write(o.Dir)
	if err != nil {
		return err
	}
	states := map[string]int{}
	for _, f := range r.Published {
		states[f.State]++
	}
	fmt.Fprintf(out, "%s: %s; of %d published figures %d agree, %d are corrected, %d differ, %d are left out\n", game.FileName(o.Dir),
		strings.Join(names, ", "), len(r.Published), states[report.Agrees], states[report.Corrected], states[report.Differs], states[report.LeftOut])
	if list := r.Differing(); len(list) > 0 {
		return &differingError{in.Path(), list}
	}
	return nil
}

// makeReport opens the tables to compare with, unpacks the file, and counts.
func makeReport(ctx context.Context, in tables.EntrySource, o game.ReportOptions, counted report.Options) (*report.Report, error) {
	for _, path := range o.Compare {
		other, err := o.Catalog.OpenEntries(ctx, path)
		if err != nil {
			return nil, err
		}
		defer other.Close()
		r, err := rulesOfTag(other.Ruleset().Tag)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		t, ok := other.(*tables.CompactInput)
		if !ok {
			return nil, fmt.Errorf("%s: a comparison needs a .ttb: convert it first", path)
		}
		d, err := t.Verify(ctx, o.Threads, nil)
		if err != nil {
			return nil, err
		}
		if _, err := o.Catalog.CheckDigest(path, t.Ruleset(), d.Contents, o.AnyDigest); err != nil {
			return nil, err
		}
		counted.Others = append(counted.Others, report.Other{Rules: r, Source: t.Table})
	}
	table, digest, err := unpackForReport(ctx, in, o, counted.Progress)
	if err != nil {
		return nil, err
	}
	defer table.Free()
	counted.Digest = digest
	return report.Make(ctx, table, counted)
}

// unpackForReport verifies the file to count, unpacks it and closes it. It returns the digest of the file.
func unpackForReport(ctx context.Context, in tables.EntrySource, o game.ReportOptions, p tables.ProgressFunc) (*report.Table, tablebase.Digest, error) {
	none := tablebase.Digest{}
	defer in.Close()
	r, err := rulesOfTag(in.Ruleset().Tag)
	if err != nil {
		return nil, none, fmt.Errorf("%s: %w", in.Path(), err)
	}
	if stream, ok := in.(*tables.BytesInput); ok {
		return unpackStream(ctx, stream, r, o, p)
	}
	d, err := in.Verify(ctx, o.Threads, nil)
	if err != nil {
		return nil, none, err
	}
	if _, err := o.Catalog.CheckDigest(in.Path(), in.Ruleset(), d.Contents, o.AnyDigest); err != nil {
		return nil, none, err
	}
	table, err := report.Unpack(ctx, r, in, o.Threads, p)
	return table, d.File, err
}

// unpackStream is unpackForReport for a byte table.
func unpackStream(ctx context.Context, in *tables.BytesInput, r *tictacchec.Rules, o game.ReportOptions, p tables.ProgressFunc) (*report.Table, tablebase.Digest, error) {
	// A stream is read in order, by one thread, and checked as it goes by.
	table, err := report.Unpack(ctx, r, in, 1, p)
	err = errors.Join(err, in.ByteReader.Close())
	if err == nil {
		var content tablebase.Digest
		content, err = tablebase.Write(ctx, io.Discard, in.Ruleset(), table, o.Threads, nil)
		if err == nil {
			_, err = o.Catalog.CheckDigest(in.Path(), in.Ruleset(), content, o.AnyDigest)
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
