package main

import (
	"context"
	"os"

	"solved/api"
	"solved/rules"
	"solved/tablebase"
	"solved/tablebase/probability"
)

// store is an open table file, of whatever format.
type store interface {
	Path() string
	Ruleset() rules.Ruleset
	Close() error
	// verify reads all of it on a number of threads and checks everything.
	verify(ctx context.Context, threads int) (tablebase.Digest, error)
	// wire says what there is to say of it without that.
	wire() api.Table
	// length is how many bytes the file has when it is not compressed.
	length() int64
	// contents is the open table itself.
	contents() any
}

// openStore opens the table in an open file, of one of the given rulesets, of all if none is
// given, and says whether it is compressed. What it checks is what tablebase.OpenFile does.
func openStore(ctx context.Context, file *os.File, mode tablebase.Mode, only ...rules.Ruleset) (s store, compressed bool, err error) {
	is, compressed, err := probability.IsFile(file)
	if err == nil && is {
		known, err := known(file.Name(), formatProbability, only)
		if err != nil {
			return nil, false, err
		}
		table, err := probability.OpenFile(file, mode, known...)
		if err != nil {
			return nil, false, err
		}
		return probabilityStore{table}, compressed, nil
	}
	// What cannot be peeked into cannot be opened either, and that says why.
	known, err := known(file.Name(), formatCompact, only)
	if err != nil {
		return nil, false, err
	}
	table, err := tablebase.OpenFile(ctx, file, mode, known...)
	if err != nil {
		return nil, false, err
	}
	return compactStore{table}, compressed, nil
}

// compactStore is a table of wins, losses and draws.
type compactStore struct{ *tablebase.Table }

func (s compactStore) verify(ctx context.Context, threads int) (tablebase.Digest, error) {
	return s.Verify(ctx, threads)
}

func (s compactStore) wire() api.Table {
	h := s.Header()
	return api.Table{
		Format:           new(tablebase.CompactMagic),
		MainPositions:    &h.Positions[rules.Main],
		OpeningPositions: unlessZero(h.Positions[rules.Opening]),
		Decisive:         new(h.Decisive[rules.Main] + h.Decisive[rules.Opening]),
	}
}

func (s compactStore) length() int64 { return s.Header().Length() }
func (s compactStore) contents() any { return s.Table }

// probabilityStore is a table of probabilities.
type probabilityStore struct{ *probability.Table }

func (s probabilityStore) verify(ctx context.Context, _ int) (tablebase.Digest, error) {
	return s.Verify(ctx)
}

func (s probabilityStore) wire() api.Table {
	return api.Table{Format: new(probability.Magic), MainPositions: new(s.Ruleset().Positions[rules.Main])}
}

func (s probabilityStore) length() int64 {
	return probability.Length(s.Ruleset().Positions[rules.Main])
}
func (s probabilityStore) contents() any { return s.Table }
