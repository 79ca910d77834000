package report

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// newMemory returns n bytes, all zero, and what gives them back. They lie outside
// the garbage collector's heap, which would keep them for long.
func newMemory(n uint64) (memory []byte, release func(), err error) {
	memory, err = unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot reserve memory for %d positions: %w", n, err)
	}
	return memory, func() { _ = unix.Munmap(memory) }, nil
}

// willFill asks for huge pages, where the system grants them: memory that will be filled
// and is read at random. It is only a hint: without it all works, slower.
func willFill(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }
