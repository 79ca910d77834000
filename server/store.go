package main

import (
	"context"

	"solved/api"
	"solved/rules"
	"solved/tablebase"
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

// openStore opens a table file of one of the known rulesets, and says whether it is
// compressed. What it checks is what tablebase.OpenContext does.
func openStore(ctx context.Context, path string, mode tablebase.Mode, known ...rules.Ruleset) (s store, compressed bool, err error) {
	table, err := tablebase.OpenContext(ctx, path, mode, known...)
	if err != nil {
		return nil, false, err
	}
	_, compressed, err = tablebase.DetectFile(path)
	return compactStore{table}, compressed && err == nil, nil
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
