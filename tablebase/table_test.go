package tablebase

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"solved/rules"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		os.Exit(child(role))
	}
	goleak.VerifyTestMain(m)
}

// The same file gives the same answers mapped, in memory, and compressed.
func TestModes(t *testing.T) {
	rs := madeUp()
	codes := madeUpCodes(rs, 4, 10)
	data := writeCompact(t, rs, codes)
	plain, zst := tempFile(t, "t.ttb", data), tempFile(t, "t.ttb.zst", compressed(t, data))
	opened := 0
	for _, path := range []string{plain, zst} {
		for _, mode := range []Mode{Mapped, Memory} {
			table, err := Open(path, mode, rs)
			if err != nil {
				t.Fatal(err)
			}
			if mapped := table.mapping != nil; mapped != (path == plain && mode == Mapped) {
				t.Errorf("%s, %s: mapped is %v", path, mode, mapped)
			}
			checkSource(t, rs, table, codes)
			for _, threads := range []int{0, 1, 3} {
				digest, err := table.Verify(context.Background(), threads)
				if err != nil {
					t.Fatal(err)
				}
				checkDigest(t, path, digest, data, codes)
			}
			if table.Ruleset() != rs || table.Header().Tag != rs.Tag || table.Header().Length() != int64(len(data)) || table.Path() != path {
				t.Errorf("%s: %+v, %+v, %s", path, table.Ruleset(), table.Header(), table.Path())
			}
			opened++

			// Closed, it answers with an error.
			for range 2 {
				if err := table.Close(); err != nil {
					t.Fatal(err)
				}
			}
			_, err1 := table.Lookup(rules.Main, 0)
			err2 := table.LookupMany(rules.Main, []uint64{1}, make([]rules.Entry, 1))
			err3 := table.Codes(rules.Main, 0, make([]rules.Code, 1))
			_, err4 := table.Verify(context.Background(), 2)
			for i, err := range []error{err1, err2, err3, err4} {
				if !errors.Is(err, fs.ErrClosed) || !strings.Contains(err.Error(), path) {
					t.Errorf("closed, %d: %v", i, err)
				}
			}
		}
	}
	if opened != 4 {
		t.Errorf("%d tables opened", opened)
	}
}

// An index out of range is the asker's error, and says so.
func TestIndexError(t *testing.T) {
	rs := madeUp()
	table, err := OpenBytes(writeCompact(t, rs, madeUpCodes(rs, 1, 10)), rs)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, err error, want IndexError) {
		t.Helper()
		var got *IndexError
		if !errors.As(err, &got) || *got != want {
			t.Errorf("%s: %v, want %v", what, err, &want)
		}
	}
	for _, index := range []uint64{2003, 2004, 1 << 32, 1<<64 - 1} {
		_, err := table.Lookup(rules.Main, index)
		check("Lookup", err, IndexError{rules.Main, index, 2003})
		err = table.LookupMany(rules.Main, []uint64{5, index}, make([]rules.Entry, 2))
		check("LookupMany", err, IndexError{rules.Main, index, 2003})
		err = table.Codes(rules.Main, index, make([]rules.Code, 10))
		check("Codes", err, IndexError{rules.Main, index, 2003})
	}
	check("Codes", table.Codes(rules.Opening, 600, make([]rules.Code, 8)), IndexError{rules.Opening, 607, 607})
	_, err = table.Lookup(rules.Sections, 0)
	check("section", err, IndexError{Section: rules.Sections})
	if err := table.LookupMany(rules.Main, make([]uint64, 3), make([]rules.Entry, 2)); err == nil {
		t.Error("LookupMany: more indices than entries are accepted")
	}
	if err := table.LookupMany(rules.Main, nil, nil); err != nil {
		t.Error(err)
	}
}

