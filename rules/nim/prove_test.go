package nim

import (
	"context"
	"errors"
	"strings"
	"testing"

	"solved/rules"
	"solved/rules/rulestest"
)

// checkProve checks the certificate with a solver: every claim holds.
func checkProve(t *testing.T, solver func(ctx context.Context, name, script string) (bool, error)) {
	t.Helper()
	var claims []rules.Claim
	err := Rulesets()[0].Prove(t.Context(), rules.Proof{Unsatisfiable: solver, Report: func(c rules.Claim) {
		claims = append(claims, c)
		t.Logf("%s: %s", c.Text, c.Found)
		if !c.Holds() {
			t.Errorf("%s: found %s, want %s", c.Text, c.Found, c.Want)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(claims) != 18 {
		t.Errorf("%d claims, want 18", len(claims))
	}
	rulestest.Results(t, claims)
}

// All of the certificate but its proofs, which a stand-in takes for granted. A real solver is
// asked by go test -tags z3.
func TestProve(t *testing.T) {
	var asked []string
	checkProve(t, func(_ context.Context, name, script string) (bool, error) {
		if !strings.Contains(script, "(set-logic QF_BV)") || !strings.HasSuffix(script, "(check-sat)\n") {
			t.Errorf("%s is no script of its kind:\n%s", name, script)
		}
		asked = append(asked, name)
		return true, nil
	})
	if len(asked) != 8 || asked[0] != "nim-progress" || asked[7] != "nim-progress-reach" {
		t.Errorf("asked for %q", asked)
	}
}

// A proof that cannot be made is an error, and a counterexample a claim that fails.
func TestProveFails(t *testing.T) {
	noSolver := errors.New("no solver")
	quiet := func(rules.Claim) {}
	err := Rulesets()[0].Prove(t.Context(), rules.Proof{Report: quiet, Unsatisfiable: func(context.Context, string, string) (bool, error) {
		return false, noSolver
	}})
	if !errors.Is(err, noSolver) || !strings.Contains(err.Error(), "nim-progress") {
		t.Errorf("without a solver: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Rulesets()[0].Prove(ended, rules.Proof{Report: quiet}); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	failed := 0
	err = Rulesets()[0].Prove(t.Context(), rules.Proof{
		Report: func(c rules.Claim) {
			if !c.Holds() {
				failed++
			}
		},
		Unsatisfiable: func(context.Context, string, string) (bool, error) { return false, nil },
	})
	if err != nil || failed != 8 {
		t.Errorf("every script satisfiable: %d claims fail, %v", failed, err)
	}
}

// The script that is asked, to be read.
func TestScript(t *testing.T) {
	const want = `; Nim: from 2 heaps, some move reaches any nim-sum below theirs.
; Unsatisfiable: there is no counterexample.
(set-logic QF_BV)
(declare-const x1 (_ BitVec 63))
(declare-const x2 (_ BitVec 63))
(declare-const want (_ BitVec 63))
(assert (bvult want (bvxor (bvxor (_ bv0 63) x1) x2)))
(assert (not (and true (bvult (bvxor x1 (bvxor (bvxor (bvxor (_ bv0 63) x1) x2) want)) x1) (= (bvxor (bvxor (_ bv0 63) (bvxor x1 (bvxor (bvxor (bvxor (_ bv0 63) x1) x2) want))) x2) want))))
(assert (not (and true (bvult (bvxor x2 (bvxor (bvxor (bvxor (_ bv0 63) x1) x2) want)) x2) (= (bvxor (bvxor (_ bv0 63) x1) (bvxor x2 (bvxor (bvxor (bvxor (_ bv0 63) x1) x2) want))) want))))
(check-sat)
`
	if got := progress(terms{}, 2); got != want {
		t.Errorf("the script is\n%s", got)
	}
}
