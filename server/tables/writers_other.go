//go:build !linux

package tables

import "os"

// openForWriting says whether another process has a file open for writing. Only Linux tells.
func openForWriting(*os.File) bool { return false }
