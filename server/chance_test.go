package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"solved/api"
	"solved/rules/pig"
	piggame "solved/server/games/pig"
)

// within is how near to the exact ones the probabilities are promised to be.
const within = 1e-4

// TestPigAnswers holds answers about Pig, at scores taken at random and at some of those published,
// against a value iteration that knows nothing of tables: probabilities, actions, outcomes by the
// rules of the game, and the turn totals at which to hold.
func TestPigAnswers(t *testing.T) {
	s := quietService(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	handler := answersTo{checkedSometimes(t, s.Handler(), 31)}
	exact, _, err := pig.Sweep(t.Context(), 1e-12)
	if err != nil {
		t.Fatal(err)
	}
	// win is the exact probability for the side to move, hold and roll those for who does it.
	win := func(mine, theirs, turn int) float64 {
		p, ok := pig.At(mine, theirs, turn)
		if !ok {
			t.Fatalf("%d,%d,%d", mine, theirs, turn)
		}
		return exact[p.Index()]
	}
	hold := func(mine, theirs, turn int) float64 {
		if mine+turn >= pig.Goal {
			return 1
		}
		return 1 - win(theirs, mine+turn, 0)
	}
	roll := func(mine, theirs, turn int) float64 {
		sum := 1 - win(theirs, mine, 0)
		for die := 2; die <= 6; die++ {
			if turn+die > pig.MaxTurn {
				sum++
			} else {
				sum += win(mine, theirs, turn+die)
			}
		}
		return sum / 6
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= within }

	random := rand.New(rand.NewPCG(3, 1))
	positions := [][3]int{{0, 0, 0}, {0, 0, 20}, {0, 0, 21}, {5, 76, 20}, {5, 76, 31}, {99, 99, 0}, {99, 99, 99}, {0, 99, 99}, {98, 0, 2}, {50, 50, 95}}
	for range 600 {
		turn := random.IntN(99)
		if turn > 0 {
			turn++
		}
		positions = append(positions, [3]int{random.IntN(100), random.IntN(100), turn})
	}
	var texts []string
	var probes []*api.ChanceProbe
	holding, counted := 0, 0
	for _, x := range positions {
		mine, theirs, turn := x[0], x[1], x[2]
		text := fmt.Sprintf("%d,%d,%d", mine, theirs, turn)
		var p, best api.ChanceProbe
		handler.get(t, "/v1/pig/probe?position="+text, &p)
		texts, probes = append(texts, text), append(probes, &p)
		if p.Position != text || p.Terminal || !near(p.PWin, win(mine, theirs, turn)) || len(p.Moves) != 2 {
			t.Fatalf("%s: %+v, want %v", text, p, win(mine, theirs, turn))
		}
		toHold := hold(mine, theirs, turn) > roll(mine, theirs, turn)
		for place, m := range p.Moves {
			want, index := roll(mine, theirs, turn), 0
			if m.Move == "hold" {
				want, index = hold(mine, theirs, turn), 1
			}
			if !near(m.PWin, want) || m.Index != index || m.Optimal != (place == 0) || (m.Move == "hold") == toHold != m.Optimal {
				t.Fatalf("%s: %+v, want %v", text, m, want)
			}
			var outcomes []string
			sum, average := 0.0, 0.0
			for _, o := range m.Outcomes {
				position := "over"
				if o.Child.Position != nil {
					position = *o.Child.Position
				}
				outcomes = append(outcomes, o.Move+" "+position)
				after := o.Child.PWin
				if o.Child.Passes {
					after = 1 - after
				}
				if o.Child.Terminal != (o.Child.Position == nil) || o.Child.Terminal && o.Child.PWin != 0 {
					t.Fatalf("%s: %+v", text, o)
				}
				sum += o.Probability
				average += o.Probability * after
			}
			held := fmt.Sprintf("%d,%d,0", theirs, mine+turn)
			if mine+turn >= pig.Goal {
				held = "over"
			}
			wanted := []string{"hold " + held}
			if m.Move == "roll" {
				wanted = []string{fmt.Sprintf("roll-1 %d,%d,0", theirs, mine)}
				for die := 2; die <= 6; die++ {
					to := fmt.Sprintf("%d,%d,%d", mine, theirs, turn+die)
					if turn+die > pig.MaxTurn {
						to = "over"
					}
					wanted = append(wanted, fmt.Sprintf("roll-%d %s", die, to))
				}
			}
			if !slices.Equal(outcomes, wanted) || math.Abs(sum-1) > 1e-12 || math.Abs(average-m.PWin) > within {
				t.Fatalf("%s, %s: %q, want %q; with probability %v for %v, and %v", text, m.Move, outcomes, wanted, average, m.PWin, sum)
			}
		}
		// The intervals, total by total.
		for total := range pig.Goal {
			if total == pig.Bust {
				continue
			}
			in := slices.ContainsFunc(p.HoldAt, func(i api.Interval) bool { return i.From <= total && total <= i.To })
			if in != (hold(mine, theirs, total) > roll(mine, theirs, total)) {
				t.Fatalf("%s: %d is among those to hold at, %v, or not", text, total, p.HoldAt)
			}
		}
		handler.get(t, "/v1/pig/best?position="+text, &best)
		if d := gocmp.Diff(p.Best(), api.Probe(&best)); d != "" || len(best.Moves) != 1 {
			t.Fatalf("the best of %s (-want +got):\n%s", text, d)
		}
		counted += 2

		// A line ends where the die has its say: at once, or after holding.
		var line api.ChanceLine
		handler.get(t, "/v1/pig/line?position="+text, &line)
		counted += 1 + len(line.Line)
		var want []string
		m, o, now := mine, theirs, turn
		end := "chance"
		for hold(m, o, now) > roll(m, o, now) {
			if m, o, now = o, m+now, 0; o >= pig.Goal {
				want, end = append(want, "hold over"), "terminal"
				break
			}
			want = append(want, fmt.Sprintf("hold %d,%d,0", m, o))
		}
		var got []string
		for i, step := range line.Line {
			position := "over"
			if step.Position != nil {
				position = *step.Position
			}
			if got = append(got, step.Move+" "+position); step.Ply != i+1 {
				t.Fatalf("%s: %+v", text, step)
			}
		}
		if !slices.Equal(got, want) || line.End != end || line.Position != text || line.PWin != p.PWin {
			t.Fatalf("the line from %s is %q and ends with %s, want %q, %s", text, got, line.End, want, end)
		}
		if len(want) > 0 {
			holding++
		}
	}
	if holding < 100 || holding > 550 {
		t.Errorf("of %d positions %d are to hold at", len(positions), holding)
	}
	for _, moves := range []bool{true, false} {
		for i, result := range handler.batches(t, "pig", texts, moves) {
			want := *probes[i]
			if counted++; !moves {
				want.Moves = nil
			}
			if d := gocmp.Diff(api.BatchResult{Probe: &want}, result); d != "" {
				t.Fatalf("%s in a batch, moves %t (-want +got):\n%s", texts[i], moves, d)
			}
		}
	}
	if got := testutil.ToFloat64(s.Metrics.Probes.WithLabelValues("pig", piggame.CountedAs)); got != float64(counted) {
		t.Errorf("%v answers are counted, want %d", got, counted)
	}
}

// TestPigMoves plays lists of moves of Pig: what the die showed is part of them.
func TestPigMoves(t *testing.T) {
	handler := answersTo{contractHandler(t)}
	for _, c := range []struct{ moves, want string }{
		{"roll-3,roll-5", "0,0,8"}, {"roll-3,hold", "0,3,0"}, {"roll-3,hold,roll-6,roll-1", "3,0,0"}, {"hold,hold", "0,0,0"},
	} {
		var p api.ChanceProbe
		if handler.get(t, "/v1/pig/probe?moves="+c.moves, &p); p.Position != c.want {
			t.Errorf("%s leads to %s, want %s", c.moves, p.Position, c.want)
		}
	}
	for target, want := range map[string]int{
		"moves=roll": 400, "moves=roll-7": 400, "moves=roll-3,roll": 400, "position=100,0,0": 422, "position=0,0,1": 422, "position=0,0": 400,
		"position=99,0,2&moves=hold,roll-2": 422,
	} {
		if w := request(handler, "GET", "/v1/pig/probe?"+target, ""); w.Code != want {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	// A game that moves have ended is over, though its end is no position to ask about.
	var over api.ChanceProbe
	handler.get(t, "/v1/pig/probe?position=99,0,2&moves=hold", &over)
	want := api.ChanceProbe{Rules: api.Rules{Name: "pig", Tag: "0x50494701"}, Kind: "chance", Position: "0,101,0", Terminal: true,
		HoldAt: []api.Interval{}, Moves: []api.ChanceMove{}}
	if d := gocmp.Diff(want, over); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	var line api.ChanceLine
	if handler.get(t, "/v1/pig/line?position=99,0,2&moves=hold", &line); len(line.Line) != 0 || line.End != "terminal" {
		t.Errorf("%+v", line)
	}
}
