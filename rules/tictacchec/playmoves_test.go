package tictacchec

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"solved/rules"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPlayMoves(t *testing.T) {
	r := rulesNamed(t, CanonicalName)
	for _, c := range []struct{ from, list, want string }{
		{"4/4/4/4 w -- o", "", "4/4/4/4 w -- o"},
		{"4/4/4/4 w -- o", "P@a1", "4/4/4/P3 b u- o"},
		{"4/4/4/4 w -- o", "P@a4,P@a1", "P3/4/4/p3 w du o"},
		{"4/4/4/4 w -- o", "P@a3,P@d2,N@b1,N@b4,R@c1,R@c4", "1nr1/P3/3p/1NR1 w ud m"},
		// The pawns arrive at the edge rows they point at, and turn round.
		{"1nr1/P3/3p/1NR1 w ud m", "a3-a4,d2-d1", "Pnr1/4/4/1NRp w du m"},
		// A captured pawn forgets its direction, and comes back pointing at the opponent.
		{"4/4/1p2/P1N1 w uu m", "a1-b2,p3", ""},
		{"4/4/1p2/P1N1 w uu m", "a1-b2,P@c3", "4/2p1/1P2/2N1 w ud m"},
		{"Pb2/n1R1/2rp/N3 w dd m", "B@d1", "Pb2/n1R1/2rp/N2B b dd m"},
	} {
		p, _, err := Parse(c.from)
		if err != nil {
			t.Fatal(err)
		}
		got, moves, err := r.PlayMoves(p, c.list)
		if c.want == "" {
			if err == nil || got != (Position{}) || moves != nil {
				t.Errorf("%s, %q: %s, %v, %v", c.from, c.list, got, moves, err)
			}
			continue
		}
		if err != nil || got.String() != c.want || joinMoves(moves) != c.list {
			t.Errorf("%s, %q: %s, %v, %v, want %s", c.from, c.list, got, moves, err, c.want)
		}
	}
}

func joinMoves(moves []Move) string {
	var texts []string
	for _, m := range moves {
		texts = append(texts, m.String())
	}
	return strings.Join(texts, ",")
}

func TestMalformedMoves(t *testing.T) {
	r := rulesNamed(t, CanonicalName)
	for _, c := range []struct {
		list   string
		ply    int
		move   string
		offset int
	}{
		{",", 1, "", 0},
		{" ", 1, " ", 0},
		{"x", 1, "x", 0},
		{"P", 1, "P", 1},
		{"P@", 1, "P@", 2},
		{"P@a", 1, "P@a", 3},
		{"P@e1", 1, "P@e1", 2},
		{"P@a5", 1, "P@a5", 3},
		{"P@a0", 1, "P@a0", 3},
		{"P@A1", 1, "P@A1", 2},
		{"p@a1", 1, "p@a1", 0},
		{"K@a1", 1, "K@a1", 0},
		{"P-a1", 1, "P-a1", 1},
		{"P@a1 ", 1, "P@a1 ", 4},
		{"P@a1\x00", 1, "P@a1\x00", 4},
		{"\xff", 1, "\xff", 0},
		{"P@a１", 1, "P@a１", 3},
		{"P@a1,", 2, "", 5},
		{"P@a1,,N@b1", 2, "", 5},
		{",P@a1", 1, "", 0},
		{"P@a1, N@b1", 2, " N@b1", 5},
		{"P@a1;N@b1", 1, "P@a1;N@b1", 4},
		{"P@a1,P@b1,a", 3, "a", 11},
		{"P@a1,P@b1,a1", 3, "a1", 12},
		{"P@a1,P@b1,a1b2", 3, "a1b2", 12},
		{"P@a1,P@b1,a1@b2", 3, "a1@b2", 12},
		{"P@a1,P@b1,a1-", 3, "a1-", 13},
		{"P@a1,P@b1,a1-b", 3, "a1-b", 14},
		{"P@a1,P@b1,a1-b5", 3, "a1-b5", 14},
		{"P@a1,P@b1,a1-a1", 3, "a1-a1", 14},
		{"P@a1,P@b1,a1-b2+", 3, "a1-b2+", 15},
		// The first malformed move counts, and before any that is illegal.
		{"P@a1,P@a1,x,y", 3, "x", 10},
		{"P@a1,N@a1,N@b1,", 4, "", 15},
	} {
		p, moves, err := r.PlayMoves(Start(), c.list)
		var malformed *rules.MalformedMoveError
		if !errors.As(err, &malformed) || p != (Position{}) || moves != nil {
			t.Errorf("%q: %s, %v, %v", c.list, p, moves, err)
			continue
		}
		if malformed.Ply != c.ply || malformed.Move != c.move || malformed.Offset != c.offset || malformed.Detail == "" {
			t.Errorf("%q: %+v, want ply %d, move %q, byte %d", c.list, *malformed, c.ply, c.move, c.offset)
		}
	}
}

func TestIllegalMoves(t *testing.T) {
	r := rulesNamed(t, CanonicalName)
	for _, c := range []struct {
		from, list string
		ply        int
		move       string
		detail     string
	}{
		{"4/4/4/4 w -- o", "P@a1,N@a1", 2, "N@a1", "a1 is occupied"},
		{"4/4/4/4 w -- o", "P@a1,P@b1,P@c1", 3, "P@c1", "white has no P in hand"},
		{"4/4/4/4 w -- o", "P@a1,P@b1,a1-a2", 3, "a1-a2", "a turn of the opening is a placement"},
		{"Pb2/n1R1/2rp/N3 w dd m", "b4-c4", 1, "b4-c4", "white has no piece on b4"},
		{"Pb2/n1R1/2rp/N3 w dd m", "a2-b3", 1, "a2-b3", "white has no piece on a2"},
		{"Pb2/n1R1/2rp/N3 b dd m", "b4-a3", 1, "b4-a3", "a3 holds a piece of the same side"},
		{"Pb2/n1R1/2rp/N3 w dd m", "a4-a2", 1, "a4-a2", "the P on a4 cannot move to a2"},
		{"Pb2/n1R1/2rp/N3 w dd m", "c3-c1", 1, "c3-c1", "the R on c3 cannot move to c1"},
		{"PNBR/4/4/4 b d- m", "P@a1", 1, "P@a1", "the game is over"},
		{"PNB1/4/4/n3 w d- m", "R@d4,B@d1", 2, "B@d1", "the game is over"},
	} {
		p, _, err := Parse(c.from)
		if err != nil {
			t.Fatal(err)
		}
		end, moves, err := r.PlayMoves(p, c.list)
		var illegal *rules.IllegalMoveError
		if !errors.As(err, &illegal) || end != (Position{}) || moves != nil {
			t.Errorf("%s, %q: %s, %v, %v", c.from, c.list, end, moves, err)
			continue
		}
		before, _, err := r.PlayMoves(p, strings.Join(strings.Split(c.list, ",")[:c.ply-1], ","))
		if err != nil {
			t.Fatal(err)
		}
		legal := []string{}
		for _, m := range r.Moves(before, nil) {
			legal = append(legal, m.String())
		}
		want := &rules.IllegalMoveError{Ply: c.ply, Move: c.move, Legal: legal, Detail: c.detail}
		if diff := cmp.Diff(want, illegal); diff != "" {
			t.Errorf("%s, %q (-want +got):\n%s", c.from, c.list, diff)
		}
	}
}

func TestListOfTooManyMoves(t *testing.T) {
	r := rulesNamed(t, CanonicalName)
	// Two rooks go to and fro.
	p, _, err := Parse("r3/4/4/3R w -- m")
	if err != nil {
		t.Fatal(err)
	}
	round := "d1-d2,a4-a3,d2-d1,a3-a4,"
	list := strings.TrimSuffix(strings.Repeat(round, MaxListMoves/4), ",")
	end, moves, err := r.PlayMoves(p, list)
	if err != nil || end != p || len(moves) != MaxListMoves {
		t.Errorf("%d moves: %s, %v", len(moves), end, err)
	}
	for _, more := range []string{",d1-d2", ",", ",x", ",d1-d2,a4-a3", "," + strings.Repeat(",", 100_000)} {
		_, _, err := r.PlayMoves(p, list+more)
		var malformed *rules.MalformedMoveError
		if !errors.As(err, &malformed) || malformed.Ply != MaxListMoves+1 || malformed.Offset != len(list)+1 {
			t.Errorf("with %.20q: %v", more, err)
		}
	}
}

func TestParseMove(t *testing.T) {
	r := rulesNamed(t, CanonicalName)
	p, _, err := Parse("Pb2/n1R1/2rp/N3 b dd m")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range r.Moves(p, nil) {
		if m, err := r.ParseMove(p, want.String()); m != want || err != nil {
			t.Errorf("%s: %s, %v", want, m, err)
		}
	}
	var malformed *rules.MalformedMoveError
	if _, err := r.ParseMove(p, "b4-c"); !errors.As(err, &malformed) || malformed.Ply != 1 || malformed.Offset != 4 || malformed.Move != "b4-c" {
		t.Error(err)
	}
	if _, err := r.ParseMove(p, "b4-a3,b4-a3"); !errors.As(err, &malformed) || malformed.Offset != 5 {
		t.Error(err)
	}
	var illegal *rules.IllegalMoveError
	if _, err := r.ParseMove(p, "b4-b3"); !errors.As(err, &illegal) || illegal.Ply != 1 || len(illegal.Legal) != len(r.Moves(p, nil)) {
		t.Error(err)
	}
}

// TestPlayedListsReplay: what random play writes down can be played again, and
// the first move that is cut out or written twice is told apart.
func TestPlayedListsReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := Rulesets()
		r := all[rapid.IntRange(0, len(all)-1).Draw(t, "ruleset")]
		p := Start()
		if rapid.Bool().Draw(t, "main") {
			p = mainAt(rapid.Uint64Range(0, MainPositions-1).Draw(t, "index"))
		}
		end := p
		var list []string
		for range rapid.IntRange(0, 40).Draw(t, "plies") {
			moves := r.Moves(end, nil)
			if len(moves) == 0 {
				break
			}
			m := rapid.SampledFrom(moves).Draw(t, "move")
			list = append(list, m.String())
			end = r.Play(end, m)
		}
		checkList(t, r, p, strings.Join(list, ","))
		got, moves, err := r.PlayMoves(p, strings.Join(list, ","))
		if err != nil || got != end || len(moves) != len(list) {
			t.Fatalf("%s, %v: %s, %v, %v; want %s", p, list, got, moves, err, end)
		}
	})
}

// checkList holds everything that is true of PlayMoves for every list.
func checkList(t reporter, r *Rules, p Position, list string) {
	t.Helper()
	end, moves, err := r.PlayMoves(p, list)
	var malformed *rules.MalformedMoveError
	var illegal *rules.IllegalMoveError
	texts := strings.Split(list, ",")
	if err != nil && (end != (Position{}) || moves != nil) {
		t.Fatalf("%q: refused, yet %s, %v", list, end, moves)
	}
	switch {
	case errors.As(err, &malformed):
		start := len(strings.Join(texts[:malformed.Ply-1], ","))
		if malformed.Ply > 1 {
			start++
		}
		if malformed.Ply > len(texts) || malformed.Move != texts[malformed.Ply-1] || malformed.Detail == "" ||
			malformed.Offset < start || malformed.Offset > start+len(malformed.Move) || malformed.Offset > len(list) {
			t.Fatalf("%q: %+v", list, *malformed)
		}
	case errors.As(err, &illegal):
		if illegal.Ply > len(texts) || illegal.Move != texts[illegal.Ply-1] || illegal.Detail == "" || illegal.Legal == nil || slices.Contains(illegal.Legal, illegal.Move) {
			t.Fatalf("%q: %+v", list, *illegal)
		}
		// What is before it can be played.
		if _, _, err := r.PlayMoves(p, strings.Join(texts[:illegal.Ply-1], ",")); err != nil {
			t.Fatalf("%q: %v, but before it: %v", list, illegal, err)
		}
	case err != nil:
		t.Fatalf("%q: an error of another type: %v", list, err)
	default:
		if joinMoves(moves) != list {
			t.Fatalf("%q is read as %q", list, joinMoves(moves))
		}
		for _, m := range moves {
			if !slices.Contains(r.Moves(p, nil), m) {
				t.Fatalf("%q: %s is no move of %s", list, m, p)
			}
			p = r.Play(p, m)
		}
		if p != end {
			t.Fatalf("%q leads to %s, not %s", list, p, end)
		}
	}
}

func FuzzPlayMoves(f *testing.F) {
	for _, c := range []struct{ position, list string }{
		{"4/4/4/4 w -- o", ""},
		{"4/4/4/4 w -- o", "P@a1,P@b1,N@c1,N@d1,B@a2,B@b2,a2-b3"},
		{"4/4/4/4 w -- o", "P@a1,"},
		{"4/4/4/4 w -- o", ",,"},
		{"4/4/4/4 w -- o", "P@a1,P@a1"},
		{"Pb2/n1R1/2rp/N3 w dd m", "B@d1,b4-a3"},
		{"post:1059850930", "B@d1,a1-a1"},
		{"PNBR/4/4/4 b d- m", "P@a1"},
		{"4/4/4/4 w -- o", "\xff,P@a\x00"},
	} {
		f.Add(c.position, c.list)
	}
	all := Rulesets()
	f.Fuzz(func(t *testing.T, position, list string) {
		p, _, err := Parse(position)
		if err != nil {
			p = Start()
		}
		for _, r := range all {
			checkList(t, r, p, list)
		}
	})
}
