package notakto

import (
	"context"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"solved/rules"
	"solved/rules/rulestest"
)

var update = flag.Bool("update", false, "write the table of RESULTS.md from what Prove finds")

// Every claim of the certificate holds, and RESULTS.md has what was found.
func TestProve(t *testing.T) {
	var claims []rules.Claim
	err := Rulesets()[0].Prove(t.Context(), rules.Proof{Report: func(c rules.Claim) {
		claims = append(claims, c)
		if !c.Holds() {
			t.Errorf("%s: found %s, want %s", c.Text, c.Found, c.Want)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		writeResults(t, claims)
	}
	rulestest.Results(t, claims)
}

// writeResults replaces the table of RESULTS.md.
func writeResults(t *testing.T, claims []rules.Claim) {
	t.Helper()
	page, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	const head = "| claim | found |\n|---|---|\n"
	before, rest, ok := strings.Cut(string(page), head)
	if !ok {
		t.Fatal("RESULTS.md has no table")
	}
	_, after, _ := strings.Cut(rest, "\n\n")
	var table strings.Builder
	for _, c := range claims {
		table.WriteString("| " + c.Text + " | " + c.Found + " |\n")
	}
	if err := os.WriteFile("RESULTS.md", []byte(before+head+table.String()+"\n"+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The proof ends when its context does.
func TestProveStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := Rulesets()[0].Prove(ctx, rules.Proof{Report: func(rules.Claim) {}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
}

// The finite check finds a quotient wrong in which any one shape has another element.
func TestProveFindsWrongElements(t *testing.T) {
	right, trees := quotientOf(), gameTrees()
	for tree := 1; tree < len(trees.options); tree++ {
		for e := range right.product {
			if Element(e) == right.shapes[tree] {
				continue
			}
			wrong := *right
			wrong.shapes = append([]Element(nil), right.shapes...)
			wrong.shapes[tree] = Element(e)
			if _, faults, err := wrong.proveSums(t.Context(), trees); err != nil || faults == 0 {
				t.Errorf("shape %d with the element %s: %d faults, %v", tree, right.names[e], faults, err)
			}
		}
	}
}
