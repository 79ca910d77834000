package tablebase

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Create writes a file whole or not at all. write gets a temporary file in the same directory
// (".NAME.0123456789abcdef.solved.tmp"), which is synced and takes the name only when write has
// returned nil; on an error it is removed. Killed at any moment, the process leaves what was
// under the name before, and at worst the temporary file, which the next Create in that
// directory removes: see [Reclaim]. If path ends in ".zst", the file is compressed on
// the way.
//
// An existing regular file is replaced (through a symbolic link, the one it points to); anything
// else under the name is refused. The new file keeps the permissions of the one that it replaces,
// and its owner where the system permits that; a file that is new has those of any new file.
// Errors name path, and not the temporary file.
func Create(path string, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("create %s: %w", path, err)
		}
	}()
	t, err := begin(path)
	if err != nil {
		return err
	}
	defer t.discard() // even if write panics
	Reclaim(t.dir)    // what is left there takes room, and is no reason to fail
	if strings.HasSuffix(path, ".zst") {
		err = writeCompressed(t, write)
	} else {
		err = write(t)
	}
	if err != nil {
		return err
	}
	return t.publish()
}

// CanCreate returns an error if Create could not write a file of so many bytes to path as things
// are, so that hours of work do not come first: if the directory is missing or cannot be written
// to, if the file of that name cannot be replaced, or if the file system has less room. A size of 0
// is one that is not known. Temporary files of ended processes there are removed before
// room is looked for. Where the system does not tell of room, there is taken to be enough.
func CanCreate(path string, size int64) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("cannot create %s: %w", path, err)
		}
	}()
	t, err := begin(path)
	if err != nil {
		return err
	}
	defer t.discard()
	Reclaim(t.dir)
	room, known, err := freeSpace(t.dir)
	if err != nil {
		return err
	}
	if known && uint64(max(size, 0)) > room {
		return &NoRoomError{Dir: t.dir, Needed: uint64(size), Free: room}
	}
	return nil
}

// NoRoomError says that a file system has not the room for a file, in bytes.
type NoRoomError struct {
	Dir          string
	Needed, Free uint64
}

func (e *NoRoomError) Error() string {
	return fmt.Sprintf("the file takes %d bytes, and %s has room for %d", e.Needed, e.Dir, e.Free)
}

// temporary is a file that is being written, before it has its name.
type temporary struct {
	name    string // that it is to have, links followed
	dir     string
	file    *os.File
	replace fs.FileInfo // the file that has the name now; nil if there is none
	done    bool        // it is closed, and has its name or is removed
}

// attempts is how often to begin with another temporary file.
const attempts = 10

// begin opens the temporary file for path, locked for as long as it is open.
func begin(path string) (*temporary, error) {
	t := &temporary{name: path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		t.name = real
	}
	switch info, err := os.Stat(t.name); {
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("what has that name is not a regular file: %w", fs.ErrInvalid)
	case err == nil:
		t.replace = info
	case !errors.Is(err, fs.ErrNotExist):
		return nil, withoutPath(err)
	}
	dir, base := filepath.Split(t.name)
	t.dir = filepath.Clean(dir) // "." if it is empty
	if base == "" {
		return nil, fmt.Errorf("the name ends in a separator: %w", fs.ErrInvalid)
	}
	if info, err := os.Stat(t.dir); err != nil {
		return nil, fmt.Errorf("directory %s: %w", t.dir, withoutPath(err))
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", t.dir)
	}
	// Not os.CreateTemp, whose files only their owner can read.
	mode := fs.FileMode(0o666)
	if t.replace != nil {
		mode = 0o600 // until it has the permissions of the other one, whatever those are
	}
	for range attempts {
		name := filepath.Join(t.dir, fmt.Sprintf(".%s.%016x.solved.tmp", base[:min(len(base), longestBase)], rand.Uint64()))
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return nil, fmt.Errorf("directory %s: %w", t.dir, withoutPath(err))
		}
		t.file = file
		// A lock that is not to be had is no reason to fail: some file systems have none.
		// But another process may have removed the file before it was locked.
		if err := lock(file); err != nil || isAt(file, name) {
			return t, nil
		}
		file.Close()
	}
	return nil, fmt.Errorf("directory %s: each temporary file was removed at once", t.dir)
}

// longestBase is how much of a file's name its temporary file has in its own, in bytes: file
// systems have a greatest length, often 255.
const longestBase = 200

// Write writes to the temporary file. Its errors do not name that.
func (t *temporary) Write(b []byte) (int, error) {
	n, err := t.file.Write(b)
	return n, withoutPath(err)
}

// publish gives the file its name, in place of a file that has it.
func (t *temporary) publish() error {
	if t.replace != nil {
		if err := keepOwner(t.file, t.replace); err != nil {
			return withoutPath(err)
		}
	}
	if err := t.file.Sync(); err != nil {
		return withoutPath(err)
	}
	if !renamesOpen {
		if err := t.file.Close(); err != nil {
			return withoutPath(err)
		}
	}
	if err := os.Rename(t.file.Name(), t.name); err != nil {
		return withoutPath(err)
	}
	t.done = true
	if renamesOpen { // and it was locked for as long as it had the other name
		if err := t.file.Close(); err != nil {
			return withoutPath(err)
		}
	}
	return syncDirectory(t.dir)
}

// discard removes the file unless it has its name.
func (t *temporary) discard() {
	if !t.done {
		if renamesOpen { // so that it is locked until it is gone
			os.Remove(t.file.Name())
			t.file.Close()
		} else {
			t.file.Close()
			os.Remove(t.file.Name())
		}
	}
}

// withoutPath returns an error of the system as it is without the name of the file, which is a
// temporary one or is told already.
func withoutPath(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return os.NewSyscallError(path.Op, path.Err)
	case errors.As(err, &link):
		return os.NewSyscallError(link.Op, link.Err)
	}
	return err
}

// isAt says whether an open file is the one that has a name.
func isAt(f *os.File, name string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(name)
	return err == nil && os.SameFile(mine, there)
}

// temporaryPattern matches the names of temporary files.
var temporaryPattern = regexp.MustCompile(`^\..+\.[0-9a-f]{16}\.solved\.tmp$`)

// Reclaim removes the temporary files in a directory that processes left when they were killed,
// and returns the names of those that it removed. A process that writes a file keeps it locked,
// and one that has ended holds no lock, so files that are being written are not touched. Where
// files have no locks, as on Windows, it removes nothing. Of files that cannot be removed it
// returns the errors, and goes on.
func Reclaim(dir string) (removed []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !temporaryPattern.MatchString(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		is, problem := reclaim(filepath.Join(dir, e.Name()))
		if is {
			removed = append(removed, e.Name())
		}
		err = errors.Join(err, problem)
	}
	return removed, err
}

func writeCompressed(w io.Writer, write func(io.Writer) error) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		return err
	}
	if err := write(z); err != nil {
		z.Reset(nil) // ends its goroutines, writes nothing more
		return err
	}
	return z.Close()
}

// syncDirectory makes a rename last.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
