package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNotices holds THIRD_PARTY.md against the modules that are linked into the program.
func TestNotices(t *testing.T) {
	want, err := notices("../../server")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../THIRD_PARTY.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("THIRD_PARTY.md is out of date; write it anew: go run ./scripts/notices >THIRD_PARTY.md")
	}
}

// TestNoticesNameEveryModule compares the page with another source: the build information
// that the linker itself puts into the program.
func TestNoticesNameEveryModule(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "solved")
	if out, err := exec.Command("go", "build", "-o", binary, "../../server").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command("go", "version", "-m", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../THIRD_PARTY.md")
	if err != nil {
		t.Fatal(err)
	}
	modules := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] != "dep" {
			continue
		}
		modules++
		if !strings.Contains(string(page), "\n- "+fields[1]+" "+fields[2]+", ") {
			t.Errorf("the program contains %s %s, and THIRD_PARTY.md does not name it", fields[1], fields[2])
		}
	}
	if modules < 10 {
		t.Errorf("only %d modules in the program", modules)
	}
}

// TestKnownLicences: every text of a licence is recognized, and is one of those that allow a
// binary to be passed on with its notices.
func TestKnownLicences(t *testing.T) {
	page, err := os.ReadFile("../../THIRD_PARTY.md")
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0", "Unlicense", "OFL-1.1", "FTL", "CC-BY-4.0", "CC-BY-3.0", "GooglePatentsFile", "GooglePatentClause"}
	kinds := 0
	for line := range strings.Lines(string(page)) {
		name, ok := strings.CutPrefix(line, "## ")
		if !ok {
			continue
		}
		for id := range strings.SplitSeq(strings.TrimSpace(name), ", ") {
			kinds++
			if id != "Notice" && !slices.Contains(allowed, id) {
				t.Errorf("%s is no licence that the program may carry without another look", id)
			}
		}
	}
	if kinds < 10 {
		t.Errorf("only %d licences", kinds)
	}
}

func TestLicenceNames(t *testing.T) {
	for name, want := range map[string]bool{
		"LICENSE": true, "LICENSE.txt": true, "License.md": true, "LICENCE": true, "UNLICENSE": true, "LICENSE-MIT": true,
		"COPYING": true, "NOTICE": true, "NOTICE.md": true, "PATENTS": true,
		"README.md": false, "licenses": false, "noticeable.txt": false, "my-license": false,
	} {
		if got := licenceName.MatchString(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
