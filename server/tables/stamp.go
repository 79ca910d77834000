package tables

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Stamp identifies a file and its state: device, inode, permissions, size and times. If two stamps
// are equal, no process has written to the file between them, under the conditions of quiet.
type Stamp struct {
	device, Inode uint64
	mode          uint32 // type and permissions
	size          int64  // in bytes
	// written is the time of the last change of the contents (mtime), and Changed that of the
	// last change of anything (ctime), in nanoseconds since 1970. A program can set the first,
	// and not the second.
	written, Changed int64
}

// sameFile says whether two stamps are of the same file, in whatever state.
func (s Stamp) sameFile(other Stamp) bool { return s.device == other.device && s.Inode == other.Inode }

// String describes the state of the file, for an error.
func (s Stamp) String() string {
	return fmt.Sprintf("%d bytes, written %s, changed %s", s.size, timeOf(s.written), timeOf(s.Changed))
}

func timeOf(nanoseconds int64) string {
	return time.Unix(0, nanoseconds).UTC().Format(time.RFC3339Nano)
}

// changedError is the error of an open file that has changed since it was verified.
type changedError struct {
	path     string
	was, now Stamp
}

func (e *changedError) Error() string {
	return fmt.Sprintf("%s has changed since it was verified: %s; it was %s", e.path, e.now, e.was)
}

// touched says that the contents may be unchanged: another program has renamed, linked or removed the
// file, or changed its permissions. Or it has written to the file and set its time back.
func (e *changedError) touched() bool {
	return e.now.size == e.was.size && e.now.written == e.was.written
}

// ErrInUse is the error of mapping a file that another process can change unseen.
var ErrInUse = errors.New("another process has the file open for writing: put a table in place by a rename (mv), or let the writer close it")

// ErrUnsettled is the error of a file that was written to while it was read.
var ErrUnsettled = errors.New("the file is being written to: put a table in place by a rename (mv), or wait for the writer")

// Two changes of a file within Tick can have the same time of change: on local file systems, a tick
// of the kernel's clock. Where times are in whole seconds, it is wholeTick.
const (
	Tick      = 20 * time.Millisecond
	wholeTick = 2 * time.Second
)

// quiet waits until every later change of an open file will change its stamp, and returns the stamp.
// No process may be in the middle of a change:
//
//   - A long write changes the stamp only when it begins. A process that has mapped the file for
//     writing changes the stamp only at the first store into a page. So no other process may have
//     the file open for writing, as far as the system tells.
//   - quiet writes changed pages to the disk. Then the next store into a page changes the stamp, on
//     file systems that have a disk.
//   - quiet waits until the next change must have another time than the last one.
func quiet(ctx context.Context, f *os.File) (Stamp, error) {
	if openForWriting(f) {
		return Stamp{}, ErrInUse
	}
	return Settled(ctx, f)
}

// Settled does the same as quiet, but does not ask for other processes that have the file open.
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

// cannotSync says whether an error of Sync is harmless: the file system has no disk, is read-only, or
// does not let a reader sync.
func cannotSync(err error) bool {
	for _, harmless := range []error{syscall.EINVAL, syscall.EROFS, syscall.ENOSYS, syscall.EACCES, syscall.EPERM, syscall.EBADF, errors.ErrUnsupported} {
		if errors.Is(err, harmless) {
			return true
		}
	}
	return false
}
