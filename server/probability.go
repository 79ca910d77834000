package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"solved/rules"
	"solved/rules/pig"
	"solved/tablebase"
	"solved/tablebase/probability"
)

// probabilityEntries are the entries of a table of Pig.
type probabilityEntries struct{ table *probability.Table }

// Entry looks up an entry.
func (e probabilityEntries) Entry(index uint64) (probability uint16, best pig.Action, err error) {
	found, err := e.table.Lookup(index)
	return found.Probability, pig.Action(found.Best), err
}

// writeProbability writes a table of probabilities, whole or not at all.
func writeProbability(path string, rs rules.Ruleset, entry func(index uint64) probability.Entry) error {
	return tablebase.Create(path, func(w io.Writer) error {
		_, err := probability.Write(w, rs, entry)
		return err
	})
}

// convertProbability writes a table of probabilities as another file: compressed, or
// not.
func convertProbability(ctx context.Context, file *os.File, out artifact, anyDigest bool) (err error) {
	t, err := probability.OpenFile(file, tablebase.Memory, rulesets(formatProbability)...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if err := checkFormats(t.Ruleset().Tag, out); err != nil {
		return err
	}
	digest, err := t.Verify(ctx)
	if err != nil {
		return err
	}
	if _, err := heldAgainst(file.Name(), t.Ruleset(), digest, anyDigest); err != nil {
		return err
	}
	return copyProbability(out.path, t)
}

// copyProbability writes what a table of probabilities holds as another file, whole or not at
// all.
func copyProbability(path string, t *probability.Table) error {
	return tablebase.Create(path, func(w io.Writer) error {
		var failed error
		_, err := probability.Write(w, t.Ruleset(), func(index uint64) probability.Entry {
			e, err := t.Lookup(index)
			failed = errors.Join(failed, err)
			return e
		})
		return errors.Join(failed, err)
	})
}

// probabilityInfo tells what a table of probabilities says of itself.
func probabilityInfo(w io.Writer, file *os.File) error {
	t, err := probability.OpenFile(file, tablebase.Mapped, rulesets(formatProbability)...)
	if err != nil {
		return err
	}
	defer t.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	positions := t.Ruleset().Positions[rules.Main]
	fmt.Fprintf(w, "format     %s\n", probability.Magic)
	fmt.Fprintf(w, "rules      %s\n", describe(t.Ruleset()))
	fmt.Fprintf(w, "file       %d bytes\n", info.Size())
	fmt.Fprintf(w, "table      %d bytes\n", probability.Length(positions))
	fmt.Fprintf(w, "%-10s %d positions\n", rules.Main, positions)
	return nil
}
