package tablebase

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"solved/rules"
)

// openAndVerify opens bytes as a compact table and checks all of it.
func openAndVerify(data []byte, known ...rules.Ruleset) error {
	table, err := OpenBytes(data, known...)
	if err != nil {
		return err
	}
	_, err = table.Verify(context.Background(), 2)
	return err
}

// readByteTable reads bytes as a byte-per-position table to the end.
func readByteTable(data []byte, known ...rules.Ruleset) error {
	r, err := NewByteReader(bytes.NewReader(data), known...)
	if err != nil {
		return err
	}
	rs := r.Ruleset()
	for s, n := range rs.Positions {
		// In uneven parts, as a stream may be read.
		for lo := uint64(0); lo < n; lo += 100 {
			if err := r.Codes(rules.Section(s), lo, make([]rules.Code, min(100, n-lo))); err != nil {
				r.Close()
				return err
			}
		}
	}
	return r.Close()
}

func compressed(t testing.TB, data []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	return z.EncodeAll(data, nil)
}

// damaged is a change to a good table and the error that must come of it.
type damaged struct {
	name   string
	change func(data []byte) []byte
	want   DamageError // but Found and Expected, which must be in the error's text
	text   []string
}

func put32(offset int, value uint32) func([]byte) []byte {
	return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[offset:], value); return b }
}

func put64(offset int, value uint64) func([]byte) []byte {
	return func(b []byte) []byte { binary.LittleEndian.PutUint64(b[offset:], value); return b }
}

