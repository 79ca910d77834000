package tictacchec_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"solved/api"
	"solved/api/httpapi"
	"solved/rules/tictacchec"
	tictacchecgame "solved/server/games/tictacchec"
	"solved/server/games/tictacchec/tictacchectest"
)

// TestEmbeddedVectors holds the embedded tables against every vector.
func TestEmbeddedVectors(t *testing.T) {
	for _, file := range tictacchectest.VectorFiles {
		t.Run(file.Rules, func(t *testing.T) {
			p := tictacchectest.EmbeddedProber(t, file.Rules)
			if seen := tictacchectest.EachLine(t, file.Rules+".jsonl", func(v tictacchectest.Vector) { checkVector(t, p, v) }); seen != file.Lines {
				t.Errorf("saw %d positions, want %d", seen, file.Lines)
			}
		})
	}
}

// TestDrawingLasso checks the line from the start against the published one: the
// position of ply 32 returns at ply 50.
func TestDrawingLasso(t *testing.T) {
	p := tictacchectest.EmbeddedProber(t, tictacchec.CanonicalName)
	line, err := tictacchectest.Line(p, api.Question{}, api.DefaultMaxPlies)
	if err != nil {
		t.Fatal(err)
	}
	const cycle, end, key = 32, 50, "post:2148899478"
	if line.End != api.EndCycle || len(line.Line) != end || line.CycleStart == nil || *line.CycleStart != cycle {
		t.Fatalf("the line ends with %s after %d plies, %v", line.End, len(line.Line), line.CycleStart)
	}
	if first, last := line.Line[cycle-1], line.Line[end-1]; first.Key != key || last.Key != key || first.Position != last.Position {
		t.Errorf("ply %d is %s %s, ply %d %s %s", cycle, first.Position, first.Key, end, last.Position, last.Key)
	}
	// Of the 18 moves at ply 19 only three draw, and the others lose in 2.
	narrow := line.Line[18]
	if narrow.Position != "4/1Nn1/BPRr/b3 b u- m" || narrow.Key != "post:1276048331" {
		t.Errorf("ply 19 is %s %s", narrow.Position, narrow.Key)
	}
	var draws []string
	answer := tictacchectest.ProbeOf(t, p, narrow.Position)
	for _, m := range answer.Moves {
		if m.Value == "draw" {
			draws = append(draws, m.Move)
		} else if m.Value != "loss" || *m.Distance != 2 {
			t.Errorf("%s is a %s in %d", m.Move, m.Value, *m.Distance)
		}
	}
	slices.Sort(draws)
	if len(answer.Moves) != 18 || strings.Join(draws, " ") != "a1-b2 c3-a2 d2-c2" {
		t.Errorf("of %d moves %v draw", len(answer.Moves), draws)
	}
}

// TestExamples checks what the examples say of themselves.
func TestExamples(t *testing.T) {
	for _, r := range tictacchec.Rulesets() {
		name := r.Ruleset().Name
		p := tictacchectest.EmbeddedProber(t, name)
		longest := 0
		for _, x := range r.Ruleset().Longest {
			longest = max(longest, int(x))
		}
		list := p.Examples()
		if len(list) != 5 {
			t.Errorf("%s has %d examples, want 5", name, len(list))
		}
		for _, e := range list {
			a := tictacchectest.ProbeOf(t, p, e.Position)
			optimal, losses := 0, 0
			for _, m := range a.Moves {
				if m.Optimal {
					optimal++
				}
				if m.Value == "loss" {
					losses++
				}
			}
			distance := -1
			if a.Distance != nil {
				distance = *a.Distance
			}
			ok := false
			switch e.Name {
			case "start":
				ok = a.Value == "draw" && optimal == 64
			case "longest-win":
				ok = a.Value == "win" && distance == longest && distance == tictacchecgame.ExtremesOf[name].WinPlies
			case "longest-loss":
				ok = a.Value == "loss" && distance == longest-1 && distance == tictacchecgame.ExtremesOf[name].LossPlies
			case "zugzwang":
				// Were it the other side's turn on the same board, it could
				// not win at once.
				other := tictacchectest.ProbeOf(t, p, strings.Replace(e.Position, " w ", " b ", 1))
				ok = a.Value == "loss" && distance == 2 && len(a.Moves) == 3 &&
					!(other.Value == "win" && *other.Distance == 1)
			case "narrowest-draw":
				ok = a.Value == "draw" && len(a.Moves) == 52 && optimal == 1 && losses == 51 && a.Moves[0].Move == tictacchecgame.ExtremesOf[name].OnlyMove
			}
			if !ok || a.Position != e.Position || a.SideToMove != "white" || e.Summary == "" {
				t.Errorf("%s: %+v: %s in %d, %d moves, %d optimal, %d lose", name, e, a.Value, distance, len(a.Moves), optimal, losses)
			}
		}
	}
}

// TestLinesEnd plays the longest win and the longest loss to their ends.
func TestLinesEnd(t *testing.T) {
	for _, r := range tictacchec.Rulesets() {
		p := tictacchectest.EmbeddedProber(t, r.Ruleset().Name)
		x := tictacchecgame.ExtremesOf[r.Ruleset().Name]
		for position, plies := range map[string]int{x.Win: x.WinPlies, x.Loss: x.LossPlies} {
			line, err := tictacchectest.Line(p, api.Question{Position: &position}, api.DefaultMaxPlies)
			if err != nil {
				t.Fatal(err)
			}
			if line.End != api.EndTerminal || len(line.Line) != plies || line.CycleStart != nil {
				t.Errorf("%s: the line from %s ends with %s after %d plies, want %d", p.ID().Name, position, line.End, len(line.Line), plies)
			}
			for i, s := range line.Line {
				if s.Distance == nil || *s.Distance != plies-i-1 || s.Ply != i+1 {
					t.Errorf("%s: %+v", position, s)
				}
				before := position
				if i > 0 {
					before = line.Line[i-1].Position
				}
				if best := tictacchectest.ProbeOf(t, p, before).Moves[0]; best.Move != s.Move || best.Child.Key != s.Key {
					t.Errorf("ply %d is %s, the first of the best is %s", s.Ply, s.Move, best.Move)
				}
			}
		}
	}
}

// TestBest checks that best is probe without the moves that are not optimal.
func TestBest(t *testing.T) {
	p := tictacchectest.EmbeddedProber(t, tictacchec.CanonicalName)
	handler := httpapi.New(httpapi.Config{Probers: []api.Prober{p}})
	seen := tictacchectest.EachLine(t, "tic-tac-chec.jsonl", func(v tictacchectest.Vector) {
		answer := func(route string) (a api.PiecesProbe) {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet,
				"/v1/tic-tac-chec/"+route+"?position="+strings.ReplaceAll(v.Position, " ", "_"), nil))
			if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != 200 {
				t.Fatalf("%d %s: %v", w.Code, w.Body, err)
			}
			return a
		}
		probe, best := answer("probe"), answer("best")
		probe.Moves = slices.DeleteFunc(probe.Moves, func(m api.PiecesMove) bool { return !m.Optimal })
		got, _ := json.Marshal(best)
		want, _ := json.Marshal(probe)
		if string(got) != string(want) {
			t.Errorf("%s: best is %s, want %s", v.Position, got, want)
		}
	})
	if seen != tictacchectest.VectorFiles[0].Lines {
		t.Errorf("saw %d positions", seen)
	}
}
