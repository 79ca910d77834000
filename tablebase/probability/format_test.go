package probability

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"solved/tablebase"
)

var update = flag.Bool("update", false, "write the file in testdata again")

// The file written by the first version of this package stays readable, and is what it
// writes.
func TestSmallFile(t *testing.T) {
	rs, entries := small()
	data := write(t, rs, entries)
	if *update {
		if err := os.WriteFile(smallFile, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	frozen, err := os.ReadFile(smallFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(frozen, data) {
		t.Errorf("%s is not what is written today", smallFile)
	}
	table, err := Open(smallFile, tablebase.Mapped, rs)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if _, err := table.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	checkEntries(t, table, entries)
}

// formatPart is the part of FORMAT.md under a heading.
func formatPart(t *testing.T, heading string) string {
	t.Helper()
	text, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, ok := strings.Cut(string(text), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("FORMAT.md has no %q", heading)
	}
	part, _, _ = strings.Cut(part, "\n## ")
	return part
}

// The numbers that FORMAT.md states are those of the code.
func TestFormatConstants(t *testing.T) {
	want := map[string]string{
		"Magic": Magic, "Version": fmt.Sprint(Version), "Encoding": fmt.Sprint(Encoding), "HeaderSize": fmt.Sprint(HeaderSize),
		"ChecksumSize": fmt.Sprint(ChecksumSize), "MaxPositions": fmt.Sprint(uint64(MaxPositions)), "One": fmt.Sprint(One),
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `([^`]+)` \\|").FindAllStringSubmatch(formatPart(t, "Constants"), -1) {
		if value, ok := want[row[1]]; !ok || value != row[2] {
			t.Errorf("FORMAT.md: %s is %s, and %s in the code", row[1], row[2], value)
		}
		delete(want, row[1])
	}
	if len(want) > 0 {
		t.Errorf("FORMAT.md does not state %v", want)
	}
}

// The table of header fields is that of the code, without gaps, and as long as the header.
func TestFormatHeader(t *testing.T) {
	fields := map[string]int{
		"magic": offMagic, "version": offVersion, "rules tag": offTag, "encoding": offEncoding, "reserved": offReserved, "positions": offPositions,
	}
	end := 0
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \| (\d+) \| ([a-z ]+)`).FindAllStringSubmatch(formatPart(t, "Layout"), -1) {
		offset, _ := strconv.Atoi(m[1])
		size, _ := strconv.Atoi(m[2])
		name := strings.TrimSpace(m[3])
		if offset != end {
			t.Errorf("%s at %d, and the field before ends at %d", name, offset, end)
		}
		if at, ok := fields[name]; !ok || at != offset {
			t.Errorf("%s at %d, and at %d in the code", name, offset, at)
		}
		delete(fields, name)
		end = offset + size
	}
	if end != HeaderSize || len(fields) > 0 {
		t.Errorf("the fields end at %d, and %v are missing", end, fields)
	}
}

// The annotated dump is of the file in testdata, from its first byte to its last.
func TestFormatDump(t *testing.T) {
	data, err := os.ReadFile(smallFile)
	if err != nil {
		t.Fatal(err)
	}
	var dump []byte
	for _, m := range regexp.MustCompile(`(?m)^([0-9a-f]{4})  ((?:[0-9a-f]{2} )+)`).FindAllStringSubmatch(formatPart(t, "A table, byte by byte"), -1) {
		if offset, _ := strconv.ParseInt(m[1], 16, 64); int(offset) != len(dump) {
			t.Errorf("a line at %#x, and the line before ends at %#x", offset, len(dump))
		}
		for _, hex := range strings.Fields(m[2]) {
			n, _ := strconv.ParseUint(hex, 16, 8)
			dump = append(dump, byte(n))
		}
	}
	if !bytes.Equal(dump, data) {
		t.Errorf("FORMAT.md has\n% x, the file\n% x", dump, data)
	}
}

// Each kind of damage that a table can have is explained under its name.
func TestFormatDamage(t *testing.T) {
	part := formatPart(t, "Damage, by name")
	for _, d := range []tablebase.Damage{tablebase.ShortHeader, tablebase.BadMagic, tablebase.BadVersion, tablebase.BadEncoding, tablebase.BadReserved,
		tablebase.UnknownTag, tablebase.WrongTag, tablebase.BadDimensions, tablebase.BadLength, tablebase.BadPadding, tablebase.BadChecksum, tablebase.BadZstd, tablebase.LongWindow} {
		if !strings.Contains(part, "| "+d.Error()+" |") {
			t.Errorf("FORMAT.md does not explain %q", d)
		}
	}
}
