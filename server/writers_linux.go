package main

import (
	"errors"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// openForWriting says whether another process has a file open for writing, or mapped so. The
// system tells only who owns the file, or has CAP_LEASE, and not on every file system; where it
// does not, nobody has it open.
//
// It refuses a lease on a file that anybody can write to. The lease is given back at once: held,
// it would make the next writer wait.
func openForWriting(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		_, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK) // which can only fail where there is none
	}
	if !errors.Is(err, unix.EAGAIN) {
		return false
	}
	// Over a network a lease is also refused because the server has not lent the file out.
	remote := []uint32{
		unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC,
		unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CODA_SUPER_MAGIC, unix.V9FS_MAGIC, unix.FUSE_SUPER_MAGIC,
	}
	var system unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &system); err != nil {
		return true
	}
	return !slices.Contains(remote, uint32(system.Type))
}
