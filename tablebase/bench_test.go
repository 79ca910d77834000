package tablebase

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"solved/rules"
)

// benchmarkTable names an environment variable with the path of a compact table to measure:
// the figures of a table that fits the processor's caches say little about the published one.
// Without it a small one is made up.
const benchmarkTable = "SOLVED_TABLE"

// benchmarkFile returns the path of the table to measure, and a ruleset to open it with.
func benchmarkFile(b *testing.B) (string, rules.Ruleset) {
	b.Helper()
	if path := os.Getenv(benchmarkTable); path != "" {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		var header [CompactHeaderSize]byte
		if _, err := io.ReadFull(f, header[:]); err != nil {
			b.Fatal(err)
		}
		le := binary.LittleEndian
		return path, rules.Ruleset{
			Name: "as the file says", Tag: rules.Tag(le.Uint32(header[12:])),
			Positions: [rules.Sections]uint64{le.Uint64(header[24:]), le.Uint64(header[32:])},
			Longest:   [rules.Sections]uint8{rules.MaxDistance, rules.MaxDistance},
		}
	}
	rs := benchmarkRuleset(1<<22, 1<<16)
	var out bytes.Buffer
	if _, err := Write(context.Background(), &out, rs, newPattern(rs), 2, nil); err != nil {
		b.Fatal(err)
	}
	return tempFile(b, "small.ttb", out.Bytes()), rs
}

func benchmarkRuleset(main, opening uint64) rules.Ruleset {
	return rules.Ruleset{Name: "made-up", Tag: 0x4d414445, Positions: [rules.Sections]uint64{main, opening}, Longest: [rules.Sections]uint8{41, 39}}
}

// pattern is a Source that costs little more than a copy: one range of codes, of which 8.5 % are
// decisive as in the published tables, from a place that depends on the range asked for.
type pattern []rules.Code

func newPattern(rs rules.Ruleset) pattern {
	random := rand.New(rand.NewPCG(8, 5))
	p := make(pattern, 2*chunkPositions)
	for i := range p {
		p[i] = rules.CodeDraw
		if random.IntN(1000) < 85 {
			p[i] = rules.Code(random.IntN(int(min(rs.Longest[0], rs.Longest[1])) + 1))
		}
	}
	return p
}

func (p pattern) Codes(_ rules.Section, lo uint64, dst []rules.Code) error {
	start := lo * 0x9e3779b97f4a7c15 >> 46 // below 2^18
	copy(dst, p[start:])
	return nil
}

// reportCPU reports the processor time of a loop beside its duration: on a machine that has
// other work, it says how long the loop would take without. Called before the loop, it returns
// what to call after it.
func reportCPU(b *testing.B) func() {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	return func() { b.ReportMetric(float64(used()-before)/float64(b.N), "cpu-ns/op") }
}

// eachMode measures a table opened in either mode.
func eachMode(b *testing.B, bench func(b *testing.B, table *Table)) {
	path, rs := benchmarkFile(b)
	for _, mode := range []Mode{Mapped, Memory} {
		b.Run(mode.String(), func(b *testing.B) {
			table, err := Open(path, mode, rs)
			if err != nil {
				b.Fatal(err)
			}
			defer table.Close()
			if _, err := table.Verify(context.Background(), 2); err != nil { // also reads it in
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("positions=%d", rs.Positions[rules.Main]), func(b *testing.B) { bench(b, table) })
		})
	}
}

func randomIndices(n int, table *Table) []uint64 {
	random := rand.New(rand.NewPCG(1, 2))
	out := make([]uint64, n)
	for i := range out {
		out[i] = random.Uint64N(table.Ruleset().Positions[rules.Main])
	}
	return out
}

// BenchmarkReadByte is the floor below which no look-up gets: one random byte of the bitmap, the
// reads independent of one another, and each dependent on the one before.
func BenchmarkReadByte(b *testing.B) {
	eachMode(b, func(b *testing.B, table *Table) {
		indices := randomIndices(1<<20, table)
		start := table.sections[rules.Main].bitmap
		b.Run("independent", func(b *testing.B) {
			i, sum := 0, uint64(0)
			cpu := reportCPU(b)
			for b.Loop() {
				sum += uint64(table.at(start + int64(indices[i%len(indices)]>>3)))
				i++
			}
			cpu()
			b.ReportMetric(float64(sum)/float64(i), "mean") // so that the sum is needed
		})
		b.Run("dependent", func(b *testing.B) {
			i, last := 0, uint64(0)
			cpu := reportCPU(b)
			for b.Loop() {
				last = uint64(table.at(start + int64((indices[i%len(indices)]^last)>>3)))
				i++
			}
			cpu()
		})
	})
}

