// Package rulestest holds the helpers that the tests of several games share.
package rulestest

import (
	"os"
	"strings"
	"testing"

	"solved/rules"
)

// Results holds the table of RESULTS.md against the claims, row by row.
func Results(t *testing.T, claims []rules.Claim) {
	t.Helper()
	page, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| ") && line != "| claim | found |\n" {
			rows = append(rows, line)
		}
	}
	if len(rows) != len(claims) {
		t.Fatalf("RESULTS.md has %d rows for %d claims", len(rows), len(claims))
	}
	for i, c := range claims {
		if want := "| " + c.Text + " | " + c.Found + " |\n"; rows[i] != want {
			t.Errorf("RESULTS.md has %swant %s", rows[i], want)
		}
	}
}
