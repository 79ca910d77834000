package tictacchec

import (
	"slices"
	"testing"
)

// Published results that the rules alone can show, without a table.

// drawingLasso is the game of always the least drawing move. That the moves are
// that is for those to show who hold a table; where they lead is shown here.
const drawingLasso = "P@a1,P@b1,N@c1,N@d1,B@a2,B@b2,R@c2,R@d2,a1-b2,B@a1," +
	"c1-b3,a1-b2,P@a1,b1-a2,B@b1,d1-c3,a1-b2,B@a1,b1-a2,a1-b2," +
	"P@a1,P@b1,a1-b2,b1-a2,B@a1,B@b1,b2-c3,N@c1,a1-b2,c1-b3," +
	"N@a1,a2-a3,a1-b3,N@a1,b2-a1,N@c1,a1-b2,b1-a2,b2-a1,c1-b3," +
	"N@b1,a2-b1,N@c1,b1-a2,a1-b2,a2-b1,c1-a2,b1-a2,N@a1,a2-b1"

func TestDrawingLasso(t *testing.T) {
	r := rulesNamed(t, CanonicalName)
	end, moves, err := r.PlayMoves(Start(), drawingLasso)
	if err != nil || len(moves) != 50 {
		t.Fatalf("%d moves, %v", len(moves), err)
	}
	p := Start()
	var seen []Position
	for ply, m := range moves {
		switch ply {
		case 19:
			if p.String() != "4/1Nn1/BPRr/b3 b u- m" || p.Key() != "post:1276048331" {
				t.Errorf("ply 19: %s, %s", p, p.Key())
			}
		case 32:
			if p.Key() != "post:2148899478" || p != end {
				t.Errorf("ply 32: %s, %s; ply 50: %s", p, p.Key(), end)
			}
		}
		// Nothing returns before ply 50.
		if slices.Contains(seen, p) {
			t.Errorf("%s returns at ply %d", p, ply)
		}
		seen = append(seen, p)
		p = r.Play(p, m)
	}
	if p != end {
		t.Errorf("%s move by move, %s as a list", p, end)
	}
}

// TestNarrowestDraw: in ply 19 of the drawing lasso, 15 of 18 moves lose in 2 and
// the other three do not.
func TestNarrowestDraw(t *testing.T) {
	r := rulesNamed(t, CanonicalName)
	p, _, err := Parse("4/1Nn1/BPRr/b3 b u- m")
	if err != nil {
		t.Fatal(err)
	}
	if p.Key() != "post:1276048331" {
		t.Errorf("key %s", p.Key())
	}
	var holds []string
	moves := r.Moves(p, nil)
	for _, m := range moves {
		if !winsAtOnce(r, r.Play(p, m)) {
			holds = append(holds, m.String())
		}
	}
	slices.Sort(holds)
	if len(moves) != 18 || !slices.Equal(holds, []string{"a1-b2", "c3-a2", "d2-c2"}) {
		t.Errorf("%d moves, of which %v do not lose at once", len(moves), holds)
	}
}

// TestZugzwang: no threat stands, yet each of the three moves allows one.
func TestZugzwang(t *testing.T) {
	r := rulesNamed(t, CanonicalName)
	p, _, err := Parse("2b1/2n1/P1N1/RBp1 w du m")
	if err != nil {
		t.Fatal(err)
	}
	passed := p
	passed.side = p.side.Opponent()
	if winsAtOnce(r, passed) {
		t.Error("a threat stands")
	}
	moves := r.Moves(p, nil)
	for _, m := range moves {
		if !winsAtOnce(r, r.Play(p, m)) {
			t.Errorf("%s does not lose in 2", m)
		}
	}
	if len(moves) != 3 {
		t.Errorf("%d moves, want 3", len(moves))
	}
}

// TestLongestLinesFitTogether: the longest win's best move leads to the longest
// loss.
func TestLongestLinesFitTogether(t *testing.T) {
	for _, r := range Rulesets() {
		p, _, err := Parse("post:1059850930")
		if err != nil {
			t.Fatal(err)
		}
		child, _, err := r.PlayMoves(p, "B@d1")
		if err != nil || child.Key() != "post:1937912181" || child.String() != "Pb2/n1R1/2rp/N2B b dd m" {
			t.Errorf("%s: %s, %v", r.Ruleset().Name, child, err)
		}
	}
}

// TestRulesetsDiffer shows each reading of a pawn's capture in one position: the
// white pawn on c3 travels home, with black pieces on all four diagonals.
func TestRulesetsDiffer(t *testing.T) {
	p, _, err := Parse("1n1b/2P1/1r1p/4 w du m")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		CanonicalName:      {"c3-c2", "c3-b2", "c3-d2"},
		OutboundName:       {"c3-c2"},
		TowardOpponentName: {"c3-c2", "c3-b4", "c3-d4"},
	} {
		var got []string
		for _, m := range rulesNamed(t, name).Moves(p, nil) {
			if m.Piece == WhitePawn {
				got = append(got, m.String())
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	// A capture away from home leaves it travelling home.
	p, _, err = Parse("4/1n2/2P1/4 w d- m")
	if err != nil {
		t.Fatal(err)
	}
	end, _, err := rulesNamed(t, TowardOpponentName).PlayMoves(p, "c2-b3")
	if err != nil || end.String() != "4/1P2/4/4 b d- m" {
		t.Errorf("%s, %v", end, err)
	}
}
