package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"solved/rules/pig"
	"solved/tablebase"
	"solved/tablebase/probability"
)

// pigSHA256 is the digest of Pig's table: solving does the same sums in the same order, and
// with nothing that a processor may round in two ways, so it always gives the same bytes.
const pigSHA256 = "f26678ed27e19f7af03ea6a03ef9cff2de35bcf5dd930efb883fd234c178a170"

// TestPigTable makes Pig's table and holds every entry of the file against the solution:
// probabilities within 10⁻⁴ (they are within half of 1/65535), and the very same actions.
func TestPigTable(t *testing.T) {
	s, rs := pig.Solve(), pig.Rulesets()[0].Ruleset()
	var file bytes.Buffer
	written, err := probability.Write(&file, rs, func(index uint64) probability.Entry {
		win, best := s.Entry(index)
		return probability.Entry{Probability: win, Best: uint8(best)}
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pig.prob.zst")
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	packed := z.EncodeAll(file.Bytes(), nil)
	if len(packed) >= 1_000_000 {
		t.Errorf("the compressed table has %d bytes, too many to embed", len(packed))
	}
	if err := os.WriteFile(path, packed, 0o644); err != nil {
		t.Fatal(err)
	}
	table, err := probability.Open(path, tablebase.Mapped, rs)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	digest, err := table.Verify(t.Context())
	if err != nil || digest != written {
		t.Errorf("verified as %v, %v; written as %v", digest, err, written)
	}
	if sha := fmt.Sprintf("%x", digest.SHA256); sha != pigSHA256 {
		t.Errorf("the table has the SHA-256 %s, want %s", sha, pigSHA256)
	}
	t.Logf("%s; %d bytes under zstd", digest, len(packed))
	lookup := func(index uint64) (uint16, pig.Action, error) {
		e, err := table.Lookup(index)
		return e.Probability, pig.Action(e.Best), err
	}
	seen := 0
	for index := range uint64(pig.Positions) {
		p, _ := pig.FromIndex(index)
		win, best, err := lookup(index)
		if err != nil || best != s.Best(p) || math.Abs(float64(win)/pig.One-s.Win(p)) > 0.50001/pig.One {
			t.Fatalf("%s: %d, %s, %v; the solution has %v, %s", p, win, best, err, s.Win(p), s.Best(p))
		}
		seen++
		if index%101 > 0 {
			continue
		}
		e, err := pig.Evaluate(p, lookup)
		if err != nil || e.Best != s.Best(p) || math.Abs(e.Roll-s.Action(p, pig.Roll)) > 1e-4 || math.Abs(e.Hold-s.Action(p, pig.Hold)) > 1e-4 {
			t.Fatalf("%s: %+v, %v; the solution has roll %v, hold %v", p, e, err, s.Action(p, pig.Roll), s.Action(p, pig.Hold))
		}
	}
	if seen != 990_000 {
		t.Errorf("saw %d positions", seen)
	}
}
