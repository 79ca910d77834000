//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// readBodies maps the file of recorded bodies, so that they are not on the heap. A
// heap of a hundred megabytes would all but switch the garbage collector off, and
// that would be no yardstick.
func readBodies(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
}
