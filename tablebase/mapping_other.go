//go:build !unix

package tablebase

import (
	"io"
	"os"
)

// Map reads the first size bytes of an open file into memory: mapping it is not worth code of
// our own on systems that the program is not tested on.
func Map(f *os.File, size int64) (*Mapping, error) {
	data := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, size), data); err != nil {
		return nil, err
	}
	return &Mapping{data: data}, nil
}
