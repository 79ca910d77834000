//go:build !linux

package main

import (
	"os"
	"time"
)

// modified returns the size of an open file and when it was last written to.
func modified(f *os.File) (size int64, written time.Time, err error) {
	now, err := f.Stat()
	if err != nil {
		return 0, time.Time{}, err
	}
	return now.Size(), now.ModTime(), nil
}
