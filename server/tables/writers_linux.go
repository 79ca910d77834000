package tables

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openForWriting says whether another process has a file open or mapped for writing. The system tells
// this only to the owner of the file and to a process that has CAP_LEASE, and not on every file
// system. Otherwise the answer is no.
//
// The system refuses a read lease on a file that is open for writing. openForWriting gives the lease
// back at once: it would make the next writer wait.
func openForWriting(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		_, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK) // fails only without a lease
	}
	return errors.Is(err, unix.EAGAIN)
}
