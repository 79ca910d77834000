package tablebase

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc64"
	"math/bits"

	"solved/rules"
)

// The kinds of a piece of a file.
type part uint8

const (
	partHeader part = iota
	partBitmap
	partDirectory
	partDistances
)

// Sizes of the pieces in which a table is verified: such that one, and its part of the
// directory, stay in a core's cache for all that is done to it. A piece of distances holds
// whole groups of four in three bytes.
const (
	pieceBlocks       = 4096
	pieceBitmapBytes  = pieceBlocks * blockBytes
	pieceOtherBytes   = 3 << 16
	distancesPerPiece = pieceOtherBytes * 8 / 6
)

// piece is a range of bytes of one part of a file.
type piece struct {
	part    part
	section rules.Section
	lo, hi  int64
}

// pieces cuts everything before the checksum, in order.
func (t *Table) pieces() []piece {
	out := []piece{{part: partHeader, lo: 0, hi: CompactHeaderSize}}
	cut := func(part part, s int, lo, hi, size int64) {
		for ; lo < hi; lo += size {
			out = append(out, piece{part, rules.Section(s), lo, min(lo+size, hi)})
		}
	}
	for s := range t.sections {
		sec := &t.sections[s]
		cut(partBitmap, s, sec.bitmap, sec.directory, pieceBitmapBytes)
		cut(partDirectory, s, sec.directory, sec.distances, pieceOtherBytes)
		cut(partDistances, s, sec.distances, sec.end, pieceOtherBytes)
	}
	return out
}

// verifiedPiece is one worker's result for a piece.
type verifiedPiece struct {
	buffer   []byte // all of it, to be used again
	bytes    []byte // the piece
	crc      uint64
	decisive uint64 // bits set, of a bitmap
}

// Verify checks everything that Open did not: that the block directory is the count of the
// bits before each block, the header's counts those of all bits, the padding zero, each
// distance within the ruleset's longest, and the checksum right. It reads the whole file once,
// in pieces, on the given number of threads, and hashes it on the calling goroutine on the way.
//
// Errors are a *DamageError, of several the first in the file (but the counts and the checksum
// last), a *FaultError, or the context's.
func (t *Table) Verify(ctx context.Context, threads int) (Digest, error) {
	if _, err := t.section(rules.Main); err != nil {
		return Digest{}, err
	}
	var (
		work      = t.pieces()
		free      = make(chan []byte, 2*max(threads, 1))
		directory = make([][]byte, max(threads, 1)) // scratch, a worker each
		size      = min(pieceBitmapBytes, t.size) + blockBytes

		sha    = sha256.New()
		digest = Digest{Bytes: t.size}
		shifts = map[int64]uint64{} // of the few lengths that pieces have
	)
	err := inOrder(ctx, len(work), threads,
		func(worker, i int) (verifiedPiece, error) {
			var buffer []byte
			select {
			case buffer = <-free:
			default:
				buffer = make([]byte, size)
			}
			if directory[worker] == nil {
				directory[worker] = make([]byte, (pieceBlocks+1)*entryBytes)
			}
			return t.verifyPiece(work[i], buffer, directory[worker])
		},
		func(i int, v verifiedPiece) error {
			sha.Write(v.bytes)
			n := int64(len(v.bytes))
			shift, ok := shifts[n]
			if !ok {
				shift = shiftOf(n)
				shifts[n] = shift
			}
			digest.CRC64 = multiply(shift, digest.CRC64) ^ v.crc
			digest.Decisive[work[i].section] += v.decisive
			select {
			case free <- v.buffer:
			default:
			}
			return nil
		})
	if err != nil {
		return Digest{}, err
	}
	for s, found := range t.header.Decisive {
		if counted := digest.Decisive[s]; found != counted {
			return Digest{}, t.damage(BadCount, "decisive "+rules.Section(s).String()+" positions", int64(offDecisive+8*s),
				fmt.Sprint(found), fmt.Sprintf("%d, as in the bitmap", counted))
		}
	}
	var trailer [ChecksumSize]byte
	end := t.size - ChecksumSize
	if err := t.readGuarded(trailer[:], end); err != nil {
		return Digest{}, err
	}
	if stored := binary.LittleEndian.Uint64(trailer[:]); stored != digest.CRC64 {
		return Digest{}, withPath(badChecksum(end, stored, digest.CRC64), t.path)
	}
	sha.Write(trailer[:])
	sha.Sum(digest.SHA256[:0])
	return digest, nil
}

