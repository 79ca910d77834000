//go:build !unix

package tables

import (
	"io/fs"
	"os"
)

// StampOf looks at an open file.
func StampOf(f *os.File) (Stamp, error) {
	info, err := f.Stat()
	if err != nil {
		return Stamp{}, err
	}
	return newStamp(info), nil
}

// StampAt looks at the file that a path leads to.
func StampAt(path string) (Stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}, err
	}
	return newStamp(info), nil
}

// newStamp knows neither inode nor time of change here.
func newStamp(info fs.FileInfo) Stamp {
	return Stamp{mode: uint32(info.Mode()), size: info.Size(), written: info.ModTime().UnixNano()}
}
