package probability

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"solved/rules"
	"solved/tablebase"
)

// checkEntries looks up everything.
func checkEntries(t testing.TB, table *Table, entries []Entry) {
	t.Helper()
	for index, want := range entries {
		if got, err := table.Lookup(uint64(index)); err != nil || got != want {
			t.Fatalf("position %d: %v, %v, want %v", index, got, err, want)
		}
	}
}

// What is written is read again in every way, and is what the plain writer writes.
func TestModes(t *testing.T) {
	for _, made := range []func() (rules.Ruleset, []Entry){small, madeUp} {
		rs, entries := made()
		data := write(t, rs, entries)
		if !bytes.Equal(data, plain(rs, entries)) {
			t.Fatalf("%s: not what the plain writer writes", rs.Name)
		}
		other := rs
		other.Tag++
		flat, packed := tempFile(t, "t.prob", data), tempFile(t, "t.prob.zst", compressed(t, data))
		opened := 0
		for name, open := range map[string]func() (*Table, error){
			"mapped":            func() (*Table, error) { return Open(flat, tablebase.Mapped, rs) },
			"memory":            func() (*Table, error) { return Open(flat, tablebase.Memory, other, rs) },
			"compressed":        func() (*Table, error) { return Open(packed, tablebase.Mapped, rs, other) },
			"compressed memory": func() (*Table, error) { return Open(packed, tablebase.Memory, rs) },
			"bytes":             func() (*Table, error) { return OpenBytes(data, rs) },
			"compressed bytes":  func() (*Table, error) { return OpenBytes(compressed(t, data), rs) },
		} {
			table, err := open()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			opened++
			digest, err := table.Verify(t.Context())
			if err != nil || digest.SHA256 != sha256.Sum256(data) || digest.Bytes != int64(len(data)) ||
				digest.CRC64 != binary.LittleEndian.Uint64(data[len(data)-8:]) {
				t.Errorf("%s: %v, %v", name, digest, err)
			}
			if table.Mapped() != (name == "mapped") || table.Ruleset() != rs || (table.Path() == "") != (name == "bytes" || name == "compressed bytes") {
				t.Errorf("%s: mapped %v, %v, %q", name, table.Mapped(), table.Ruleset(), table.Path())
			}
			checkEntries(t, table, entries)
			for _, index := range []uint64{uint64(len(entries)), 1 << 63, ^uint64(0)} {
				var outside *tablebase.IndexError
				if _, err := table.Lookup(index); !errors.As(err, &outside) || outside.Index != index || outside.Positions != uint64(len(entries)) {
					t.Errorf("%s, index %d: %v", name, index, err)
				}
			}
			if table.Length() != int64(len(data)) {
				t.Errorf("%s: %d bytes, want %d", name, table.Length(), len(data))
			}
			if err := table.Close(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if err := table.Close(); err != nil {
				t.Errorf("%s, closed again: %v", name, err)
			}
			if _, err := table.Lookup(0); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%s, closed: %v", name, err)
			}
			if _, err := table.Verify(t.Context()); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%s, closed: %v", name, err)
			}
		}
		if opened != 6 {
			t.Errorf("opened %d tables", opened)
		}
	}
}

// Tables of every length are read as they were written.
func TestAnyTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Entry {
			return Entry{rapid.Uint16().Draw(t, "probability"), rapid.Uint8Range(0, 1).Draw(t, "best")}
		}), 1, 40).Draw(t, "entries")
		rs := rules.Ruleset{Name: "any", Tag: rules.Tag(rapid.Uint32().Draw(t, "tag")), Positions: [rules.Sections]uint64{uint64(len(entries))}}
		var b bytes.Buffer
		digest, err := Write(&b, rs, func(index uint64) Entry { return entries[index] })
		if err != nil || !bytes.Equal(b.Bytes(), plain(rs, entries)) {
			t.Fatalf("%v, % x", err, b.Bytes())
		}
		table, err := OpenBytes(b.Bytes(), rs)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := table.Verify(context.Background()); err != nil || again != digest {
			t.Fatalf("%v, %v, want %v", again, err, digest)
		}
		for index, want := range entries {
			if got, err := table.Lookup(uint64(index)); err != nil || got != want {
				t.Fatalf("position %d: %v, %v, want %v", index, got, err, want)
			}
		}
	})
}

