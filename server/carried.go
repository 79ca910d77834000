package main

import (
	"context"
	"embed"
	"encoding/hex"
	"fmt"
	"time"

	"solved/api"
	"solved/rules"
	"solved/tablebase"
	"solved/tablebase/probability"
)

// kernels are the embedded tables, one for each ruleset that has one. Each is
// made by `solved solve RULES -o server/kernels/RULES.kernel`; that of tic-tac-toe, by
// `solved solve tic-tac-toe -o server/kernels/tic-tac-toe.ttb`, and that of Pig, by
// `solved solve pig -o server/kernels/pig.prob.zst`, are whole.
//
//go:embed kernels
var kernels embed.FS

// carried is a whole table that the program carries.
type carried struct {
	ruleset rules.Ruleset
	files   embed.FS
	name    string
	open    func([]byte, rules.Ruleset) (store, error)
}

// openCompact opens a .ttb.
func openCompact(data []byte, rs rules.Ruleset) (store, error) {
	t, err := tablebase.OpenBytes(data, rs)
	if err != nil {
		return nil, err
	}
	return compactStore{t}, nil
}

// openProbability opens a .prob, which may be compressed.
func openProbability(data []byte, rs rules.Ruleset) (store, error) {
	t, err := probability.OpenBytes(data, rs)
	if err != nil {
		return nil, err
	}
	return probabilityStore{t}, nil
}

// verified opens and verifies the table.
func (c carried) verified() (s store, digest tablebase.Digest, size int, err error) {
	data, err := c.files.ReadFile(c.name)
	if err != nil {
		return nil, tablebase.Digest{}, 0, err
	}
	if s, err = c.open(data, c.ruleset); err != nil {
		return nil, tablebase.Digest{}, 0, err
	}
	digest, err = s.verify(context.Background(), 1)
	return s, digest, len(data), err
}

// placeholder describes the table, in a format with this magic, before it is loaded.
func (c carried) placeholder(magic string) api.Table {
	return api.Table{
		Source:           api.SourceEmbedded,
		Format:           new(magic),
		MainPositions:    &c.ruleset.Positions[rules.Main],
		OpeningPositions: unlessZero(c.ruleset.Positions[rules.Opening]),
	}
}

// load loads the table.
func (c carried) load() (*loadedTable, error) {
	start := time.Now()
	s, digest, size, err := c.verified()
	if err != nil {
		return nil, err
	}
	wire := s.wire()
	wire.Source = api.SourceEmbedded
	wire.ContentSHA256, wire.CRC64 = new(hex.EncodeToString(digest.SHA256[:])), new(fmt.Sprintf("%016x", digest.CRC64))
	wire.LoadedAt = start.UTC().Format(time.RFC3339)
	wire.LoadSeconds = time.Since(start).Seconds()
	return &loadedTable{contents: s, state: api.StateReady, size: int64(size), wire: wire}, nil
}

// digest is that of the table.
func (c carried) digest() (tablebase.Digest, error) {
	_, digest, _, err := c.verified()
	return digest, err
}

// write writes the table to files.
func (c carried) write(ctx context.Context, files []artifact, threads int, p progressFunc) error {
	s, digest, _, err := c.verified()
	if err != nil {
		return err
	}
	switch s := s.(type) {
	case compactStore:
		return writeAll(ctx, files, c.ruleset, s.Table, threads, p)
	case probabilityStore:
		for _, file := range files {
			if err := copyProbability(file.path, s.Table, digest); err != nil {
				return err
			}
		}
	}
	return nil
}

// loadedNow is a closed form, which needs no loading.
func loadedNow(c closedForm) *loadedTable {
	wire := c.wire()
	wire.LoadedAt = time.Now().UTC().Format(time.RFC3339)
	return &loadedTable{contents: c, state: api.StateReady, wire: wire}
}
