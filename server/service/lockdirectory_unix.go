//go:build unix

package service

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// LockDirectory locks a directory against other servers that make tables there. The lock lasts as
// long as the returned file is open in any process. busy says that another process has the lock.
// Some network file systems have no such locks. There, two servers may make the same table, and
// the last one replaces the first.
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
