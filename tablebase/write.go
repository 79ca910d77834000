package tablebase

import (
	"context"
	"encoding/binary"
	"io"

	"solved/rules"
)

// chunkPositions is how many positions a writer asks a Source for at once: a multiple of the
// block size that fits a core's cache.
const chunkPositions = 1 << 18

// chunk is one range of positions of one section.
type chunk struct {
	section rules.Section
	lo, hi  uint64
}

// chunks cuts the sections into ranges, main first.
func chunks(positions [rules.Sections]uint64) []chunk {
	var out []chunk
	for s, n := range positions {
		for lo := uint64(0); lo < n; lo += chunkPositions {
			out = append(out, chunk{rules.Section(s), lo, min(lo+chunkPositions, n)})
		}
	}
	return out
}

// Write writes the compact table (TTCCMP01) of a ruleset to w and returns its digest. It takes
// one pass over the source, in parallel on the given number of threads (see Source for the
// order). The header comes first in the file and holds counts that are known only after the
// pass, so the packed table is in memory by then: an eighth of a byte a position and six bits
// a decisive one. progress, if not nil, is told the number of positions done after each part
// of them, on the calling goroutine.
//
// Errors are those of the source, of w and of ctx, and a *CodeError. After an error what was
// written means nothing: write through Create.
func Write(ctx context.Context, w io.Writer, rs rules.Ruleset, src Source, threads int, progress func(done uint64)) (Digest, error) {
	if err := checkRuleset(rs); err != nil {
		return Digest{}, err
	}
	work := chunks(rs.Positions)
	packed := packedTable{header: Header{Kind: KindCompact, Tag: rs.Tag, Positions: rs.Positions}}
	for s, n := range rs.Positions {
		packed.sections[s].bitmap = make([]byte, bitmapBytes(n))
		packed.sections[s].directory = make([]byte, directoryBytes(n))
	}
	scratch := make([]packer, max(threads, 1))
	var done uint64
	err := inOrder(ctx, len(work), threads,
		func(worker, i int) (packedDistances, error) {
			return scratch[worker].pack(rs, src, work[i], &packed.sections[work[i].section])
		},
		func(i int, d packedDistances) error {
			c := work[i]
			packed.append(c, d)
			done += c.hi - c.lo
			if progress != nil {
				progress(done)
			}
			return nil
		})
	if err != nil {
		return Digest{}, err
	}
	return packed.write(ctx, w)
}

// packedTable is a compact table before it is written.
type packedTable struct {
	header   Header
	sections [rules.Sections]packedSection
}

// packedSection is one section of it.
type packedSection struct {
	bitmap    []byte
	directory []byte
	distances []packedDistances
}

// packedDistances are the six-bit distances of one chunk, from bit 0 on.
type packedDistances struct {
	bytes []byte
	count int
}

// packer is the memory of one worker.
type packer struct {
	codes    []rules.Code
	last     [BlockPositions]rules.Code // a block that is not whole
	decisive []rules.Code               // the distances among codes
}

// pack asks for a chunk of codes and packs it. Bitmap and directory go straight to their place,
// the directory as yet counting from the start of the chunk; the place of the distances depends
// on the chunks before, so they stay apart.
func (p *packer) pack(rs rules.Ruleset, src Source, c chunk, to *packedSection) (packedDistances, error) {
	if p.codes == nil {
		p.codes = make([]rules.Code, chunkPositions)
		p.decisive = make([]rules.Code, chunkPositions+BlockPositions+8)
	}
	codes := p.codes[:c.hi-c.lo]
	if err := src.Codes(c.section, c.lo, codes); err != nil {
		return packedDistances{}, err
	}
	longest := rs.Longest[c.section]
	if i := firstBadCode(codes, longest); i >= 0 {
		return packedDistances{}, &CodeError{Section: c.section, Index: c.lo + uint64(i), Code: codes[i], Longest: longest}
	}

	bitmap := to.bitmap[c.lo/8:]
	directory := to.directory[c.lo/BlockPositions*entryBytes:]
	count := 0
	for i := 0; len(codes) > 0; i++ {
		binary.LittleEndian.PutUint32(directory[i*entryBytes:], uint32(count))
		var block *[BlockPositions]rules.Code
		if len(codes) >= BlockPositions {
			block = (*[BlockPositions]rules.Code)(codes)
			codes = codes[BlockPositions:]
		} else {
			n := copy(p.last[:], codes)
			for ; n < BlockPositions; n++ {
				p.last[n] = rules.CodeDraw
			}
			block, codes = &p.last, nil
		}
		count += packBlock(block, bitmap[:min(blockBytes, len(bitmap))], p.decisive[count:])
		bitmap = bitmap[min(blockBytes, len(bitmap)):]
	}

	packed := make([]byte, 0, distanceBytes(uint64(count))+8)
	clear(p.decisive[count:][:8])
	for i := 0; i < count; i += 8 {
		packed = binary.LittleEndian.AppendUint64(packed, sixBits(binary.LittleEndian.Uint64(p.decisive[i:])))
		packed = packed[:len(packed)-2]
	}
	return packedDistances{bytes: packed[:distanceBytes(uint64(count))], count: count}, nil
}

