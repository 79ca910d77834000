//go:build !linux

package tablebase

// newMemory allocates memory for a table.
func newMemory(size int64) []byte { return make([]byte, size) }