// Each kind of damage by name, in both formats, plain and compressed, with the checksum made
// right so that it is not what catches it.
func TestDamageByName(t *testing.T) {
	rs := madeUp()
	codes := madeUpCodes(rs, 1, 10)
	compact, byteTable := writeCompact(t, rs, codes), writeByteTable(t, rs, codes)
	h := Header{Kind: KindCompact, Positions: rs.Positions}
	for s := range h.Decisive {
		for _, c := range codes[s] {
			if c != rules.CodeDraw {
				h.Decisive[s]++
			}
		}
	}
	layout := h.layout()
	main, opening := layout[0], layout[1]
	cut := func(n int) func([]byte) []byte { return func(b []byte) []byte { return b[:n] } }
	flip := func(offset int64, mask byte) func([]byte) []byte {
		return func(b []byte) []byte { b[offset] ^= mask; return b }
	}
	entry := func(offset int64, delta uint32) func([]byte) []byte {
		return func(b []byte) []byte {
			return put32(int(offset), binary.LittleEndian.Uint32(b[offset:])+delta)(b)
		}
	}
	setSix := func(sec section, number uint64, value byte) func([]byte) []byte {
		return func(b []byte) []byte {
			at := sec.distances + int64(6*number/8)
			shift := 6 * number % 8
			v := binary.LittleEndian.Uint16(b[at:])
			v = v&^(63<<shift) | uint16(value)<<shift
			binary.LittleEndian.PutUint16(b[at:], v)
			return b
		}
	}
	// A clear bit in the last block of the opening, to set.
	lastClear := uint64(606)
	for codes[1][lastClear] != rules.CodeDraw {
		lastClear--
	}

	n := len(compact)
	compactCases := []damaged{
		{"short header", cut(55), DamageError{Damage: ShortHeader, Field: "header", Offset: 55}, []string{"55 bytes", "56 bytes"}},
		{"empty", cut(0), DamageError{Damage: ShortHeader, Field: "header", Offset: 0}, []string{"0 bytes", "56 bytes"}},
		{"magic", flip(3, 1), DamageError{Damage: BadMagic, Field: "magic", Offset: 0}, []string{`"TTCBMP01"`, `"TTCCMP01"`}},
		{"another table", func([]byte) []byte { return byteTable }, DamageError{Damage: BadMagic, Field: "magic", Offset: 0}, []string{`"TTCTB001"`}},
		{"version", put32(8, 2), DamageError{Damage: BadVersion, Field: "version", Offset: 8}, []string{"is 2,", "expected 1"}},
		{"encoding", put32(16, 7), DamageError{Damage: BadEncoding, Field: "encoding", Offset: 16}, []string{"is 7,", "expected 1"}},
		{"block size", put32(20, 256), DamageError{Damage: BadBlockSize, Field: "positions per block", Offset: 20}, []string{"256", "512"}},
		{"wrong tag", put32(12, 0x54544301), DamageError{Damage: WrongTag, Field: "rules tag", Offset: 12}, []string{"0x54544301", "0x4d414445 (made-up)"}},
		{"main positions", put64(24, 2004), DamageError{Damage: BadDimensions, Field: "main positions", Offset: 24}, []string{"2004", "2003"}},
		{"opening positions", put64(32, math.MaxUint64), DamageError{Damage: BadDimensions, Field: "opening positions", Offset: 32}, []string{"18446744073709551615", "607"}},
		{"decisive main", put64(40, 2004), DamageError{Damage: BadDecisive, Field: "decisive main positions", Offset: 40}, []string{"2004", "at most 2003"}},
		{"decisive opening", put64(48, 1<<63), DamageError{Damage: BadDecisive, Field: "decisive opening positions", Offset: 48}, []string{"at most 607"}},
		{"cut", cut(n - 1), DamageError{Damage: BadLength, Field: "end of file", Offset: int64(n - 1)}, []string{"cut short", fmt.Sprintf("expected %d bytes", n)}},
		{"trailing", func(b []byte) []byte { return append(b, 0) }, DamageError{Damage: BadLength, Field: "end of file", Offset: int64(n)}, []string{"trailing", fmt.Sprintf("expected %d bytes", n)}},
		{"first entry", entry(main.directory, 1), DamageError{Damage: BadDirectory, Field: "main block directory entry 0", Offset: main.directory}, []string{"is 1,", "expected 0"}},
		{"third entry", entry(main.directory+8, 5), DamageError{Damage: BadDirectory, Field: "main block directory entry 2", Offset: main.directory + 8}, []string{"from the bitmap"}},
		{"opening entry", entry(opening.directory+4, ^uint32(0)), DamageError{Damage: BadDirectory, Field: "opening block directory entry 1", Offset: opening.directory + 4}, nil},
		{"bit of the first block", flip(main.bitmap+3, 4), DamageError{Damage: BadDirectory, Field: "main block directory entry 1", Offset: main.directory + 4}, nil},
		{"bit of the last block", flip(opening.bitmap+int64(lastClear/8), 1<<(lastClear%8)), DamageError{Damage: BadCount, Field: "decisive opening positions", Offset: 48}, []string{fmt.Sprint(h.Decisive[1]), fmt.Sprintf("%d, as in the bitmap", h.Decisive[1]+1)}},
		{"main padding", flip(main.directory-1, 0x80), DamageError{Damage: BadPadding, Field: "last byte of the main bitmap", Offset: main.directory - 1}, nil},
		{"opening padding", flip(opening.directory-1, 0x80), DamageError{Damage: BadPadding, Field: "last byte of the opening bitmap", Offset: opening.directory - 1}, nil},
		{"distance padding", flip(main.end-1, 0x80), DamageError{Damage: BadPadding, Field: "last byte of the main distances", Offset: main.end - 1}, nil},
		{"first distance", setSix(main, 0, 42), DamageError{Damage: BadDistance, Field: "distance of decisive position 0", Offset: main.distances}, []string{"is 42,", "at most 41"}},
		{"a distance", setSix(main, 101, 63), DamageError{Damage: BadDistance, Field: "distance of decisive position 101", Offset: main.distances + 75}, []string{"is 63,", "at most 41"}},
		{"last distance", setSix(opening, h.Decisive[1]-1, 40), DamageError{Damage: BadDistance, Field: fmt.Sprintf("distance of decisive position %d", h.Decisive[1]-1), Offset: opening.distances + int64(6*(h.Decisive[1]-1)/8)}, []string{"is 40,", "at most 39"}},
	}
	if 6*h.Decisive[0]%8 == 0 || h.Decisive[0] < 102 {
		t.Fatal("the made-up table has no padding behind its distances, or too few of them")
	}
	n = len(byteTable)
	byteCases := []damaged{
		{"short header", cut(39), DamageError{Damage: ShortHeader, Field: "header", Offset: 39}, []string{"39 bytes", "40 bytes"}},
		{"magic", flip(0, 32), DamageError{Damage: BadMagic, Field: "magic", Offset: 0}, []string{`"tTCTB001"`, `"TTCTB001"`}},
		{"version", put32(8, 0), DamageError{Damage: BadVersion, Field: "version", Offset: 8}, []string{"is 0,"}},
		{"encoding", put32(16, 2), DamageError{Damage: BadEncoding, Field: "encoding", Offset: 16}, nil},
		{"reserved", put32(20, 512), DamageError{Damage: BadReserved, Field: "reserved field", Offset: 20}, []string{"512", "expected 0"}},
		{"wrong tag", put32(12, 1), DamageError{Damage: WrongTag, Field: "rules tag", Offset: 12}, nil},
		{"main positions", put64(24, 1<<40), DamageError{Damage: BadDimensions, Field: "main positions", Offset: 24}, nil},
		{"cut in the main section", cut(1000), DamageError{Damage: BadLength, Field: "end of file", Offset: 1000}, []string{"cut short"}},
		{"cut before the checksum", cut(n - 8), DamageError{Damage: BadLength, Field: "end of file", Offset: int64(n - 8)}, []string{"cut short"}},
		{"cut in the checksum", cut(n - 1), DamageError{Damage: BadLength, Field: "end of file", Offset: int64(n - 1)}, []string{"cut short"}},
		{"trailing", func(b []byte) []byte { return append(b, 0) }, DamageError{Damage: BadLength, Field: "end of file", Offset: int64(n)}, []string{"trailing"}},
		{"reserved code", func(b []byte) []byte { b[40+77] = 254; return b }, DamageError{Damage: BadDistance, Field: "main code", Offset: 117}, []string{"254"}},
		{"too long for the opening", func(b []byte) []byte { b[40+2003] = 40; return b }, DamageError{Damage: BadDistance, Field: "opening code", Offset: 2043}, []string{"is 40,", "at most 39"}},
	}

	for _, format := range []struct {
		name  string
		good  []byte
		cases []damaged
		open  func([]byte, ...rules.Ruleset) error
	}{
		{"compact", compact, compactCases, openAndVerify},
		{"bytes", byteTable, byteCases, readByteTable},
	} {
		cases := append(format.cases,
			damaged{"checksum", flip(int64(len(format.good))-1, 1), DamageError{Damage: BadChecksum, Field: "checksum", Offset: int64(len(format.good) - 8)}, []string{"as computed"}})
		for _, c := range cases {
			bad := c.change(bytes.Clone(format.good))
			if c.want.Damage != BadChecksum && c.want.Damage != BadLength && len(bad) == len(format.good) {
				bad = resealed(bad)
			}
			for _, data := range [][]byte{bad, compressed(t, bad)} {
				err := format.open(data, rs)
				var got *DamageError
				if !errors.As(err, &got) {
					t.Errorf("%s, %s: %v, want a *DamageError", format.name, c.name, err)
					continue
				}
				if got.Damage != c.want.Damage || got.Field != c.want.Field || got.Offset != c.want.Offset || !errors.Is(err, c.want.Damage) {
					t.Errorf("%s, %s: %v (%s at %d), want %s, %s at %d", format.name, c.name, err, got.Field, got.Offset, c.want.Damage, c.want.Field, c.want.Offset)
				}
				for _, text := range append(c.text, c.want.Damage.Error(), got.Found, got.Expected) {
					if text == "" || !strings.Contains(err.Error(), text) {
						t.Errorf("%s, %s: %q does not say %q", format.name, c.name, err, text)
					}
				}
			}
		}
		if err := format.open(format.good, rs); err != nil {
			t.Errorf("%s: the good table: %v", format.name, err)
		}

		// A tag that none of several rulesets has, or none of none.
		other := rs
		other.Tag++
		another := rs
		another.Tag += 2
		for _, known := range [][]rules.Ruleset{{other, another}, nil} {
			if err := format.open(format.good, known...); !errors.Is(err, UnknownTag) {
				t.Errorf("%s: among %d rulesets: %v", format.name, len(known), err)
			}
		}
		if err := format.open(format.good, other, rs); err != nil {
			t.Errorf("%s: second of two rulesets: %v", format.name, err)
		}
	}
}

