package tables

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openForWriting says whether another process has a file open for writing, or mapped so. The
// system tells this only to the owner of the file and to a process that has CAP_LEASE, and not on
// every file system. Where it does not, the answer is no.
//
// It refuses a lease on a file that anybody can write to. The lease is given back at once: held,
// it would make the next writer wait.
func openForWriting(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		_, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK) // which can only fail where there is none
	}
	return errors.Is(err, unix.EAGAIN)
}