// packBlock sets the bitmap of a block (shorter only if the section ends in it) and appends the
// distances to decisive, which has room for a whole block and eight bytes. It returns how many
// they are. Where the decisive positions are cannot be foreseen, so nothing branches on it:
// first the words of eight codes with any are found, then their codes all appended, of which
// those that are draws do not count and are overwritten.
func packBlock(block *[BlockPositions]rules.Code, bitmap []byte, decisive []byte) int {
	var (
		words [blockBytes]uint8 // the numbers of the words with decisive codes
		found int
	)
	for i := range bitmap {
		b := decisiveBits(binary.LittleEndian.Uint64(block[8*i:]))
		bitmap[i] = b
		words[found%blockBytes] = uint8(i)
		found += int(uint32(-int32(b)) >> 31) // 1 if b is not 0
	}
	decisive = decisive[:BlockPositions+8]
	n := 0
	for _, w := range words[:found] {
		eight := binary.LittleEndian.Uint64(block[8*int(w):])
		for range 8 {
			decisive[n] = byte(eight)
			n += int(^eight >> 7 & 1)
			eight >>= 8
		}
	}
	return n
}

// sixBits moves eight distances from the bytes of a word to its low 48 bits: pairs, pairs of
// pairs, and so on.
func sixBits(eight uint64) uint64 {
	eight = eight&0x003f003f003f003f | eight&0x3f003f003f003f00>>2
	eight = eight&0x00000fff00000fff | eight&0x0fff00000fff0000>>4
	return eight&0xffffff | eight>>8&0xffffff000000
}

const (
	eachByte    = 0x0101010101010101
	eachTopBit  = 0x80 * eachByte
	gatherLanes = 0x0102040810204080
)

// decisiveBits returns, for eight good codes in a word, a bit for each that is a distance. A
// distance has its top bit clear, a draw has not. The product moves bit 8i to bit 56+i: the
// factor has the bits 56−7i.
func decisiveBits(eight uint64) byte {
	return byte((^eight & eachTopBit) >> 7 * gatherLanes >> 56)
}

// firstBadCode returns the index of the first code that is neither a draw nor a distance up to
// longest (at most 63), or −1.
func firstBadCode(codes []rules.Code, longest uint8) int {
	i := 0
	tooLong := uint64(127-longest) * eachByte
	for ; i+8 <= len(codes); i += 8 {
		eight := binary.LittleEndian.Uint64(codes[i:])
		top := eight & eachTopBit
		draws := top | (top - top>>7) // each byte with its top bit set, as 255
		// A byte with the top bit set must be 255; another must not carry into its top bit.
		distances := eight &^ draws
		if eight&draws != draws || (distances+tooLong)&eachTopBit != 0 {
			break
		}
	}
	for ; i < len(codes); i++ {
		if c := codes[i]; c != rules.CodeDraw && c > longest {
			return i
		}
	}
	return -1
}

// append takes the next chunk, in order.
func (t *packedTable) append(c chunk, d packedDistances) {
	s := &t.sections[c.section]
	before := uint32(t.header.Decisive[c.section])
	for at := c.lo / BlockPositions * entryBytes; at < directoryBytesTo(c.hi); at += entryBytes {
		entry := s.directory[at:]
		binary.LittleEndian.PutUint32(entry, before+binary.LittleEndian.Uint32(entry))
	}
	s.distances = append(s.distances, d)
	t.header.Decisive[c.section] += uint64(d.count)
}

func directoryBytesTo(hi uint64) uint64 { return uint64(directoryBytes(hi)) }

// writeBytes is how much goes to a writer at once.
const writeBytes = 1 << 20

// write writes the table, and joins the distances on the way.
func (t *packedTable) write(ctx context.Context, w io.Writer) (Digest, error) {
	d := newDigester(w)
	out := func(b []byte) error {
		for len(b) > 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(len(b), writeBytes)
			if _, err := d.Write(b[:n]); err != nil {
				return err
			}
			b = b[n:]
		}
		return nil
	}
	if err := out(t.header.encode()); err != nil {
		return Digest{}, err
	}
	joined := bitJoiner{out: make([]byte, 0, writeBytes+writeBytes/4)}
	for i := range t.sections {
		s := &t.sections[i]
		if err := out(s.bitmap); err != nil {
			return Digest{}, err
		}
		if err := out(s.directory); err != nil {
			return Digest{}, err
		}
		for _, distances := range s.distances {
			joined.append(distances.bytes, 6*distances.count)
			if len(joined.out) >= writeBytes {
				if err := out(joined.out); err != nil {
					return Digest{}, err
				}
				joined.out = joined.out[:0]
			}
		}
		joined.flush()
		if err := out(joined.out); err != nil {
			return Digest{}, err
		}
		joined.out = joined.out[:0]
	}
	return d.finish(t.header.Decisive)
}

// bitJoiner puts strings of bits one behind the other, from the least significant bit on.
type bitJoiner struct {
	out  []byte
	word uint64 // bits that do not fill a byte yet
	used uint   // how many, below 8
}

// append adds the first n bits of b; the others in its last byte are zero.
func (j *bitJoiner) append(b []byte, n int) {
	for ; n >= 64; n -= 64 {
		w := binary.LittleEndian.Uint64(b)
		j.out = binary.LittleEndian.AppendUint64(j.out, j.word|w<<j.used)
		j.word = w >> (64 - j.used) // in Go nothing is left of a shift by 64
		b = b[8:]
	}
	for ; n > 0; n -= 8 {
		j.word |= uint64(b[0]) << j.used
		j.used += uint(min(n, 8))
		if j.used >= 8 {
			j.out = append(j.out, byte(j.word))
			j.word >>= 8
			j.used -= 8
		}
		b = b[1:]
	}
}

// flush fills the last byte with zeros.
func (j *bitJoiner) flush() {
	if j.used > 0 {
		j.out = append(j.out, byte(j.word))
	}
	j.word, j.used = 0, 0
}