// BenchmarkLookup is one look-up at a random main-phase index.
func BenchmarkLookup(b *testing.B) {
	eachMode(b, func(b *testing.B, table *Table) {
		indices := randomIndices(1<<20, table)
		decisive, i := 0, 0
		b.ReportAllocs()
		cpu := reportCPU(b)
		for b.Loop() {
			entry, err := table.Lookup(rules.Main, indices[i%len(indices)])
			if err != nil {
				b.Fatal(err)
			}
			if entry.Value != rules.Draw {
				decisive++
			}
			i++
		}
		cpu()
		b.ReportMetric(100*float64(decisive)/float64(i), "%decisive")
	})
}

// BenchmarkLookupDecisive is the same at indices of wins and losses, which take all three reads.
func BenchmarkLookupDecisive(b *testing.B) {
	eachMode(b, func(b *testing.B, table *Table) {
		var decisive []uint64
		for _, index := range randomIndices(1<<21, table) {
			if entry, err := table.Lookup(rules.Main, index); err != nil {
				b.Fatal(err)
			} else if entry.Value != rules.Draw {
				decisive = append(decisive, index)
			}
		}
		i := 0
		b.ReportAllocs()
		cpu := reportCPU(b)
		for b.Loop() {
			if _, err := table.Lookup(rules.Main, decisive[i%len(decisive)]); err != nil {
				b.Fatal(err)
			}
			i++
		}
		cpu()
	})
}

// BenchmarkLookupMany is one call for a number of random indices; the published game has 12
// moves on average and at most 64.
func BenchmarkLookupMany(b *testing.B) {
	eachMode(b, func(b *testing.B, table *Table) {
		indices := randomIndices(1<<20, table)
		for _, n := range []int{12, 64} {
			b.Run(fmt.Sprintf("indices=%d", n), func(b *testing.B) {
				out := make([]rules.Entry, n)
				i := 0
				b.ReportAllocs()
				cpu := reportCPU(b)
				for b.Loop() {
					if i+n > len(indices) {
						i = 0
					}
					if err := table.LookupMany(rules.Main, indices[i:i+n], out); err != nil {
						b.Fatal(err)
					}
					i += n
				}
				cpu()
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/index")
			})
		}
	})
}

// BenchmarkOpenAndVerify opens a table and checks all of it.
func BenchmarkOpenAndVerify(b *testing.B) {
	path, rs := benchmarkFile(b)
	for _, mode := range []Mode{Mapped, Memory} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d/positions=%d", mode, threads, rs.Positions[rules.Main]), func(b *testing.B) {
				cpu := reportCPU(b)
				for b.Loop() {
					table, err := Open(path, mode, rs)
					if err != nil {
						b.Fatal(err)
					}
					digest, err := table.Verify(context.Background(), threads)
					if err != nil {
						b.Fatal(err)
					}
					b.SetBytes(digest.Bytes)
					table.Close()
				}
				cpu()
				runtime.GC() // what Memory leaves behind
			})
		}
	}
}

// BenchmarkCodes decodes a whole section in order.
func BenchmarkCodes(b *testing.B) {
	eachMode(b, func(b *testing.B, table *Table) {
		dst := make([]rules.Code, min(chunkPositions, table.Ruleset().Positions[rules.Main]))
		lo := uint64(0)
		cpu := reportCPU(b)
		for b.Loop() {
			if lo+uint64(len(dst)) > table.Ruleset().Positions[rules.Main] {
				lo = 0
			}
			if err := table.Codes(rules.Main, lo, dst); err != nil {
				b.Fatal(err)
			}
			lo += uint64(len(dst))
		}
		cpu()
		b.ReportMetric(float64(len(dst))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpositions/s")
	})
}

// BenchmarkWrite writes both formats from a source that costs next to nothing, to nowhere.
func BenchmarkWrite(b *testing.B) {
	rs := benchmarkRuleset(1<<26, 1<<20)
	if os.Getenv(benchmarkTable) != "" {
		_, rs = benchmarkFile(b)
		rs.Longest = [rules.Sections]uint8{41, 39}
	}
	src := newPattern(rs)
	positions := rs.Positions[rules.Main] + rs.Positions[rules.Opening]
	for _, name := range []string{"Write", "WriteBytes"} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d/positions=%d", name, threads, positions), func(b *testing.B) {
				cpu := reportCPU(b)
				for b.Loop() {
					if _, err := writers[name](context.Background(), io.Discard, rs, src, threads, nil); err != nil {
						b.Fatal(err)
					}
				}
				cpu()
				b.ReportMetric(float64(positions)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpositions/s")
			})
		}
	}
}

// BenchmarkCombineCRC joins two checksums.
func BenchmarkCombineCRC(b *testing.B) {
	cpu := reportCPU(b)
	for b.Loop() {
		combineCRC(1, 2, 485_862_535)
	}
	cpu()
}
