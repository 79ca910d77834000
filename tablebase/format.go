package tablebase

import (
	"encoding/binary"
	"fmt"
	"math"

	"solved/rules"
)

// The constants of both formats; FORMAT.md draws them, and a test holds the two together.
const (
	// CompactMagic begins a compact table (.ttb).
	CompactMagic = "TTCCMP01"
	// BytesMagic begins a byte-per-position table (.tb).
	BytesMagic = "TTCTB001"

	// Version is the only version of both formats so far.
	Version = 1

	// CompactEncoding says: a bitmap of the decisive positions, and their distances in six bits each.
	CompactEncoding = 1
	// BytesEncoding says: one rules.Code per position.
	BytesEncoding = 1

	// BlockPositions is the number of positions that share one entry of the block directory.
	BlockPositions = 512

	// CompactHeaderSize and BytesHeaderSize are in bytes.
	CompactHeaderSize = 56
	BytesHeaderSize   = 40
	// ChecksumSize is the size in bytes of the CRC-64 that ends both formats.
	ChecksumSize = 8
)

const (
	blockBytes = BlockPositions / 8 // of bitmap
	entryBytes = 4                  // of block directory
)

// Offsets of the fields of the two headers. Both begin with magic, version, tag and encoding.
const (
	offMagic    = 0
	offVersion  = 8
	offTag      = 12
	offEncoding = 16

	offBlock    = 20 // compact
	offReserved = 20 // bytes

	offPositions = 24 // two uint64 in both
	offDecisive  = 40 // two uint64, compact only
)

// Header is the header of a table file, parsed.
type Header struct {
	// Kind is KindCompact or KindBytes.
	Kind Kind
	// Tag names the ruleset that the table was made for.
	Tag rules.Tag
	// Positions is the number of positions of each section.
	Positions [rules.Sections]uint64
	// Decisive is how many of them are wins or losses. A byte-per-position header does not
	// say, and leaves it zero.
	Decisive [rules.Sections]uint64
}

// Length returns the exact length in bytes of the uncompressed file with this header,
// checksum included.
func (h Header) Length() int64 {
	if h.Kind == KindBytes {
		return int64(BytesHeaderSize + h.Positions[rules.Main] + h.Positions[rules.Opening] + ChecksumSize)
	}
	layout := h.layout()
	return layout[rules.Opening].end + ChecksumSize
}

// section says where the parts of one section of a compact table are in its file, as byte
// offsets: each part ends where the next begins.
type section struct {
	positions uint64
	decisive  uint64
	longest   uint8 // greatest distance in plies

	bitmap    int64
	directory int64
	distances int64
	end       int64
}

// blocks returns the number of entries of the block directory.
func (s *section) blocks() uint64 { return (s.positions + BlockPositions - 1) / BlockPositions }

func bitmapBytes(positions uint64) int64 { return int64((positions + 7) / 8) }
func directoryBytes(positions uint64) int64 {
	return int64((positions+BlockPositions-1)/BlockPositions) * entryBytes
}
func distanceBytes(decisive uint64) int64 { return int64((6*decisive + 7) / 8) }

// layout places the sections of a compact table: main first, no padding anywhere.
func (h Header) layout() [rules.Sections]section {
	var out [rules.Sections]section
	at := int64(CompactHeaderSize)
	for s := range out {
		sec := &out[s]
		sec.positions, sec.decisive = h.Positions[s], h.Decisive[s]
		sec.bitmap = at
		sec.directory = sec.bitmap + bitmapBytes(sec.positions)
		sec.distances = sec.directory + directoryBytes(sec.positions)
		sec.end = sec.distances + distanceBytes(sec.decisive)
		at = sec.end
	}
	return out
}

// encode returns the header's bytes.
func (h Header) encode() []byte {
	le := binary.LittleEndian
	if h.Kind == KindBytes {
		b := make([]byte, BytesHeaderSize)
		copy(b, BytesMagic)
		le.PutUint32(b[offVersion:], Version)
		le.PutUint32(b[offTag:], uint32(h.Tag))
		le.PutUint32(b[offEncoding:], BytesEncoding)
		for s, n := range h.Positions {
			le.PutUint64(b[offPositions+8*s:], n)
		}
		return b
	}
	b := make([]byte, CompactHeaderSize)
	copy(b, CompactMagic)
	le.PutUint32(b[offVersion:], Version)
	le.PutUint32(b[offTag:], uint32(h.Tag))
	le.PutUint32(b[offEncoding:], CompactEncoding)
	le.PutUint32(b[offBlock:], BlockPositions)
	for s := range h.Positions {
		le.PutUint64(b[offPositions+8*s:], h.Positions[s])
		le.PutUint64(b[offDecisive+8*s:], h.Decisive[s])
	}
	return b
}

// headerSize returns the size in bytes of the header of a kind.
func headerSize(kind Kind) int {
	if kind == KindBytes {
		return BytesHeaderSize
	}
	return CompactHeaderSize
}

