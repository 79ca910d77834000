package main

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"solved/rules"
	"solved/server/cli"
)

// TestPlayAnything types commands, moves and nonsense into every game, whoever plays which side:
// nothing breaks it, what is on the screen is the state of the match, and undo takes back no
// more than there is.
func TestPlayAnything(t *testing.T) {
	s := quietService(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, p := range s.Probers {
		name := p.Game().About().Name
		if strings.HasPrefix(name, "inverse-treblecross-1") || strings.HasPrefix(name, "tic-tac-chec-") {
			continue // others of their kind are played
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				var typed []string
				for range rapid.IntRange(0, 12).Draw(rt, "lines") {
					typed = append(typed, rapid.OneOf(
						rapid.SampledFrom([]string{"moves", "hint", "undo", "new", "help", "", "undo", "roll", "hold", "roll-3", "2-4", "b2", "N@b2", "7"}),
						rapid.StringMatching(`[a-dPNBR]@?[a-d1-4]|[1-9]|[1-3]-[1-9]`), rapid.String()).Draw(rt, "line"))
				}
				var out bytes.Buffer
				m := &cli.Match{
					Prober: p, Yours: [2]bool{rapid.Bool().Draw(rt, "first"), true}, Dice: rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0)),
					In: bufio.NewScanner(strings.NewReader(strings.Join(typed, "\n"))), Out: &out, Turns: []cli.Turn{{Position: p.Game().Start()}},
				}
				if err := m.Play(t.Context()); err != nil {
					rt.Fatalf("%q: %v\n%s", typed, err, &out)
				}
				now := m.Now()
				if len(m.Turns) == 0 || m.Turns[0].Position.String() != p.Game().Start().String() {
					rt.Fatalf("%q: the match does not begin at the start", typed)
				}
				if !m.Yours[now.Side] && now.Position.Result() == rules.Unknown {
					rt.Fatalf("%q: it ended while perfect play was to answer\n%s", typed, &out)
				}
				// What was drawn last is the position that it came to.
				drawn := strings.LastIndex(out.String(), now.Position.Diagram())
				for _, other := range m.Turns[:len(m.Turns)-1] {
					if d := other.Position.Diagram(); d != now.Position.Diagram() && strings.LastIndex(out.String(), d) > drawn+len(now.Position.Diagram()) {
						rt.Fatalf("%q: %s is drawn after %s\n%s", typed, other.Position, now.Position, &out)
					}
				}
				if drawn < 0 {
					rt.Fatalf("%q: %s is not drawn\n%s", typed, now.Position, &out)
				}
			})
		})
	}
}

// TestPlayPerfectly lets perfect play play itself in every game, from the start and the examples:
// the result is the value that the position has.
func TestPlayPerfectly(t *testing.T) {
	s := quietService(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	games, unknown := map[rules.Value]int{}, 0
	for _, p := range s.Probers {
		for _, e := range p.Examples() {
			position, err := p.Game().Parse(e.Position)
			if err != nil {
				t.Fatal(err)
			}
			if _, stochastic := position.(rules.Stochastic); stochastic || position.Result() != rules.Unknown {
				continue
			}
			var out bytes.Buffer
			m := &cli.Match{Prober: p, Dice: rand.New(rand.NewPCG(1, 1)), In: bufio.NewScanner(strings.NewReader("")), Out: &out,
				Turns: []cli.Turn{{Position: position}}}
			_, value, err := valued(t, p, position)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Play(t.Context()); err != nil {
				t.Errorf("%s, %s: %v", p.Game().About().Name, e.Name, err)
				continue
			}
			end := m.Now()
			result := end.Position.Result()
			if end.Side == 1 && result != rules.Draw && result != rules.Unknown {
				result = result.Negate()
			}
			if result == rules.Unknown {
				result = rules.Draw // it goes on for ever
			}
			if strings.Contains(out.String(), "\nThe answer is ") {
				unknown++ // past what is worked out, so that it may end anyhow
				continue
			}
			if games[result]++; result != value {
				t.Errorf("%s, %s: a %s, played to a %s\n%.2000s", p.Game().About().Name, e.Name, value, result, &out)
			}
		}
	}
	known := games[rules.Win] + games[rules.Loss] + games[rules.Draw]
	if games[rules.Win] < 10 || games[rules.Loss] < 10 || games[rules.Draw] < 4 || unknown > known/10 {
		t.Errorf("games end %v, %d anyhow", games, unknown)
	}
}
