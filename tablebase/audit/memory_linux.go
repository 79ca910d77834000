package audit

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// newMemory returns n bytes, all zero, and a function that frees them. They lie outside
// the garbage collector's heap, which would keep them for long, and in huge pages
// where the system grants them: they are read at random.
func newMemory(n uint64) (memory []byte, release func(), err error) {
	if n == 0 {
		return nil, func() {}, nil
	}
	memory, err = unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot reserve memory for %d positions: %w", n, err)
	}
	// Only a hint: without it all works, slower.
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE)
	return memory, func() { _ = unix.Munmap(memory) }, nil
}
