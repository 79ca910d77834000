//go:build !unix

package service

import "os"

// LockDirectory locks nothing here. Two servers may make the same table, and the last one's is
// kept.
func LockDirectory(string) (lock *os.File, busy bool, err error) { return nil, false, nil }
