package retrograde

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// newCells returns n cells, all zero. They are anonymous memory outside the
// garbage collector's heap, in huge pages where the system grants them: cells
// are written at random, and with small pages most writes would also miss the
// processor's cache of page addresses.
func newCells(n uint64) (*cells, error) {
	words, err := wordsFor(n)
	if err != nil {
		return nil, err
	}
	memory, err := unix.Mmap(-1, 0, words*8, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("cannot reserve memory for %d positions: %w", n, err)
	}
	// Only a hint: without it all works, slower.
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE)
	return &cells{
		words:   unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(memory))), words),
		release: func() { _ = unix.Munmap(memory) },
	}, nil
}
