package kernel

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"solved/rules"
	"solved/tablebase"
)

// anyTable draws a table that can be encoded.
func anyTable() *rapid.Generator[*Table] {
	return rapid.Custom(func(t *rapid.T) *Table {
		table := &Table{
			Ruleset: rules.Ruleset{Name: "drawn", Tag: rules.Tag(rapid.Uint32().Draw(t, "tag"))},
			Search:  rapid.Uint32().Draw(t, "search"),
		}
		for s := range rules.Sections {
			positions := rapid.OneOf(rapid.Uint64Range(0, 200), rapid.Uint64Range(0, 1<<40)).Draw(t, "positions")
			longest := rapid.Uint8Range(0, rules.MaxDistance).Draw(t, "longest")
			table.Ruleset.Positions[s], table.Ruleset.Longest[s] = positions, longest
			if positions > 0 && longest >= 2 {
				indices := rapid.SliceOfNDistinct(rapid.Uint64Range(0, positions-1), 0, int(min(40, positions)), rapid.ID[uint64]).Draw(t, "indices")
				slices.Sort(indices)
				for _, index := range indices {
					distance := 2 * rapid.Uint8Range(1, longest/2).Draw(t, "half")
					table.Losses[s] = append(table.Losses[s], rules.IndexedLoss{Index: index, Distance: distance})
				}
			}
			table.Equal.Decisive[s] = rapid.Uint64Range(uint64(len(table.Losses[s])), positions).Draw(t, "decisive")
		}
		table.Equal.CRC64 = rapid.Uint64().Draw(t, "crc")
		copy(table.Equal.SHA256[:], rapid.SliceOfN(rapid.Byte(), sha256.Size, sha256.Size).Draw(t, "sha"))
		return table
	})
}

// sameButDigest compares what a file holds.
func sameButDigest(a, b *Table) string {
	return cmp.Diff(a, b, cmpopts.IgnoreFields(Table{}, "Digest"), cmpopts.IgnoreFields(tablebase.Digest{}, "Bytes"), cmpopts.EquateEmpty())
}

// What the plain encoder writes is decoded, and the two encoders' bodies are the same.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := anyTable().Draw(t, "table")
		body, err := table.body()
		if err != nil {
			t.Fatal(err)
		}
		if want := plainBody(table); !bytes.Equal(body, want) {
			t.Fatalf("body % x, want % x", body, want)
		}
		checkDecodes(t, table, plainFile(table, body))
	})
}

// What is encoded is decoded, and but for the frame the plain encoder writes the same.
// (An encoder of zstd takes its time to set up, so these are few.)
func TestEncode(t *testing.T) {
	tables := []*Table{smallTable(t), madeUp(t)}
	for seed := range 8 {
		tables = append(tables, anyTable().Example(seed))
	}
	for _, table := range tables {
		data := encode(t, table)
		checkDecodes(t, table, data)
		body := plainBody(table)
		frame := data[HeaderSize : len(data)-ChecksumSize]
		if !bytes.Equal(data, plainFileAround(table, uint64(len(body)), frame)) {
			t.Error("not as the plain encoder has it")
		}
		if got := unpacked(t, frame); !bytes.Equal(got, body) {
			t.Errorf("body % x, want % x", got, body)
		}
	}
}

// checkDecodes holds what is decoded to what was encoded.
func checkDecodes(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, table *Table, data []byte) {
	got, err := Decode(data, table.Search, table.Ruleset)
	if err != nil {
		t.Fatal(err)
	}
	if diff := sameButDigest(table, got); diff != "" {
		t.Fatal(diff)
	}
	if got.Digest.SHA256 != sha256.Sum256(data) || got.Digest.Bytes != int64(len(data)) ||
		got.Digest.CRC64 != plainCRC(data[:len(data)-8]) || got.Digest.Decisive != table.Equal.Decisive {
		t.Fatalf("digest %+v", got.Digest)
	}
	want := tablebase.Header{Kind: tablebase.KindCompact, Positions: table.Ruleset.Positions, Decisive: table.Equal.Decisive}.Length()
	if got.Equal.Bytes != want {
		t.Fatalf("the equal table has %d bytes, want %d", got.Equal.Bytes, want)
	}
}

