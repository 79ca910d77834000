package tables

import (
	"context"
	"fmt"
	"os"

	"solved/api"
	"solved/rules"
	"solved/tablebase"
	"solved/tablebase/probability"
)

// Contents is a table or a closed form as it is opened, before a game binds it to the
// type that its evaluator reads.
type Contents interface {
	// Wire describes the contents as far as their header tells. The caller adds the source and
	// the times.
	Wire() api.Table
}

// store is an open table that a server can answer from.
type store interface {
	Contents
	Path() string
	Ruleset() rules.Ruleset
	Close() error
	// Verify reads the whole table on a number of threads and checks everything.
	Verify(ctx context.Context, threads int) (tablebase.Digest, error)
	// length is the number of bytes of the table when it is not compressed.
	length() int64
}

// openStore opens the table in an open file, of one of the given rulesets, of all in the
// catalog if none is given, and says whether it is compressed. It checks as much as
// tablebase.OpenFile does.
func (c Catalog) openStore(ctx context.Context, file *os.File, mode tablebase.Mode, only ...rules.Ruleset) (s store, compressed bool, err error) {
	is, compressed, err := probability.IsFile(file)
	if err == nil && is {
		known, err := c.known(file.Name(), FormatProbability{}, only)
		if err != nil {
			return nil, false, err
		}
		table, err := probability.OpenFile(file, mode, known...)
		if err != nil {
			return nil, false, err
		}
		return probabilityStore{table}, compressed, nil
	}
	// A file that cannot be read cannot be opened either, and the error of opening it says why.
	known, err := c.known(file.Name(), FormatCompact{}, only)
	if err != nil {
		return nil, false, err
	}
	table, err := tablebase.OpenFile(ctx, file, mode, known...)
	if err != nil {
		return nil, false, err
	}
	return CompactStore{table}, compressed, nil
}

// CompactStore is a table of wins, losses and draws.
type CompactStore struct{ *tablebase.Table }

func (s CompactStore) Verify(ctx context.Context, threads int) (tablebase.Digest, error) {
	return s.Table.Verify(ctx, threads)
}

func (s CompactStore) Wire() api.Table {
	h := s.Header()
	return api.Table{
		Format:           new(tablebase.CompactMagic),
		MainPositions:    &h.Positions[rules.Main],
		OpeningPositions: unlessZero(h.Positions[rules.Opening]),
		Decisive:         new(h.Decisive[rules.Main] + h.Decisive[rules.Opening]),
	}
}

func (s CompactStore) length() int64 { return s.Header().Length() }

// probabilityStore is a table of probabilities.
type probabilityStore struct{ *probability.Table }

func (s probabilityStore) Verify(ctx context.Context, _ int) (tablebase.Digest, error) {
	return s.Table.Verify(ctx)
}

func (s probabilityStore) Wire() api.Table {
	return api.Table{Format: new(probability.Magic), MainPositions: new(s.Ruleset().Positions[rules.Main])}
}

func (s probabilityStore) length() int64 {
	return probability.Length(s.Ruleset().Positions[rules.Main])
}

// BoundError returns the error of contents of a type that a game cannot read.
func BoundError(c Contents) error { return fmt.Errorf("the game cannot answer from a %T", c) }

// BindCompact binds a table of wins, losses and draws.
func BindCompact(c Contents) (*tablebase.Table, error) {
	s, ok := c.(CompactStore)
	if !ok {
		return nil, BoundError(c)
	}
	return s.Table, nil
}

// BindProbability binds a table of probabilities.
func BindProbability(c Contents) (*probability.Table, error) {
	s, ok := c.(probabilityStore)
	if !ok {
		return nil, BoundError(c)
	}
	return s.Table, nil
}

// ClosedForm is the contents of a ruleset without a table: its values come from a closed form or a search.
type ClosedForm struct{ Source string } // one of api's sources

func (c ClosedForm) Wire() api.Table { return api.Table{Source: c.Source} }

// BindNothing binds the contents of a ruleset without a table.
func BindNothing(Contents) (struct{}, error) { return struct{}{}, nil }

// unlessZero returns a pointer to the size of a section, nil if the game does not have the section.
func unlessZero(n uint64) *uint64 {
	if n == 0 {
		return nil
	}
	return &n
}

// Describe returns the name and tag of a ruleset.
func Describe(r rules.Ruleset) string { return fmt.Sprintf("%s (%s)", r.Name, r.Tag) }
