package tictacchec_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"solved/rules/tictacchec"
	tictacchecgame "solved/server/games/tictacchec"
	"solved/server/games/tictacchec/tictacchectest"
	"solved/tablebase/reach"
)

// What was found is told, and what does not fit is spelt out and an error.
func TestWriteReach(t *testing.T) {
	r := tictacchec.Rulesets()[0]
	var out bytes.Buffer
	report := reach.Report{Positions: 10, Reached: 7, Plies: []uint64{3, 4}, Edges: 20}
	if err := tictacchecgame.WriteReach(&out, r, report); err != nil {
		t.Error(err)
	}
	want := `tic-tac-chec (0x54544303): 7 of 10 positions of the main phase can occur, 3 cannot
each follows from what can be before it (20 moves), and the rule agrees
first after 0 plies: 3
first after 1 plies: 4
`
	if out.String() != want {
		t.Errorf("%s, want %s", &out, want)
	}
	out.Reset()
	_, index := tictacchectest.Parse(t, "Pb2/n1R1/2rp/N3 w dd m").Index()
	report.Violations = []reach.Violation{{Index: index, Found: -1, Follows: 3, Rule: true}}
	if err := tictacchecgame.WriteReach(&out, r, report); !errors.Is(err, tictacchecgame.ErrReach) {
		t.Error(err)
	}
	want = "Pb2/n1R1/2rp/N3 w dd m: position 1059850930: the set has it never, " +
		"what can be before it has it in ply 3, and the rule says that it can occur\n"
	if out.String() != want {
		t.Errorf("%s, want %s", &out, want)
	}
}

// A context that ends stops it soon.
func TestExploreInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if set, err := tictacchecgame.Explore(ctx, tictacchec.Rulesets()[0], 2, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", set, err)
	}
}
