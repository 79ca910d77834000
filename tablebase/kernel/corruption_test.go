package kernel

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"solved/rules"
	"solved/tablebase"
)

func put32(offset int, value uint32) func([]byte) []byte {
	return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[offset:], value); return b }
}

func put64(offset int, value uint64) func([]byte) []byte {
	return func(b []byte) []byte { binary.LittleEndian.PutUint64(b[offset:], value); return b }
}

// Each kind of damage by name, with the checksum made right, so that it is not what
// catches it. The body of the small file is
//
//	07 1c 87 02 00 e3 01  03 0f  02 12 14 01 03  02 13
func TestDamageByName(t *testing.T) {
	table := smallTable(t)
	rs := table.Ruleset
	good := plainFile(table, plainBody(table))
	n := len(good)
	const bodySize = 16
	flip := func(offset int, mask byte) func([]byte) []byte {
		return func(b []byte) []byte { b[offset] ^= mask; return b }
	}
	cut := func(n int) func([]byte) []byte { return func(b []byte) []byte { return b[:n] } }
	body := func(text string) func([]byte) []byte {
		return func([]byte) []byte {
			var body []byte
			if _, err := fmt.Sscanf(strings.ReplaceAll(text, " ", ""), "%x", &body); err != nil {
				t.Fatal(err)
			}
			return plainFile(table, body)
		}
	}
	framed := func(size uint64, frame []byte) func([]byte) []byte {
		return func([]byte) []byte { return plainFileAround(table, size, frame) }
	}
	frame := plainFrame(plainBody(table))

	for _, c := range []struct {
		name   string
		change func([]byte) []byte
		want   tablebase.DamageError // but Found and Expected, which must be in the text
		text   []string
	}{
		{"empty", cut(0), tablebase.DamageError{Damage: tablebase.ShortHeader, Field: "header", Offset: 0}, []string{"is 0 bytes", "128 bytes"}},
		{"within the magic", cut(7), tablebase.DamageError{Damage: tablebase.ShortHeader, Field: "header", Offset: 7}, nil},
		{"within the header", cut(127), tablebase.DamageError{Damage: tablebase.ShortHeader, Field: "header", Offset: 127}, []string{"is 127 bytes"}},
		{"magic", flip(5, 1), tablebase.DamageError{Damage: tablebase.BadMagic, Field: "magic", Offset: 0}, []string{`"KERNEM01"`, `"KERNEL01"`}},
		{"another table", func([]byte) []byte { return []byte("TTCCMP01....") }, tablebase.DamageError{Damage: tablebase.BadMagic, Field: "magic", Offset: 0}, []string{`"TTCCMP01"`}},
		{"version", put32(8, 2), tablebase.DamageError{Damage: tablebase.BadVersion, Field: "version", Offset: 8}, []string{"is 2,", "expected 1"}},
		{"wrong tag", put32(12, 0x54544303), tablebase.DamageError{Damage: tablebase.WrongTag, Field: "rules tag", Offset: 12}, []string{"0x54544303", "0x534d4c31 (small)"}},
		{"search version", put32(16, 8), tablebase.DamageError{Damage: tablebase.BadSearch, Field: "search version", Offset: 16}, []string{"is 8,", "expected 7"}},
		{"reserved", put32(20, 1<<24), tablebase.DamageError{Damage: tablebase.BadReserved, Field: "reserved field", Offset: 20}, []string{"is 16777216,", "expected 0"}},
		{"main positions", put64(24, 529), tablebase.DamageError{Damage: tablebase.BadDimensions, Field: "main positions", Offset: 24}, []string{"is 529,", "expected 530"}},
		{"opening positions", put64(32, math.MaxUint64), tablebase.DamageError{Damage: tablebase.BadDimensions, Field: "opening positions", Offset: 32}, []string{"expected 20"}},
		{"decisive main", put64(40, 531), tablebase.DamageError{Damage: tablebase.BadDecisive, Field: "decisive main positions", Offset: 40}, []string{"is 531,", "at most 530"}},
		{"decisive opening", put64(48, math.MaxUint64), tablebase.DamageError{Damage: tablebase.BadDecisive, Field: "decisive opening positions", Offset: 48}, []string{"at most 20"}},
		{"main losses", put64(56, 9), tablebase.DamageError{Damage: tablebase.BadDecisive, Field: "main losses", Offset: 56}, []string{"is 9,", "at most 8"}},
		{"opening losses", put64(64, math.MaxUint64), tablebase.DamageError{Damage: tablebase.BadDecisive, Field: "opening losses", Offset: 64}, []string{"at most 2"}},
		{"fewer decisive than losses", put64(48, 1), tablebase.DamageError{Damage: tablebase.BadDecisive, Field: "opening losses", Offset: 64}, []string{"is 2,", "at most 1"}},
		{"body too long", put64(112, MaxBody+1), tablebase.DamageError{Damage: tablebase.BadLength, Field: "body length", Offset: 112}, []string{"is 4194305,", "at most 4194304"}},
		{"body too short for the losses", put64(112, 13), tablebase.DamageError{Damage: tablebase.BadLength, Field: "body length", Offset: 112}, []string{"is 13,", "two bytes or more for each of the losses"}},
		{"body too short for those of the main section", put64(112, 9), tablebase.DamageError{Damage: tablebase.BadLength, Field: "body length", Offset: 112}, nil},
		{"frame too long", put64(120, MaxFrame+1), tablebase.DamageError{Damage: tablebase.BadLength, Field: "frame length", Offset: 120}, []string{"at most 4456448"}},
		{"frame longer than anything", put64(120, math.MaxUint64), tablebase.DamageError{Damage: tablebase.BadLength, Field: "frame length", Offset: 120}, nil},
		{"cut before the checksum", cut(n - 8), tablebase.DamageError{Damage: tablebase.BadLength, Field: "end of file", Offset: int64(n - 8)}, []string{fmt.Sprintf("is %d bytes, expected %d", n-8, n)}},
		{"nothing but a header", cut(128), tablebase.DamageError{Damage: tablebase.BadLength, Field: "end of file", Offset: 128}, nil},
		{"trailing", func(b []byte) []byte { return append(b, 0) }, tablebase.DamageError{Damage: tablebase.BadLength, Field: "end of file", Offset: int64(n)}, []string{fmt.Sprintf("is %d bytes, expected %d", n+1, n)}},
		{"checksum", flip(n-1, 1), tablebase.DamageError{Damage: tablebase.BadChecksum, Field: "checksum", Offset: int64(n - 8)}, nil},
		{"frame magic", flip(128, 1), tablebase.DamageError{Damage: tablebase.BadZstd, Field: "frame", Offset: 128}, []string{"damaged", "a zstd frame of 16 bytes"}},
		{"frame cut", framed(bodySize, frame[:len(frame)-1]), tablebase.DamageError{Damage: tablebase.BadZstd, Field: "frame", Offset: 128}, []string{"damaged"}},
		{"no frame", framed(bodySize, nil), tablebase.DamageError{Damage: tablebase.BadZstd, Field: "frame", Offset: 128}, []string{"one of 0 bytes"}},
		{"junk behind the frame", framed(bodySize, append(bytes.Clone(frame), "junk"...)), tablebase.DamageError{Damage: tablebase.BadZstd, Field: "frame", Offset: 128}, nil},
		{"body longer than it says", framed(bodySize-1, frame), tablebase.DamageError{Damage: tablebase.BadZstd, Field: "frame", Offset: 128}, []string{"a zstd frame of 15 bytes"}},
		{"body shorter than it says", framed(bodySize+1, frame), tablebase.DamageError{Damage: tablebase.BadZstd, Field: "frame", Offset: 128}, []string{"one of 16 bytes", "a zstd frame of 17 bytes"}},
		{"gap not in its shortest form", body("07 1c 87 02 8000 e3 01  03 0f  02 12 14 01 03  02 13"), tablebase.DamageError{Damage: tablebase.BadIndex, Field: "body, gap between main indices", Offset: 4}, []string{"shortest form"}},
		{"gap of more than 64 bits", body("ffffffffffffffffff02 1c 87 02 00 e3 01  03 0f  02 12 14 01 03  02 13"), tablebase.DamageError{Damage: tablebase.BadIndex, Field: "body, gap between main indices", Offset: 0}, nil},
		{"gap that does not end", body("07 1c 87 02 00 e3 01  03 8f  82 92 94 81 83  82 93"), tablebase.DamageError{Damage: tablebase.BadIndex, Field: "body, gap between opening indices", Offset: 8}, nil},
		{"no room for the last gap", body("07 1c 87 02 00 e3 01  83 82 81 80 80 80 80 01"), tablebase.DamageError{Damage: tablebase.BadIndex, Field: "body, opening index", Offset: 7}, nil},
		{"main index past the end", body("07 1c 87 02 00 e4 01  03 0f  02 12 14 01 03  02 13"), tablebase.DamageError{Damage: tablebase.BadIndex, Field: "body, main index", Offset: 5}, []string{"is 228 past 302,", "below 530"}},
		{"main index at the end already", body("07 1c 87 02 e4 01 00  03 0f  02 12 14 01 03  02 13"), tablebase.DamageError{Damage: tablebase.BadIndex, Field: "body, main index", Offset: 6}, []string{"is 0 past 530,"}},
		{"opening index past the end", body("07 1c 87 02 00 e3 01  03 10  02 12 14 01 03  02 13"), tablebase.DamageError{Damage: tablebase.BadIndex, Field: "body, opening index", Offset: 8}, []string{"is 16 past 4,", "below 20"}},
		{"gap that would wrap", body("07 1c 87 02 00 ffffffffffffffffff01  03 0f  02 12 14 01 03  02 13"), tablebase.DamageError{Damage: tablebase.BadIndex, Field: "body, main index", Offset: 5}, []string{"18446744073709551615 past 302"}},
		{"a distance too few", body("07 1c 87 02 00 e3 01  03 0f  02 12 14 01 03  02"), tablebase.DamageError{Damage: tablebase.BadLength, Field: "body, distances", Offset: 9}, []string{"is 6 bytes, expected 7"}},
		{"a distance too many", body("07 1c 87 02 00 e3 01  03 0f  02 12 14 01 03  02 13 02"), tablebase.DamageError{Damage: tablebase.BadLength, Field: "body, distances", Offset: 9}, []string{"is 8 bytes, expected 7"}},
		{"distance of zero", body("07 1c 87 02 00 e3 01  03 0f  00 12 14 01 03  02 13"), tablebase.DamageError{Damage: tablebase.BadDistance, Field: "body, halved main distance", Offset: 9}, []string{"is 0,", "1 to 20"}},
		{"main distance too great", body("07 1c 87 02 00 e3 01  03 0f  02 12 14 01 15  02 13"), tablebase.DamageError{Damage: tablebase.BadDistance, Field: "body, halved main distance", Offset: 13}, []string{"is 21,", "1 to 20"}},
		{"distance that would wrap", body("07 1c 87 02 00 e3 01  03 0f  82 12 14 01 03  02 13"), tablebase.DamageError{Damage: tablebase.BadDistance, Field: "body, halved main distance", Offset: 9}, []string{"is 130,"}},
		{"opening distance too great", body("07 1c 87 02 00 e3 01  03 0f  02 12 14 01 03  02 14"), tablebase.DamageError{Damage: tablebase.BadDistance, Field: "body, halved opening distance", Offset: 15}, []string{"is 20,", "1 to 19"}},
	} {
		bad := c.change(bytes.Clone(good))
		if c.want.Damage != tablebase.BadChecksum && c.want.Damage != tablebase.BadLength && c.want.Damage != tablebase.ShortHeader && len(bad) > HeaderSize {
			bad = resealed(bad)
		}
		got, err := Decode(bad, search, rs)
		var damage *tablebase.DamageError
		if !errors.As(err, &damage) || got != nil {
			t.Errorf("%s: %v, want a *tablebase.DamageError", c.name, err)
			continue
		}
		if damage.Damage != c.want.Damage || damage.Field != c.want.Field || damage.Offset != c.want.Offset || !errors.Is(err, c.want.Damage) {
			t.Errorf("%s: %v (%s at %d), want %s, %s at %d", c.name, err, damage.Field, damage.Offset, c.want.Damage, c.want.Field, c.want.Offset)
		}
		for _, text := range append(c.text, c.want.Damage.Error(), damage.Found, damage.Expected) {
			if text == "" || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %q does not say %q", c.name, err, text)
			}
		}
	}

	if _, err := Decode(good, search, rs); err != nil {
		t.Errorf("the good file: %v", err)
	}
	other, another := rs, rs
	other.Tag++
	another.Tag += 2
	for _, known := range [][]rules.Ruleset{{other, another}, nil} {
		if _, err := Decode(good, search, known...); !errors.Is(err, tablebase.UnknownTag) {
			t.Errorf("among %d rulesets: %v", len(known), err)
		}
	}
	if got, err := Decode(good, search, other, rs); err != nil || got.Ruleset != rs {
		t.Errorf("second of two rulesets: %v", err)
	}
	// The encoder's own frame may be broken up; what counts is what is in it.
	body1, body2 := plainBody(table)[:5], plainBody(table)[5:]
	two := plainFileAround(table, bodySize, append(plainFrame(body1), plainFrame(body2)...))
	if _, err := Decode(two, search, rs); err != nil {
		t.Errorf("two frames: %v", err)
	}
}

