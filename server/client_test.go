package main

import (
	"errors"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"solved/api"
	"solved/api/client"
	"solved/rules"
	"solved/rules/tictacchec"
	"solved/server/game"
)

// TestGoClient asks the service as a program would, over a connection, and holds what
// arrives against what the probers say.
func TestGoClient(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s := quietService(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	service := httptest.NewServer(s.Handler())
	defer service.Close()
	c, err := client.New(service.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdleConnections()
	ctx := t.Context()
	same := func(what string, want, got any, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		} else if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: (-want +got)\n%s", what, d)
		}
	}

	if ready, err := c.Readiness(ctx); err != nil || !ready.Ready || len(ready.Tables) != len(s.Probers) {
		t.Errorf("readiness: %+v, %v", ready, err)
	}
	list, err := c.Rules(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range s.Probers {
		ruleset, tag, err := c.Ruleset(ctx, p.ID().Name)
		same("ruleset", p.Ruleset(), *ruleset, err)
		same("rules", p.Ruleset(), list[i], nil)
		if tag != p.Game().About().Tag {
			t.Errorf("%s has the tag %s", p.ID().Name, tag)
		}
		examples, err := c.Examples(ctx, tag)
		same("examples", p.Examples(), examples, err)

		positions := []string{""} // malformed, and not the start
		for _, e := range examples {
			positions = append(positions, e.Position)
			q := api.Question{Position: &e.Position}
			probe, err := c.Probe(ctx, tag, client.At(e.Position))
			whole, wholeErr := game.ProbeOne(ctx, p, q)
			same(e.Name, whole, probe, errors.Join(wholeErr, err))
			best, err := c.Best(ctx, tag, client.At(e.Position))
			same(e.Name, whole.Best(), best, err)
			want, wantErr := p.Line(ctx, q, 7, nil)
			line, err := c.Line(ctx, tag, client.At(e.Position), 7)
			same(e.Name, want, line, errors.Join(wantErr, err))
		}
		for _, moves := range []bool{false, true} {
			results, err := c.Batch(ctx, tag, positions, moves)
			if err != nil {
				t.Fatal(err)
			}
			if first := results[0]; first.Problem == nil || first.Problem.Kind() != api.MalformedPosition {
				t.Errorf("an empty position: %+v", first)
			}
			for i, r := range results[1:] {
				answers, err := p.Probe(ctx, []api.Question{{Position: &positions[i+1], ValueOnly: !moves}}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if (r.Probe.Choices() != nil) != moves {
					t.Errorf("%s: moves %t: %+v", positions[i+1], moves, r.Probe)
				}
				same(positions[i+1], answers[0].Probe, r.Probe, answers[0].Err)
			}
		}
	}

	// The greatest batch with moves, of the position with the most.
	canonical := s.Probers[0].Game().About().Tag
	start := tictacchec.Start().String()
	results, err := c.Batch(ctx, canonical, slices.Repeat([]string{start}, api.MaxBatch), true)
	if err != nil || len(results) != api.MaxBatch || len(results[api.MaxBatch-1].Probe.Choices()) != 64 {
		t.Errorf("the greatest batch: %d results, %v", len(results), err)
	}
	// What is refused arrives as the problem that it is.
	var problem *api.Problem
	if _, err := c.Probe(ctx, canonical, client.FromStart("N@a1", "N@a1")); !errors.As(err, &problem) || problem.Kind() != api.IllegalMove || len(problem.Legal) != 60 {
		t.Errorf("an illegal move: %v", err)
	}
	if _, err := c.Probe(ctx, rules.Tag(1), client.FromStart()); !errors.As(err, &problem) || problem.Kind() != api.UnknownRules {
		t.Errorf("unknown rules: %v", err)
	}
}
