package tictactoe

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// unsatisfiable asks z3, which the tests need.
func unsatisfiable(ctx context.Context, name, script string) (bool, error) {
	path, err := exec.LookPath("z3")
	if err != nil {
		return false, fmt.Errorf("%s: these tests need the SMT solver z3 (Debian's package z3): %w", name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	z3 := exec.CommandContext(ctx, path, "-smt2", "-in")
	z3.Stdin = strings.NewReader(script)
	var errs bytes.Buffer
	z3.Stderr = &errs
	out, err := z3.Output()
	switch answer := strings.TrimSpace(string(out)); {
	case err != nil:
		return false, fmt.Errorf("%s: z3: %w: %s%s", name, err, out, &errs)
	case answer == "unsat":
		return true, nil
	case answer == "sat":
		return false, nil
	default:
		return false, fmt.Errorf("%s: z3 answers %q", name, answer)
	}
}

// ask is unsatisfiable for one test.
func ask(t *testing.T, name, script string) bool {
	t.Helper()
	none, err := unsatisfiable(t.Context(), name, script)
	if err != nil {
		t.Fatal(err)
	}
	return none
}
