package tablebase

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"sync/atomic"

	"golang.org/x/exp/mmap"

	"solved/rules"
)

// Mode says where the bytes of an open table live.
type Mode uint8

const (
	// Mapped leaves the table in its file and maps it: it opens at once, and shares its
	// memory with the page cache and with other processes. A compressed file cannot be mapped
	// and is decompressed into memory.
	Mapped Mode = iota
	// Memory reads the table into memory of its own, out of reach of whoever changes the file, and
	// on huge pages where the system gives them, which makes random look-ups faster.
	Memory
)

// String returns "mmap" or "memory".
func (m Mode) String() string {
	if m == Mapped {
		return "mmap"
	}
	return "memory"
}

// Table is an open compact table (TTCCMP01). Its methods may be called from many goroutines at
// once, except Close.
type Table struct {
	path     string
	header   Header
	ruleset  rules.Ruleset
	sections [rules.Sections]section
	size     int64

	// The bytes: exactly one of the two. Both are read through at and read.
	mapped *mmap.ReaderAt
	memory []byte

	closed atomic.Bool
}

// Open opens the compact table in a file, plain or under zstd, and checks its header against
// the known rulesets (exactly one is "the ruleset asked for") and its exact length. The rest
// is for Verify to check. No memory is allocated on the word of a header alone: only once the
// file is as long as its header says.
//
// Errors are a *DamageError, a *FaultError, or those of opening and reading a file.
func Open(path string, mode Mode, known ...rules.Ruleset) (*Table, error) {
	return OpenContext(context.Background(), path, mode, known...)
}

// OpenContext is Open for who may not have the time to read a file into memory: when the
// context ends before that is done, its error is returned.
func OpenContext(ctx context.Context, path string, mode Mode, known ...rules.Ruleset) (*Table, error) {
	if mode == Mapped {
		t, compressed, err := openMapped(path, known)
		if err != nil {
			return nil, withPath(err, path)
		}
		if !compressed {
			return t, nil
		}
	}
	t, err := openRead(ctx, path, known)
	if err != nil {
		return nil, withPath(err, path)
	}
	return t, nil
}

// contextReader reads until a context ends, and never for long without looking.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

// longestRead is how much is read, in bytes, between two looks at a context.
const longestRead = 4 << 20

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p[:min(len(p), longestRead)])
}

// OpenBytes is Open for bytes in memory, plain or compressed. The table refers to plain bytes;
// they must not change any more.
func OpenBytes(data []byte, known ...rules.Ruleset) (*Table, error) {
	if Detect(data) == KindZstd {
		return decompress(bytes.NewReader(data), int64(len(data)), known)
	}
	h, rs, err := parseHeader(data[:min(len(data), CompactHeaderSize)], KindCompact, known)
	if err != nil {
		return nil, err
	}
	if err := checkLength(h, int64(len(data))); err != nil {
		return nil, err
	}
	return newTable(h, rs, nil, data), nil
}

func newTable(h Header, rs rules.Ruleset, mapped *mmap.ReaderAt, memory []byte) *Table {
	t := &Table{header: h, ruleset: rs, sections: h.layout(), size: h.Length(), mapped: mapped, memory: memory}
	for s := range t.sections {
		t.sections[s].longest = rs.Longest[s]
	}
	return t
}

// checkLength holds the length of a file against its header.
func checkLength(h Header, found int64) error {
	expected := h.Length()
	if found == expected {
		return nil
	}
	what := "cut short"
	if found > expected {
		what = "with trailing bytes"
	}
	return &DamageError{Damage: BadLength, Field: "end of file", Offset: min(found, expected),
		Found: fmt.Sprintf("%d bytes (%s)", found, what), Expected: fmt.Sprintf("%d bytes", expected)}
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
	first := make([]byte, min(m.Len(), CompactHeaderSize))
	// A table without sections, only to read the header under the same guard as everything.
	if err := (&Table{path: path, mapped: m, size: int64(m.Len())}).readGuarded(first, 0); err != nil {
		return nil, false, err
	}
	if Detect(first) == KindZstd {
		return nil, true, nil
	}
	h, rs, err := parseHeader(first, KindCompact, known)
	if err != nil {
		return nil, false, err
	}
	if err := checkLength(h, int64(m.Len())); err != nil {
		return nil, false, err
	}
	t = newTable(h, rs, m, nil)
	t.path = path
	return t, false, nil
}