// Every bit of a table matters: flipped, it is caught. Looked up before it is (for one bit of each
// byte, as it takes long), the table gives an error or something possible, and never crashes.
func TestFlipEveryBit(t *testing.T) {
	rs := madeUp()
	codes := madeUpCodes(rs, 2, 12)
	opened := 0
	for name, format := range map[string]struct {
		data []byte
		open func([]byte, ...rules.Ruleset) error
	}{
		"compact": {writeCompact(t, rs, codes), func(data []byte, known ...rules.Ruleset) error {
			table, err := OpenBytes(data, known...)
			if err != nil {
				return err
			}
			if opened++; opened%8 == opened/8%8 {
				readEverything(t, table)
			}
			_, err = table.Verify(context.Background(), 1)
			return err
		}},
		"bytes": {writeByteTable(t, rs, codes), readByteTable},
	} {
		flips := 0
		for i := range format.data {
			for bit := range 8 {
				format.data[i] ^= 1 << bit
				var damage *DamageError
				if err := format.open(format.data, rs); !errors.As(err, &damage) {
					t.Fatalf("%s: byte %d, bit %d: %v", name, i, bit, err)
				}
				format.data[i] ^= 1 << bit
				flips++
			}
		}
		if err := format.open(format.data, rs); err != nil || flips != 8*len(format.data) {
			t.Errorf("%s: after %d flips: %v", name, flips, err)
		}
	}
}