// parseHeader checks the first bytes of a file against the format and the known rulesets, in
// the order in which a reader can make sense of them: nothing behind the magic means anything
// if the magic is wrong. It returns the ruleset whose tag the header carries. After it, every
// size that follows from the header is bounded by the sizes of a known ruleset.
func parseHeader(b []byte, kind Kind, known []rules.Ruleset) (Header, rules.Ruleset, error) {
	fail := func(d Damage, offset int64, field, found, expected string) (Header, rules.Ruleset, error) {
		return Header{}, rules.Ruleset{}, &DamageError{Damage: d, Field: field, Offset: offset, Found: found, Expected: expected}
	}
	magic, encoding := CompactMagic, uint32(CompactEncoding)
	if kind == KindBytes {
		magic, encoding = BytesMagic, BytesEncoding
	}
	size := headerSize(kind)
	if len(b) < size {
		// A file that is something else altogether is told as such, however short.
		if len(b) >= len(magic) && string(b[:len(magic)]) != magic {
			return fail(BadMagic, offMagic, "magic", fmt.Sprintf("%q", b[:len(magic)]), fmt.Sprintf("%q", magic))
		}
		return fail(ShortHeader, int64(len(b)), "header", fmt.Sprintf("%d bytes", len(b)), fmt.Sprintf("%d bytes", size))
	}
	le := binary.LittleEndian
	if found := string(b[:len(magic)]); found != magic {
		return fail(BadMagic, offMagic, "magic", fmt.Sprintf("%q", found), fmt.Sprintf("%q", magic))
	}
	if found := le.Uint32(b[offVersion:]); found != Version {
		return fail(BadVersion, offVersion, "version", fmt.Sprint(found), fmt.Sprint(Version))
	}
	if found := le.Uint32(b[offEncoding:]); found != encoding {
		return fail(BadEncoding, offEncoding, "encoding", fmt.Sprint(found), fmt.Sprint(encoding))
	}
	if found := le.Uint32(b[offBlock:]); kind == KindCompact && found != BlockPositions {
		return fail(BadBlockSize, offBlock, "positions per block", fmt.Sprint(found), fmt.Sprint(BlockPositions))
	} else if kind == KindBytes && found != 0 {
		return fail(BadReserved, offReserved, "reserved field", fmt.Sprint(found), "0")
	}

	h := Header{Kind: kind, Tag: rules.Tag(le.Uint32(b[offTag:]))}
	rs, ok := rules.Ruleset{}, false
	for _, k := range known {
		if k.Tag == h.Tag {
			rs, ok = k, true
			break
		}
	}
	switch {
	case ok:
	case len(known) == 1:
		return fail(WrongTag, offTag, "rules tag", h.Tag.String(), fmt.Sprintf("%s (%s)", known[0].Tag, known[0].Name))
	default:
		expected := "one of:"
		for _, k := range known {
			expected += fmt.Sprintf(" %s (%s)", k.Tag, k.Name)
		}
		if len(known) == 0 {
			expected = "none, as no ruleset is known"
		}
		return fail(UnknownTag, offTag, "rules tag", h.Tag.String(), expected)
	}
	if err := checkRuleset(rs); err != nil {
		return Header{}, rules.Ruleset{}, err
	}
	for s := range h.Positions {
		h.Positions[s] = le.Uint64(b[offPositions+8*s:])
		if h.Positions[s] != rs.Positions[s] {
			return fail(BadDimensions, int64(offPositions+8*s), rules.Section(s).String()+" positions",
				fmt.Sprint(h.Positions[s]), fmt.Sprint(rs.Positions[s]))
		}
	}
	if kind == KindCompact {
		for s := range h.Decisive {
			h.Decisive[s] = le.Uint64(b[offDecisive+8*s:])
			if h.Decisive[s] > h.Positions[s] {
				return fail(BadDecisive, int64(offDecisive+8*s), "decisive "+rules.Section(s).String()+" positions",
					fmt.Sprint(h.Decisive[s]), fmt.Sprintf("at most %d", h.Positions[s]))
			}
		}
	}
	return h, rs, nil
}

// checkRuleset refuses a ruleset that no table file can hold: a distance has six bits, and the
// block directory counts positions in 32.
func checkRuleset(rs rules.Ruleset) error {
	for s := range rs.Positions {
		if rs.Longest[s] > rules.MaxDistance {
			return fmt.Errorf("tablebase: ruleset %s: longest %s distance is %d plies, and a table holds at most %d",
				rs.Name, rules.Section(s), rs.Longest[s], rules.MaxDistance)
		}
		if rs.Positions[s] > math.MaxUint32 {
			return fmt.Errorf("tablebase: ruleset %s: %d %s positions, and a table holds at most %d",
				rs.Name, rs.Positions[s], rules.Section(s), uint32(math.MaxUint32))
		}
	}
	return nil
}
