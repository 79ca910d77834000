package tictactoe

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the scripts in testdata anew")

// The scripts are those in testdata, for whoever wants to read them or ask another solver.
func TestScripts(t *testing.T) {
	queries := induction(rulesOfPlay)
	if len(queries) != 3 {
		t.Fatalf("%d scripts", len(queries))
	}
	for _, q := range queries {
		path := filepath.Join("testdata", q.name+".smt2")
		if *update {
			if err := os.WriteFile(path, []byte(q.script), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if q.script != string(want) {
			t.Errorf("%s is not what the rules give; go test -update writes it", path)
		}
		if !strings.HasPrefix(q.script, "(set-logic QF_BV)\n") || !strings.HasSuffix(q.script, "(check-sat)\n") ||
			strings.Contains(q.script, "forall") {
			t.Errorf("%s: no script of its kind", path)
		}
		for i, c := range []byte(q.script) {
			if c >= 0x80 {
				t.Errorf("%s: byte %d is not ASCII", path, i)
			}
		}
	}
	files, err := filepath.Glob("testdata/*.smt2")
	if err != nil || len(files) != len(queries) {
		t.Errorf("%v, %v", files, err)
	}
}
