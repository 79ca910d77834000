package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"solved/api"
	"solved/rules"
	"solved/tablebase"
)

// tableFile is an open table file on its way to being served.
type tableFile struct {
	table store
	game  *game
	// file is open for as long as the table is, to notice when it changes; was is
	// what it was at first.
	file   *os.File
	was    fs.FileInfo
	mode   tablebase.Mode
	opened time.Time
	// loading is how long opening took.
	loading time.Duration
	lease   *lease // closes the table and the file
}

// openTable opens a table of one of the known rulesets. What it checks is what
// tablebase.OpenContext does; verify does the rest.
func openTable(ctx context.Context, path string, mode tablebase.Mode, known ...rules.Ruleset) (*tableFile, error) {
	start := time.Now()
	// To open a pipe would wait for somebody to write.
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file but %s", path, info.Mode().Type())
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	was, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	table, compressed, err := openStore(ctx, path, mode, known...)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	g, err := findGame(table.Ruleset().Tag.String())
	if err != nil {
		return nil, errors.Join(err, table.Close(), file.Close())
	}
	f := &tableFile{table: table, game: g, file: file, was: was, mode: mode, opened: start}
	f.lease = newLease(func() error { return errors.Join(table.Close(), file.Close()) })
	if compressed {
		f.mode = tablebase.Memory // whatever was asked for: it cannot be mapped
	}
	// The file was opened by its name more than once; it must have been the same.
	if now, err := os.Stat(path); err != nil {
		return nil, errors.Join(err, f.close())
	} else if !os.SameFile(was, now) {
		return nil, errors.Join(fmt.Errorf("%s was replaced while it was being opened", path), f.close())
	}
	f.loading = time.Since(start)
	return f, nil
}

// intact returns an error when the file has been written to or cut since it was
// opened. A file that took its place by name is another file, and does not count.
func (f *tableFile) intact() error {
	size, written, err := modified(f.file)
	if err != nil {
		return err
	}
	if size != f.was.Size() || !written.Equal(f.was.ModTime()) {
		return fmt.Errorf("%s has changed since it was opened: %d bytes, written %s; it was %d bytes, written %s", f.table.Path(),
			size, written.UTC().Format(time.RFC3339Nano), f.was.Size(), f.was.ModTime().UTC().Format(time.RFC3339Nano))
	}
	return nil
}

// close closes the table and the file, now or when the last reader is done. Its
// error is that of closing now.
func (f *tableFile) close() error {
	f.lease.retire()
	select {
	case <-f.lease.done:
		return f.lease.err
	default:
		return nil
	}
}

// wire describes the file before it is verified.
func (f *tableFile) wire() api.Table {
	source := api.SourceMapped
	if f.mode == tablebase.Memory {
		source = api.SourceMemory
	}
	name := filepath.Base(f.table.Path())
	wire := f.table.wire()
	wire.Source, wire.File = source, &name
	wire.LoadedAt = f.opened.UTC().Format(time.RFC3339)
	wire.LoadSeconds = f.loading.Seconds()
	return wire
}

// unlessZero is nil for the size of a section that a game does not have.
func unlessZero(n uint64) *uint64 {
	if n == 0 {
		return nil
	}
	return &n
}

// loaded is the file as a prober holds it until it is verified.
func (f *tableFile) loaded() *loadedTable {
	return &loadedTable{wire: f.wire(), state: api.StateVerifying, reason: "The table is being verified."}
}

// verify reads the whole table on a number of threads, and returns it ready to
// answer.
func (f *tableFile) verify(ctx context.Context, threads int) (*loadedTable, error) {
	start := time.Now()
	digest, err := f.table.verify(ctx, threads)
	if err != nil {
		return nil, err
	}
	wire := f.wire()
	verifying := time.Since(start)
	wire.LoadSeconds = (f.loading + verifying).Seconds()
	sha, crc := hex.EncodeToString(digest.SHA256[:]), fmt.Sprintf("%016x", digest.CRC64)
	wire.ContentSHA256, wire.CRC64 = &sha, &crc
	ready := &loadedTable{entries: f.game.reading(f.table.contents()), lease: f.lease, wire: wire, state: api.StateReady, size: f.table.length(), verifying: verifying}
	if f.mode == tablebase.Mapped {
		ready.intact, ready.mapping = f.intact, f.file
		// What was verified is what is there now, whatever was opened.
		if err := f.intact(); err != nil {
			return nil, err
		}
	}
	return ready, nil
}

// answering returns a prober for one question on the command line: from the
// file at path, verified first, or from the embedded table if path is empty.
// The caller closes it.
func answering(ctx context.Context, g *game, path string) (p *prober, close func() error, err error) {
	p = newProber(g)
	if path == "" {
		t, err := g.embedded()
		if err != nil {
			return nil, nil, err
		}
		p.table.Store(t)
		return p, func() error { return nil }, nil
	}
	if g.file == nil {
		return nil, nil, fmt.Errorf("%s has no table files: its values are a closed form", describeAbout(g.About()))
	}
	file, err := openTable(ctx, path, tablebase.Mapped, *g.file)
	if err != nil {
		return nil, nil, err
	}
	t, err := file.verify(ctx, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, nil, errors.Join(err, file.close())
	}
	p.table.Store(t)
	return p, file.close, nil
}
