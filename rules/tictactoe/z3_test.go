//go:build z3

package tictactoe

// These tests ask the SMT solver z3, and run with go test -tags z3 only: what needs
// nothing but Go is tested without them.

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"solved/rules"
)

// unsatisfiable asks z3. That it is missing is an error.
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

// The whole certificate, its proofs included.
func TestCertificate(t *testing.T) {
	t.Parallel()
	checkProve(t, unsatisfiable)
}

// With other rules than the game's the step fails: it is the rules that carry the proof.
func TestInductionNeedsTheRules(t *testing.T) {
	t.Parallel()
	step := func(rule play) query {
		q := induction(rule)[1]
		if q.name != "tic-tac-toe-step" {
			t.Fatal(q.name)
		}
		return q
	}
	wrong := map[string]string{
		"the game does not stop": step(play{stops: nil, alternates: true}).script,
		"no turns":               step(play{stops: lines[:], alternates: false}).script,
	}
	for i, l := range lines {
		stops := slices.Delete(slices.Clone(lines[:]), i, i+1)
		wrong[fmt.Sprintf("the game does not stop at %v", l)] = step(play{stops, true}).script
	}
	right := step(rulesOfPlay).script
	edited := func(script, old, with string) string {
		if strings.Count(script, old) != 1 {
			t.Fatalf("%q is in the script %d times", old, strings.Count(script, old))
		}
		return strings.Replace(script, old, with, 1)
	}
	wrong["marks go on marks"] = edited(right, "  (= (bvand move (bvor x o)) #b000000000)\n", "")
	wrong["two marks in a move"] = edited(right, oneSquare("move"), "true")
	wrong["from any board"] = edited(right, "(assert (legal x o t))\n", "")
	goal := induction(rulesOfPlay)[2].script
	wrong["any board"] = edited(goal, "(assert (legal x o t))\n", "")
	wrong["the mover may own a line"] = edited(goal, "\n  (not (line (ite (= t #b0) x o)))", "")
	base := induction(rulesOfPlay)[0].script
	wrong["O begins"] = edited(base, "(legal #b000000000 #b000000000 #b0)", "(legal #b000000000 #b000000000 #b1)")
	if len(wrong) != 10+6 {
		t.Errorf("%d changes", len(wrong))
	}
	for name, script := range wrong {
		if ask(t, name, script) {
			t.Errorf("%s: proved all the same", name)
		}
	}
}

// state writes a position for the solver, as arguments.
func state(p Position) string {
	return bitVector(p.marks[X]) + " " + bitVector(p.marks[O]) + " " + turn(p.Side())
}

// The scripts call those boards legal that Parse reads, with the side to move that it says
// and not with the other. These are all boards with possible numbers of marks, and some of
// the others.
func TestScriptsLegalIsLegal(t *testing.T) {
	t.Parallel()
	var asked strings.Builder
	asked.WriteString(definitions(rulesOfPlay) + "(assert (or\n")
	legal := 0
	for number := range boards {
		p := boardOf(number)
		if reason := p.fault(); reason == ReasonMarkCount && number%10 != 0 {
			continue
		}
		call := func(side Side) string {
			return fmt.Sprintf("(legal %s %s %s)", bitVector(p.marks[X]), bitVector(p.marks[O]), turn(side))
		}
		if p.legal() {
			legal++
			fmt.Fprintf(&asked, "  (not %s) %s\n", call(p.Side()), call(p.Side().Opponent()))
		} else {
			fmt.Fprintf(&asked, "  %s\n", call(p.Side()))
		}
	}
	asked.WriteString("))\n(check-sat)\n")
	if !ask(t, "legal", asked.String()) {
		t.Error("the scripts and the rules differ about some board")
	}
	if legal != Positions {
		t.Errorf("%d legal boards", legal)
	}
}

// What the scripts call a move is one of the rules, and the other way about: from some
// positions of each kind, every position after a move, and nothing else.
func TestScriptsMovesAreMoves(t *testing.T) {
	t.Parallel()
	kinds := map[rules.Value]int{}
	var asked strings.Builder
	asked.WriteString(definitions(rulesOfPlay))
	n := 0
	// Every 97th, so that there are some of every number of marks.
	for index := 0; index < Positions; index += 97 {
		p := numbered.positions[index]
		kinds[p.Result()]++
		var after []string
		fmt.Fprintf(&asked, "(define-fun moves%d ((m (_ BitVec 9)) (x (_ BitVec 9)) (o (_ BitVec 9)) (t (_ BitVec 1))) Bool\n  ", n)
		for s := range p.Free() {
			after = append(after, fmt.Sprintf("(= (concat m x o t) (concat %s %s))", bitVector(1<<s), state(p.Mark(s))))
		}
		fmt.Fprintf(&asked, "%s)\n", either(after...))
		n++
	}
	asked.WriteString(declarations("move", "x1", "o1", "t1") + "(assert (or\n")
	for i := range n {
		fmt.Fprintf(&asked, "  (not (= (plays %s move x1 o1 t1) (moves%d move x1 o1 t1)))\n", state(numbered.positions[97*i]), i)
	}
	asked.WriteString("))\n(check-sat)\n")
	if !ask(t, "moves", asked.String()) {
		t.Error("the scripts and the rules differ about the moves of some position")
	}
	if kinds[rules.Unknown] < 30 || kinds[rules.Loss] < 5 {
		t.Errorf("looked at %v", kinds)
	}
}
