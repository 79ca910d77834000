package tablebase

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime/debug"
	"sync/atomic"

	"solved/rules"
)

// Mode says where the bytes of an open table live.
type Mode uint8

const (
	// Mapped leaves the table in its file and maps it: it opens at once, and shares its
	// memory with the page cache and with other processes. A compressed file cannot be mapped
	// and is decompressed into memory.
	Mapped Mode = iota
	// Memory reads the table into memory of its own, out of reach of a program that changes the file, and
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

	// data are the bytes of the file, and mapping their mapping; nil where that is memory of
	// our own.
	data    []byte
	mapping *Mapping

	closed atomic.Bool
}

// Open opens the compact table in a file, plain or under zstd, and checks its header against
// the known rulesets (exactly one is "the ruleset asked for") and its exact length. The rest
// is for Verify to check. No memory is allocated on the word of a header alone: only once the
// file is as long as its header says.
//
// Errors are a *DamageError, or those of opening and reading a file.
func Open(path string, mode Mode, known ...rules.Ruleset) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return OpenFile(context.Background(), f, mode, known...)
}

// OpenFile is Open for a file that is open already, even if its name leads to another file meanwhile. The
// file may be closed afterwards. Reading a file into memory ends with the context, whose error
// is then returned.
func OpenFile(ctx context.Context, f *os.File, mode Mode, known ...rules.Ruleset) (*Table, error) {
	t, err := openFile(ctx, f, mode, known)
	if err != nil {
		return nil, withPath(err, f.Name())
	}
	t.path = f.Name()
	return t, nil
}

func openFile(ctx context.Context, f *os.File, mode Mode, known []rules.Ruleset) (*Table, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	// Not read from where the file's offset is, which is its owner's.
	r := contextReader{ctx, io.NewSectionReader(f, 0, math.MaxInt64)}
	first, err := readFirst(r, CompactHeaderSize)
	if err != nil {
		return nil, err
	}
	if Detect(first) == KindZstd {
		return decompress(io.MultiReader(bytes.NewReader(first), r), info.Size(), known)
	}
	h, rs, err := parseHeader(first, KindCompact, known)
	if err != nil {
		return nil, err
	}
	if err := checkLength(h, info.Size()); err != nil {
		return nil, err
	}
	if mode == Mapped {
		m, err := Map(f, h.Length())
		if err != nil {
			return nil, err
		}
		t := newTable(h, rs, m.Bytes())
		t.mapping = m
		return t, nil
	}
	data := newMemory(h.Length())
	n := copy(data, first)
	got, err := io.ReadFull(r, data[n:])
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, checkLength(h, int64(n+got)) // cut short since it was opened
	} else if err != nil {
		return nil, err
	}
	return newTable(h, rs, data), nil
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
	return newTable(h, rs, data), nil
}

func newTable(h Header, rs rules.Ruleset, data []byte) *Table {
	t := &Table{header: h, ruleset: rs, sections: h.layout(), size: h.Length(), data: data}
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
	return newTable(h, rs, data), nil
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

// Header returns the file's header.
func (t *Table) Header() Header { return t.header }

// Ruleset returns the ruleset, of those known to Open, that the table is of.
func (t *Table) Ruleset() rules.Ruleset { return t.ruleset }

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

// at returns one byte.
func (t *Table) at(offset int64) byte { return t.data[offset] }

// read fills b from the offset; all of it is inside the file.
func (t *Table) read(b []byte, offset int64) { copy(b, t.data[offset:]) }

// readGuarded is read with a fault turned into an error.
func (t *Table) readGuarded(b []byte, offset int64) (err error) {
	if t.mapping != nil {
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
