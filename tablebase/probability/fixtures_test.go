package probability

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"solved/rules"
)

// The tests play no game: they use made-up rulesets with made-up tables.

const smallFile = "testdata/small.prob"

// small is the table of the file in testdata.
func small() (rules.Ruleset, []Entry) {
	return rules.Ruleset{Name: "small", Tag: 0x534d4c31, Positions: [rules.Sections]uint64{11}}, []Entry{
		{0, 0}, {One, 1}, {1, 0}, {32768, 1}, {258, 1}, {513, 0}, {61440, 0}, {15, 1}, {40000, 0}, {40001, 1}, {2, 1},
	}
}

// madeUp is a larger one, of several pieces and a length that divides by nothing.
func madeUp() (rules.Ruleset, []Entry) {
	random := rand.New(rand.NewPCG(1, 2))
	entries := make([]Entry, 200_003)
	for i := range entries {
		entries[i] = Entry{uint16(random.Uint32()), uint8(random.IntN(2))}
	}
	return rules.Ruleset{Name: "made-up", Tag: 0x4d414445, Positions: [rules.Sections]uint64{uint64(len(entries))}}, entries
}

// write gives the bytes of a table.
func write(t testing.TB, rs rules.Ruleset, entries []Entry) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := Write(&b, rs, func(index uint64) Entry { return entries[index] }); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// plain is the format once more, written to be read beside FORMAT.md, sharing no code with
// the package.
func plain(rs rules.Ruleset, entries []Entry) []byte {
	out := []byte("PROBTB01")
	integer := func(n uint64, size int) {
		for range size {
			out = append(out, byte(n))
			n >>= 8
		}
	}
	integer(1, 4)
	integer(uint64(rs.Tag), 4)
	integer(1, 4)
	integer(0, 4)
	integer(uint64(len(entries)), 8)
	for _, e := range entries {
		integer(uint64(e.Probability), 2)
	}
	for i := 0; i < len(entries); i += 8 {
		eight := uint64(0)
		for bit := range 8 {
			if i+bit < len(entries) && entries[i+bit].Best == 1 {
				eight += 1 << bit
			}
		}
		integer(eight, 1)
	}
	return resealed(append(out, make([]byte, 8)...))
}

// resealed returns a file with its checksum made right, bit by bit.
func resealed(data []byte) []byte {
	out := bytes.Clone(data)
	sum := ^uint64(0)
	for _, b := range out[:len(out)-8] {
		sum ^= uint64(b)
		for range 8 {
			if odd := sum & 1; odd == 1 {
				sum = sum>>1 ^ 0xC96C5795D7870F42
			} else {
				sum >>= 1
			}
		}
	}
	binary.LittleEndian.PutUint64(out[len(out)-8:], ^sum)
	return out
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

// tempFile writes a file for one test.
func tempFile(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
