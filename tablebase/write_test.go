package tablebase

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"solved/rules"
)

// shapes are rulesets whose sizes touch every edge of the format, and some that take several
// chunks.
func shapes() []rules.Ruleset {
	var out []rules.Ruleset
	for i, n := range [][rules.Sections]uint64{
		{0, 0}, {1, 0}, {0, 1}, {7, 8}, {8, 9}, {511, 512}, {512, 513}, {513, 1}, {1024, 1025}, {2003, 607},
		{chunkPositions - 1, chunkPositions}, {3*chunkPositions + 5, chunkPositions + 513},
	} {
		out = append(out, rules.Ruleset{Name: fmt.Sprintf("shape-%d", i), Tag: rules.Tag(i), Positions: n, Longest: [rules.Sections]uint8{63, 40}})
	}
	return out
}

// Write must give, from one thread and from several, the bytes of the plain writer, with their
// digest; and everything that reads must give the codes back.
func TestWriteAndRead(t *testing.T) {
	ctx := context.Background()
	for _, rs := range shapes() {
		densities := []int{1, 2, 12, 1000}
		if rs.Positions[rules.Main] > 10_000 {
			densities = []int{12} // one is slow enough, bit by bit
		}
		for _, perDecisive := range densities {
			codes := madeUpCodes(rs, uint64(perDecisive), perDecisive)
			want := plainCompact(rs, codes)
			for _, threads := range []int{0, 1, 2, 5} {
				name := fmt.Sprintf("%s, one in %d, %d threads", rs.Name, perDecisive, threads)
				var b bytes.Buffer
				var done []uint64
				digest, err := Write(ctx, &b, rs, codes, threads, func(n uint64) { done = append(done, n) })
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if !bytes.Equal(b.Bytes(), want) {
					t.Fatalf("%s: Write differs from the plain writer", name)
				}
				checkDigest(t, name, digest, want, codes)
				if total := rs.Positions[0] + rs.Positions[1]; !slices.IsSorted(done) || total > 0 && done[len(done)-1] != total {
					t.Errorf("%s: progress %v", name, done)
				}
			}

			table, err := OpenBytes(want, rs)
			if err != nil {
				t.Fatal(err)
			}
			if digest, err := table.Verify(ctx, 2); err != nil {
				t.Fatalf("%s: %v", rs.Name, err)
			} else {
				checkDigest(t, rs.Name, digest, want, codes)
			}
			checkSource(t, rs, table, codes)

			// And the other format, from the table.
			var b bytes.Buffer
			digest, err := WriteBytes(ctx, &b, rs, table, 3, nil)
			if err != nil {
				t.Fatal(err)
			}
			wantBytes := plainBytes(rs, codes)
			if !bytes.Equal(b.Bytes(), wantBytes) {
				t.Fatalf("%s: WriteBytes differs", rs.Name)
			}
			checkDigest(t, rs.Name, digest, wantBytes, codes)

			// And back again, from the stream.
			stream, err := NewByteReader(&b, rs)
			if err != nil {
				t.Fatal(err)
			}
			var again bytes.Buffer
			if _, err := Write(ctx, &again, rs, stream, 1, nil); err != nil {
				t.Fatal(err)
			}
			if err := stream.Close(); err != nil {
				t.Fatal(err)
			}
			checkDigest(t, rs.Name, stream.Digest(), wantBytes, codes)
			if !bytes.Equal(again.Bytes(), want) {
				t.Fatalf("%s: converted twice is not the same", rs.Name)
			}
		}
	}
}

// plainBytes is the byte-per-position format once more.
func plainBytes(rs rules.Ruleset, codes *codeSlices) []byte {
	le := binary.LittleEndian
	out := []byte("TTCTB001")
	for _, n := range []uint32{1, uint32(rs.Tag), 1, 0} {
		out = le.AppendUint32(out, n)
	}
	for _, n := range rs.Positions {
		out = le.AppendUint64(out, n)
	}
	out = append(out, codes[0]...)
	out = append(out, codes[1]...)
	return le.AppendUint64(out, plainCRC(out))
}

