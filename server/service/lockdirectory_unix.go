//go:build unix

package service

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// LockDirectory locks a directory against other servers that make tables there, for as long as
// the file that it returns is open in any process. It says if another one has it. Where a file
// system has no such locks, as some over a network, there is none: then two may make the same
// table, and the last one's is kept.
func LockDirectory(dir string) (lock *os.File, busy bool, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, false, err
	}
	if errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK) {
		return nil, true, f.Close()
	}
	return f, false, nil
}
