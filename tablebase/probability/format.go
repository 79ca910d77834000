package probability

import (
	"encoding/binary"
	"fmt"
	"hash/crc64"
	"slices"

	"solved/rules"
	"solved/tablebase"
)

// The constants of the format; see FORMAT.md.
const (
	// Magic begins a file.
	Magic = "PROBTB01"
	// Version is the format's version.
	Version = 1
	// Encoding is the one way in which entries are stored.
	Encoding = 1
	// HeaderSize and ChecksumSize are lengths in bytes.
	HeaderSize   = 32
	ChecksumSize = 8
	// MaxPositions is the greatest number of positions of a table.
	MaxPositions = 1 << 32
	// One is the probability 1.
	One = 65535
)

// Offsets of the header's fields, in bytes.
const (
	offMagic     = 0
	offVersion   = 8
	offTag       = 12
	offEncoding  = 16
	offReserved  = 20
	offPositions = 24
)

// Entry is the entry of a position.
type Entry struct {
	// Probability is that of the side to move to win, in parts of One.
	Probability uint16
	// Best is the place, 0 or 1, of the best action in the published order.
	Best uint8
}

// Win returns the probability that the side to move wins, 0 to 1.
func (e Entry) Win() float64 { return float64(e.Probability) / One }

// Length returns the length in bytes of the file of a table with that many positions, at
// most MaxPositions.
func Length(positions uint64) int64 {
	return HeaderSize + int64(2*positions) + int64(bitmapSize(positions)) + ChecksumSize
}

// bitmapSize is the length in bytes of the best actions.
func bitmapSize(positions uint64) uint64 { return (positions + 7) / 8 }

// probabilityAt and bestAt are where the two parts of an entry lie in the file.
func probabilityAt(index uint64) int64 { return HeaderSize + int64(2*index) }

func bestAt(positions, index uint64) int64 { return HeaderSize + int64(2*positions+index/8) }

// checkRuleset checks that the format can express a ruleset.
func checkRuleset(rs rules.Ruleset) error {
	if n := rs.Positions; n[rules.Main] == 0 || n[rules.Main] > MaxPositions || n[rules.Opening] != 0 {
		return fmt.Errorf("probability: %s has %v positions; a table has 1 to %d in one section, and no opening",
			rs.Name, n, uint64(MaxPositions))
	}
	return nil
}

// header returns the header of a table.
func header(rs rules.Ruleset) []byte {
	le := binary.LittleEndian
	b := make([]byte, HeaderSize)
	copy(b[offMagic:], Magic)
	le.PutUint32(b[offVersion:], Version)
	le.PutUint32(b[offTag:], uint32(rs.Tag))
	le.PutUint32(b[offEncoding:], Encoding)
	le.PutUint64(b[offPositions:], rs.Positions[rules.Main])
	return b
}

// parseHeader reads the first HeaderSize bytes of a file, or all if there are fewer.
func parseHeader(b []byte, known []rules.Ruleset) (rules.Ruleset, error) {
	fail := func(d tablebase.Damage, offset int, field, found, expected string) (rules.Ruleset, error) {
		return rules.Ruleset{}, damage(d, field, int64(offset), found, expected)
	}
	if len(b) >= len(Magic) && string(b[:len(Magic)]) != Magic {
		return fail(tablebase.BadMagic, offMagic, "magic", fmt.Sprintf("%q", b[:len(Magic)]), fmt.Sprintf("%q", Magic))
	}
	if len(b) < HeaderSize {
		return fail(tablebase.ShortHeader, len(b), "header", fmt.Sprintf("%d bytes", len(b)), fmt.Sprintf("%d bytes", HeaderSize))
	}
	le := binary.LittleEndian
	if found := le.Uint32(b[offVersion:]); found != Version {
		return fail(tablebase.BadVersion, offVersion, "version", fmt.Sprint(found), fmt.Sprint(Version))
	}
	if found := le.Uint32(b[offEncoding:]); found != Encoding {
		return fail(tablebase.BadEncoding, offEncoding, "encoding", fmt.Sprint(found), fmt.Sprint(Encoding))
	}
	if found := le.Uint32(b[offReserved:]); found != 0 {
		return fail(tablebase.BadReserved, offReserved, "reserved field", fmt.Sprint(found), "0")
	}
	tag := rules.Tag(le.Uint32(b[offTag:]))
	i := slices.IndexFunc(known, func(rs rules.Ruleset) bool { return rs.Tag == tag })
	switch {
	case i >= 0:
	case len(known) == 1:
		return fail(tablebase.WrongTag, offTag, "rules tag", tag.String(), fmt.Sprintf("%s (%s)", known[0].Tag, known[0].Name))
	default:
		return fail(tablebase.UnknownTag, offTag, "rules tag", tag.String(), "the tag of a ruleset known here")
	}
	if err := checkRuleset(known[i]); err != nil {
		return rules.Ruleset{}, err
	}
	if found, positions := le.Uint64(b[offPositions:]), known[i].Positions[rules.Main]; found != positions {
		return fail(tablebase.BadDimensions, offPositions, "positions", fmt.Sprint(found), fmt.Sprint(positions))
	}
	return known[i], nil
}

// checkLength holds the length of a file against its header.
func checkLength(rs rules.Ruleset, found int64) error {
	expected := Length(rs.Positions[rules.Main])
	if found == expected {
		return nil
	}
	what := "cut short"
	if found > expected {
		what = "with trailing bytes"
	}
	return damage(tablebase.BadLength, "end of file", min(found, expected),
		fmt.Sprintf("%d bytes (%s)", found, what), fmt.Sprintf("%d bytes", expected))
}

func damage(d tablebase.Damage, field string, offset int64, found, expected string) error {
	return &tablebase.DamageError{Damage: d, Field: field, Offset: offset, Found: found, Expected: expected}
}

// The checksum is the one of the other table files, CRC-64/XZ.
func checksum(sum uint64, b []byte) uint64 { return crc64.Update(sum, crc64.MakeTable(crc64.ECMA), b) }
