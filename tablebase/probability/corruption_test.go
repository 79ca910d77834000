package probability

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"solved/rules"
	"solved/tablebase"
)

// openAndVerify is what a file has to pass.
func openAndVerify(t testing.TB, data []byte, known ...rules.Ruleset) error {
	t.Helper()
	table, err := OpenBytes(data, known...)
	if err != nil {
		if table != nil {
			t.Fatal("a table beside an error")
		}
		return err
	}
	_, err = table.Verify(t.Context())
	return err
}

// Each kind of damage by name, with the checksum made right where that is not what it is
// about.
func TestDamageByName(t *testing.T) {
	rs, entries := small()
	good := write(t, rs, entries)
	n := len(good)
	put32 := func(offset int, value uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[offset:], value); return resealed(b) }
	}
	put64 := func(offset int, value uint64) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint64(b[offset:], value); return resealed(b) }
	}
	flip := func(offset int, mask byte) func([]byte) []byte {
		return func(b []byte) []byte { b[offset] ^= mask; return b }
	}
	seal := func(change func([]byte) []byte) func([]byte) []byte {
		return func(b []byte) []byte { return resealed(change(b)) }
	}
	cut := func(n int) func([]byte) []byte { return func(b []byte) []byte { return b[:n] } }
	zst := func(change func([]byte) []byte) func([]byte) []byte {
		return func(b []byte) []byte { return change(compressed(t, b)) }
	}
	for _, c := range []struct {
		name   string
		change func([]byte) []byte
		damage tablebase.Damage
		field  string
		offset int64
		text   string
	}{
		{"empty", cut(0), tablebase.ShortHeader, "header", 0, "is 0 bytes, expected 32 bytes"},
		{"within the magic", cut(7), tablebase.ShortHeader, "header", 7, "is 7 bytes"},
		{"within the header", cut(31), tablebase.ShortHeader, "header", 31, "is 31 bytes"},
		{"magic", flip(7, 3), tablebase.BadMagic, "magic", 0, `is "PROBTB02", expected "PROBTB01"`},
		{"another table", func([]byte) []byte { return []byte("TTCCMP01") }, tablebase.BadMagic, "magic", 0, `is "TTCCMP01"`},
		{"version", put32(offVersion, 2), tablebase.BadVersion, "version", 8, "is 2, expected 1"},
		{"encoding", put32(offEncoding, 0), tablebase.BadEncoding, "encoding", 16, "is 0, expected 1"},
		{"reserved", put32(offReserved, 1<<31), tablebase.BadReserved, "reserved field", 20, "is 2147483648, expected 0"},
		{"tag", put32(offTag, 0x50494701), tablebase.WrongTag, "rules tag", 12, "is 0x50494701, expected 0x534d4c31 (small)"},
		{"a position more", put64(offPositions, 12), tablebase.BadDimensions, "positions", 24, "is 12, expected 11"},
		{"no position", put64(offPositions, 0), tablebase.BadDimensions, "positions", 24, "is 0, expected 11"},
		{"any number of positions", put64(offPositions, math.MaxUint64), tablebase.BadDimensions, "positions", 24, "is 18446744073709551615,"},
		{"header alone", cut(32), tablebase.BadLength, "end of file", 32, "is 32 bytes (cut short), expected 64 bytes"},
		{"cut by a byte", cut(n - 1), tablebase.BadLength, "end of file", int64(n - 1), "is 63 bytes (cut short)"},
		{"trailing", func(b []byte) []byte { return append(b, 0) }, tablebase.BadLength, "end of file", int64(n), "is 65 bytes (with trailing bytes)"},
		{"padding", seal(flip(n-9, 1<<3)), tablebase.BadPadding, "last byte of the best actions", int64(n - 9), "is 0b00001110, expected zero above its lowest 3 bits"},
		{"padding, highest bit", seal(flip(n-9, 1<<7)), tablebase.BadPadding, "last byte of the best actions", int64(n - 9), "is 0b10000110"},
		{"probability", flip(40, 1), tablebase.BadChecksum, "checksum", int64(n - 8), "checksum does not match"},
		{"best action", flip(n-10, 1), tablebase.BadChecksum, "checksum", int64(n - 8), ""},
		{"checksum", flip(n-1, 1), tablebase.BadChecksum, "checksum", int64(n - 8), ""},
		{"cut frame", zst(func(b []byte) []byte { return b[:len(b)-2] }), tablebase.BadZstd, "zstd frame", -1, "damaged"},
		{"frame header", zst(flip(4, 8)), tablebase.BadZstd, "zstd frame", -1, "damaged"},
		{"frame of a cut file", func(b []byte) []byte { return compressed(t, b[:50]) }, tablebase.BadLength, "end of file", 50, "is 50 bytes (cut short)"},
		{"frame of more", func(b []byte) []byte { return compressed(t, append(b, 0)) }, tablebase.BadLength, "end of file", int64(n), "at most 64 bytes"},
		{"frame of far more", func(b []byte) []byte { return compressed(t, make([]byte, 1<<22)) }, tablebase.BadLength, "end of file", int64(n), "at most 64 bytes"},
		{"two frames", func(b []byte) []byte { return append(compressed(t, b), compressed(t, b)...) }, tablebase.BadLength, "end of file", int64(n), ""},
		{"junk behind the frame", zst(func(b []byte) []byte { return append(b, "junk"...) }), tablebase.BadZstd, "zstd frame", -1, "damaged"},
		{"long window", func([]byte) []byte { return []byte("\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00") }, tablebase.LongWindow, "zstd frame", 0, "a window of 2147483648 bytes, expected a window of at most 33554432 bytes, as zstd --long=25 gives"},
		{"long window behind a frame to skip", func([]byte) []byte {
			return []byte("\x50\x2a\x4d\x18\x00\x00\x00\x00\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00")
		}, tablebase.LongWindow, "zstd frame", 0, ""},
		{"cut frame to skip", func([]byte) []byte { return []byte("\x50\x2a\x4d\x18\x09\x00\x00\x00") }, tablebase.BadZstd, "zstd frame", 0, ""},
		{"frame of something else", func([]byte) []byte { return compressed(t, []byte("TTCCMP01")) }, tablebase.BadMagic, "magic", 0, `is "TTCCMP01"`},
	} {
		err := openAndVerify(t, c.change(bytes.Clone(good)), rs)
		var damaged *tablebase.DamageError
		if !errors.As(err, &damaged) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if damaged.Damage != c.damage || damaged.Field != c.field || c.offset >= 0 && damaged.Offset != c.offset ||
			damaged.Offset < 0 || damaged.Found == "" || damaged.Expected == "" || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %s, %s at %d, %q", c.name, err, c.damage, c.field, c.offset, c.text)
		}
	}
	if err := openAndVerify(t, good, rs); err != nil {
		t.Errorf("the good file: %v", err)
	}
	if err := openAndVerify(t, append([]byte("\x50\x2a\x4d\x18\x02\x00\x00\x00ab"), compressed(t, good)...), rs); err != nil {
		t.Errorf("behind a frame to skip: %v", err)
	}
	other, another := rs, rs
	other.Tag++
	another.Tag += 2
	for _, known := range [][]rules.Ruleset{{other, another}, nil} {
		if err := openAndVerify(t, good, known...); !errors.Is(err, tablebase.UnknownTag) {
			t.Errorf("among %d rulesets: %v", len(known), err)
		}
	}
}