func unpacked(t interface{ Fatal(...any) }, frame []byte) []byte {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	body, err := decoder.DecodeAll(frame, nil)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// Equal tables give equal files: again, after decoding, and on many goroutines that
// share the table.
func TestDeterminism(t *testing.T) {
	table := madeUp(t)
	want := encode(t, table)
	decoded, err := Decode(want, search, table.Ruleset)
	if err != nil {
		t.Fatal(err)
	}
	noted := *table
	noted.Digest = decoded.Digest
	noted.Equal.Bytes = 12345
	for _, table := range []*Table{table, decoded, &noted} {
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				for range 2 {
					got, err := table.Encode()
					if err != nil || !bytes.Equal(got, want) {
						t.Errorf("another file, %v", err)
					}
					if _, err := Decode(got, search, table.Ruleset); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
	}
}

// The largest body fits, and is decoded; one byte more is refused.
func TestLargestBody(t *testing.T) {
	table := madeUp(t)
	table.Ruleset.Positions[rules.Opening] = MaxBody
	table.Equal.Decisive[rules.Opening] = MaxBody
	left := MaxBody - len(plainBody(&Table{Losses: [2][]rules.IndexedLoss{table.Losses[rules.Main]}}))
	if left%2 == 1 { // a gap that takes one byte more makes it even
		last := &table.Losses[rules.Main][len(table.Losses[rules.Main])-1]
		table.Ruleset.Positions[rules.Main] = last.Index + 1<<14 + 1
		last.Index += 1 << 14
		left = MaxBody - len(plainBody(&Table{Losses: [2][]rules.IndexedLoss{table.Losses[rules.Main]}}))
	}
	if left%2 == 1 {
		t.Fatal("the losses of the main section take an odd number of bytes")
	}
	losses := make([]rules.IndexedLoss, left/2)
	for i := range losses {
		losses[i] = rules.IndexedLoss{Index: uint64(i), Distance: 2 + 2*uint8(i*i%19)}
	}
	table.Losses[rules.Opening] = losses
	got, err := Decode(encode(t, table), search, table.Ruleset)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Losses[rules.Opening], losses) {
		t.Error("other losses")
	}
	losses[len(losses)-1].Index += 200
	if _, err := table.Encode(); err == nil || !strings.Contains(err.Error(), "4194305 bytes") {
		t.Errorf("%v", err)
	}
}

// A table without losses is a file, too.
func TestNoLosses(t *testing.T) {
	table := &Table{Ruleset: smallTable(t).Ruleset}
	got, err := Decode(encode(t, table), 0, table.Ruleset)
	if err != nil {
		t.Fatal(err)
	}
	if diff := sameButDigest(table, got); diff != "" {
		t.Error(diff)
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, c := range []struct {
		name, text string
		change     func(*Table)
	}{
		{"out of order", "main index 300 is not in [302, 530)", func(t *Table) { t.Losses[0][2].Index, t.Losses[0][3].Index = 301, 300 }},
		{"twice", "main index 36 is not in [37, 530)", func(t *Table) { t.Losses[0][2].Index = 36 }},
		{"past the end", "main index 530 is not in [302, 530)", func(t *Table) { t.Losses[0][4].Index = 530 }},
		{"far past the end", "opening index 18446744073709551615 is not in [4, 20)", func(t *Table) { t.Losses[1][1].Index = math.MaxUint64 }},
		{"odd", "main position 301 is lost in 3, not in an even number of plies from 2 to 41", func(t *Table) { t.Losses[0][3].Distance = 3 }},
		{"over", "main position 7 is lost in 0,", func(t *Table) { t.Losses[0][0].Distance = 0 }},
		{"a draw", "main position 7 is lost in 255,", func(t *Table) { t.Losses[0][0].Distance = rules.CodeDraw }},
		{"too long", "main position 529 is lost in 42,", func(t *Table) { t.Losses[0][4].Distance = 42 }},
		{"too long for the opening", "opening position 3 is lost in 40, not in an even number of plies from 2 to 39", func(t *Table) { t.Losses[1][0].Distance = 40 }},
		{"more than decisive", "5 losses among 4 decisive of 530 main positions", func(t *Table) { t.Equal.Decisive[0] = 4 }},
		{"more decisive than there are", "2 losses among 21 decisive of 20 opening positions", func(t *Table) { t.Equal.Decisive[1] = 21 }},
	} {
		table := smallTable(t)
		c.change(table)
		if data, err := table.Encode(); err == nil || data != nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %d bytes, %v", c.name, len(data), err)
		}
	}
}

func TestReadFile(t *testing.T) {
	table := smallTable(t)
	data := encode(t, table)
	path := tempFile(t, data)
	other := table.Ruleset
	other.Tag++
	got, err := ReadFile(path, search, other, table.Ruleset)
	if err != nil {
		t.Fatal(err)
	}
	if diff := sameButDigest(table, got); diff != "" || got.Digest.Bytes != int64(len(data)) {
		t.Error(diff)
	}

	var damage *tablebase.DamageError
	path = tempFile(t, data[:len(data)-1])
	if _, err := ReadFile(path, search, table.Ruleset); !errors.As(err, &damage) || damage.Path != path || !strings.HasPrefix(err.Error(), path+": wrong length: ") {
		t.Errorf("cut short: %v", err)
	}
	// A file that is longer than any is not read to its end, and not taken for one
	// that ends where reading stopped.
	empty := &Table{Ruleset: table.Ruleset, Search: search}
	skipped := make([]byte, MaxFrame+1)
	copy(skipped, "\x50\x2a\x4d\x18") // a frame to be skipped (RFC 8878, 3.1.2)
	for i := range 4 {
		skipped[4+i] = byte((len(skipped) - 8) >> (8 * i))
	}
	long := plainFileAround(empty, 0, skipped)
	for _, data := range [][]byte{long, append(long, "and more"...)} {
		if _, err := ReadFile(tempFile(t, data), search, table.Ruleset); !errors.Is(err, tablebase.BadLength) {
			t.Errorf("too long: %v", err)
		}
	}
	// With a frame of one byte less it is a file, if an odd one.
	skipped[4]--
	if _, err := ReadFile(tempFile(t, plainFileAround(empty, 0, skipped[:MaxFrame])), search, table.Ruleset); err != nil {
		t.Errorf("longest: %v", err)
	}
	missing := filepath.Join(t.TempDir(), "missing.kernel")
	if _, err := ReadFile(missing, search, table.Ruleset); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("missing: %v", err)
	}
	if _, err := ReadFile(t.TempDir(), search, table.Ruleset); err == nil {
		t.Error("a directory is read")
	}
}

func TestIsFile(t *testing.T) {
	data := encode(t, smallTable(t))
	for _, c := range []struct {
		name string
		data []byte
		want bool
	}{
		{"whole", data, true},
		{"only the magic", data[:8], true},
		{"less than the magic", data[:7], false},
		{"empty", nil, false},
		{"another table", []byte(tablebase.CompactMagic + "\x01\x00\x00\x00"), false},
	} {
		f, err := os.Open(tempFile(t, c.data))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if got, err := IsFile(f); got != c.want || err != nil {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	f, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := IsFile(f); err == nil {
		t.Error("a directory is a file")
	}
}
