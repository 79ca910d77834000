//go:build !(linux || darwin || freebsd)

package tablebase

// freeSpace reports that the free space is unknown: no system call for it is common to the others.
func freeSpace(string) (bytes uint64, known bool, err error) { return 0, false, nil }