// openRead reads a file into memory.
func openRead(ctx context.Context, path string, known []rules.Ruleset) (*Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	f := contextReader{ctx, file}
	first, err := readFirst(f, CompactHeaderSize)
	if err != nil {
		return nil, err
	}
	var t *Table
	if Detect(first) == KindZstd {
		t, err = decompress(io.MultiReader(bytes.NewReader(first), f), info.Size(), known)
		if err != nil {
			return nil, err
		}
	} else {
		h, rs, err := parseHeader(first, KindCompact, known)
		if err != nil {
			return nil, err
		}
		if err := checkLength(h, info.Size()); err != nil {
			return nil, err
		}
		data := newMemory(h.Length())
		n := copy(data, first)
		got, err := io.ReadFull(f, data[n:])
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil, checkLength(h, int64(n+got)) // cut short since it was opened
		} else if err != nil {
			return nil, err
		}
		t = newTable(h, rs, nil, data)
	}
	t.path = path
	return t, nil
}

// decompress reads a table out of a zstd stream of compressed bytes.
func decompress(r io.Reader, compressed int64, known []rules.Ruleset) (*Table, error) {
	z, err := newDecompressor(r, longestFile(KindCompact, known))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	first, err := readFirst(z, CompactHeaderSize)
	if err != nil {
		return nil, err
	}
	h, rs, err := parseHeader(first, KindCompact, known)
	if err != nil {
		return nil, err
	}
	// The header has the exact length, but a few compressed bytes could imply gigabytes that
	// never come. So no more is allocated at once than a good table of this compressed size
	// needs (they shrink to an eighth), and then no more than twice what did come.
	size := h.Length()
	data := newMemory(min(size, 16*compressed+1<<16))
	n := copy(data, first)
	for {
		got, err := io.ReadFull(z, data[n:])
		n += got
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			if int64(n) < size {
				return nil, checkLength(h, int64(n))
			}
		} else if err != nil {
			return nil, err
		}
		if int64(n) == size {
			break
		}
		more := newMemory(min(size, 2*int64(n)))
		copy(more, data)
		data = more
	}
	// The end of the stream is part of the check: trailing bytes, and the frame's checksum.
	var one [1]byte
	switch got, err := io.ReadFull(z, one[:]); {
	case got > 0:
		return nil, &DamageError{Damage: BadLength, Field: "end of file", Offset: size,
			Found: "more (with trailing bytes)", Expected: fmt.Sprintf("%d bytes", size)}
	case err != io.EOF:
		return nil, err
	}
	return newTable(h, rs, nil, data), nil
}

// longestFile returns the greatest length in bytes that a file of a known ruleset can have.
func longestFile(kind Kind, known []rules.Ruleset) int64 {
	var longest int64
	for _, rs := range known {
		if checkRuleset(rs) == nil {
			longest = max(longest, Header{Kind: kind, Positions: rs.Positions, Decisive: rs.Positions}.Length())
		}
	}
	return longest
}

// Path returns the name of the file, empty for a table from bytes.
func (t *Table) Path() string { return t.path }

// Header returns what the file's header says.
func (t *Table) Header() Header { return t.header }

// Ruleset returns the ruleset, of those known to Open, that the table is of.
func (t *Table) Ruleset() rules.Ruleset { return t.ruleset }

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

// at returns one byte.
func (t *Table) at(offset int64) byte {
	if t.mapped != nil {
		return t.mapped.At(int(offset))
	}
	return t.memory[offset]
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
		defer Guard(t.path, debug.SetPanicOnFault(true), &offset, &err)
	}
	t.read(b, offset)
	return nil
}

// section returns a section of an open table.
func (t *Table) section(s rules.Section) (*section, error) {
	if t.closed.Load() {
		return nil, &fs.PathError{Op: "look up", Path: t.path, Err: fs.ErrClosed}
	}
	if int(s) >= len(t.sections) {
		return nil, &IndexError{Section: s}
	}
	return &t.sections[s], nil
}

// damage is a *DamageError in this file.
func (t *Table) damage(d Damage, field string, offset int64, found, expected string) error {
	return &DamageError{Path: t.path, Damage: d, Field: field, Offset: offset, Found: found, Expected: expected}
}
