package tictactoe

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"solved/rules"
	"solved/rules/rulestest"
)

// checkProve checks the certificate with a solver: every claim holds, there are as many as
// there should be, and RESULTS.md says the same.
func checkProve(t *testing.T, unsatisfiable func(context.Context, string, string) (bool, error)) {
	t.Helper()
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
	rulestest.Results(t, claims)
}

// All of the certificate but its proofs, which a stand-in takes for granted once it has
// seen that they are those in testdata. A real solver is asked by go test -tags z3.
func TestProve(t *testing.T) {
	var asked []string
	checkProve(t, func(_ context.Context, name, script string) (bool, error) {
		asked = append(asked, name)
		want, err := os.ReadFile(filepath.Join("testdata", name+".smt2"))
		return script == string(want), err
	})
	if want := []string{"tic-tac-toe-base", "tic-tac-toe-step", "tic-tac-toe-goal"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q", asked)
	}
}

// A solver that fails ends the check, one that finds a counterexample fails the claim, and a
// context that has ended leaves nothing claimed.
func TestProveWithoutProof(t *testing.T) {
	var claims []rules.Claim
	report := func(c rules.Claim) { claims = append(claims, c) }
	none := errors.New("no solver")
	fails := func(_ context.Context, name, script string) (bool, error) {
		if name != "tic-tac-toe-base" || script != induction(rulesOfPlay)[0].script {
			t.Errorf("asked for %s", name)
		}
		return true, none
	}
	err := Rules{}.Prove(t.Context(), rules.Proof{Report: report, Unsatisfiable: fails})
	if !errors.Is(err, none) || len(claims) != 23 {
		t.Errorf("%d claims, %v", len(claims), err)
	}

	claims = nil
	satisfied := func(context.Context, string, string) (bool, error) { return false, nil }
	err = Rules{}.Prove(t.Context(), rules.Proof{Report: report, Unsatisfiable: satisfied})
	failed := 0
	for _, c := range claims {
		if !c.Holds() {
			failed++
		}
	}
	if err != nil || len(claims) != 26 || failed != 3 {
		t.Errorf("%d claims, of which %d fail, %v", len(claims), failed, err)
	}

	claims = nil
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (Rules{}).Prove(ctx, rules.Proof{Report: report}); !errors.Is(err, context.Canceled) || len(claims) != 0 {
		t.Errorf("%d claims, %v", len(claims), err)
	}
}
