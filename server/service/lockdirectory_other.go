//go:build !unix

package service

import "os"

// LockDirectory locks nothing on this system. Two servers may make the same table; the last one
// replaces the first.
func LockDirectory(string) (lock *os.File, busy bool, err error) { return nil, false, nil }
