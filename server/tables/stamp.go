package tables

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Stamp is what a file system says of a file without its contents. Two that are equal are of the
// same file, and between the looks nobody has written to it, but for what quiet excludes.
type Stamp struct {
	device, Inode uint64
	mode          uint32 // type and permissions
	size          int64  // in bytes
	// written is when the contents last changed (mtime), and changed when anything of the file
	// last did (ctime), both in nanoseconds since 1970. A program can set the first as it
	// likes, but not the second.
	written, Changed int64
}

// sameFile says whether two stamps are of the same file, in whatever state.
func (s Stamp) sameFile(other Stamp) bool { return s.device == other.device && s.Inode == other.Inode }

// String says what there is of a file, for an error.
func (s Stamp) String() string {
	return fmt.Sprintf("%d bytes, written %s, changed %s", s.size, timeOf(s.written), timeOf(s.Changed))
}

func timeOf(nanoseconds int64) string {
	return time.Unix(0, nanoseconds).UTC().Format(time.RFC3339Nano)
}

// changedError says that an open file is not what it was when it was verified.
type changedError struct {
	path     string
	was, now Stamp
}

func (e *changedError) Error() string {
	return fmt.Sprintf("%s has changed since it was verified: %s; it was %s", e.path, e.now, e.was)
}

// touched says that the contents may be as they were: the file was renamed, linked, removed, or
// its permissions were changed. Or else it was written to, and its time of writing set back.
func (e *changedError) touched() bool {
	return e.now.size == e.was.size && e.now.written == e.was.written
}

// ErrInUse says that a file cannot be mapped now, since its contents may change unseen.
var ErrInUse = errors.New("another process has the file open for writing: put a table in place by a rename (mv), or let the writer close it")

// ErrUnsettled says that a file was written to while it was read.
var ErrUnsettled = errors.New("the file is being written to: put a table in place by a rename (mv), or wait for the writer")

// ticks are how far apart two changes of a file may be, and have the same time of change: a tick
// of the kernel's clock, on local file systems; where times are in whole seconds, two of those.
const (
	Tick      = 20 * time.Millisecond
	wholeTick = 2 * time.Second
)

// quiet returns the stamp of an open file, when another one shows every change from now on. For
// that, nobody may have begun to change it and not yet be done:
//
//   - One write can take long, and changes the stamp at its beginning only; a process that has
//     mapped the file to write to it, at the first store into a page. So nobody else may have it open for
//     writing, as far as the system tells.
//   - A page that was stored into is written to the disk. Then the next store changes the stamp,
//     on file systems that have a disk.
//   - The last change is so long ago that the next one has another time.
func quiet(ctx context.Context, f *os.File) (Stamp, error) {
	if openForWriting(f) {
		return Stamp{}, ErrInUse
	}
	return Settled(ctx, f)
}

// Settled is quiet, but does not ask which other processes have the file open.
func Settled(ctx context.Context, f *os.File) (Stamp, error) {
	for range 5 {
		before, err := StampOf(f)
		if err != nil {
			return Stamp{}, err
		}
		least := Tick
		if before.Changed%int64(time.Second) == 0 {
			least = wholeTick
		}
		// A time in the future comes from another machine's clock, and is no more than that.
		if age := time.Since(time.Unix(0, before.Changed)); age < least {
			wait := time.NewTimer(min(least-age, least))
			select {
			case <-ctx.Done():
				wait.Stop()
				return Stamp{}, ctx.Err()
			case <-wait.C:
			}
		}
		if err := f.Sync(); err != nil && !cannotSync(err) {
			return Stamp{}, err
		}
		now, err := StampOf(f)
		if err != nil {
			return Stamp{}, err
		}
		if now == before {
			return now, nil
		}
	}
	return Stamp{}, ErrUnsettled
}

// cannotSync says whether an error of writing to the disk means that there is nothing to write:
// the file system has no disk, is read-only, or does not let a reader do it.
func cannotSync(err error) bool {
	for _, harmless := range []error{syscall.EINVAL, syscall.EROFS, syscall.ENOSYS, syscall.EACCES, syscall.EPERM, syscall.EBADF, errors.ErrUnsupported} {
		if errors.Is(err, harmless) {
			return true
		}
	}
	return false
}
