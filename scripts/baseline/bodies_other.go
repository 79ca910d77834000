//go:build !unix

package main

import "os"

// readBodies reads the file of recorded bodies, where it cannot be mapped.
func readBodies(path string) ([]byte, error) { return os.ReadFile(path) }
