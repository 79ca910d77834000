//go:build !unix

package tablebase

import (
	"io/fs"
	"os"
)

// renamesOpen says that a file can have another name, or none, while it is open.
const renamesOpen = false

// lock does nothing here.
func lock(*os.File) error { return nil }

// reclaim removes nothing here, as it cannot be told which files are being written.
func reclaim(string) (bool, error) { return false, nil }

// keepOwner has nothing to keep here but whether the file may be written to.
func keepOwner(f *os.File, old fs.FileInfo) error { return f.Chmod(old.Mode().Perm()) }
