package tables

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

// File is an open table file on its way to being served.
type File struct {
	Table store
	// checkDigest holds the digest of the contents against the right one, when they are verified.
	checkDigest func(tablebase.Digest, bool) (*DigestError, error)
	// File is open for as long as the table is, to notice when it changes; was is
	// what it was when it was opened, or when verifying it began.
	File   *os.File
	Was    Stamp
	mode   tablebase.Mode
	opened time.Time
	// loading is how long opening took.
	loading time.Duration
	Lease   *lease // closes the table and the file
}

// OpenTable opens a table of one of the known rulesets. What it checks is what
// tablebase.OpenFile does; verify does the rest.
func (c Catalog) OpenTable(ctx context.Context, path string, mode tablebase.Mode, known ...rules.Ruleset) (*File, error) {
	file, was, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	return c.TableIn(ctx, file, was, mode, known...)
}

// TableIn is openTable for a file that is open already. It takes the file over, and closes
// it when there is an error.
func (c Catalog) TableIn(ctx context.Context, file *os.File, was Stamp, mode tablebase.Mode, known ...rules.Ruleset) (*File, error) {
	start := time.Now()
	table, compressed, err := c.openStore(ctx, file, mode, known...)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	checkDigest := func(d tablebase.Digest, anyDigest bool) (*DigestError, error) {
		return c.CheckDigest(table.Path(), table.Ruleset(), d, anyDigest)
	}
	f := &File{Table: table, checkDigest: checkDigest, File: file, Was: was, mode: mode, opened: start}
	f.Lease = NewLease(func() error { return errors.Join(table.Close(), file.Close()) })
	if compressed {
		f.mode = tablebase.Memory // whatever was asked for: it cannot be mapped
	}
	f.loading = time.Since(start)
	return f, nil
}

// NotRegularError says that a path leads to something other than a file with contents.
type NotRegularError struct {
	path string
	mode fs.FileMode
}

func (e *NotRegularError) Error() string {
	return fmt.Sprintf("%s is not a file but %s", e.path, e.mode.Type())
}

// OpenRegular opens a file to read, for all looks at it: what its name leads to can be
// another file at any time. It says what the file was when it was opened.
func OpenRegular(path string) (*os.File, Stamp, error) {
	// To open a pipe would otherwise wait for somebody to write.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, Stamp{}, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &NotRegularError{path, info.Mode()}
	}
	if err != nil {
		return nil, Stamp{}, errors.Join(err, file.Close())
	}
	was, err := StampOf(file)
	if err != nil {
		return nil, Stamp{}, errors.Join(err, file.Close())
	}
	return file, was, nil
}

// intactSince returns an error, a *changedError if it can be asked, when the file is not what
// it was. A file that took its place by name is another file, and does not count.
func (f *File) intactSince(was Stamp) error {
	now, err := StampOf(f.File)
	if err != nil {
		return err
	}
	if now != was {
		return &changedError{f.Table.Path(), was, now}
	}
	return nil
}

// Close closes the table and the file, now or when the last reader is done. Its
// error is that of closing now.
func (f *File) Close() error {
	f.Lease.Retire()
	select {
	case <-f.Lease.Done:
		return f.Lease.Err
	default:
		return nil
	}
}

// Wire describes the file before it is verified.
func (f *File) Wire() api.Table {
	source := api.SourceMapped
	if f.mode == tablebase.Memory {
		source = api.SourceMemory
	}
	name := filepath.Base(f.Table.Path())
	wire := f.Table.Wire()
	wire.Source, wire.File = source, &name
	wire.LoadedAt = f.opened.UTC().Format(time.RFC3339)
	wire.LoadSeconds = f.loading.Seconds()
	return wire
}

// Loaded is the file as a prober holds it until it is verified.
func (f *File) Loaded() *Loaded {
	return &Loaded{Wire: f.Wire(), State: api.StateVerifying, Reason: "The table is being verified."}
}

// Verify reads the whole table on a number of threads, and returns it ready to answer. Contents
// other than those of the right table are an error unless any will do. It may be asked again
// later, for a table that is there already.
func (f *File) Verify(ctx context.Context, threads int, anyDigest bool) (*Loaded, error) {
	start := time.Now()
	mapped := f.mode == tablebase.Mapped
	if mapped {
		var err error
		if f.Was, err = quiet(ctx, f.File); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Table.Path(), err)
		}
	}
	digest, err := f.Table.Verify(ctx, threads)
	if err != nil {
		return nil, err
	}
	other, err := f.checkDigest(digest, anyDigest)
	if err != nil {
		return nil, err
	}
	wire := f.Wire()
	verifying := time.Since(start)
	wire.LoadSeconds = (f.loading + verifying).Seconds()
	sha, crc := hex.EncodeToString(digest.SHA256[:]), fmt.Sprintf("%016x", digest.CRC64)
	wire.ContentSHA256, wire.CRC64 = &sha, &crc
	ready := &Loaded{Contents: f.Table, Lease: f.Lease, Wire: wire, State: api.StateReady, Size: f.Table.length(), Verifying: verifying, Other: other}
	if other != nil {
		ready.Reason = "Its contents are not those of the ruleset's right table; --any-digest lets it answer."
	}
	if mapped {
		was := f.Was
		ready.Intact, ready.Mapping = func() error { return f.intactSince(was) }, f.File
		ready.Again = func(ctx context.Context) (*Loaded, error) { return f.Verify(ctx, 1, anyDigest) }
		// What was verified is what is there now, whatever was opened.
		if err := ready.Intact(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnsettled, err)
		}
	}
	return ready, nil
}
