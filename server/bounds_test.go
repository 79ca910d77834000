package main

import (
	"net/http"
	"strings"
	"testing"

	"solved/api"
	"solved/rules"
	"solved/rules/nim"
	"solved/server/game"
)

// TestBoundsAreTold checks that each ruleset whose values come from no table says how far
// it is worked out, and that no other does.
func TestBoundsAreTold(t *testing.T) {
	for _, g := range allGames() {
		r := game.NewProber(g).Ruleset()
		if told := r.Bounds != nil && *r.Bounds != ""; told != (g.Files() == nil) {
			t.Errorf("%s: told %v, of the kind %s", r.Name, r.Bounds, r.Kind)
		}
	}
}

// TestBoundsOfNim asks on both sides of the bounds of Nim, for what the contract says there.
func TestBoundsOfNim(t *testing.T) {
	handler := answersTo{contractHandler(t)}
	probe := func(position string) *api.GrundyProbe {
		p := new(api.GrundyProbe)
		handler.get(t, "/v1/nim/probe?position="+position, p)
		return p
	}
	// A lost position whose moves are too many lists none, and is not the end.
	if p := probe("500,500"); len(p.Moves) != rules.MaxLegal || !p.MovesComplete || p.Terminal {
		t.Errorf("500,500: %d moves, complete %t, terminal %t", len(p.Moves), p.MovesComplete, p.Terminal)
	}
	if p := probe("501,501"); p.Value != "loss" || p.Moves == nil || len(p.Moves) != 0 || p.MovesComplete || p.Terminal {
		t.Errorf("501,501: a %s, moves %v, complete %t, terminal %t", p.Value, p.Moves, p.MovesComplete, p.Terminal)
	}
	if p := probe("0,0"); len(p.Moves) != 0 || !p.MovesComplete || !p.Terminal {
		t.Errorf("0,0: moves %v, complete %t, terminal %t", p.Moves, p.MovesComplete, p.Terminal)
	}
	// A move has a distance if the position asked about has, whatever its child has by itself.
	p := probe("200,100,50")
	if p.Distance != nil || !p.MovesComplete {
		t.Errorf("200,100,50: distance %v, complete %t", p.Distance, p.MovesComplete)
	}
	for _, m := range p.Moves {
		if m.Distance != nil || m.Child.Distance != nil {
			t.Errorf("%s has a distance", m.Move)
		}
	}
	if child := probe("0,100,50"); child.Distance == nil {
		t.Error("0,100,50 has no distance")
	}
	heaps := strings.TrimSuffix(strings.Repeat("1,", nim.MaxHeaps), ",")
	probe(heaps)
	w := request(handler, http.MethodGet, "/v1/nim/probe?position="+heaps+",1", "")
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "there are at most 64 heaps") {
		t.Errorf("65 heaps: %d %s", w.Code, w.Body)
	}
}
