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

// File is an open table file that is to be verified and put into a slot.
type File struct {
	Table store
	// checkDigest compares the digest of the verified contents with the right one.
	checkDigest func(tablebase.Digest, bool) (*DigestError, error)
	// File is open for as long as the table is, to notice changes. Was is its stamp when it was
	// opened, or when its verification began.
	File   *os.File
	Was    Stamp
	mode   tablebase.Mode
	opened time.Time
	// loading is the time that opening took.
	loading time.Duration
	Lease   *lease // closes the table and the file
}

// OpenTable opens a table of one of the known rulesets. It checks as much as tablebase.OpenFile does;
// Verify does the rest.
func (c Catalog) OpenTable(ctx context.Context, path string, mode tablebase.Mode, known ...rules.Ruleset) (*File, error) {
	file, was, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	return c.TableIn(ctx, file, was, mode, known...)
}

// TableIn opens the table in a file that is open already. It takes the file over, and closes it if
// there is an error.
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
		f.mode = tablebase.Memory // a compressed file cannot be mapped
	}
	f.loading = time.Since(start)
	return f, nil
}

// NotRegularError is the error of a path that leads to a directory, a pipe or another special file.
type NotRegularError struct {
	path string
	mode fs.FileMode
}

func (e *NotRegularError) Error() string {
	return fmt.Sprintf("%s is not a file but %s", e.path, e.mode.Type())
}

// OpenRegular opens a regular file for reading, and returns its stamp. The caller uses the open file for
// everything, since its name can lead to another file at any time.
func OpenRegular(path string) (*os.File, Stamp, error) {
	// Without O_NONBLOCK, opening a pipe would wait for a writer.
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

// intactSince returns a *changedError if the stamp of the open file differs from was. A new file under
// the same name does not count.
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

// Close closes the table and the file when the last reader is done. If there is no reader, it returns
// the error of closing.
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

// Loaded returns the file for a slot, in the state before it is verified.
func (f *File) Loaded() *Loaded {
	return &Loaded{Wire: f.Wire(), State: api.StateVerifying, Reason: "The table is being verified."}
}

// Verify reads and checks the whole table on a number of threads, and returns it ready to answer. Other
// contents than those of the right table are an error unless anyDigest is set. It may be called again
// later to verify the same file again.
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
		// The file must not have changed while it was verified.
		if err := ready.Intact(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnsettled, err)
		}
	}
	return ready, nil
}
