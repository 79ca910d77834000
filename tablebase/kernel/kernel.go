package kernel

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"

	"solved/rules"
	"solved/tablebase"
)

// The constants of the format; see FORMAT.md.
const (
	// Magic begins a kernel file.
	Magic = "KERNEL01"
	// Version is the format's version.
	Version = 1
	// HeaderSize and ChecksumSize are lengths in bytes.
	HeaderSize   = 128
	ChecksumSize = 8
	// MaxBody is the greatest length, in bytes, of a decompressed body, and
	// MaxFrame that of the frame, which is never much longer than its contents.
	// They bound what a file can make its reader allocate.
	MaxBody  = 4 << 20
	MaxFrame = MaxBody + MaxBody/16
)

// Offsets of the header's fields.
const (
	offMagic     = 0
	offVersion   = 8
	offTag       = 12
	offSearch    = 16
	offReserved  = 20
	offPositions = 24
	offDecisive  = 40
	offLosses    = 56
	offCRC       = 72
	offSHA       = 80
	offBody      = 112
	offFrame     = 120
)

// Table is the contents of a kernel file.
type Table struct {
	Ruleset rules.Ruleset
	// Search is the version of the search that finds all other losses.
	Search uint32
	// Equal is the digest of the compact table (TTCCMP01) that holds the same
	// values. Its length is not stored: it follows from the rest.
	Equal tablebase.Digest
	// Digest is that of the kernel file itself. Decode sets it; its decisive
	// positions are those of the equal table.
	Digest tablebase.Digest
	// Losses are those of each section that the search has to be told, by
	// ascending index. Distances are in plies, even, from 2 to the section's
	// longest.
	Losses [rules.Sections][]rules.IndexedLoss
}

// Encode returns the file that holds the table. The field Digest does not matter,
// nor Equal.Bytes; otherwise equal tables give equal files. It is an error if
// Decode would refuse the file.
func (t *Table) Encode() ([]byte, error) {
	body, err := t.body()
	if err != nil {
		return nil, err
	}
	// One goroutine, so that the frame depends on nothing but the body.
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression),
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	frame := encoder.EncodeAll(body, nil)
	if err := encoder.Close(); err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	b := make([]byte, HeaderSize, HeaderSize+len(frame)+ChecksumSize)
	copy(b[offMagic:], Magic)
	le.PutUint32(b[offVersion:], Version)
	le.PutUint32(b[offTag:], uint32(t.Ruleset.Tag))
	le.PutUint32(b[offSearch:], t.Search)
	for s := range rules.Sections {
		le.PutUint64(b[offPositions+8*s:], t.Ruleset.Positions[s])
		le.PutUint64(b[offDecisive+8*s:], t.Equal.Decisive[s])
		le.PutUint64(b[offLosses+8*s:], uint64(len(t.Losses[s])))
	}
	le.PutUint64(b[offCRC:], t.Equal.CRC64)
	copy(b[offSHA:], t.Equal.SHA256[:])
	le.PutUint64(b[offBody:], uint64(len(body)))
	le.PutUint64(b[offFrame:], uint64(len(frame)))
	b = append(b, frame...)
	return le.AppendUint64(b, checksum(b)), nil
}

// body lays out the losses: for each section the gaps between the indices, then
// for each section the distances, halved.
func (t *Table) body() ([]byte, error) {
	var body []byte
	for s, losses := range t.Losses {
		decisive, positions := t.Equal.Decisive[s], t.Ruleset.Positions[s]
		if n := uint64(len(losses)); n > decisive || decisive > positions {
			return nil, fmt.Errorf("kernel: %d losses among %d decisive of %d %s positions", n, decisive, positions, rules.Section(s))
		}
		next := uint64(0) // the least index that may follow
		for _, loss := range losses {
			if loss.Index < next || loss.Index >= positions {
				return nil, fmt.Errorf("kernel: %s index %d is not in [%d, %d)", rules.Section(s), loss.Index, next, positions)
			}
			if loss.Distance%2 != 0 || loss.Distance < 2 || loss.Distance > t.Ruleset.Longest[s] {
				return nil, fmt.Errorf("kernel: %s position %d is lost in %d, not in an even number of plies from 2 to %d", rules.Section(s), loss.Index, loss.Distance, t.Ruleset.Longest[s])
			}
			body = binary.AppendUvarint(body, loss.Index-next)
			next = loss.Index + 1
		}
	}
	for _, losses := range t.Losses {
		for _, loss := range losses {
			body = append(body, loss.Distance/2)
		}
	}
	if len(body) > MaxBody {
		return nil, fmt.Errorf("kernel: %d bytes of losses, at most %d fit", len(body), MaxBody)
	}
	return body, nil
}

