package tables

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

// Carried is a whole table that the program carries.
type Carried struct {
	Ruleset rules.Ruleset
	Files   embed.FS
	Name    string
	Open    func([]byte, rules.Ruleset) (store, error)
}

// OpenCompact opens a .ttb.
func OpenCompact(data []byte, rs rules.Ruleset) (store, error) {
	t, err := tablebase.OpenBytes(data, rs)
	if err != nil {
		return nil, err
	}
	return CompactStore{t}, nil
}

// OpenProbability opens a .prob, which may be compressed.
func OpenProbability(data []byte, rs rules.Ruleset) (store, error) {
	t, err := probability.OpenBytes(data, rs)
	if err != nil {
		return nil, err
	}
	return probabilityStore{t}, nil
}

// verified opens and verifies the table.
func (c Carried) verified() (s store, digest tablebase.Digest, size int, err error) {
	data, err := c.Files.ReadFile(c.Name)
	if err != nil {
		return nil, tablebase.Digest{}, 0, err
	}
	if s, err = c.Open(data, c.Ruleset); err != nil {
		return nil, tablebase.Digest{}, 0, err
	}
	digest, err = s.Verify(context.Background(), 1)
	return s, digest, len(data), err
}

// Placeholder describes the table, in a format with this magic, before it is loaded.
func (c Carried) Placeholder(magic string) api.Table {
	return api.Table{
		Source:           api.SourceEmbedded,
		Format:           new(magic),
		MainPositions:    &c.Ruleset.Positions[rules.Main],
		OpeningPositions: unlessZero(c.Ruleset.Positions[rules.Opening]),
	}
}

// Load loads the table.
func (c Carried) Load() (*Loaded, error) {
	start := time.Now()
	s, digest, size, err := c.verified()
	if err != nil {
		return nil, err
	}
	wire := s.Wire()
	wire.Source = api.SourceEmbedded
	wire.ContentSHA256, wire.CRC64 = new(hex.EncodeToString(digest.SHA256[:])), new(fmt.Sprintf("%016x", digest.CRC64))
	wire.LoadedAt = start.UTC().Format(time.RFC3339)
	wire.LoadSeconds = time.Since(start).Seconds()
	return &Loaded{Contents: s, State: api.StateReady, Size: int64(size), Wire: wire}, nil
}

// Digest is that of the table.
func (c Carried) Digest() (tablebase.Digest, error) {
	_, digest, _, err := c.verified()
	return digest, err
}

// Write writes the table to files.
func (c Carried) Write(ctx context.Context, files []Artifact, threads int, p ProgressFunc) error {
	s, digest, _, err := c.verified()
	if err != nil {
		return err
	}
	switch s := s.(type) {
	case CompactStore:
		return WriteAll(ctx, files, c.Ruleset, s.Table, threads, p)
	case probabilityStore:
		for _, file := range files {
			if err := copyProbability(file.Path, s.Table, digest); err != nil {
				return err
			}
		}
	}
	return nil
}

// LoadedNow is a closed form, which needs no loading.
func LoadedNow(c ClosedForm) *Loaded {
	wire := c.Wire()
	wire.LoadedAt = time.Now().UTC().Format(time.RFC3339)
	return &Loaded{Contents: c, State: api.StateReady, Wire: wire}
}
