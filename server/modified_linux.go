package main

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// modified returns the size of an open file and when it was last written to. It is
// asked with every answer, and this takes half the time of File.Stat.
func modified(f *os.File) (size int64, written time.Time, err error) {
	var stat unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &stat); err != nil {
		return 0, time.Time{}, &os.PathError{Op: "fstat", Path: f.Name(), Err: err}
	}
	return stat.Size, time.Unix(stat.Mtim.Unix()), nil
}
