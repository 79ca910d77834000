package reach

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// newCells returns n cells, all zero, and a function that frees them. They lie outside the
// garbage collector's heap, and in huge pages where the system grants them: they are
// read and written at random. Those never written take no memory.
func newCells(n uint64) (cells, func(), error) {
	words, err := wordsFor(n)
	if err != nil {
		return nil, nil, err
	}
	memory, err := unix.Mmap(-1, 0, words*8, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, nil, fmt.Errorf("reach: cannot reserve memory for %d positions: %w", n, err)
	}
	// Only a hint: without it all works, slower.
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE)
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(memory))), words), func() { _ = unix.Munmap(memory) }, nil
}
