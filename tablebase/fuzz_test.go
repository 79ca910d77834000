package tablebase

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// fuzzSeeds adds the small files, and some that are damaged, each plain and under zstd.
func fuzzSeeds(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join("testdata", "small.*"))
	if err != nil || len(paths) != 4 {
		f.Fatalf("%v, %v", paths, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
		for _, at := range []int{12, 40, 60, len(data) - 20, len(data) - 1} {
			bad := bytes.Clone(data)
			bad[at] ^= 0x40
			f.Add(bad)
		}
	}
	f.Add([]byte{})
}

// Any bytes open as a table or give a *DamageError; an open table answers, or gives one; and a
// verified one is written again as the bytes it was read from.
func FuzzOpenBytes(f *testing.F) {
	fuzzSeeds(f)
	rs, _ := smallTable()
	f.Fuzz(func(t *testing.T, data []byte) {
		var damage *DamageError
		for _, resealing := range []bool{false, true} {
			if resealing { // so that the checksum does not end every hunt
				if Detect(data) != KindCompact || len(data) < 8 {
					return
				}
				data = resealed(data)
			}
			table, err := OpenBytes(data, rs)
			if err != nil {
				if !errors.As(err, &damage) {
					t.Fatal(err)
				}
				continue
			}
			readEverything(t, table)
			if _, err := table.Verify(context.Background(), 1); err != nil {
				if !errors.As(err, &damage) {
					t.Fatal(err)
				}
				continue
			}
			var again bytes.Buffer
			if _, err := Write(context.Background(), &again, rs, table, 1, nil); err != nil {
				t.Fatal(err)
			}
			if Detect(data) == KindCompact && !bytes.Equal(again.Bytes(), data) {
				t.Fatal("a verified table is not what Write writes")
			}
		}
	})
}

// The same for the other format.
func FuzzByteReader(f *testing.F) {
	fuzzSeeds(f)
	rs, _ := smallTable()
	f.Fuzz(func(t *testing.T, data []byte) {
		var damage *DamageError
		for _, resealing := range []bool{false, true} {
			if resealing {
				if Detect(data) != KindBytes || len(data) < 8 {
					return
				}
				data = resealed(data)
			}
			r, err := NewByteReader(bytes.NewReader(data), rs)
			if err != nil {
				if !errors.As(err, &damage) {
					t.Fatal(err)
				}
				continue
			}
			var again bytes.Buffer
			_, err = WriteBytes(context.Background(), &again, rs, r, 1, nil)
			if closeErr := r.Close(); err == nil {
				err = closeErr
			}
			if err != nil {
				if !errors.As(err, &damage) {
					t.Fatal(err)
				}
				continue
			}
			if Detect(data) == KindBytes && !bytes.Equal(again.Bytes(), data) {
				t.Fatal("a good table is not what WriteBytes writes")
			}
		}
	})
}
