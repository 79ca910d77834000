//go:build unix

package tablebase

import (
	"os"

	"golang.org/x/sys/unix"
)

// Map maps the first size bytes of an open file, at least one. The mapping is of that very
// file, even if its name leads to another meanwhile, and stays when the file is closed.
func Map(f *os.File, size int64) (*Mapping, error) {
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, &os.PathError{Op: "mmap", Path: f.Name(), Err: err}
	}
	return &Mapping{data, unix.Munmap}, nil
}
