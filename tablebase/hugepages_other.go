//go:build !linux

package tablebase

// NewMemory allocates memory for a table, in bytes.
func NewMemory(size int64) []byte { return make([]byte, size) }
