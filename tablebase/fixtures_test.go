package tablebase

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"solved/rules"
)

// The tests play no game: they use made-up rulesets with made-up tables.

// madeUp is the ruleset of most tests: several blocks, and no length that divides by anything.
func madeUp() rules.Ruleset {
	return rules.Ruleset{Name: "made-up", Tag: 0x4d414445, Positions: [rules.Sections]uint64{2003, 607}, Longest: [rules.Sections]uint8{41, 39}}
}

// codeSlices is a Source of codes in memory.
type codeSlices [rules.Sections][]rules.Code

func (c *codeSlices) Codes(s rules.Section, lo uint64, dst []rules.Code) error {
	copy(dst, c[s][lo:])
	return nil
}

// madeUpCodes makes codes for a ruleset: about one in perDecisive is a win or a loss.
func madeUpCodes(rs rules.Ruleset, seed uint64, perDecisive int) *codeSlices {
	random := rand.New(rand.NewPCG(seed, 0))
	var out codeSlices
	for s, n := range rs.Positions {
		out[s] = make([]rules.Code, n)
		for i := range out[s] {
			out[s][i] = rules.CodeDraw
			if random.IntN(perDecisive) == 0 {
				out[s][i] = rules.Code(random.IntN(int(rs.Longest[s]) + 1))
			}
		}
	}
	return &out
}

// writeCompact and writeByteTable give the bytes of a table.
func writeCompact(t testing.TB, rs rules.Ruleset, src Source) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := Write(context.Background(), &b, rs, src, 1, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func writeByteTable(t testing.TB, rs rules.Ruleset, src Source) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := WriteBytes(context.Background(), &b, rs, src, 1, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
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

// opened writes a file for one test, and opens it.
func opened(t testing.TB, name string, data []byte) *os.File {
	t.Helper()
	f, err := os.Open(tempFile(t, name, data))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// plainCompact is the compact format once more, written to be read beside FORMAT.md: bit by
// bit, sharing no code with the package. Its result has a zero checksum at its end.
func plainCompact(rs rules.Ruleset, codes *codeSlices) []byte {
	var out []byte
	integer := func(n uint64, size int) {
		for range size {
			out = append(out, byte(n))
			n >>= 8
		}
	}
	decisive := func(s int) (n uint64) {
		for _, c := range codes[s] {
			if c != 255 {
				n++
			}
		}
		return n
	}
	out = append(out, "TTCCMP01"...)
	integer(1, 4)
	integer(uint64(rs.Tag), 4)
	integer(1, 4)
	integer(512, 4)
	integer(rs.Positions[0], 8)
	integer(rs.Positions[1], 8)
	integer(decisive(0), 8)
	integer(decisive(1), 8)
	for s := range codes {
		var bits, distances []bool
		var before []uint64
		for i, c := range codes[s] {
			if i%512 == 0 {
				before = append(before, uint64(len(distances)/6))
			}
			bits = append(bits, c != 255)
			if c != 255 {
				for k := range 6 {
					distances = append(distances, c>>k&1 == 1)
				}
			}
		}
		packed := func(bits []bool) {
			for len(bits)%8 != 0 {
				bits = append(bits, false)
			}
			for i := 0; i < len(bits); i += 8 {
				var b byte
				for k := range 8 {
					if bits[i+k] {
						b |= 1 << k
					}
				}
				out = append(out, b)
			}
		}
		packed(bits)
		for _, n := range before {
			integer(n, 4)
		}
		packed(distances)
	}
	checksum := plainCRC(out)
	integer(checksum, 8)
	return out
}

// plainCRC is CRC-64/XZ bit by bit.
func plainCRC(b []byte) uint64 {
	crc := ^uint64(0)
	for _, x := range b {
		crc ^= uint64(x)
		for range 8 {
			if crc&1 == 1 {
				crc = crc>>1 ^ 0xC96C5795D7870F42
			} else {
				crc >>= 1
			}
		}
	}
	return ^crc
}

// resealed returns a copy of a table with the checksum made right, so that only the checks
// before the checksum can catch what was changed.
func resealed(data []byte) []byte {
	out := bytes.Clone(data)
	end := len(out) - 8
	crc := plainCRC(out[:end])
	for i := range 8 {
		out[end+i] = byte(crc >> (8 * i))
	}
	return out
}
