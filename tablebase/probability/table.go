package probability

import (
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
	"golang.org/x/exp/mmap"

	"solved/rules"
	"solved/tablebase"
)

// Table is an open table. Its methods may be called from many goroutines at once, except
// Close.
type Table struct {
	path    string
	ruleset rules.Ruleset

	// The bytes: exactly one of the two. Both are read through read.
	mapped *mmap.ReaderAt
	memory []byte

	closed atomic.Bool
}

// Open opens the table in a file, plain or under zstd, and checks its header against the
// known rulesets (exactly one is "the ruleset asked for") and its exact length. The rest is
// for Verify to check. A ruleset's positions are all in its main section.
//
// Errors are a *tablebase.DamageError, a *tablebase.FaultError, or those of opening and
// reading a file.
func Open(path string, mode tablebase.Mode, known ...rules.Ruleset) (*Table, error) {
	t, err := open(path, mode, known)
	if damaged := (*tablebase.DamageError)(nil); errors.As(err, &damaged) {
		damaged.Path = path
	}
	if err != nil {
		return nil, err
	}
	t.path = path
	return t, nil
}

func open(path string, mode tablebase.Mode, known []rules.Ruleset) (*Table, error) {
	if mode == tablebase.Mapped {
		t, compressed, err := openMapped(path, known)
		if err != nil || !compressed {
			return t, err
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// One byte more than a file can have, so that a longer one is told from it.
	data, err := io.ReadAll(io.LimitReader(f, longestFrame(known)+1))
	if err != nil {
		return nil, err
	}
	return OpenBytes(data, known...)
}

// openMapped maps a file. Of a compressed one it only says that it is.
func openMapped(path string, known []rules.Ruleset) (t *Table, compressed bool, err error) {
	m, err := mmap.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer func() {
		if t == nil {
			m.Close()
		}
	}()
	first := make([]byte, min(m.Len(), HeaderSize))
	if err := (&Table{path: path, mapped: m}).readGuarded(first, 0); err != nil {
		return nil, false, err
	}
	if tablebase.Detect(first) == tablebase.KindZstd {
		return nil, true, nil
	}
	rs, err := parseHeader(first, known)
	if err == nil {
		err = checkLength(rs, int64(m.Len()))
	}
	if err != nil {
		return nil, false, err
	}
	return &Table{path: path, ruleset: rs, mapped: m}, false, nil
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
	return &Table{ruleset: rs, memory: data}, nil
}

// longestFile is the greatest length in bytes of a table of a known ruleset, and
// longestFrame that of one under zstd, which is never much longer than what it holds.
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
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(uint64(max(longest, maxWindow))))
	if err != nil {
		return nil, badFrame(0, err)
	}
	defer z.Close()
	// As a whole: a decoder of streams keeps a window beside what it gives.
	data, err := z.DecodeAll(frame, nil)
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) || err == nil && int64(len(data)) > longest {
		return nil, damage(tablebase.BadLength, "end of file", longest,
			"more (with trailing bytes)", fmt.Sprintf("at most %d bytes", longest))
	}
	if err != nil {
		return nil, badFrame(len(data), err)
	}
	return data, nil
}

func badFrame(unpacked int, err error) error {
	return &tablebase.DamageError{Damage: tablebase.BadZstd, Field: "zstd frame", Offset: int64(unpacked),
		Found: fmt.Sprintf("damaged (%v)", err), Expected: "a frame that decompresses", Err: err}
}

// IsFile reports whether a file begins like a table of this format, and whether it is
// compressed. An error is one of reading, or a zstd frame so damaged that its first bytes
// cannot be had.
func IsFile(path string) (is, compressed bool, err error) {
	first, compressed, err := tablebase.Peek(path)
	return string(first) == Magic, compressed, err
}

// Path returns the name of the file, empty for a table from bytes.
func (t *Table) Path() string { return t.path }

// Ruleset returns the ruleset, of those known to Open, that the table is of.
func (t *Table) Ruleset() rules.Ruleset { return t.ruleset }

// Mapped says whether the table is read from the file where it lies.
func (t *Table) Mapped() bool { return t.mapped != nil }

// Length returns the length of the file in bytes, when it is not compressed.
func (t *Table) Length() int64 { return Length(t.ruleset.Positions[rules.Main]) }

// Close unmaps the file. No other method may be running; those called afterwards return
// fs.ErrClosed.
func (t *Table) Close() error {
	if t.closed.Swap(true) {
		return nil
	}
	t.memory = nil
	if t.mapped != nil {
		return t.mapped.Close()
	}
	return nil
}

func (t *Table) checkOpen() error {
	if t.closed.Load() {
		return &fs.PathError{Op: "look up", Path: t.path, Err: fs.ErrClosed}
	}
	return nil
}

// read fills b from the offset; all of it is inside the file. (The mapping's ReadAt has no
// error for such a range.)
func (t *Table) read(b []byte, offset int64) {
	if t.mapped != nil {
		t.mapped.ReadAt(b, offset)
		return
	}
	copy(b, t.memory[offset:])
}

// readGuarded is read with a fault turned into an error.
func (t *Table) readGuarded(b []byte, offset int64) (err error) {
	if t.mapped != nil {
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
	if t.mapped == nil {
		probability := binary.LittleEndian.Uint16(t.memory[probabilityAt(index):])
		return Entry{probability, t.memory[bestAt(positions, index)] >> (index & 7) & 1}, nil
	}
	offset := probabilityAt(index)
	defer tablebase.Guard(t.path, debug.SetPanicOnFault(true), &offset, &err)
	low, high := t.mapped.At(int(offset)), t.mapped.At(int(offset+1))
	offset = bestAt(positions, index)
	best := t.mapped.At(int(offset)) >> (index & 7) & 1
	return Entry{uint16(low) | uint16(high)<<8, best}, nil
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
