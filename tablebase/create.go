package tablebase

import (
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Create writes a file whole or not at all. write gets a temporary file in the same directory
// (".NAME.0123456789abcdef.tmp"), which is synced and takes the name only when write has returned nil; on an
// error it is removed. Killed at any moment, the process leaves what was under the name before,
// and at worst the temporary file. If path ends in ".zst", what is written is compressed on the
// way.
//
// An existing regular file is replaced (through a symbolic link, the one it points to); anything
// else under the name is refused.
func Create(path string, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("create %s: %w", path, err)
		}
	}()
	name := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		name = real
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "replace", Path: name, Err: fmt.Errorf("not a regular file: %w", fs.ErrInvalid)}
	}
	dir, base := filepath.Split(name)
	if dir == "" {
		dir = "."
	}
	temporary := filepath.Join(dir, fmt.Sprintf(".%s.%016x.tmp", base, rand.Uint64()))
	// Not os.CreateTemp, whose files only their owner can read.
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	kept := false
	defer func() { // even if write panics
		if !kept {
			f.Close()
			os.Remove(temporary)
		}
	}()
	if strings.HasSuffix(path, ".zst") {
		err = writeCompressed(f, write)
	} else {
		err = write(f)
	}
	if err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(temporary, name); err != nil {
		return err
	}
	kept = true
	return syncDirectory(dir)
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
