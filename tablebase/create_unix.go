//go:build unix

package tablebase

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// renamesOpen says that a file can have another name, or none, while it is open.
const renamesOpen = true

// lock locks an open file until it is closed, by this process or by its end.
func lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// reclaim removes a temporary file if no process writes it, and says whether it did.
func reclaim(name string) (bool, error) {
	// For writing, since locks on NFS demand that. Never a link or a pipe in its place.
	f, err := os.OpenFile(name, os.O_WRONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // it has its name by now, or another process was faster
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	// Another process that comes to lock it finds that it has no name any more.
	if err := lock(f); err != nil || !isAt(f, name) {
		return false, nil
	}
	if err := os.Remove(name); err != nil {
		return false, err
	}
	return true, nil
}

// keepOwner gives a file the owner and the permissions of the one that it replaces. If it cannot
// have the same group, the other group gets no more than everybody.
func keepOwner(f *os.File, old fs.FileInfo) error {
	mode := old.Mode().Perm()
	now, err := f.Stat()
	if err != nil {
		return err
	}
	was, is := old.Sys().(*syscall.Stat_t), now.Sys().(*syscall.Stat_t)
	if was.Uid != is.Uid || was.Gid != is.Gid {
		if f.Chown(int(was.Uid), int(was.Gid)) != nil && was.Gid != is.Gid && f.Chown(-1, int(was.Gid)) != nil {
			mode = mode&^0o070 | mode&0o007<<3&mode
		}
	}
	return f.Chmod(mode)
}
