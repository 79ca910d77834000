package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"solved/rules"
	"solved/server/game"
	"solved/tablebase"
)

// falseClaimError is the error of a certificate with claims that do not hold.
type falseClaimError struct{ claims int }

func (e *falseClaimError) Error() string {
	if e.claims == 1 {
		return "1 claim does not hold"
	}
	return fmt.Sprintf("%d claims do not hold", e.claims)
}

// proveCommand returns the command that checks the certificates of rulesets.
func proveCommand(games game.List) *cobra.Command {
	var solver, keep string
	c := &cobra.Command{
		Use:   "prove [RULES…]",
		Short: "Check the certificates of rulesets again, from the rules alone",
		Long: `Check the certificates of rulesets again, from the rules alone, and print each
claim with the result. Without RULES, check all rulesets that have a certificate. If a
published figure differs, the command prints that figure and the reason.

The solver z3 proves some claims in the theory of bit-vectors. They need z3 to be
installed (Debian has it as the package z3).

Tic Tac Chec's certificate is its table: see 'solved audit'.`,
		Example: `  solved prove nim
  solved prove tic-tac-toe --smt-files proofs`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeRules(games, false),
		RunE: func(c *cobra.Command, names []string) error {
			proofs, err := proofsOf(games, names)
			if err != nil {
				return err
			}
			if keep != "" {
				if err := tablebase.CanCreate(filepath.Join(keep, "NAME.smt2"), 0); err != nil {
					return err
				}
			}
			out := c.OutOrStdout()
			held, failed := 0, 0
			how := rules.Proof{
				Unsatisfiable: func(ctx context.Context, name, script string) (bool, error) {
					return askSolver(ctx, solver, keep, name, script)
				},
				Report: func(claim rules.Claim) {
					if claim.Holds() {
						held++
					} else {
						failed++
					}
					writeClaim(out, claim)
				},
			}
			for _, g := range proofs {
				fmt.Fprintf(out, "%s\n", game.DescribeAbout(g.About()))
				if err := g.(game.Certified).Prove(c.Context(), how); err != nil {
					return err
				}
			}
			if failed > 0 {
				return &falseClaimError{failed}
			}
			fmt.Fprintf(out, "all %d claims hold\n", held)
			return nil
		},
	}
	c.Flags().StringVar(&solver, "z3", "z3", "the solver's `program`")
	c.Flags().StringVar(&keep, "smt-files", "", "keep the scripts for the solver in this `directory`, as NAME.smt2")
	return c
}

// proofsOf returns the rulesets with the given names, or all with a certificate if there is no
// name. A named ruleset without a certificate is an error.
func proofsOf(games game.List, names []string) ([]game.Game, error) {
	var proofs []game.Game
	if len(names) == 0 {
		for _, g := range games {
			if _, ok := g.(game.Certified); ok {
				proofs = append(proofs, g)
			}
		}
		return proofs, nil
	}
	for _, name := range names {
		g, err := games.Find(name)
		if err != nil {
			return nil, err
		}
		if _, ok := g.(game.Certified); !ok {
			hint := "there is nothing to check"
			if h, ok := g.(game.ProofHint); ok {
				hint = h.ProofHint()
			}
			return nil, fmt.Errorf("%s has no certificate of its own; %s", game.DescribeAbout(g.About()), hint)
		}
		proofs = append(proofs, g)
	}
	return proofs, nil
}

// writeClaim prints a claim with the result of its check.
func writeClaim(w io.Writer, c rules.Claim) {
	if c.Holds() {
		fmt.Fprintf(w, "  holds  %s: %s\n", c.Text, c.Found)
	} else {
		fmt.Fprintf(w, "  FAILS  %s: claimed is %s, found was %s\n", c.Text, c.Want, c.Found)
	}
	if c.Published != "" {
		fmt.Fprintf(w, "         published: %s\n", c.Published)
	}
}

// errNoSolver is the error of a proof that needs z3 where it is not installed.
var errNoSolver = errors.New("some claims need z3, which was not found: install it (Debian: apt-get install z3), or name it with --z3")

// askSolver asks the solver whether a script is unsatisfiable. If keep is not empty, it writes
// the script into that directory.
func askSolver(ctx context.Context, solver, keep, name, script string) (bool, error) {
	if keep != "" {
		err := tablebase.Create(filepath.Join(keep, name+".smt2"), func(w io.Writer) error {
			_, err := io.WriteString(w, script)
			return err
		})
		if err != nil {
			return false, err
		}
	}
	path, err := exec.LookPath(solver)
	if err != nil {
		return false, fmt.Errorf("%w (%w)", errNoSolver, err)
	}
	run := exec.CommandContext(ctx, path, "-in", "-smt2")
	run.Stdin = strings.NewReader(script)
	var out, complaints bytes.Buffer
	run.Stdout, run.Stderr = &out, &complaints
	err = run.Run()
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	switch answer := strings.TrimSpace(out.String()); {
	case err == nil && answer == "unsat":
		return true, nil
	case err == nil && answer == "sat":
		return false, nil
	case err == nil:
		return false, fmt.Errorf("%s has no answer to %s: it says %q", solver, name, answer)
	default:
		return false, fmt.Errorf("%s failed on %s: %w: %s", solver, name, err, oneLine(out.String()+complaints.String()))
	}
}