// The kinds of damage that a flipped bit may be found as, by the field that it is in;
// with the checksum right, whether it may also go unnoticed.
var fields = []struct {
	end      int
	found    []tablebase.Damage
	harmless bool
}{
	{offVersion, []tablebase.Damage{tablebase.BadMagic}, false},
	{offTag, []tablebase.Damage{tablebase.BadVersion}, false},
	{offSearch, []tablebase.Damage{tablebase.WrongTag}, false},
	{offReserved, []tablebase.Damage{tablebase.BadSearch}, false},
	{offPositions, []tablebase.Damage{tablebase.BadReserved}, false},
	{offDecisive, []tablebase.Damage{tablebase.BadDimensions}, false},
	{offLosses, []tablebase.Damage{tablebase.BadDecisive}, true},
	{offCRC, []tablebase.Damage{tablebase.BadDecisive, tablebase.BadLength, tablebase.BadIndex, tablebase.BadDistance}, false},
	{offBody, nil, true},
	{offFrame, []tablebase.Damage{tablebase.BadLength, tablebase.BadZstd}, false},
	{HeaderSize, []tablebase.Damage{tablebase.BadLength}, false},
	{math.MaxInt, []tablebase.Damage{tablebase.BadZstd, tablebase.BadIndex, tablebase.BadDistance, tablebase.BadLength}, true},
}

