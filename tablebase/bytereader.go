package tablebase

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc64"
	"io"

	"solved/rules"
)

// ByteReader reads a byte-per-position table (TTCTB001), plain or under zstd, as a stream: a
// Source that gives each code once, in order. Trust its codes only after Close
// returned nil, because the checksum is at the end. It is for one goroutine at a time.
type ByteReader struct {
	path    string
	header  Header
	ruleset rules.Ruleset

	r      io.Reader
	z      *decompressor // nil if not compressed
	next   uint64        // position, over both sections
	sha    hash.Hash
	crc    uint64
	counts [rules.Sections]uint64
	digest Digest
	err    error // the first, for good
}

// NewByteReader reads the header and checks it against the known rulesets (exactly one is "the
// ruleset asked for"). If r has a method Name, as an *os.File has, errors name the file.
func NewByteReader(r io.Reader, known ...rules.Ruleset) (*ByteReader, error) {
	b := &ByteReader{sha: sha256.New()}
	if named, ok := r.(interface{ Name() string }); ok {
		b.path = named.Name()
	}
	if err := b.open(r, known); err != nil {
		if b.z != nil {
			b.z.Close()
		}
		return nil, withPath(err, b.path)
	}
	return b, nil
}

func (b *ByteReader) open(r io.Reader, known []rules.Ruleset) error {
	first, err := readFirst(r, BytesHeaderSize)
	if err != nil {
		return err
	}
	b.r = r
	if Detect(first) == KindZstd {
		if b.z, err = newDecompressor(io.MultiReader(bytes.NewReader(first), r), longestFile(KindBytes, known)); err != nil {
			return err
		}
		if first, err = readFirst(b.z, BytesHeaderSize); err != nil {
			return err
		}
		b.r = b.z
	}
	if b.header, b.ruleset, err = parseHeader(first, KindBytes, known); err != nil {
		return err
	}
	b.digested(first)
	b.r = bufio.NewReaderSize(b.r, 1<<16)
	return nil
}

func (b *ByteReader) digested(p []byte) {
	b.sha.Write(p)
	b.crc = crc64.Update(b.crc, crcTable, p)
}

// Header returns the fields of the header.
func (b *ByteReader) Header() Header { return b.header }

// Ruleset returns the ruleset, of those known, that the table is of.
func (b *ByteReader) Ruleset() rules.Ruleset { return b.ruleset }

// Codes reads on. The range must be the one that follows the last, or the error is a
// *SequenceError. Codes that are no entries of the ruleset are a *DamageError.
func (b *ByteReader) Codes(s rules.Section, lo uint64, dst []rules.Code) error {
	if b.err != nil {
		return b.err
	}
	if int(s) >= rules.Sections {
		return &IndexError{Section: s, Index: lo}
	}
	if n := uint64(len(dst)); n > b.header.Positions[s] || lo > b.header.Positions[s]-n {
		return &IndexError{Section: s, Index: max(lo, b.header.Positions[s]), Positions: b.header.Positions[s]}
	}
	at := lo
	if s == rules.Opening {
		at += b.header.Positions[rules.Main]
	}
	if at != b.next {
		return &SequenceError{Next: b.next, Asked: at}
	}
	b.err = b.read(s, dst)
	return b.err
}

func (b *ByteReader) read(s rules.Section, dst []rules.Code) error {
	n, err := io.ReadFull(b.r, dst)
	if err == io.EOF && len(dst) == 0 {
		err = nil
	}
	start := BytesHeaderSize + int64(b.next)
	b.next += uint64(n)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return withPath(checkLength(b.header, start+int64(n)), b.path)
	} else if err != nil {
		return withPath(err, b.path)
	}
	longest, bad := b.ruleset.Longest[s], 0
	hashBeside(b.sha, dst, func() {
		b.crc = crc64.Update(b.crc, crcTable, dst)
		bad = firstBadCode(dst, longest)
		b.counts[s] += uint64(countDecisive(dst))
	})
	if bad >= 0 {
		return &DamageError{Path: b.path, Damage: BadDistance, Field: s.String() + " code", Offset: start + int64(bad),
			Found: fmt.Sprint(dst[bad]), Expected: fmt.Sprintf("at most %d, or %d for a draw", longest, rules.CodeDraw)}
	}
	return nil
}

// Close checks the checksum and that nothing follows it, and frees the memory of NewByteReader; r
// stays open. Before all codes are read it returns a *SequenceError, and after an error of
// Codes that error again.
func (b *ByteReader) Close() error {
	if b.z != nil {
		defer b.z.Close()
	}
	if b.digest.Bytes > 0 || b.err != nil {
		return b.err // closed before, or failed
	}
	b.err = withPath(b.close(), b.path)
	return b.err
}

func (b *ByteReader) close() error {
	if all := b.header.Positions[rules.Main] + b.header.Positions[rules.Opening]; b.next != all {
		return &SequenceError{Next: b.next, Asked: all}
	}
	// One byte more than there should be.
	trailer, err := readFirst(b.r, ChecksumSize+1)
	if err != nil {
		return err
	}
	size := b.header.Length()
	end := size - ChecksumSize
	switch {
	case len(trailer) < ChecksumSize:
		return checkLength(b.header, end+int64(len(trailer)))
	case len(trailer) > ChecksumSize:
		return &DamageError{Damage: BadLength, Field: "end of file", Offset: size,
			Found: "more (with trailing bytes)", Expected: fmt.Sprintf("%d bytes", size)}
	}
	if stored := binary.LittleEndian.Uint64(trailer); stored != b.crc {
		return badChecksum(end, stored, b.crc)
	}
	b.digest = Digest{CRC64: b.crc, Bytes: size, Decisive: b.counts}
	b.sha.Write(trailer)
	b.sha.Sum(b.digest.SHA256[:0])
	return nil
}

// badChecksum is the damage that the last check finds.
func badChecksum(offset int64, stored, computed uint64) error {
	return &DamageError{Damage: BadChecksum, Field: "checksum", Offset: offset,
		Found: fmt.Sprintf("%016x", stored), Expected: fmt.Sprintf("%016x, as computed", computed)}
}

// Digest returns the digest of the whole table, once Close returned nil.
func (b *ByteReader) Digest() Digest { return b.digest }
