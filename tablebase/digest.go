package tablebase

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc64"
	"io"

	"solved/rules"
)

// Digest identifies a table file by its contents. It is always that of the uncompressed file.
type Digest struct {
	SHA256 [sha256.Size]byte // of the whole file
	CRC64  uint64            // CRC-64/XZ of everything before the checksum: the one in the file
	Bytes  int64             // length of the file
	// Decisive is the number of wins and losses of each section, as counted.
	Decisive [rules.Sections]uint64
}

// String returns length, CRC-64 and SHA-256 in words, the sums in hexadecimal.
func (d Digest) String() string {
	return fmt.Sprintf("%d bytes, crc64 %016x, sha256 %x", d.Bytes, d.CRC64, d.SHA256)
}

// digester passes bytes on to w and digests them.
type digester struct {
	w     io.Writer
	sha   hash.Hash
	crc   uint64
	bytes int64
}

func newDigester(w io.Writer) *digester { return &digester{w: w, sha: sha256.New()} }

func (d *digester) Write(p []byte) (n int, err error) {
	hashBeside(d.sha, p, func() {
		d.crc = crc64.Update(d.crc, crcTable, p)
		n, err = d.w.Write(p)
	})
	d.bytes += int64(n)
	return n, err
}

// hashBeside hashes p and does other work with it, at the same time if p is worth a goroutine:
// the SHA-256 takes as long as all the rest.
func hashBeside(sha hash.Hash, p []byte, work func()) {
	if len(p) < 1<<14 {
		sha.Write(p)
		work()
		return
	}
	done := make(chan struct{})
	go func() {
		sha.Write(p)
		close(done)
	}()
	defer func() { <-done }() // even if work panics
	work()
}

// finish writes the checksum and returns the digest of it all.
func (d *digester) finish(decisive [rules.Sections]uint64) (Digest, error) {
	out := Digest{CRC64: d.crc, Decisive: decisive}
	var trailer [ChecksumSize]byte
	binary.LittleEndian.PutUint64(trailer[:], d.crc)
	if _, err := d.Write(trailer[:]); err != nil {
		return Digest{}, err
	}
	out.Bytes = d.bytes
	d.sha.Sum(out.SHA256[:0])
	return out, nil
}