// Every bit of a file matters: flipped, it is caught as what it is, or by the
// checksum. With the checksum made right it is caught by the other checks, or the file
// is another good one, or the same one with a frame written differently.
func TestFlipEveryBit(t *testing.T) {
	for _, table := range []*Table{smallTable(t), madeUp(t)} {
		good := encode(t, table)
		if frame := len(good) - HeaderSize - ChecksumSize; len(table.Losses[0]) > 100 && frame >= len(plainBody(table)) {
			t.Fatal("zstd compresses nothing")
		}
		caught := map[tablebase.Damage]int{}
		for i := range good {
			field := 0
			for i >= fields[field].end {
				field++
			}
			inChecksum := i >= len(good)-ChecksumSize
			for bit := range 8 {
				bad := bytes.Clone(good)
				bad[i] ^= 1 << bit
				_, err := Decode(bad, search, table.Ruleset)
				if !damagedAs(err, append(fields[field].found, tablebase.BadChecksum)) {
					t.Fatalf("byte %d, bit %d: %v", i, bit, err)
				}
				if len(table.Losses[0]) > 100 && bit != i%8 {
					continue // one bit a byte will do
				}
				if inChecksum {
					continue
				}
				again, err := Decode(resealed(bad), search, table.Ruleset)
				if err == nil && fields[field].harmless {
					checkTable(t, again)
				} else if !damagedAs(err, fields[field].found) {
					t.Fatalf("byte %d, bit %d, checksum right: %v", i, bit, err)
				} else {
					caught[err.(*tablebase.DamageError).Damage]++
				}
			}
		}
		if _, err := Decode(good, search, table.Ruleset); err != nil {
			t.Error(err)
		}
		for _, damage := range []tablebase.Damage{tablebase.BadMagic, tablebase.BadVersion, tablebase.WrongTag, tablebase.BadSearch, tablebase.BadReserved,
			tablebase.BadDimensions, tablebase.BadDecisive, tablebase.BadLength, tablebase.BadZstd, tablebase.BadIndex, tablebase.BadDistance} {
			if caught[damage] == 0 {
				t.Errorf("%s: nothing was caught as %q", table.Ruleset.Name, damage)
			}
		}
	}
}