// verifyPiece reads a piece and checks it.
func (t *Table) verifyPiece(p piece, buffer, directory []byte) (verifiedPiece, error) {
	v := verifiedPiece{buffer: buffer, bytes: buffer[:p.hi-p.lo]}
	if err := t.readGuarded(v.bytes, p.lo); err != nil {
		return v, err
	}
	v.crc = crc64.Update(0, crcTable, v.bytes)
	sec := &t.sections[p.section]
	switch p.part {
	case partHeader:
		// It was checked when the table was opened, but a mapped file may have changed since.
		h, _, err := parseHeader(v.bytes, KindCompact, []rules.Ruleset{t.ruleset})
		if err == nil && h != t.header {
			err = &DamageError{Damage: BadDecisive, Field: "decisive positions", Offset: offDecisive,
				Found: fmt.Sprint(h.Decisive), Expected: fmt.Sprintf("%v, as when it was opened", t.header.Decisive)}
		}
		return v, withPath(err, t.path)
	case partBitmap:
		var err error
		v.decisive, err = t.verifyBitmap(sec, p, v, directory)
		return v, err
	case partDistances:
		return v, t.verifyDistances(sec, p, v)
	}
	return v, nil
}

// verifyBitmap counts the bits of a piece of bitmap, and checks the directory entry behind each
// block to be that of the block and its bits. So each entry but the first is checked against
// the one before, and the first is zero; then all are right.
func (t *Table) verifyBitmap(sec *section, p piece, v verifiedPiece, directory []byte) (decisive uint64, err error) {
	if last := sec.directory - 1; p.hi == sec.directory && sec.positions%8 != 0 {
		if b := v.bytes[len(v.bytes)-1]; b>>(sec.positions%8) != 0 {
			return 0, t.badPadding(p.section, "bitmap", last, b, sec.positions%8)
		}
	}
	first := uint64(p.lo-sec.bitmap) / blockBytes
	end := min(first+pieceBlocks+1, sec.blocks())
	directory = directory[:(end-first)*entryBytes]
	at := sec.directory + int64(first)*entryBytes
	if err := t.readGuarded(directory, at); err != nil {
		return 0, err
	}
	before := binary.LittleEndian.Uint32(directory)
	if first == 0 && before != 0 {
		return 0, t.badEntry(p.section, 0, at, before, 0)
	}
	// The last block may be short; what is behind it in the buffer is of another piece.
	padded := (len(v.bytes) + blockBytes - 1) / blockBytes * blockBytes
	clear(v.buffer[len(v.bytes):padded])
	for i := 0; i*blockBytes < padded; i++ {
		block := v.buffer[i*blockBytes:][:blockBytes]
		count := 0
		for w := 0; w < blockBytes; w += 8 {
			count += bits.OnesCount64(binary.LittleEndian.Uint64(block[w : w+8]))
		}
		decisive += uint64(count)
		if next := (i + 1) * entryBytes; next < len(directory) {
			entry := binary.LittleEndian.Uint32(directory[next:])
			if expected := before + uint32(count); entry != expected {
				return 0, t.badEntry(p.section, first+uint64(i)+1, at+int64(next), entry, expected)
			}
			before = entry
		}
	}
	return decisive, nil
}

func (t *Table) badEntry(s rules.Section, block uint64, offset int64, found, expected uint32) error {
	return t.damage(BadDirectory, fmt.Sprintf("%s block directory entry %d", s, block), offset,
		fmt.Sprint(found), fmt.Sprintf("%d, from the bitmap", expected))
}

func (t *Table) badPadding(s rules.Section, part string, offset int64, found byte, used uint64) error {
	return t.damage(BadPadding, fmt.Sprintf("last byte of the %s %s", s, part), offset,
		fmt.Sprintf("0b%08b", found), fmt.Sprintf("zero above its lowest %d bits", used))
}

const (
	eachOtherSix  = 0x03f03f03f03f // four lanes of six bits, twelve apart
	eachOtherOne  = 0x001001001001
	eachOtherOver = 0x040040040040 // the bit above each lane
)

// verifyDistances checks a piece of distances.
func (t *Table) verifyDistances(sec *section, p piece, v verifiedPiece) error {
	if used := 6 * sec.decisive % 8; p.hi == sec.end && used != 0 {
		if b := v.bytes[len(v.bytes)-1]; b>>used != 0 {
			return t.badPadding(p.section, "distances", sec.end-1, b, used)
		}
	}
	// Eight distances in six bytes at a time, as twice four in lanes of twelve bits: adding
	// 63−longest carries out of the six bits just when a distance is above it. Behind the
	// last distance are zeros, which never do.
	clear(v.buffer[len(v.bytes) : len(v.bytes)+8])
	add := uint64(63-sec.longest) * eachOtherOne
	var over uint64
	for at := 0; at < len(v.bytes); at += 6 {
		eight := binary.LittleEndian.Uint64(v.buffer[at:])
		over |= eight&eachOtherSix + add
		over |= eight>>6&eachOtherSix + add
	}
	if over&eachOtherOver == 0 {
		return nil
	}
	first := uint64(p.lo-sec.distances) / pieceOtherBytes * distancesPerPiece
	for i := uint64(0); ; i++ {
		bit := 6 * i
		code := rules.Code(binary.LittleEndian.Uint16(v.buffer[bit/8:]) >> (bit % 8) & 63)
		if code > sec.longest {
			return t.badDistance(sec, first+i, code)
		}
	}
}
