package inverseduocross

import (
	"context"
	"errors"
	"slices"
	"testing"

	"solved/rules"
	"solved/rules/rulestest"
)

// Every claim of the certificate holds, and RESULTS.md has what was found.
func TestProve(t *testing.T) {
	var claims []rules.Claim
	err := Rulesets()[0].Prove(t.Context(), rules.Proof{Report: func(c rules.Claim) {
		claims = append(claims, c)
		t.Logf("| %s | %s |", c.Text, c.Found)
		if !c.Holds() {
			t.Errorf("%s: found %s, want %s", c.Text, c.Found, c.Want)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	rulestest.Results(t, claims)
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

// One wrong value from 52 cells on makes a claim of the theorem fail.
func TestTheoremFindsWrongValues(t *testing.T) {
	right := valuesByMex(provedStrips)
	for n := settled; n < 2*settled+2*period+len(dawsonsChess)-1; n++ {
		values := slices.Clone(right)
		values[n] ^= 1
		failed := 0
		proveTheorem(func(_ string, want, found any) {
			if !rules.Claimed("", want, found).Holds() {
				failed++
			}
		}, values)
		if failed < 2 {
			t.Errorf("with a wrong value of %d cells, %d claims fail", n, failed)
		}
	}
}

// The octal code is read right: three games whose values have a closed form.
func TestOctal(t *testing.T) {
	for _, c := range []struct {
		name   string
		digits []uint8
		want   []uint8
	}{
		{"take one or two counters", []uint8{0, 3, 3}, []uint8{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}},
		{"Kayles", []uint8{0, 7, 7}, []uint8{0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6}},
		{"Dawson's Kayles", []uint8{0, 0, 7}, []uint8{0, 0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3}},
	} {
		if got := valuesByOctal(c.digits, 11); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