// readEverything reads a table that may be damaged: whatever it gives must be possible.
func readEverything(t testing.TB, table *Table) {
	rs := table.Ruleset()
	check := func(s rules.Section, code rules.Code) {
		if code != rules.CodeDraw && code > rs.Longest[s] {
			t.Fatalf("a distance of %d in the %s section", code, s)
		}
	}
	var damage *DamageError
	for s, n := range rs.Positions {
		section := rules.Section(s)
		for index := uint64(0); index < n; index += 1 + n/150 {
			entry, err := table.Lookup(section, index)
			if err != nil && !errors.As(err, &damage) {
				t.Fatal(err)
			} else if err == nil {
				check(section, entry.Code())
			}
		}
		dst := make([]rules.Code, n)
		if err := table.Codes(section, 0, dst); err != nil && !errors.As(err, &damage) {
			t.Fatal(err)
		} else if err == nil {
			for _, c := range dst {
				check(section, c)
			}
		}
	}
}

// A table cut anywhere does not open; nor does one with bytes behind it.
func TestCutAtEveryLength(t *testing.T) {
	rs := madeUp()
	codes := madeUpCodes(rs, 3, 12)
	for name, format := range map[string]struct {
		data []byte
		open func([]byte, ...rules.Ruleset) error
	}{
		"compact": {writeCompact(t, rs, codes), openAndVerify},
		"bytes":   {writeByteTable(t, rs, codes), readByteTable},
	} {
		for n := range format.data {
			if err := format.open(format.data[:n:n], rs); !errors.Is(err, BadLength) && !errors.Is(err, ShortHeader) {
				t.Fatalf("%s: cut to %d bytes: %v", name, n, err)
			}
		}
		for n := 1; n < 20; n++ {
			if err := format.open(append(bytes.Clone(format.data), make([]byte, n)...), rs); !errors.Is(err, BadLength) {
				t.Fatalf("%s: %d trailing bytes: %v", name, n, err)
			}
		}
		// The same under zstd, where the frame breaks first.
		z := compressed(t, format.data)
		for n := 4; n < len(z); n++ {
			if err := format.open(z[:n:n], rs); !errors.Is(err, BadZstd) {
				t.Fatalf("%s: frame cut to %d bytes: %v", name, n, err)
			}
		}
		if err := format.open(append(bytes.Clone(z), "junk"...), rs); !errors.Is(err, BadZstd) {
			t.Fatalf("%s: junk behind the frame: %v", name, err)
		}
		// Two frames are one stream.
		half := len(format.data) / 2
		two := append(compressed(t, format.data[:half]), compressed(t, format.data[half:])...)
		if err := format.open(two, rs); err != nil {
			t.Errorf("%s: two frames: %v", name, err)
		}
		// A flipped bit of a frame is caught, or does not matter to what is inside.
		for i := range z {
			z[i] ^= 0x10
			var damage *DamageError
			if err := format.open(z, rs); err != nil && !errors.As(err, &damage) {
				t.Fatalf("%s: byte %d of the frame: %v", name, i, err)
			}
			z[i] ^= 0x10
		}
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// published is a ruleset of the size of the real ones.
func published() rules.Ruleset {
	return rules.Ruleset{Name: "published", Tag: 0x50554253, Positions: [rules.Sections]uint64{2_462_360_745, 14_236_865}, Longest: [rules.Sections]uint8{41, 39}}
}

// A header can promise gigabytes; as long as they do not come, nothing is allocated for them.
func TestHostileHeaders(t *testing.T) {
	rs := published()
	good := Header{Kind: KindCompact, Tag: rs.Tag, Positions: rs.Positions, Decisive: rs.Positions}
	hostile := map[string][]byte{
		"all decisive":     good.encode(),
		"huge positions":   put64(24, math.MaxUint64)(good.encode()),
		"huge decisive":    put64(40, math.MaxUint64)(good.encode()),
		"just below":       put64(40, 1<<63-1)(good.encode()),
		"byte table":       Header{Kind: KindBytes, Tag: rs.Tag, Positions: rs.Positions}.encode(),
		"huge byte table":  put64(32, math.MaxUint64-7)(Header{Kind: KindBytes, Tag: rs.Tag, Positions: rs.Positions}.encode()),
		"nothing but zero": make([]byte, 64),
	}
	const plainLimit, zstdLimit = 256 << 10, 32 << 20 // a decoder has its own buffers
	for name, header := range hostile {
		for _, data := range [][]byte{header, append(bytes.Clone(header), make([]byte, 1000)...)} {
			path := tempFile(t, "hostile.ttb", data)
			check := func(what string, limit uint64, open func() error) {
				t.Helper()
				var err error
				if n := allocated(func() { err = open() }); n > limit {
					t.Errorf("%s, %s: %d bytes allocated", name, what, n)
				}
				if err == nil {
					t.Errorf("%s, %s: accepted", name, what)
				}
			}
			open := func(path string, mode Mode) func() error {
				return func() error { _, err := Open(path, mode, rs); return err }
			}
			check("mapped", plainLimit, open(path, Mapped))
			check("memory", plainLimit, open(path, Memory))
			check("bytes", plainLimit, func() error { _, err := OpenBytes(data, rs); return err })
			z := compressed(t, data)
			check("compressed", zstdLimit, open(tempFile(t, "hostile.ttb.zst", z), Mapped))
			if Detect(header) == KindBytes && !strings.HasPrefix(name, "huge") {
				continue // a good header; the codes are missing, which reading them tells
			}
			check("stream", 512<<10, func() error { _, err := NewByteReader(bytes.NewReader(data), rs); return err })
			check("compressed stream", zstdLimit, func() error { _, err := NewByteReader(bytes.NewReader(z), rs); return err })
		}
	}
}

// A zstd frame can promise gigabytes, too: as its window, or as its content.
func TestHostileFrames(t *testing.T) {
	rs := published()
	frame := func(descriptor byte, rest ...byte) []byte {
		return append([]byte{0x28, 0xb5, 0x2f, 0xfd, descriptor}, append(rest, 1, 0, 0)...)
	}
	for name, hostile := range map[string]struct {
		data []byte
		want Damage
	}{
		"window of 2 GiB":                   {frame(0, 21<<3), LongWindow},
		"largest window":                    {frame(0, 0xff), LongWindow},
		"single segment of 1 GiB":           {frame(0b10100000, 0, 0, 0, 0x40), LongWindow},
		"single segment of all that can be": {frame(0b11100000, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), LongWindow},
		"content of all that can be":        {frame(0b11000000, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f), BadZstd},
		"a second frame of a long window":   {append(compressed(t, nil), frame(0, 21<<3)...), BadZstd},
	} {
		data := hostile.data
		var err error
		n := allocated(func() { _, err = OpenBytes(data, rs) })
		if !errors.Is(err, hostile.want) || hostile.want == LongWindow && strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s: %v", name, err)
		}
		if n > 8<<20 {
			t.Errorf("%s: %d bytes allocated", name, n)
		}
		if _, err := NewByteReader(bytes.NewReader(data), rs); !errors.Is(err, hostile.want) {
			t.Errorf("%s, as a stream: %v", name, err)
		}
	}
	// A bomb: a good header, and zeros without end, in a kilobyte. It must stop where a table
	// would end, and a little one must not take a large one's memory.
	small := madeUp()
	header := Header{Kind: KindCompact, Tag: small.Tag, Positions: small.Positions}
	var bomb bytes.Buffer
	z, err := zstd.NewWriter(&bomb)
	if err != nil {
		t.Fatal(err)
	}
	z.Write(header.encode())
	for range 64 {
		z.Write(make([]byte, 1<<20))
	}
	z.Close()
	var openErr error
	if n := allocated(func() { _, openErr = OpenBytes(bomb.Bytes(), small) }); n > 48<<20 || !errors.Is(openErr, BadLength) {
		t.Errorf("bomb: %d bytes allocated, %v", n, openErr)
	}
}

// Trouble with the input is not damage.
func TestReadErrorsAreNotDamage(t *testing.T) {
	rs := madeUp()
	broken := errors.New("the disk is gone")
	data := writeByteTable(t, rs, madeUpCodes(rs, 1, 10))
	for _, data := range [][]byte{data, compressed(t, data)} {
		for _, n := range []int{0, 10, 30, 60, len(data) - 9, len(data) - 1} {
			r, err := NewByteReader(io.MultiReader(bytes.NewReader(data[:n]), errorReader{broken}), rs)
			if err == nil {
				_, err = Write(context.Background(), io.Discard, rs, r, 1, nil)
				if err == nil {
					err = r.Close()
				}
			}
			var damage *DamageError
			if !errors.Is(err, broken) || errors.As(err, &damage) {
				t.Errorf("broken after %d of %d bytes: %v", n, len(data), err)
			}
		}
	}
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }
