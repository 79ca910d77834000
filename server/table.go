package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"solved/api"
	"solved/rules"
	"solved/tablebase"
)

// tableFile is an open table file on its way to being served.
type tableFile struct {
	table store
	// checkDigest holds the digest of the contents against the right one, when they are verified.
	checkDigest func(tablebase.Digest, bool) (*digestError, error)
	// file is open for as long as the table is, to notice when it changes; was is
	// what it was when it was opened, or when verifying it began.
	file   *os.File
	was    stamp
	mode   tablebase.Mode
	opened time.Time
	// loading is how long opening took.
	loading time.Duration
	lease   *lease // closes the table and the file
}

// openTable opens a table of one of the known rulesets. What it checks is what
// tablebase.OpenFile does; verify does the rest.
func (c catalog) openTable(ctx context.Context, path string, mode tablebase.Mode, known ...rules.Ruleset) (*tableFile, error) {
	file, was, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	return c.tableIn(ctx, file, was, mode, known...)
}

// tableIn is openTable for a file that is open already. It takes the file over, and closes
// it when there is an error.
func (c catalog) tableIn(ctx context.Context, file *os.File, was stamp, mode tablebase.Mode, known ...rules.Ruleset) (*tableFile, error) {
	start := time.Now()
	table, compressed, err := c.openStore(ctx, file, mode, known...)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	checkDigest := func(d tablebase.Digest, anyDigest bool) (*digestError, error) {
		return c.checkDigest(table.Path(), table.Ruleset(), d, anyDigest)
	}
	f := &tableFile{table: table, checkDigest: checkDigest, file: file, was: was, mode: mode, opened: start}
	f.lease = newLease(func() error { return errors.Join(table.Close(), file.Close()) })
	if compressed {
		f.mode = tablebase.Memory // whatever was asked for: it cannot be mapped
	}
	f.loading = time.Since(start)
	return f, nil
}

// notRegularError says that a path leads to something other than a file with contents.
type notRegularError struct {
	path string
	mode fs.FileMode
}

func (e *notRegularError) Error() string {
	return fmt.Sprintf("%s is not a file but %s", e.path, e.mode.Type())
}

// openRegular opens a file to read, for all looks at it: what its name leads to can be
// another file at any time. It says what the file was when it was opened.
func openRegular(path string) (*os.File, stamp, error) {
	// To open a pipe would otherwise wait for somebody to write.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, stamp{}, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &notRegularError{path, info.Mode()}
	}
	if err != nil {
		return nil, stamp{}, errors.Join(err, file.Close())
	}
	was, err := stampOf(file)
	if err != nil {
		return nil, stamp{}, errors.Join(err, file.Close())
	}
	return file, was, nil
}

// intactSince returns an error, a *changedError if it can be asked, when the file is not what
// it was. A file that took its place by name is another file, and does not count.
func (f *tableFile) intactSince(was stamp) error {
	now, err := stampOf(f.file)
	if err != nil {
		return err
	}
	if now != was {
		return &changedError{f.table.Path(), was, now}
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

// loaded is the file as a prober holds it until it is verified.
func (f *tableFile) loaded() *loadedTable {
	return &loadedTable{wire: f.wire(), state: api.StateVerifying, reason: "The table is being verified."}
}

// verify reads the whole table on a number of threads, and returns it ready to answer. Contents
// other than those of the right table are an error unless any will do. It may be asked again
// later, for a table that is there already.
func (f *tableFile) verify(ctx context.Context, threads int, anyDigest bool) (*loadedTable, error) {
	start := time.Now()
	mapped := f.mode == tablebase.Mapped
	if mapped {
		var err error
		if f.was, err = quiet(ctx, f.file); err != nil {
			return nil, fmt.Errorf("%s: %w", f.table.Path(), err)
		}
	}
	digest, err := f.table.verify(ctx, threads)
	if err != nil {
		return nil, err
	}
	other, err := f.checkDigest(digest, anyDigest)
	if err != nil {
		return nil, err
	}
	wire := f.wire()
	verifying := time.Since(start)
	wire.LoadSeconds = (f.loading + verifying).Seconds()
	sha, crc := hex.EncodeToString(digest.SHA256[:]), fmt.Sprintf("%016x", digest.CRC64)
	wire.ContentSHA256, wire.CRC64 = &sha, &crc
	ready := &loadedTable{contents: f.table, lease: f.lease, wire: wire, state: api.StateReady, size: f.table.length(), verifying: verifying, other: other}
	if other != nil {
		ready.reason = "Its contents are not those of the ruleset's right table; --any-digest lets it answer."
	}
	if mapped {
		was := f.was
		ready.intact, ready.mapping = func() error { return f.intactSince(was) }, f.file
		ready.again = func(ctx context.Context) (*loadedTable, error) { return f.verify(ctx, 1, anyDigest) }
		// What was verified is what is there now, whatever was opened.
		if err := ready.intact(); err != nil {
			return nil, fmt.Errorf("%w: %w", errUnsettled, err)
		}
	}
	return ready, nil
}
