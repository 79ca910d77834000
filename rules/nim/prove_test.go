package nim

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"solved/rules"
)

// solver asks z3, which these tests need: without it they fail.
func solver(ctx context.Context, name, script string) (bool, error) {
	z3 := exec.CommandContext(ctx, "z3", "-in", "-smt2")
	z3.Stdin = strings.NewReader(script)
	var errs bytes.Buffer
	z3.Stderr = &errs
	out, err := z3.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return false, errors.New("z3 is not installed: apt-get install z3")
	}
	switch answer := strings.TrimSpace(string(out)); {
	case err == nil && answer == "unsat":
		return true, nil
	case err == nil && answer == "sat":
		return false, nil
	default:
		return false, errors.New(name + ": z3 answers " + answer + errs.String())
	}
}

func TestProve(t *testing.T) {
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
	checkResults(t, claims)
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
	if err := Rulesets()[0].Prove(ended, rules.Proof{Report: quiet, Unsatisfiable: solver}); !errors.Is(err, context.Canceled) {
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

// mutant calculates wrongly in one way.
type mutant struct {
	terms
	xorIs, lessIs string
}

func (m mutant) xor(a, b string) string {
	if m.xorIs != "" {
		return "(" + m.xorIs + " " + a + " " + b + ")"
	}
	return m.terms.xor(a, b)
}

func (m mutant) less(a, b string) string {
	if m.lessIs != "" {
		return "(" + m.lessIs + " " + a + " " + b + ")"
	}
	return m.terms.less(a, b)
}

// unasked drops the last thing that a script asserts.
func unasked(script string) string {
	last := strings.LastIndex(script, "(assert ")
	return script[:last] + "(check-sat)\n"
}

// The scripts say something: with another operation in the place of the right one, there
// is a counterexample.
func TestMutants(t *testing.T) {
	or, add := mutant{xorIs: "bvor"}, mutant{xorIs: "bvadd"}
	orEqual, greater := mutant{lessIs: "bvule"}, mutant{lessIs: "bvugt"}
	for name, script := range map[string]string{
		"progress, or for xor":        progress(or, 3),
		"progress, sum for xor":       progress(add, 3),
		"progress, a heap untouched":  unasked(progress(terms{}, 3)),
		"progress of 6, or for xor":   progress(or, 6),
		"progress of 6, a heap fewer": unasked(progress(terms{}, 6)),
		"closure, or for xor":         closure(or, 3),
		"closure, not less":           closure(orEqual, 3),
		"closure of 6, not less":      closure(orEqual, 6),
		"closure of any, or for xor":  closureAny(or),
		"closure of any, not less":    closureAny(orEqual),
		"start, or for xor":           progressStart(or),
		"start, sum for xor":          progressStart(add),
		"split, sum for xor":          progressSplit(add),
		"split, greater":              progressSplit(greater),
		"split, one part":             unasked(progressSplit(terms{})),
		"reach, or for xor":           progressReach(or),
		"reach, sum for xor":          progressReach(add),
	} {
		unsatisfiable, err := solver(t.Context(), name, script)
		if err != nil {
			t.Fatal(err)
		}
		if unsatisfiable {
			t.Errorf("%s: there is no counterexample\n%s", name, script)
		}
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
