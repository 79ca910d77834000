//go:build whole

package inversetreblecross

import (
	"flag"
	"os"
	"strings"
	"testing"

	"solved/rules"
)

var update = flag.Bool("update", false, "write the tables of RESULTS.md anew")

// TestResults checks the whole certificate and holds the page about it against what is
// found. It takes a minute or two, so it is not among the plain tests.
func TestResults(t *testing.T) {
	var tables strings.Builder
	for _, r := range Rulesets() {
		tables.WriteString("\n### " + r.About().Name + "\n\n| claim | found |\n|---|---|\n")
		err := r.Prove(t.Context(), rules.Proof{Report: func(c rules.Claim) {
			if !c.Holds() {
				t.Errorf("%s: want %s, found %s", c.Text, c.Want, c.Found)
			}
			tables.WriteString("| " + c.Text + " | " + c.Found + " |\n")
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	before, shown, ok := strings.Cut(string(page), "## Claims\n")
	if !ok {
		t.Fatal("RESULTS.md has no section of claims")
	}
	if *update {
		if err := os.WriteFile("RESULTS.md", []byte(before+"## Claims\n"+tables.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if shown != tables.String() {
		t.Errorf("RESULTS.md shows other claims:\n%s\nwant\n%s", shown, tables.String())
	}
}
