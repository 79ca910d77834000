package tablebase

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"solved/rules"
)

// The files under zstd are made by another implementation, zstd -19.
var update = flag.Bool("update", false, "write the tables in testdata again")

// smallTable is the table of the files testdata/small.*, as FORMAT.md describes it.
func smallTable() (rules.Ruleset, *codeSlices) {
	rs := rules.Ruleset{Name: "small", Tag: 0x534d4c31, Positions: [rules.Sections]uint64{530, 20}, Longest: [rules.Sections]uint8{41, 39}}
	codes := codeSlices{make([]rules.Code, 530), make([]rules.Code, 20)}
	for s, rule := range [][3]int{{29, 7, 42}, {8, 3, 40}} {
		for i := range codes[s] {
			codes[s][i] = rules.CodeDraw
			if i%rule[0] == rule[1] {
				codes[s][i] = rules.Code(i % rule[2])
			}
		}
	}
	return rs, &codes
}

// Files written by the first version of this package stay readable, and are what it writes.
func TestSmallFiles(t *testing.T) {
	rs, codes := smallTable()
	files := map[string][]byte{"small.ttb": writeCompact(t, rs, codes), "small.tb": writeByteTable(t, rs, codes)}
	if *update {
		for name, data := range files {
			if err := os.WriteFile(filepath.Join("testdata", name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	seen, err := filepath.Glob(filepath.Join("testdata", "small.*"))
	if err != nil || len(seen) != 4 {
		t.Fatalf("%v, %v", seen, err)
	}
	for _, path := range seen {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".zst")
		if name == filepath.Base(path) && !bytes.Equal(data, files[name]) {
			t.Errorf("%s is not what is written today", path)
		}
		if strings.HasPrefix(name, "small.tb") {
			if err := readByteTable(data, rs); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			continue
		}
		for _, mode := range []Mode{Mapped, Memory} {
			table, err := Open(path, mode, rs)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := table.Verify(context.Background(), 1); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			checkSource(t, rs, table, codes)
			table.Close()
		}
	}
}

// formatText is FORMAT.md, and formatPart the part of it under a heading.
func formatText(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func formatPart(t *testing.T, heading string) string {
	t.Helper()
	_, part, ok := strings.Cut(formatText(t), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("FORMAT.md has no %q", heading)
	}
	part, _, _ = strings.Cut(part, "\n## ")
	return part
}

// The numbers that FORMAT.md states are those of the code.
func TestFormatConstants(t *testing.T) {
	want := map[string]string{
		"CompactMagic": CompactMagic, "BytesMagic": BytesMagic, "Version": fmt.Sprint(Version),
		"CompactEncoding": fmt.Sprint(CompactEncoding), "BytesEncoding": fmt.Sprint(BytesEncoding),
		"BlockPositions":    fmt.Sprint(BlockPositions),
		"CompactHeaderSize": fmt.Sprint(CompactHeaderSize), "BytesHeaderSize": fmt.Sprint(BytesHeaderSize),
		"ChecksumSize":   fmt.Sprint(ChecksumSize),
		"rules.CodeDraw": fmt.Sprint(rules.CodeDraw), "rules.MaxDistance": fmt.Sprint(rules.MaxDistance),
	}
	rows := regexp.MustCompile("(?m)^\\| `([\\w.]+)` \\| `([^`]+)` \\|").FindAllStringSubmatch(formatPart(t, "Constants"), -1)
	for _, row := range rows {
		if value, ok := want[row[1]]; !ok || value != row[2] {
			t.Errorf("FORMAT.md: %s is %s, and %s in the code", row[1], row[2], value)
		}
		delete(want, row[1])
	}
	if len(want) > 0 {
		t.Errorf("FORMAT.md does not state %v", want)
	}
}

// The tables of header fields are those of the code, without gaps, and as long as the header.
func TestFormatHeaders(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\| (\d+) \| (\d+) \| ([a-z -]+)`)
	for _, format := range []struct {
		heading string
		size    int
		fields  map[string]int
	}{
		{"TTCCMP01: compact table (`.ttb`)", CompactHeaderSize, map[string]int{
			"magic": offMagic, "version": offVersion, "rules tag": offTag, "encoding": offEncoding, "positions per block": offBlock,
			"main positions": offPositions, "opening positions": offPositions + 8,
			"decisive main positions": offDecisive, "decisive opening positions": offDecisive + 8}},
		{"TTCTB001: byte-per-position table (`.tb`)", BytesHeaderSize, map[string]int{
			"magic": offMagic, "version": offVersion, "rules tag": offTag, "encoding": offEncoding, "reserved": offReserved,
			"main positions": offPositions, "opening positions": offPositions + 8}},
	} {
		end := 0
		for _, m := range row.FindAllStringSubmatch(formatPart(t, format.heading), -1) {
			offset, _ := strconv.Atoi(m[1])
			size, _ := strconv.Atoi(m[2])
			name := strings.TrimSpace(m[3])
			if offset != end {
				t.Errorf("%s: %s at %d, and the field before ends at %d", format.heading, name, offset, end)
			}
			if at, ok := format.fields[name]; !ok || at != offset {
				t.Errorf("%s: %s at %d, and at %d in the code", format.heading, name, offset, at)
			}
			delete(format.fields, name)
			end = offset + size
		}
		if end != format.size || len(format.fields) > 0 {
			t.Errorf("%s: the fields end at %d, and %v are missing", format.heading, end, format.fields)
		}
	}
}

// The annotated dumps are of the files in testdata: the compact one from its first byte to its
// last, the other with the middle left out.
func TestFormatDumps(t *testing.T) {
	line := regexp.MustCompile(`(?m)^([0-9a-f]{4})  ((?:[0-9a-f]{2} )+) `)
	for _, dump := range []struct {
		heading, file string
		whole         bool
	}{
		{"A compact table, byte by byte", "small.ttb", true},
		{"A byte-per-position table", "small.tb", false},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", dump.file))
		if err != nil {
			t.Fatal(err)
		}
		lines := line.FindAllStringSubmatch(formatPart(t, dump.heading), -1)
		end := 0
		for _, m := range lines {
			offset, _ := strconv.ParseInt(m[1], 16, 64)
			var b []byte
			for _, hex := range strings.Fields(m[2]) {
				n, _ := strconv.ParseUint(hex, 16, 8)
				b = append(b, byte(n))
			}
			if int(offset) < end || dump.whole && int(offset) != end {
				t.Errorf("%s: a line at %#x, and the line before ends at %#x", dump.file, offset, end)
			}
			end = int(offset) + len(b)
			if end > len(data) || !bytes.Equal(data[offset:end], b) {
				t.Errorf("%s: at %#x FORMAT.md has % x", dump.file, offset, b)
			}
		}
		if len(lines) < 8 || end != len(data) {
			t.Errorf("%s: %d lines, up to %#x of %#x", dump.file, len(lines), end, len(data))
		}
	}
}

// Each kind of damage is explained under its name.
func TestFormatDamage(t *testing.T) {
	part := formatPart(t, "Damage, by name")
	for d := ShortHeader; d <= BadIndex; d++ {
		if !strings.Contains(part, "| "+d.Error()+" |") {
			t.Errorf("FORMAT.md does not explain %q", d)
		}
	}
	if (BadIndex+1).Error() != "damage 21" || Damage(0).Error() != "damage 0" {
		t.Error("the list of damage has grown, and this test not")
	}
}
