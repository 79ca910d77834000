package probability

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"solved/rules"
	"solved/tablebase"
)

// Table is an open table. Its methods may be called from many goroutines at once, except
// Close.
type Table struct {
	path    string
	ruleset rules.Ruleset

	// data are the bytes of the file, and mapping their mapping; nil where that is memory of
	// our own.
	data    []byte
	mapping *tablebase.Mapping

	closed atomic.Bool
}

// Open opens the table in a file, plain or under zstd, and checks its header against the
// known rulesets (exactly one is "the ruleset asked for") and its exact length. The rest is
// for Verify to check. A ruleset's positions are all in its main section.
//
// Errors are a *tablebase.DamageError, or those of opening and reading a file.
func Open(path string, mode tablebase.Mode, known ...rules.Ruleset) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return OpenFile(f, mode, known...)
}

// OpenFile is Open for a file that is open already, even if its name leads to another file meanwhile. The
// file may be closed afterwards.
func OpenFile(f *os.File, mode tablebase.Mode, known ...rules.Ruleset) (*Table, error) {
	t, err := openFile(f, mode, known)
	if damaged := (*tablebase.DamageError)(nil); errors.As(err, &damaged) {
		damaged.Path = f.Name()
	}
	if err != nil {
		return nil, err
	}
	t.path = f.Name()
	return t, nil
}

func openFile(f *os.File, mode tablebase.Mode, known []rules.Ruleset) (*Table, error) {
	if mode == tablebase.Mapped {
		t, compressed, err := openMapped(f, known)
		if err != nil || !compressed {
			return t, err
		}
	}
	// One byte more than a file can have, so that a longer one is told from it. Not read from
	// where the file's offset is, which is its owner's.
	data, err := io.ReadAll(io.NewSectionReader(f, 0, longestFrame(known)+1))
	if err != nil {
		return nil, err
	}
	return OpenBytes(data, known...)
}

// openMapped maps a file. Of a compressed one it only says that it is.
func openMapped(f *os.File, known []rules.Ruleset) (t *Table, compressed bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	first, err := io.ReadAll(io.NewSectionReader(f, 0, HeaderSize))
	if err != nil {
		return nil, false, err
	}
	if tablebase.Detect(first) == tablebase.KindZstd {
		return nil, true, nil
	}
	rs, err := parseHeader(first, known)
	if err == nil {
		err = checkLength(rs, info.Size())
	}
	if err != nil {
		return nil, false, err
	}
	m, err := tablebase.Map(f, info.Size())
	if err != nil {
		return nil, false, err
	}
	return &Table{ruleset: rs, data: m.Bytes(), mapping: m}, false, nil
}

// OpenBytes is Open for bytes in memory, plain or compressed. The table refers to plain
// bytes; they must not change any more.
func OpenBytes(data []byte, known ...rules.Ruleset) (*Table, error) {
	if tablebase.Detect(data) == tablebase.KindZstd {
		var err error
		if data, err = decompress(data, known); err != nil {
			return nil, err
		}
	}
	rs, err := parseHeader(data[:min(len(data), HeaderSize)], known)
	if err == nil {
		err = checkLength(rs, int64(len(data)))
	}
	if err != nil {
		return nil, err
	}
	return &Table{ruleset: rs, data: data}, nil
}

// longestFile is the greatest length in bytes of a table of a known ruleset, and
// longestFrame that of one under zstd, which is never much longer than its contents.
func longestFile(known []rules.Ruleset) int64 {
	longest := int64(HeaderSize)
	for _, rs := range known {
		if checkRuleset(rs) == nil {
			longest = max(longest, Length(rs.Positions[rules.Main]))
		}
	}
	return longest
}

func longestFrame(known []rules.Ruleset) int64 {
	longest := longestFile(known)
	return longest + longest/16 + 1024
}

// maxWindow is the greatest history, in bytes, that a zstd frame may ask for. The zstd command
// asks for no more unless it is told to (--ultra, --long).
const maxWindow = 32 << 20

// decompress unpacks a table that is no longer than the longest one. It takes no more
// memory than that, or than maxWindow.
func decompress(frame []byte, known []rules.Ruleset) ([]byte, error) {
	longest := longestFile(known)
	if err := tablebase.CheckWindow(bufio.NewReader(bytes.NewReader(frame)), maxWindow); err != nil {
		if damaged := (*tablebase.DamageError)(nil); errors.As(err, &damaged) {
			return nil, err
		}
		return nil, tablebase.BadFrame(err, 0)
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(uint64(max(longest, maxWindow))))
	if err != nil {
		return nil, tablebase.BadFrame(err, 0)
	}
	defer z.Close()
	// As a whole: a decoder of streams keeps a window beside its output.
	data, err := z.DecodeAll(frame, nil)
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) || err == nil && int64(len(data)) > longest {
		return nil, damage(tablebase.BadLength, "end of file", longest,
			"more (with trailing bytes)", fmt.Sprintf("at most %d bytes", longest))
	}
	if err != nil {
		return nil, tablebase.BadFrame(err, int64(len(data)))
	}
	return data, nil
}

