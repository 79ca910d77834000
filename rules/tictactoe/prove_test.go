package tictactoe

import (
	"testing"

	"solved/rules"
)

// The whole certificate: every claim holds, and there are as many as there should be.
func TestProve(t *testing.T) {
	var claims []rules.Claim
	err := Rules{}.Prove(t.Context(), rules.Proof{
		Report:        func(c rules.Claim) { claims = append(claims, c) },
		Unsatisfiable: unsatisfiable,
	})
	if err != nil {
		t.Fatal(err)
	}
	published := 0
	for _, c := range claims {
		t.Logf("%s: %s", c.Text, c.Found)
		if !c.Holds() {
			t.Errorf("%s: found %s, want %s", c.Text, c.Found, c.Want)
		}
		if c.Published != "" {
			published++
		}
	}
	if len(claims) != 26 || published != 1 {
		t.Errorf("%d claims, %d of them with another published figure", len(claims), published)
	}
}
