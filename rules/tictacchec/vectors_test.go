package tictacchec

import (
	"testing"
)

// vector is one line of a file of published positions. The values and
// distances in it are for those who hold a table.
type vector struct {
	Position, Key string
	Moves         []struct {
		Move, Position, Key string
		Captures            *string
	}
}

func TestVectors(t *testing.T) {
	for _, file := range []struct {
		name, rules string
		lines       int
	}{
		{"tic-tac-chec.jsonl", CanonicalName, 730},
		{"tic-tac-chec-outbound.jsonl", OutboundName, 413},
	} {
		t.Run(file.rules, func(t *testing.T) {
			r := rulesNamed(t, file.rules)
			seen := eachLine(t, file.name, func(v vector) { checkVector(t, r, v) })
			if seen != file.lines {
				t.Errorf("saw %d positions, want %d", seen, file.lines)
			}
		})
	}
}

func rulesNamed(t testing.TB, name string) *Rules {
	t.Helper()
	for _, r := range Rulesets() {
		if r.Ruleset().Name == name {
			return r
		}
	}
	t.Fatalf("no ruleset %q", name)
	return nil
}

func checkVector(t *testing.T, r *Rules, v vector) {
	t.Helper()
	p, byKey, err := Parse(v.Position)
	if err != nil || byKey {
		t.Errorf("%s: by key %v, %v", v.Position, byKey, err)
		return
	}
	if got := p.String(); got != v.Position {
		t.Errorf("%s is printed as %s", v.Position, got)
	}
	if got := p.Key(); got != v.Key {
		t.Errorf("%s: key %s, want %s", v.Position, got, v.Key)
	}
	if q, byKey, err := Parse(v.Key); err != nil || !byKey || q.Key() != v.Key {
		t.Errorf("%s read as %s, by key %v, %v", v.Key, q, byKey, err)
	} else if q != p && q != p.SwapColours() {
		t.Errorf("%s is %s, want %s or its colours swapped", v.Key, q, p)
	}
	moves := r.Moves(p, nil)
	if len(moves) != len(v.Moves) {
		t.Errorf("%s: %d moves, want %d", v.Position, len(moves), len(v.Moves))
		return
	}
	if p.Terminal() != (len(v.Moves) == 0) {
		t.Errorf("%s: terminal %v with %d moves", v.Position, p.Terminal(), len(v.Moves))
	}
	if winner, line, ok := p.Winner(); ok != p.Terminal() {
		t.Errorf("%s: winner %v, line %v, %v", v.Position, winner, line, ok)
	} else if ok && winner != p.Side().Opponent() {
		t.Errorf("%s: %s owns a line and is to move", v.Position, winner)
	}
	for i, m := range moves {
		want := v.Moves[i]
		captures := ""
		if victim, ok := p.Captured(m); ok {
			captures = string(victim.Letter())
		}
		wantCaptures := ""
		if want.Captures != nil {
			wantCaptures = *want.Captures
		}
		child := r.Play(p, m)
		if m.String() != want.Move || captures != wantCaptures || child.String() != want.Position || child.Key() != want.Key {
			t.Errorf("%s, move %d: %s taking %q to %s, %s; want %+v", v.Position, i, m, captures, child, child.Key(), want)
		}
		played, list, err := r.PlayMoves(p, want.Move)
		if err != nil || played != child || len(list) != 1 || list[0] != m {
			t.Errorf("%s, %s played from the list: %s, %v, %v", v.Position, want.Move, played, list, err)
		}
	}
}