func checksum(b []byte) uint64 { return crc64.Checksum(b, crc64.MakeTable(crc64.ECMA)) }

// Decode reads a kernel file, which must be of one of the known rulesets (exactly
// one is "the ruleset asked for") and made for the given search. It checks
// everything that can be checked without the table that the file stands for.
// Errors are *tablebase.DamageError; with a Field that begins with "body", their
// Offset is that in the decompressed body.
func Decode(data []byte, search uint32, known ...rules.Ruleset) (*Table, error) {
	t := new(Table)
	counts, size, err := t.decodeHeader(data, search, known)
	if err != nil {
		return nil, err
	}
	end := len(data) - ChecksumSize
	if found, computed := binary.LittleEndian.Uint64(data[end:]), checksum(data[:end]); found != computed {
		return nil, damage(tablebase.BadChecksum, int64(end), "checksum", fmt.Sprintf("%016x", found), fmt.Sprintf("%016x", computed))
	}
	body, err := decompress(data[HeaderSize:end], size)
	if err != nil {
		return nil, err
	}
	if err := t.decodeBody(body, counts); err != nil {
		return nil, err
	}
	t.Digest = tablebase.Digest{
		SHA256:   sha256.Sum256(data),
		CRC64:    binary.LittleEndian.Uint64(data[end:]),
		Bytes:    int64(len(data)),
		Decisive: t.Equal.Decisive,
	}
	return t, nil
}

// decodeHeader fills in the fields of the header, and returns the numbers of losses
// and the length of the body. After it, both are bounded by MaxBody, and the file
// is as long as it says.
func (t *Table) decodeHeader(b []byte, search uint32, known []rules.Ruleset) (counts [rules.Sections]uint64, body uint64, err error) {
	fail := func(d tablebase.Damage, offset int, field, found, expected string) ([rules.Sections]uint64, uint64, error) {
		return counts, 0, damage(d, int64(offset), field, found, expected)
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
	tag := rules.Tag(le.Uint32(b[offTag:]))
	i := slices.IndexFunc(known, func(r rules.Ruleset) bool { return r.Tag == tag })
	switch {
	case i >= 0:
		t.Ruleset = known[i]
	case len(known) == 1:
		return fail(tablebase.WrongTag, offTag, "rules tag", tag.String(), fmt.Sprintf("%s (%s)", known[0].Tag, known[0].Name))
	default:
		return fail(tablebase.UnknownTag, offTag, "rules tag", tag.String(), "the tag of a ruleset known here")
	}
	if t.Search = le.Uint32(b[offSearch:]); t.Search != search {
		return fail(tablebase.BadSearch, offSearch, "search version", fmt.Sprint(t.Search), fmt.Sprint(search))
	}
	if found := le.Uint32(b[offReserved:]); found != 0 {
		return fail(tablebase.BadReserved, offReserved, "reserved field", fmt.Sprint(found), "0")
	}
	for s := range rules.Sections {
		section := rules.Section(s).String()
		positions := t.Ruleset.Positions[s]
		if found := le.Uint64(b[offPositions+8*s:]); found != positions {
			return fail(tablebase.BadDimensions, offPositions+8*s, section+" positions", fmt.Sprint(found), fmt.Sprint(positions))
		}
		decisive := le.Uint64(b[offDecisive+8*s:])
		if decisive > positions {
			return fail(tablebase.BadDecisive, offDecisive+8*s, "decisive "+section+" positions", fmt.Sprint(decisive), fmt.Sprintf("at most %d", positions))
		}
		t.Equal.Decisive[s] = decisive
		if counts[s] = le.Uint64(b[offLosses+8*s:]); counts[s] > decisive {
			return fail(tablebase.BadDecisive, offLosses+8*s, section+" losses", fmt.Sprint(counts[s]), fmt.Sprintf("at most %d", decisive))
		}
	}
	t.Equal.CRC64 = le.Uint64(b[offCRC:])
	copy(t.Equal.SHA256[:], b[offSHA:])
	t.Equal.Bytes = tablebase.Header{Kind: tablebase.KindCompact, Tag: tag, Positions: t.Ruleset.Positions, Decisive: t.Equal.Decisive}.Length()
	size := le.Uint64(b[offBody:])
	if size > MaxBody || counts[0] > size/2 || counts[1] > size/2-counts[0] {
		return fail(tablebase.BadLength, offBody, "body length", fmt.Sprint(size),
			fmt.Sprintf("two bytes or more for each of the losses, and at most %d", MaxBody))
	}
	frame := le.Uint64(b[offFrame:])
	if frame > MaxFrame {
		return fail(tablebase.BadLength, offFrame, "frame length", fmt.Sprint(frame), fmt.Sprintf("at most %d", MaxFrame))
	}
	if length := HeaderSize + int(frame) + ChecksumSize; len(b) != length {
		return fail(tablebase.BadLength, min(len(b), length), "end of file", fmt.Sprintf("%d bytes", len(b)), fmt.Sprintf("%d bytes", length))
	}
	return counts, size, nil
}

func damage(d tablebase.Damage, offset int64, field, found, expected string) error {
	return &tablebase.DamageError{Damage: d, Offset: offset, Field: field, Found: found, Expected: expected}
}

// decompress returns the content of a zstd frame, which must have that size.
func decompress(frame []byte, size uint64) ([]byte, error) {
	fail := func(found string, err error) ([]byte, error) {
		return nil, &tablebase.DamageError{Damage: tablebase.BadZstd, Offset: HeaderSize, Field: "frame", Found: found,
			Expected: fmt.Sprintf("a zstd frame of %d bytes", size), Err: err}
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxBody), zstd.WithDecoderMaxWindow(MaxBody))
	if err != nil {
		return fail("damaged", err)
	}
	defer decoder.Close()
	body, err := decoder.DecodeAll(frame, nil)
	switch {
	case err != nil:
		return fail(fmt.Sprintf("damaged (%v)", err), err)
	case uint64(len(body)) != size:
		return fail(fmt.Sprintf("one of %d bytes", len(body)), nil)
	}
	return body, nil
}

