//go:build linux || darwin || freebsd

package tablebase

import (
	"os"

	"golang.org/x/sys/unix"
)

// freeSpace returns how many bytes can still be written in a directory, if the system tells.
func freeSpace(dir string) (bytes uint64, known bool, err error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, false, os.NewSyscallError("statfs", err)
	}
	if stat.Blocks == 0 {
		return 0, false, nil // a file system that does not count
	}
	// The field has a sign on some systems: the room for others can be used up below zero.
	return uint64(max(int64(stat.Bavail), 0)) * uint64(stat.Bsize), true, nil
}
