//go:build !unix

package main

import (
	"io/fs"
	"os"
)

// stampOf looks at an open file.
func stampOf(f *os.File) (stamp, error) {
	info, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	return newStamp(info), nil
}

// stampAt looks at the file that a path leads to.
func stampAt(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, err
	}
	return newStamp(info), nil
}

// newStamp knows neither inode nor time of change here.
func newStamp(info fs.FileInfo) stamp {
	return stamp{mode: uint32(info.Mode()), size: info.Size(), written: info.ModTime().UnixNano()}
}