func checkDigest(t *testing.T, name string, digest Digest, file []byte, codes *codeSlices) {
	t.Helper()
	want := Digest{SHA256: sha256.Sum256(file), CRC64: plainCRC(file[:len(file)-8]), Bytes: int64(len(file))}
	for s := range codes {
		for _, c := range codes[s] {
			if c != rules.CodeDraw {
				want.Decisive[s]++
			}
		}
	}
	if diff := cmp.Diff(want, digest); diff != "" {
		t.Fatalf("%s: digest (-want +got):\n%s", name, diff)
	}
}

// checkSource holds Lookup, LookupMany and Codes of a table against the codes.
func checkSource(t *testing.T, rs rules.Ruleset, table *Table, codes *codeSlices) {
	t.Helper()
	for s := range codes {
		section := rules.Section(s)
		n := len(codes[s])
		// All for the small ones, a prime step for the large ones.
		step := 1 + n/5000*7
		var indices []uint64
		for i := 0; i < n; i += step {
			indices = append(indices, uint64(i))
			got, err := table.Lookup(section, uint64(i))
			if err != nil {
				t.Fatal(err)
			}
			if want := rules.EntryOf(codes[s][i]); got != want {
				t.Fatalf("%s: Lookup(%s, %d) = %v, want %v", rs.Name, section, i, got, want)
			}
		}
		entries := make([]rules.Entry, len(indices))
		if err := table.LookupMany(section, indices, entries); err != nil {
			t.Fatal(err)
		}
		for i, index := range indices {
			if want := rules.EntryOf(codes[s][index]); entries[i] != want {
				t.Fatalf("%s: LookupMany(%s, %d) = %v, want %v", rs.Name, section, index, entries[i], want)
			}
		}
		for lo := 0; lo < n; lo += 1 + n/50 {
			for _, length := range []int{0, 1, 6, 9, 64, 700, 40000, n} {
				dst := make([]rules.Code, min(length, n-lo))
				if err := table.Codes(section, uint64(lo), dst); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(dst, codes[s][lo:lo+len(dst)]) {
					t.Fatalf("%s: Codes(%s, %d…%d) differ", rs.Name, section, lo, lo+len(dst))
				}
			}
		}
	}
}

// contractSource records how it was asked.
type contractSource struct {
	*codeSlices
	mu    sync.Mutex
	asked []chunk
}

func (c *contractSource) Codes(s rules.Section, lo uint64, dst []rules.Code) error {
	c.mu.Lock()
	c.asked = append(c.asked, chunk{s, lo, lo + uint64(len(dst))})
	c.mu.Unlock()
	return c.codeSlices.Codes(s, lo, dst)
}

// A Source is promised each range exactly once, and in order with one thread.
func TestSourceContract(t *testing.T) {
	rs := shapes()[len(shapes())-1]
	codes := madeUpCodes(rs, 1, 20)
	for _, threads := range []int{1, 4} {
		for name, write := range map[string]func(*contractSource) error{
			"Write": func(src *contractSource) error {
				_, err := Write(context.Background(), io.Discard, rs, src, threads, nil)
				return err
			},
			"WriteBytes": func(src *contractSource) error {
				_, err := WriteBytes(context.Background(), io.Discard, rs, src, threads, nil)
				return err
			},
		} {
			src := &contractSource{codeSlices: codes}
			if err := write(src); err != nil {
				t.Fatal(err)
			}
			if threads > 1 {
				slices.SortFunc(src.asked, func(a, b chunk) int {
					if a.section != b.section {
						return int(a.section) - int(b.section)
					}
					return int(a.lo) - int(b.lo)
				})
			}
			var next [rules.Sections]uint64
			for _, c := range src.asked {
				if c.lo != next[c.section] || c.section == rules.Main && next[rules.Opening] > 0 {
					t.Fatalf("%s, %d threads: asked for %s %d, and %d is next", name, threads, c.section, c.lo, next[c.section])
				}
				next[c.section] = c.hi
			}
			if next != rs.Positions {
				t.Errorf("%s, %d threads: asked up to %v of %v", name, threads, next, rs.Positions)
			}
		}
	}
}