// decodeBody reads the losses.
func (t *Table) decodeBody(body []byte, counts [rules.Sections]uint64) error {
	at := 0 // in the body
	for s, count := range counts {
		section := rules.Section(s).String()
		losses := make([]rules.IndexedLoss, count)
		next := uint64(0)
		for i := range losses {
			gap, n := binary.Uvarint(body[at:])
			switch {
			case n <= 0 || n > 1 && body[at+n-1] == 0:
				return damage(tablebase.BadIndex, int64(at), "body, gap between "+section+" indices", "not a number in its shortest form", "one")
			case gap >= t.Ruleset.Positions[s]-next:
				return damage(tablebase.BadIndex, int64(at), "body, "+section+" index", fmt.Sprintf("%d past %d", gap, next), fmt.Sprintf("one below %d", t.Ruleset.Positions[s]))
			}
			losses[i].Index = next + gap
			next = losses[i].Index + 1
			at += n
		}
		t.Losses[s] = losses
	}
	if uint64(len(body)-at) != counts[0]+counts[1] {
		return damage(tablebase.BadLength, int64(at), "body, distances", fmt.Sprintf("%d bytes", len(body)-at), fmt.Sprint(counts[0]+counts[1]))
	}
	for s, losses := range t.Losses {
		for i := range losses {
			half := body[at]
			if half > t.Ruleset.Longest[s]/2 || half < 1 {
				return damage(tablebase.BadDistance, int64(at), "body, halved "+rules.Section(s).String()+" distance", fmt.Sprint(half), fmt.Sprintf("1 to %d", t.Ruleset.Longest[s]/2))
			}
			losses[i].Distance = 2 * half
			at++
		}
	}
	return nil
}

// ReadFile reads the kernel file at path, as Decode does. Errors name the file.
func ReadFile(path string, search uint32, known ...rules.Ruleset) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, search, known...)
}

// Read is ReadFile for a file that is open already, even if its name leads to another file meanwhile.
func Read(f *os.File, search uint32, known ...rules.Ruleset) (*Table, error) {
	// One byte more than a file can have, so that a longer one is told from it. Not read from
	// where the file's offset is, which is its owner's.
	data, err := io.ReadAll(io.NewSectionReader(f, 0, HeaderSize+MaxFrame+ChecksumSize+1))
	if err != nil {
		return nil, err
	}
	t, err := Decode(data, search, known...)
	if damaged := (*tablebase.DamageError)(nil); errors.As(err, &damaged) {
		damaged.Path = f.Name()
	}
	return t, err
}

// IsFile reports whether an open file begins like a kernel file.
func IsFile(f *os.File) (bool, error) {
	var first [len(Magic)]byte
	_, err := f.ReadAt(first[:], 0)
	if err != nil && err != io.EOF {
		return false, err
	}
	return string(first[:]) == Magic, nil
}
