package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"solved/api"
	"solved/rules"
	"solved/server/game"
)

// valued asks what a position is worth: the JSON of the answer, and the value that is in it, if
// it has one.
func valued(t *testing.T, p game.Prober, position rules.Position) (text string, value rules.Value, err error) {
	question := position.String()
	answer, err := game.ProbeOne(t.Context(), p, api.Question{Position: &question})
	if err != nil {
		return "", rules.Unknown, err
	}
	body, err := json.Marshal(answer)
	if err != nil {
		return "", rules.Unknown, err
	}
	var says struct{ Value string }
	if err := json.Unmarshal(body, &says); err != nil {
		return "", rules.Unknown, err
	}
	return string(body), map[string]rules.Value{"win": rules.Win, "loss": rules.Loss, "draw": rules.Draw}[says.Value], nil
}

// TestConcurrentAnswers asks every game about many positions from several goroutines at once:
// the answers are those that one gets alone.
func TestConcurrentAnswers(t *testing.T) {
	s := quietService(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	type question struct {
		prober   game.Prober
		position rules.Position
		want     string
	}
	var all []question
	add := func(p game.Prober, position rules.Position) {
		if _, stochastic := position.(rules.Stochastic); stochastic && position.Result() != rules.Unknown {
			return // has no text to ask with
		}
		text, _, err := valued(t, p, position)
		if tooMuch := (*rules.BeyondBoundError)(nil); errors.As(err, &tooMuch) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, question{p, position, text})
	}
	for _, p := range s.Probers {
		position := p.Game().Start()
		for ply := 0; position.Result() == rules.Unknown && ply < 8; ply++ {
			add(p, position)
			moves := 0
			var chosen string
			for chosen = range firstOf(position, 3+ply) {
				moves++
			}
			if stochastic, ok := position.(rules.Stochastic); ok {
				if outcomes := stochastic.Outcomes(chosen); len(outcomes) > 0 {
					chosen = outcomes[ply%len(outcomes)]
				}
			}
			next, _, err := position.Play(chosen)
			if err != nil {
				t.Fatal(err)
			}
			position = next
		}
	}
	if len(all) < 100 {
		t.Fatalf("%d questions", len(all))
	}
	var each sync.WaitGroup
	complaints := make(chan error, 8)
	for n := range 8 {
		each.Go(func() {
			for i := range all {
				q := all[(i+n*len(all)/8)%len(all)]
				if text, _, err := valued(t, q.prober, q.position); err != nil || text != q.want {
					complaints <- fmt.Errorf("%s, %s: %s, %v; want %s", q.prober.Game().About().Name, q.position, text, err, q.want)
					return
				}
			}
		})
	}
	each.Wait()
	close(complaints)
	for err := range complaints {
		t.Error(err)
	}
}