type sourceFunc func(s rules.Section, lo uint64, dst []rules.Code) error

func (f sourceFunc) Codes(s rules.Section, lo uint64, dst []rules.Code) error { return f(s, lo, dst) }

// writers are the two, for what they have in common.
var writers = map[string]func(context.Context, io.Writer, rules.Ruleset, Source, int, func(uint64)) (Digest, error){
	"Write": Write, "WriteBytes": WriteBytes,
}

// Codes that are no entries must not be written.
func TestWriteRefusesBadCodes(t *testing.T) {
	rs := madeUp()
	for name, write := range writers {
		for _, code := range []rules.Code{42, 63, 64, 127, 128, 200, 254} {
			for _, index := range []int{0, 1, 7, 8, 1000, 2002} {
				codes := madeUpCodes(rs, 1, 10)
				codes[rules.Main][index] = code
				_, err := write(context.Background(), io.Discard, rs, codes, 2, nil)
				var bad *CodeError
				if !errors.As(err, &bad) || *bad != (CodeError{rules.Main, uint64(index), code, 41}) {
					t.Fatalf("%s: code %d at %d: %v", name, code, index, err)
				}
			}
		}
		codes := madeUpCodes(rs, 1, 10)
		codes[rules.Opening][600] = 40 // good in the main section
		if _, err := write(context.Background(), io.Discard, rs, codes, 1, nil); err == nil {
			t.Errorf("%s: accepted a distance that is too long for its section", name)
		}
	}
}

// Rulesets that the format cannot hold are refused before anything is done.
func TestWriteRefusesRulesets(t *testing.T) {
	src := sourceFunc(func(rules.Section, uint64, []rules.Code) error {
		t.Error("the source was asked")
		return nil
	})
	for name, write := range writers {
		for _, change := range []func(*rules.Ruleset){
			func(rs *rules.Ruleset) { rs.Longest[1] = 64 },
			func(rs *rules.Ruleset) { rs.Positions[0] = 1 << 32 },
		} {
			rs := madeUp()
			change(&rs)
			if _, err := write(context.Background(), io.Discard, rs, src, 1, nil); err == nil {
				t.Errorf("%s: accepted %+v", name, rs)
			}
		}
	}
}

// failingWriter fails after some bytes.
type failingWriter struct {
	left int
	err  error
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		n := w.left
		w.left = 0
		return n, w.err
	}
	w.left -= len(p)
	return len(p), nil
}

// Errors of the source and of the writer come out as they are, at whatever point.
func TestWriteErrors(t *testing.T) {
	rs := shapes()[len(shapes())-1]
	codes := madeUpCodes(rs, 1, 4)
	broken := errors.New("broken")
	for name, write := range writers {
		for _, threads := range []int{1, 3} {
			src := sourceFunc(func(s rules.Section, lo uint64, dst []rules.Code) error {
				if s == rules.Opening {
					return broken
				}
				return codes.Codes(s, lo, dst)
			})
			if _, err := write(context.Background(), io.Discard, rs, src, threads, nil); !errors.Is(err, broken) {
				t.Errorf("%s, %d threads: a broken source gives %v", name, threads, err)
			}
			for _, left := range []int{0, 39, 60, 100_000, 200_000} {
				if _, err := write(context.Background(), &failingWriter{left, broken}, rs, codes, threads, nil); !errors.Is(err, broken) {
					t.Errorf("%s, %d threads, %d bytes: a broken writer gives %v", name, threads, left, err)
				}
			}
			ctx, cancel := context.WithCancel(context.Background())
			_, err := write(ctx, io.Discard, rs, codes, threads, func(uint64) { cancel() })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s, %d threads: cancelled, it gives %v", name, threads, err)
			}
		}
	}
}
