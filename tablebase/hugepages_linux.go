package tablebase

import "syscall"

// newMemory allocates memory for a table, on huge pages where the system has them: a random
// read of ordinary ones waits for the page tables as long as for the data. It is advice, and
// whether it was taken makes no other difference.
func newMemory(size int64) []byte {
	b := make([]byte, size)
	if size >= 4<<20 {
		syscall.Madvise(b, syscall.MADV_HUGEPAGE)
	}
	return b
}
