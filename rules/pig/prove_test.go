package pig

import (
	"context"
	"errors"
	"strings"
	"testing"

	"solved/rules"
	"solved/rules/rulestest"
)

func TestProve(t *testing.T) {
	var claims []rules.Claim
	published := 0
	err := Rulesets()[0].Prove(t.Context(), rules.Proof{Report: func(c rules.Claim) {
		claims = append(claims, c)
		t.Logf("%s: %s", c.Text, c.Found)
		if !c.Holds() {
			t.Errorf("%s: found %s, want %s", c.Text, c.Found, c.Want)
		}
		if c.Published != "" {
			published++
			if !strings.HasPrefix(c.Text, "perfect play against hold-at-20") {
				t.Errorf("%s: %s", c.Text, c.Published)
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(claims) != 26 || published != 2 {
		t.Errorf("%d claims, %d of them with another published figure; want 26, 2", len(claims), published)
	}
	rulestest.Results(t, claims)
}

func TestProveEnds(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Rulesets()[0].Prove(ended, rules.Proof{Report: func(rules.Claim) {}}); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
}

// A figure that is not what is claimed is a claim that fails, and says what was found.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		claim rules.Claim
		holds bool
		found string
	}{
		{atMost("", 1e-3, 1e-3), true, "at most 1e-03"},
		{atMost("", 1e-3, 2e-3), false, "0.002"},
		{atLeast("", 1e-3, 1e-3), true, "at least 1e-03"},
		{atLeast("", 1e-3, 5e-4), false, "0.0005"},
		{cross("", sample{1000, 500}, 0.54), true, "true"},
		{cross("", sample{1000, 500}, 0.56), false, "false"},
	} {
		if c.claim.Holds() != c.holds || c.claim.Found != c.found {
			t.Errorf("%+v, want %v and %q", c.claim, c.holds, c.found)
		}
	}
}
