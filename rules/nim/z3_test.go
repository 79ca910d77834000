//go:build z3

package nim

// These tests ask the SMT solver z3, and run with go test -tags z3 only: what needs
// nothing but Go is tested without them.

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// solver asks z3. That it is missing is an error.
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

// The whole certificate, its proofs included.
func TestCertificate(t *testing.T) { checkProve(t, solver) }

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