func damagedAs(err error, kinds []tablebase.Damage) bool {
	var damage *tablebase.DamageError
	if !errors.As(err, &damage) {
		return false
	}
	for _, kind := range kinds {
		if damage.Damage == kind {
			return true
		}
	}
	return false
}

// checkTable holds what was decoded to what is promised of it.
func checkTable(t testing.TB, table *Table) {
	t.Helper()
	for s, losses := range table.Losses {
		next := uint64(0)
		for _, loss := range losses {
			if loss.Index < next || loss.Index >= table.Ruleset.Positions[s] || loss.Distance%2 == 1 || loss.Distance < 2 || loss.Distance > table.Ruleset.Longest[s] {
				t.Fatalf("%s loss %+v after %d", rules.Section(s), loss, next)
			}
			next = loss.Index + 1
		}
		if uint64(len(losses)) > table.Equal.Decisive[s] || table.Equal.Decisive[s] > table.Ruleset.Positions[s] {
			t.Fatalf("%d losses among %d decisive %s positions", len(losses), table.Equal.Decisive[s], rules.Section(s))
		}
	}
}

// A file cut anywhere is caught by its length; so is one with bytes behind it.
func TestCutAtEveryLength(t *testing.T) {
	table := madeUp(t)
	data := encode(t, table)
	for n := range data {
		want := tablebase.BadLength
		if n < HeaderSize {
			want = tablebase.ShortHeader
		}
		_, err := Decode(data[:n:n], search, table.Ruleset)
		var damage *tablebase.DamageError
		if !errors.As(err, &damage) || damage.Damage != want || damage.Offset != int64(n) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
	for n := 1; n < 20; n++ {
		if _, err := Decode(append(bytes.Clone(data), make([]byte, n)...), search, table.Ruleset); !errors.Is(err, tablebase.BadLength) {
			t.Fatalf("%d trailing bytes: %v", n, err)
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

// huge is a table that is refused for none of its numbers.
func huge() *Table {
	return &Table{
		Ruleset: rules.Ruleset{Name: "huge", Tag: 1, Positions: [rules.Sections]uint64{1 << 62, 1 << 62}, Longest: [rules.Sections]uint8{63, 63}},
		Search:  search,
		Equal:   tablebase.Digest{Decisive: [rules.Sections]uint64{1 << 62, 1 << 62}},
	}
}

// A header can promise what it likes, and be sealed: nothing is allocated before the
// file holds it.
func TestHostileHeaders(t *testing.T) {
	table := huge()
	for _, c := range []struct {
		name  string
		data  []byte
		limit uint64
	}{
		{"losses", resealed(put64(offLosses, 1<<62)(plainFile(table, nil))), 16 << 10},
		{"losses that overflow when added", resealed(put64(offLosses+8, 1<<62)(put64(offLosses, 1<<62)(plainFile(table, nil)))), 16 << 10},
		{"losses in the largest body", resealed(put64(offBody, MaxBody)(put64(offLosses, MaxBody/2)(plainFile(table, nil)))), 256 << 10},
		{"losses in either section", resealed(put64(offBody, MaxBody)(put64(offLosses+8, MaxBody/4)(put64(offLosses, MaxBody/4)(plainFile(table, nil))))), 256 << 10},
		{"body", resealed(put64(offBody, math.MaxUint64)(plainFile(table, nil))), 16 << 10},
		{"frame", resealed(put64(offFrame, math.MaxUint64)(plainFile(table, nil))), 16 << 10},
		{"largest frame", resealed(put64(offFrame, MaxFrame)(plainFile(table, nil))), 16 << 10},
	} {
		var err error
		n := allocated(func() { _, err = Decode(c.data, search, table.Ruleset) })
		var damage *tablebase.DamageError
		if !errors.As(err, &damage) {
			t.Errorf("%s: %v", c.name, err)
		}
		if n > c.limit {
			t.Errorf("%s: %d bytes allocated (%v)", c.name, n, err)
		}
	}
}

// zeros is a zstd frame of n blocks of 128 KiB, each all zero in four bytes, under a
// window of 2^log bytes and with the content size unstated, or stated as given.
func zeros(n int, log byte, size uint64) []byte {
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, (log - 10) << 3}
	if size > 0 {
		frame[4] = 0xc0
		frame = binary.LittleEndian.AppendUint64(frame, size)
	}
	for i := range n {
		block := uint32(128<<10)<<3 | 1<<1
		if i == n-1 {
			block |= 1
		}
		frame = append(frame, byte(block), byte(block>>8), byte(block>>16), 0)
	}
	return frame
}

// A frame can hold more than it may, or ask for more. Decoding stops in time.
func TestHostileFrames(t *testing.T) {
	table := huge()
	stated := uint64(MaxBody)
	for _, c := range []struct {
		name  string
		frame []byte
		limit uint64
	}{
		{"a gigabyte of zeros", zeros(8192, 20, 0), 6 * MaxBody},
		{"a gigabyte of zeros in small frames", bytes.Repeat(zeros(1, 20, 0), 8192), 6 * MaxBody},
		{"one block too many", zeros(33, 20, 0), 6 * MaxBody},
		{"a block too few", zeros(31, 20, 0), 6 * MaxBody},
		{"a stated gigabyte", zeros(8192, 20, 1<<30), MaxBody / 4},
		{"a stated exabyte", zeros(1, 20, 1<<60), MaxBody / 4},
		{"stated and not there", zeros(1, 20, MaxBody), MaxBody / 4},
		{"a window of a gigabyte", zeros(1, 30, 0), MaxBody / 4},
		{"the greatest window", zeros(1, 41, 0), MaxBody / 4},
	} {
		data := plainFileAround(table, stated, c.frame)
		var err error
		n := allocated(func() { _, err = Decode(data, search, table.Ruleset) })
		if !errors.Is(err, tablebase.BadZstd) {
			t.Errorf("%s: %v", c.name, err)
		}
		if n > c.limit {
			t.Errorf("%s: %d bytes allocated (%v)", c.name, n, err)
		}
	}
	// As many losses as fit, from a file of a few hundred bytes: eight bytes of memory
	// for each byte of the body, and the body itself, which grows by steps.
	data := plainFileAround(table, MaxBody, zeros(32, 20, 0))
	data = resealed(put64(offLosses, MaxBody/2)(data))
	var err error
	if n := allocated(func() { _, err = Decode(data, search, table.Ruleset) }); n > 14*MaxBody {
		t.Errorf("%d bytes allocated", n)
	}
	if !errors.Is(err, tablebase.BadDistance) { // a gap of zero is fine, a distance of zero not
		t.Error(err)
	}
	// What zstd says can be told, too.
	_, err = Decode(plainFileAround(table, stated, zeros(8192, 20, 0)), search, table.Ruleset)
	if !errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		t.Errorf("%v", err)
	}
}
