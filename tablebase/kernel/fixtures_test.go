package kernel

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"solved/rules"
	"solved/tablebase"
)

// The tests play no game: their rulesets and losses are made up.

// search is the version of the search that the made-up tables are for.
const search = 7

// smallTable is the table of testdata/small.kernel, as FORMAT.md describes it.
func smallTable(t testing.TB) *Table {
	t.Helper()
	table := &Table{
		Ruleset: rules.Ruleset{Name: "small", Tag: 0x534d4c31, Positions: [rules.Sections]uint64{530, 20}, Longest: [rules.Sections]uint8{41, 39}},
		Search:  search,
		Losses: [rules.Sections][]rules.IndexedLoss{
			{{Index: 7, Distance: 4}, {Index: 36, Distance: 36}, {Index: 300, Distance: 40}, {Index: 301, Distance: 2}, {Index: 529, Distance: 6}},
			{{Index: 3, Distance: 4}, {Index: 19, Distance: 38}},
		},
	}
	// The table that it stands for has, besides, a loss on the board and two wins.
	var codes codeSlices
	for s, losses := range table.Losses {
		codes[s] = bytes.Repeat([]rules.Code{rules.CodeDraw}, int(table.Ruleset.Positions[s]))
		for _, loss := range losses {
			codes[s][loss.Index] = loss.Distance
		}
	}
	codes[rules.Main][0], codes[rules.Main][1], codes[rules.Main][2] = 0, 1, 5
	var err error
	table.Equal, err = tablebase.Write(context.Background(), io.Discard, table.Ruleset, &codes, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// codeSlices is a tablebase.Source of codes in memory.
type codeSlices [rules.Sections][]rules.Code

func (c *codeSlices) Codes(s rules.Section, lo uint64, dst []rules.Code) error {
	copy(dst, c[s][lo:])
	return nil
}

// madeUp is a table of a few hundred losses, which zstd finds something to do with.
func madeUp(t testing.TB) *Table {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	table := &Table{
		Ruleset: rules.Ruleset{Name: "made-up", Tag: 0x4d414445, Positions: [rules.Sections]uint64{2003 << 8, 607}, Longest: [rules.Sections]uint8{41, 39}},
		Search:  search,
	}
	for s, n := range []int{500, 60} {
		rs := table.Ruleset
		seen := map[uint64]bool{}
		for len(seen) < n {
			seen[random.Uint64N(rs.Positions[s])] = true
		}
		for index := range seen {
			table.Losses[s] = append(table.Losses[s], rules.IndexedLoss{Index: index})
		}
		slices.SortFunc(table.Losses[s], func(a, b rules.IndexedLoss) int { return int(a.Index) - int(b.Index) })
		for i := range table.Losses[s] {
			table.Losses[s][i].Distance = 4 + 2*uint8(random.IntN(1+random.IntN(18)))
		}
		table.Equal.Decisive[s] = uint64(n) + 50
	}
	table.Equal.CRC64 = random.Uint64()
	for i := range table.Equal.SHA256 {
		table.Equal.SHA256[i] = byte(random.Uint32())
	}
	return table
}

// encode is Encode where nothing may fail.
func encode(t testing.TB, table *Table) []byte {
	t.Helper()
	data, err := table.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// plainFile is the format once more, written to be read beside FORMAT.md and sharing
// no code with the package: the file of a table with the given body, stored rather
// than compressed, in a zstd frame of a single block.
func plainFile(t *Table, body []byte) []byte {
	return plainFileAround(t, uint64(len(body)), plainFrame(body))
}

// plainFileAround is plainFile with a frame that may be anything.
func plainFileAround(t *Table, bodyLength uint64, frame []byte) []byte {
	out := []byte("KERNEL01")
	integer := func(n uint64, size int) {
		for range size {
			out = append(out, byte(n))
			n >>= 8
		}
	}
	integer(1, 4)
	integer(uint64(t.Ruleset.Tag), 4)
	integer(uint64(t.Search), 4)
	integer(0, 4)
	integer(t.Ruleset.Positions[0], 8)
	integer(t.Ruleset.Positions[1], 8)
	integer(t.Equal.Decisive[0], 8)
	integer(t.Equal.Decisive[1], 8)
	integer(uint64(len(t.Losses[0])), 8)
	integer(uint64(len(t.Losses[1])), 8)
	integer(t.Equal.CRC64, 8)
	out = append(out, t.Equal.SHA256[:]...)
	integer(bodyLength, 8)
	integer(uint64(len(frame)), 8)
	out = append(out, frame...)
	integer(plainCRC(out), 8)
	return out
}

// plainBody is the body of a table: gaps, then halves.
func plainBody(t *Table) []byte {
	var gaps, halves []byte
	for _, losses := range t.Losses {
		before := -1
		for _, loss := range losses {
			gap := int(loss.Index) - before - 1
			for ; gap >= 128; gap /= 128 {
				gaps = append(gaps, byte(gap%128+128))
			}
			gaps = append(gaps, byte(gap))
			halves = append(halves, loss.Distance/2)
			before = int(loss.Index)
		}
	}
	return append(gaps, halves...)
}

// plainFrame stores a body of less than 64 KiB in a zstd frame (RFC 8878, 3.1.1).
func plainFrame(body []byte) []byte {
	n := len(body)
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd}
	if n < 256 {
		frame = append(frame, 0x20, byte(n)) // a single segment, its size in one byte
	} else {
		frame = append(frame, 0x60, byte(n-256), byte((n-256)>>8)) // in two
	}
	block := n<<3 | 1 // the last one, stored
	frame = append(frame, byte(block), byte(block>>8), byte(block>>16))
	return append(frame, body...)
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

// resealed returns a copy of a file with the checksum made right, so that only the
// other checks can catch what was changed.
func resealed(data []byte) []byte {
	out := bytes.Clone(data)
	end := len(out) - ChecksumSize
	binary.LittleEndian.PutUint64(out[end:], plainCRC(out[:end]))
	return out
}

// tempFile writes a file for one test.
func tempFile(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made-up.kernel")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