func TestWin(t *testing.T) {
	for probability, want := range map[uint16]float64{0: 0, One: 1, 13107: 0.2} {
		if got := (Entry{Probability: probability}).Win(); got != want {
			t.Errorf("%d is %v, want %v", probability, got, want)
		}
	}
}

// A file made by Create is read by its name, plain or compressed.
func TestCreate(t *testing.T) {
	rs, entries := madeUp()
	for _, name := range []string{"t.prob", "t.prob.zst"} {
		path := filepath.Join(t.TempDir(), name)
		var digest tablebase.Digest
		err := tablebase.Create(path, func(w io.Writer) (err error) {
			digest, err = Write(w, rs, func(index uint64) Entry { return entries[index] })
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		table, err := Open(path, tablebase.Mapped, rs)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := table.Verify(t.Context()); err != nil || again != digest {
			t.Errorf("%s: %v, %v, want %v", name, again, err, digest)
		}
		checkEntries(t, table, entries)
		table.Close()
	}
}

// failAfter is a writer that takes so many bytes.
type failAfter struct {
	left int
	err  error
}

func (f *failAfter) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, f.err
	}
	return len(b), nil
}

func TestWriteErrors(t *testing.T) {
	rs, entries := madeUp()
	full := errors.New("full")
	entry := func(index uint64) Entry { return entries[index] }
	for _, room := range []int{0, 31, 100_000, int(Length(200_003)) - 9, int(Length(200_003)) - 1} {
		if _, err := Write(&failAfter{room, full}, rs, entry); !errors.Is(err, full) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
	if _, err := Write(&failAfter{int(Length(200_003)), full}, rs, entry); err != nil {
		t.Errorf("with just enough room: %v", err)
	}
	if _, err := Write(io.Discard, rs, func(index uint64) Entry { return Entry{Best: uint8(index / 7)} }); err == nil {
		t.Error("a best action of 2 is written")
	}
	for _, positions := range [][rules.Sections]uint64{{0, 0}, {MaxPositions + 1, 0}, {5, 1}} {
		bad := rules.Ruleset{Name: "bad", Tag: rs.Tag, Positions: positions}
		if _, err := Write(io.Discard, bad, entry); err == nil {
			t.Errorf("%v positions are written", positions)
		}
		if _, err := OpenBytes(write(t, rs, entries), bad); err == nil || errors.As(err, new(*tablebase.DamageError)) {
			t.Errorf("%v positions: %v", positions, err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	rs, entries := small()
	for _, mode := range []tablebase.Mode{tablebase.Mapped, tablebase.Memory} {
		if _, err := Open(filepath.Join(t.TempDir(), "none"), mode, rs); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s, no file: %v", mode, err)
		}
		if _, err := Open(t.TempDir(), mode, rs); err == nil {
			t.Errorf("%s: a directory opens", mode)
		}
		// Errors name the file.
		data := write(t, rs, entries)
		data[0] = 'Q'
		path := tempFile(t, "bad.prob", data)
		var damaged *tablebase.DamageError
		if _, err := Open(path, mode, rs); !errors.As(err, &damaged) || damaged.Path != path {
			t.Errorf("%s: %v", mode, err)
		}
		data[0], data[40] = 'P', data[40]+1
		path = tempFile(t, "bad.prob", data)
		table, err := Open(path, mode, rs)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := table.Verify(t.Context()); !errors.As(err, &damaged) || damaged.Path != path || !errors.Is(err, tablebase.BadChecksum) {
			t.Errorf("%s: %v", mode, err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := table.Verify(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: verified with an ended context: %v", mode, err)
		}
		table.Close()
	}
}

func TestIsFile(t *testing.T) {
	rs, entries := small()
	data := write(t, rs, entries)
	for name, c := range map[string]struct {
		data           []byte
		is, compressed bool
		damage         error
	}{
		"plain":                 {data, true, false, nil},
		"compressed":            {compressed(t, data), true, true, nil},
		"empty":                 {nil, false, false, nil},
		"short":                 {data[:7], false, false, nil},
		"magic alone":           {data[:8], true, false, nil},
		"other":                 {[]byte("TTCCMP01...."), false, false, nil},
		"compressed other":      {compressed(t, []byte("TTCCMP01....")), false, true, nil},
		"compressed and short":  {compressed(t, data[:7]), false, true, nil},
		"compressed and cut":    {compressed(t, data)[:9], false, true, tablebase.BadZstd},
		"compressed and broken": {[]byte("\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), false, true, tablebase.BadZstd},
	} {
		f, err := os.Open(tempFile(t, "t", c.data))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		is, zst, err := IsFile(f)
		if is != c.is || zst != c.compressed || !errors.Is(err, c.damage) {
			t.Errorf("%s: %v, %v, %v", name, is, zst, err)
		}
	}
	f, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, _, err := IsFile(f); err == nil {
		t.Error("a directory is a file")
	}
}

// A mapped file that is cut short gives errors, and the program goes on.
func TestFaults(t *testing.T) {
	rs, entries := madeUp()
	data := write(t, rs, entries)
	for _, length := range []int64{0, 4096, 9 * 4096, 100 * 4096} {
		path := tempFile(t, "t.prob", data)
		table, err := Open(path, tablebase.Mapped, rs)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, length); err != nil {
			t.Fatal(err)
		}
		var fault *tablebase.FaultError
		faults := 0
		for index := uint64(0); index < uint64(len(entries)); index += 997 {
			got, err := table.Lookup(index)
			switch {
			case probabilityAt(index) < length && bestAt(uint64(len(entries)), index) < length:
				if err != nil || got != entries[index] {
					t.Errorf("cut to %d, position %d: %v, %v", length, index, got, err)
				}
			case !errors.As(err, &fault) || fault.Path != path || fault.Offset < length || fault.Offset >= int64(len(data)) || fault.Err == nil:
				t.Errorf("cut to %d, position %d: %v, %v", length, index, got, err)
			default:
				faults++
			}
		}
		if _, err := table.Verify(t.Context()); !errors.As(err, &fault) {
			t.Errorf("cut to %d, verified: %v", length, err)
		}
		if faults == 0 {
			t.Errorf("cut to %d: no faults", length)
		}
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}
	// In memory a table is out of reach.
	path := tempFile(t, "t.prob", data)
	table, err := Open(path, tablebase.Memory, rs)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	checkEntries(t, table, entries)
}

// A mapped file that becomes another table under us is found out by Verify.
func TestChangedHeader(t *testing.T) {
	rs, entries := small()
	data := write(t, rs, entries)
	path := tempFile(t, "t.prob", data)
	table, err := Open(path, tablebase.Mapped, rs)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	data[offTag]++
	if err := os.WriteFile(path, resealed(data), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Verify(t.Context()); !errors.Is(err, tablebase.WrongTag) {
		t.Errorf("%v", err)
	}
}

func TestConcurrentLookups(t *testing.T) {
	rs, entries := madeUp()
	table, err := Open(tempFile(t, "t.prob", write(t, rs, entries)), tablebase.Mapped, rs)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for index := worker; index < len(entries); index += 41 {
				if got, err := table.Lookup(uint64(index)); err != nil || got != entries[index] {
					t.Errorf("position %d: %v, %v", index, got, err)
					return
				}
			}
			if _, err := table.Verify(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func BenchmarkLookup(b *testing.B) {
	rs, entries := madeUp()
	path := tempFile(b, "t.prob", write(b, rs, entries))
	for _, mode := range []tablebase.Mode{tablebase.Mapped, tablebase.Memory} {
		table, err := Open(path, mode, rs)
		if err != nil {
			b.Fatal(err)
		}
		defer table.Close()
		b.Run(mode.String(), func(b *testing.B) {
			b.ReportAllocs()
			for index := uint64(0); b.Loop(); index = (index + 7919) % uint64(len(entries)) {
				if _, err := table.Lookup(index); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