// LookupMany is as many Lookups, in any order and number, and leaves the rest of out alone.
func TestLookupManyIsLookups(t *testing.T) {
	rs := madeUp()
	table, err := OpenBytes(writeCompact(t, rs, madeUpCodes(rs, 1, 3)), rs)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		section := rules.Section(rapid.IntRange(0, rules.Sections-1).Draw(t, "section"))
		indices := rapid.SliceOfN(rapid.Uint64Range(0, rs.Positions[section]-1), 0, 200).Draw(t, "indices")
		out := make([]rules.Entry, len(indices)+1)
		if err := table.LookupMany(section, indices, out); err != nil {
			t.Fatal(err)
		}
		for i, index := range indices {
			want, err := table.Lookup(section, index)
			if err != nil || out[i] != want {
				t.Fatalf("at %d: %v, want %v, %v", index, out[i], want, err)
			}
		}
		if out[len(indices)] != (rules.Entry{}) {
			t.Fatal("wrote behind the last index")
		}
	})
}

func TestLookupsAllocateNothing(t *testing.T) {
	rs := madeUp()
	path := tempFile(t, "t.ttb", writeCompact(t, rs, madeUpCodes(rs, 1, 3)))
	for _, mode := range []Mode{Mapped, Memory} {
		table, err := Open(path, mode, rs)
		if err != nil {
			t.Fatal(err)
		}
		indices := []uint64{0, 1, 2, 3, 5, 7, 11, 13, 17, 1999, 2000, 2001, 2002}
		out := make([]rules.Entry, len(indices))
		dst := make([]rules.Code, 2003)
		if n := testing.AllocsPerRun(100, func() {
			for _, index := range indices {
				if _, err := table.Lookup(rules.Main, index); err != nil {
					t.Error(err)
				}
			}
			if err := table.LookupMany(rules.Main, indices, out); err != nil {
				t.Error(err)
			}
			if err := table.Codes(rules.Main, 0, dst); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", mode, n)
		}
		table.Close()
	}
}

// One table answers many goroutines. (The race detector gives this test its point.)
func TestConcurrentLookups(t *testing.T) {
	rs := madeUp()
	codes := madeUpCodes(rs, 1, 3)
	table, err := Open(tempFile(t, "t.ttb", writeCompact(t, rs, codes)), Mapped, rs)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { checkSource(t, rs, table, codes) })
		wg.Go(func() {
			if _, err := table.Verify(context.Background(), 2); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// A mapped file that is cut short under us is an error of the call, not the end of the process.
func TestFaults(t *testing.T) {
	rs := rules.Ruleset{Name: "made-up", Tag: 7, Positions: [rules.Sections]uint64{500_000, 607}, Longest: [rules.Sections]uint8{41, 39}}
	codes := madeUpCodes(rs, 1, 2)
	data := writeCompact(t, rs, codes)
	for _, length := range []int64{0, 4096, 9 * 4096, 17 * 4096, 40_000, 70_000, 150_000} {
		path := tempFile(t, "t.ttb", data)
		table, err := Open(path, Mapped, rs)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := table.Verify(context.Background(), 2); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, length); err != nil {
			t.Fatal(err)
		}
		// The page that the cut goes through is still there, padded with zeros.
		readable := (length + 4095) / 4096 * 4096
		faults := 0
		check := func(what string, err error, must bool) {
			t.Helper()
			var fault *FaultError
			var damage *DamageError
			switch {
			case errors.As(err, &fault):
				faults++
				if fault.Path != path || fault.Offset+pieceBitmapBytes < readable || fault.Offset >= int64(len(data)) || fault.Err == nil {
					t.Errorf("cut to %d, %s: %+v", length, what, fault)
				}
			case must:
				t.Errorf("cut to %d, %s: %v, want a *FaultError", length, what, err)
			case err != nil && !errors.As(err, &damage): // from the zeros
				t.Errorf("cut to %d, %s: %v", length, what, err)
			}
		}
		many, out := make([]uint64, 0, 64), make([]rules.Entry, 64)
		for index := uint64(0); index < 500_000; index += 7919 {
			bitmapGone := CompactHeaderSize+int64(index/8) >= readable
			got, err := table.Lookup(rules.Main, index)
			check("Lookup", err, bitmapGone)
			if want := rules.EntryOf(codes[rules.Main][index]); err == nil && got != want && length == readable {
				t.Errorf("cut to %d: %v at %d, want %v", length, got, index, want)
			}
			many = append(many, index)
		}
		check("LookupMany", table.LookupMany(rules.Main, many, out), true)
		check("Codes", table.Codes(rules.Main, 0, make([]rules.Code, 500_000)), true)
		check("Codes at the end", table.Codes(rules.Opening, 1, make([]rules.Code, 3)), true)
		for _, threads := range []int{1, 2} {
			// Verify may meet the zeros of the last page before it meets the fault.
			_, err := table.Verify(context.Background(), threads)
			if err == nil {
				t.Errorf("cut to %d: verified", length)
			}
			check("Verify", err, length == 0)
		}
		if faults == 0 {
			t.Errorf("cut to %d: no faults", length)
		}
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}
	// In memory a table is out of reach.
	path := tempFile(t, "t.ttb", data)
	table, err := Open(path, Memory, rs)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if digest, err := table.Verify(context.Background(), 2); err != nil || digest.SHA256 != sha256.Sum256(data) {
		t.Errorf("in memory: %v, %v", digest, err)
	}
}

// Damage that comes after verification gives an error where it matters.
func TestDamagedAfterVerification(t *testing.T) {
	rs := madeUp()
	codes := madeUpCodes(rs, 1, 10)
	path := tempFile(t, "t.ttb", writeCompact(t, rs, codes))
	table, err := Open(path, Mapped, rs)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if _, err := table.Verify(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	main := table.sections[rules.Main]
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	write := func(offset, n int64) {
		t.Helper()
		if _, err := f.WriteAt(bytes.Repeat([]byte{0xff}, int(n)), offset); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want Damage) {
		t.Helper()
		index := uint64(0)
		for codes[rules.Main][index] == rules.CodeDraw {
			index++
		}
		_, err1 := table.Lookup(rules.Main, index)
		err2 := table.LookupMany(rules.Main, []uint64{index}, make([]rules.Entry, 1))
		err3 := table.Codes(rules.Main, 0, make([]rules.Code, 2003))
		for i, err := range []error{err1, err2, err3} {
			if !errors.Is(err, want) || !strings.HasPrefix(err.Error(), path+": ") {
				t.Errorf("%s, %d: %v", want, i, err)
			}
		}
		if _, err := table.Verify(context.Background(), 2); err == nil {
			t.Errorf("%s: verified again", want)
		}
	}
	write(main.distances, main.end-main.distances)
	check(BadDistance)
	write(main.directory, main.distances-main.directory)
	check(BadDirectory)
}

// Opening what is no file, or no table, names it.
func TestOpenErrors(t *testing.T) {
	rs := madeUp()
	dir := t.TempDir()
	for _, mode := range []Mode{Mapped, Memory} {
		if _, err := Open(filepath.Join(dir, "none.ttb"), mode, rs); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "none.ttb") {
			t.Errorf("%s: %v", mode, err)
		}
		if _, err := Open(dir, mode, rs); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: a directory: %v", mode, err)
		}
		for name, data := range map[string][]byte{"empty": nil, "text.ttb": []byte("not a table, not by far, but longer than its header would be"), "zstd": []byte(zstdMagic)} {
			path := tempFile(t, name, data)
			var damage *DamageError
			if _, err := Open(path, mode, rs); !errors.As(err, &damage) || damage.Path != path || !strings.HasPrefix(err.Error(), path+": ") {
				t.Errorf("%s: %s: %v", mode, name, err)
			}
		}
	}
}

// A cancelled context ends a verification.
func TestVerifyCancelled(t *testing.T) {
	rs := madeUp()
	table, err := OpenBytes(writeCompact(t, rs, madeUpCodes(rs, 1, 10)), rs)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, threads := range []int{1, 2} {
		if _, err := table.Verify(ctx, threads); !errors.Is(err, context.Canceled) {
			t.Errorf("%d threads: %v", threads, err)
		}
	}
}

// A cancelled context ends reading a file into memory, and is no damage.
func TestOpenCancelled(t *testing.T) {
	rs := madeUp()
	data := writeCompact(t, rs, madeUpCodes(rs, 1, 10))
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, content := range map[string][]byte{"plain": data, "packed": encoder.EncodeAll(data, nil)} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		table, err := OpenFile(context.Background(), f, Memory, rs)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if err := table.Close(); err != nil {
			t.Error(err)
		}
		var damage *DamageError
		if _, err := OpenFile(ctx, f, Memory, rs); !errors.Is(err, context.Canceled) || errors.As(err, &damage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