// Every bit of a file matters: flipped, it is caught. With the checksum made right it is
// caught by the other checks, or the file is the good one of another table.
func TestFlipEveryBit(t *testing.T) {
	rs, entries := small()
	good := write(t, rs, entries)
	caught := map[tablebase.Damage]int{}
	others := 0
	for i := range good {
		for bit := range 8 {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << bit
			var damaged *tablebase.DamageError
			if err := openAndVerify(t, bad, rs); !errors.As(err, &damaged) {
				t.Fatalf("byte %d, bit %d: %v", i, bit, err)
			}
			if i >= len(good)-ChecksumSize {
				continue
			}
			err := openAndVerify(t, resealed(bad), rs)
			if err == nil {
				others++
				continue
			}
			if !errors.As(err, &damaged) {
				t.Fatalf("byte %d, bit %d, checksum right: %v", i, bit, err)
			}
			caught[damaged.Damage]++
		}
	}
	want := map[tablebase.Damage]int{tablebase.BadMagic: 64, tablebase.BadVersion: 32, tablebase.WrongTag: 32, tablebase.BadEncoding: 32,
		tablebase.BadReserved: 32, tablebase.BadDimensions: 64, tablebase.BadPadding: 5}
	if fmt.Sprint(caught) != fmt.Sprint(want) || others != 11*17 {
		t.Errorf("caught %v, want %v; %d other tables, want %d", caught, want, others, 11*17)
	}
}

// A few bytes cannot make a reader unpack much: not by what a frame claims, nor by what it
// holds.
func TestDecompressionIsBounded(t *testing.T) {
	rs, _ := small()
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	bomb := z.EncodeAll(make([]byte, 64<<20), nil)
	allocated := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := OpenBytes(bomb, rs); !errors.Is(err, tablebase.BadLength) {
				b.Fatal(err)
			}
		}
	}).AllocedBytesPerOp()
	if allocated > 8<<20 {
		t.Errorf("%d bytes of a frame make the reader allocate %d", len(bomb), allocated)
	}
	path := tempFile(t, "long.prob", append([]byte("\x28\xb5\x2f\xfd"), make([]byte, 1<<20)...))
	if _, err := Open(path, tablebase.Memory, rs); !errors.Is(err, tablebase.BadZstd) && !errors.Is(err, tablebase.BadLength) {
		t.Errorf("%v", err)
	}
}

// Any bytes open as a table or give a *tablebase.DamageError, as they are and with their
// checksum made right; and a verified one is written again as the bytes it was read from.
func FuzzOpenBytes(f *testing.F) {
	rs, entries := small()
	good := write(f, rs, entries)
	for _, seed := range [][]byte{good, compressed(f, good)} {
		f.Add(seed)
		f.Add(seed[:len(seed)/2])
		for _, at := range []int{0, 9, 13, 17, 21, 25, len(seed) - 9, len(seed) - 1} {
			bad := bytes.Clone(seed)
			bad[at] ^= 0x11
			f.Add(bad)
		}
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, resealing := range []bool{false, true} {
			if resealing { // so that the checksum does not end every hunt
				if len(data) < ChecksumSize || tablebase.Detect(data) == tablebase.KindZstd {
					return
				}
				data = resealed(data)
			}
			table, err := OpenBytes(data, rs)
			if err == nil {
				_, err = table.Verify(t.Context())
			}
			var damaged *tablebase.DamageError
			if err != nil {
				if !errors.As(err, &damaged) || damaged.Found == "" || damaged.Expected == "" || damaged.Offset < 0 {
					t.Fatal(err)
				}
				continue
			}
			var again bytes.Buffer
			_, err = Write(&again, rs, func(index uint64) Entry {
				e, err := table.Lookup(index)
				if err != nil {
					t.Fatal(err)
				}
				return e
			})
			if err != nil {
				t.Fatal(err)
			}
			if tablebase.Detect(data) != tablebase.KindZstd && !bytes.Equal(again.Bytes(), data) {
				t.Fatal("a verified table is not what Write writes")
			}
		}
	})
}