// IsFile reports whether an open file begins like a table of this format, and whether it is
// compressed. Errors are those of tablebase.Peek.
func IsFile(f *os.File) (is, compressed bool, err error) {
	first, compressed, err := tablebase.Peek(f)
	return string(first) == Magic, compressed, err
}

// Path returns the name of the file, empty for a table from bytes.
func (t *Table) Path() string { return t.path }

// Ruleset returns the ruleset, of those known to Open, that the table is of.
func (t *Table) Ruleset() rules.Ruleset { return t.ruleset }

// Mapped says whether the table is read from the file where it lies.
func (t *Table) Mapped() bool { return t.mapping != nil }

// Length returns the length of the file in bytes, when it is not compressed.
func (t *Table) Length() int64 { return Length(t.ruleset.Positions[rules.Main]) }

// Close unmaps the file. No other method may be running; those called afterwards return
// fs.ErrClosed.
func (t *Table) Close() error {
	if t.closed.Swap(true) {
		return nil
	}
	t.data = nil
	if t.mapping != nil {
		return t.mapping.Close()
	}
	return nil
}

func (t *Table) checkOpen() error {
	if t.closed.Load() {
		return &fs.PathError{Op: "look up", Path: t.path, Err: fs.ErrClosed}
	}
	return nil
}

// read fills b from the offset; all of it is inside the file.
func (t *Table) read(b []byte, offset int64) { copy(b, t.data[offset:]) }

// readGuarded is read with a fault turned into an error.
func (t *Table) readGuarded(b []byte, offset int64) (err error) {
	if t.mapping != nil {
		defer tablebase.Guard(t.path, debug.SetPanicOnFault(true), &offset, &err)
	}
	t.read(b, offset)
	return nil
}

// Lookup returns the entry of the position with an index, which is below the number of
// positions. Errors are a *tablebase.IndexError and a *tablebase.FaultError.
func (t *Table) Lookup(index uint64) (entry Entry, err error) {
	if err := t.checkOpen(); err != nil {
		return Entry{}, err
	}
	positions := t.ruleset.Positions[rules.Main]
	if index >= positions {
		return Entry{}, &tablebase.IndexError{Section: rules.Main, Index: index, Positions: positions}
	}
	offset := probabilityAt(index)
	if t.mapping != nil {
		defer tablebase.Guard(t.path, debug.SetPanicOnFault(true), &offset, &err)
	}
	entry.Probability = binary.LittleEndian.Uint16(t.data[offset:])
	offset = bestAt(positions, index)
	entry.Best = t.data[offset] >> (index & 7) & 1
	return entry, nil
}

// pieceSize is how much is read, in bytes, between two looks at a context.
const pieceSize = 1 << 18

// Verify checks everything that Open did not: that the padding is zero and the checksum
// right. It reads the whole file once, and digests it; a Digest's decisive positions mean
// nothing here.
//
// Errors are a *tablebase.DamageError, a *tablebase.FaultError, or the context's.
func (t *Table) Verify(ctx context.Context) (tablebase.Digest, error) {
	digest, err := t.verify(ctx)
	if damaged := (*tablebase.DamageError)(nil); errors.As(err, &damaged) {
		damaged.Path = t.path
	}
	return digest, err
}

func (t *Table) verify(ctx context.Context) (tablebase.Digest, error) {
	if err := t.checkOpen(); err != nil {
		return tablebase.Digest{}, err
	}
	positions := t.ruleset.Positions[rules.Main]
	var (
		size   = Length(positions)
		end    = size - ChecksumSize
		sha    = sha256.New()
		digest = tablebase.Digest{Bytes: size}
		buffer = make([]byte, min(pieceSize, end))
		last   byte // of the file before the checksum
	)
	for at := int64(0); at < end; at += int64(len(buffer)) {
		if err := ctx.Err(); err != nil {
			return tablebase.Digest{}, err
		}
		buffer = buffer[:min(int64(len(buffer)), end-at)]
		if err := t.readGuarded(buffer, at); err != nil {
			return tablebase.Digest{}, err
		}
		if at == 0 {
			// It was checked when the table was opened, but a mapped file may have changed since.
			if _, err := parseHeader(buffer[:HeaderSize], []rules.Ruleset{t.ruleset}); err != nil {
				return tablebase.Digest{}, err
			}
		}
		sha.Write(buffer)
		digest.CRC64 = checksum(digest.CRC64, buffer)
		last = buffer[len(buffer)-1]
	}
	if used := positions % 8; used != 0 && last>>used != 0 {
		return tablebase.Digest{}, damage(tablebase.BadPadding, "last byte of the best actions", end-1,
			fmt.Sprintf("0b%08b", last), fmt.Sprintf("zero above its lowest %d bits", used))
	}
	var trailer [ChecksumSize]byte
	if err := t.readGuarded(trailer[:], end); err != nil {
		return tablebase.Digest{}, err
	}
	if stored := binary.LittleEndian.Uint64(trailer[:]); stored != digest.CRC64 {
		return tablebase.Digest{}, damage(tablebase.BadChecksum, "checksum", end,
			fmt.Sprintf("%016x", stored), fmt.Sprintf("%016x", digest.CRC64))
	}
	sha.Write(trailer[:])
	sha.Sum(digest.SHA256[:0])
	return digest, nil
}
