package rules

import (
	"context"
	"fmt"
)

// Claim is one statement of a certificate, and the result of checking it.
type Claim struct {
	Text string // what is claimed: "5,478 positions can be reached"
	// Want is the claimed figure and Found what the check found. They are equal
	// in a claim that holds.
	Want, Found string
	// Published, if not empty, says that a published figure differs from Want, what
	// it is, and why it is not claimed here.
	Published string
}

// Holds says whether the claim has been found to be true.
func (c Claim) Holds() bool { return c.Want == c.Found }

// Claimed returns a claim about anything that prints.
func Claimed(text string, want, found any) Claim {
	return Claim{Text: text, Want: fmt.Sprint(want), Found: fmt.Sprint(found)}
}

// Proof holds the means that a check of a certificate needs from its caller.
type Proof struct {
	// Report is told of each claim when it has been checked, in an order that does
	// not vary.
	Report func(Claim)
	// Unsatisfiable asks a solver whether nothing satisfies a script in SMT-LIB 2
	// that ends in (check-sat). The name is for a file: "nim-progress". An error says
	// that there is no answer, or no solver.
	Unsatisfiable func(ctx context.Context, name, script string) (bool, error)
}
