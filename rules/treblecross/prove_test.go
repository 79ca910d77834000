package treblecross

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
	report := func(rules.Claim) { t.Error("a claim is reported") }
	r := Rulesets()[0]
	for _, err := range []error{r.Prove(ctx, rules.Proof{Report: report}), r.proveHeaps(ctx, report)} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("with an ended context: %v", err)
		}
	}
}

// The comparison with the reference finds a single wrong value of any heap, and so does that with
// the definition.
func TestProveFindsWrongHeaps(t *testing.T) {
	right := heapValues(100)
	for heap := range 13 {
		wrong := slices.Clone(right)
		wrong[heap] ^= 1
		r := &Rules{heaps: func() []uint16 { return wrong }}
		faults := 0
		err := r.provePositions(t.Context(), func(c rules.Claim) {
			if !c.Holds() {
				faults++
			}
		}, 10)
		if err != nil || faults == 0 {
			t.Errorf("a wrong value of the heap of %d tokens agrees with the reference, %v", heap, err)
		}
	}
	for heap := range right {
		wrong := slices.Clone(right)
		wrong[heap] ^= 1
		if found, err := wrongHeaps(t.Context(), wrong); err != nil || found.String() == "none" {
			t.Errorf("a wrong value of the heap of %d tokens agrees with the definition, %v", heap, err)
		}
	}
	// The right values pass both.
	r := &Rules{heaps: func() []uint16 { return right }}
	err := r.provePositions(t.Context(), func(c rules.Claim) {
		if !c.Holds() {
			t.Errorf("%s: found %s", c.Text, c.Found)
		}
	}, 10)
	if found, failed := wrongHeaps(t.Context(), right); err != nil || failed != nil || found.String() != "none" {
		t.Errorf("the right values: %v, %v, %v", err, failed, found)
	}
}
