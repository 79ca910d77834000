package tablebase

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
)

// Kind tells file formats apart by their first bytes.
type Kind uint8

// The kinds. KindOther is a file that is none of this package's.
const (
	KindOther   Kind = iota
	KindCompact      // TTCCMP01, .ttb
	KindBytes        // TTCTB001, .tb
	KindZstd         // zstd frame, .zst; what is inside is told by looking inside
)

// DetectSize is how many bytes from the start of a file Detect needs.
const DetectSize = 8

// zstdMagic begins a zstd frame: 0xFD2FB528, little-endian. A frame to be skipped, of which
// pzstd writes one first, begins with one of the sixteen numbers from skippableMagic on.
const (
	zstdMagic      = "\x28\xb5\x2f\xfd"
	skippableMagic = 0x184d2a50
)

// String returns the name of a kind.
func (k Kind) String() string {
	switch k {
	case KindCompact:
		return CompactMagic
	case KindBytes:
		return BytesMagic
	case KindZstd:
		return "zstd"
	}
	return "other"
}

// Detect tells what kind of file begins with these bytes. It needs DetectSize of them (zstd
// four); fewer are a KindOther.
func Detect(first []byte) Kind {
	switch {
	case bytes.HasPrefix(first, []byte(CompactMagic)):
		return KindCompact
	case bytes.HasPrefix(first, []byte(BytesMagic)):
		return KindBytes
	case bytes.HasPrefix(first, []byte(zstdMagic)), len(first) >= 4 && binary.LittleEndian.Uint32(first)&^15 == skippableMagic:
		return KindZstd
	}
	return KindOther
}

// detectContent is the length in bytes that DetectFile lets a compressed file claim, of which
// it reads none but the first few: above any table's.
const detectContent = 1 << 34

// DetectFile tells the kind of an open file by its contents. Of a compressed file it tells the
// kind of the file inside, and that it is compressed; kind is never KindZstd but for a zstd frame
// inside a zstd frame. Errors are those of Peek.
func DetectFile(f *os.File) (kind Kind, compressed bool, err error) {
	first, compressed, err := Peek(f)
	if err != nil {
		return KindOther, compressed, err
	}
	return Detect(first), compressed, nil
}

// Peek returns the first DetectSize bytes of an open file, fewer only of a shorter one. Of a
// compressed file it returns those of the file inside, and that it is compressed. The file's
// offset stays. An error is one of reading, or a zstd frame whose first bytes cannot be had.
func Peek(f *os.File) (first []byte, compressed bool, err error) {
	r := io.NewSectionReader(f, 0, math.MaxInt64)
	first, err = readFirst(r, DetectSize)
	if err != nil {
		return nil, false, withPath(err, f.Name())
	}
	if Detect(first) != KindZstd {
		return first, false, nil
	}
	z, err := newDecompressor(io.MultiReader(bytes.NewReader(first), r), detectContent)
	if err != nil {
		return nil, true, withPath(err, f.Name())
	}
	defer z.Close()
	if first, err = readFirst(z, DetectSize); err != nil {
		return nil, true, withPath(err, f.Name())
	}
	return first, true, nil
}

// readFirst reads up to n bytes: fewer only at the end of the input, which is no error.
func readFirst(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, n)
	got, err := io.ReadFull(r, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return b[:got], err
}
