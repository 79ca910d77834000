package treblecross

import (
	"encoding/json"
	"strings"
	"testing"

	"solved/api"
	"solved/rules"
	"solved/rules/treblecross"
	"solved/server/game"
	"solved/server/game/impartial"
	"solved/server/game/impartialtest"
)

// TestAnswersOfSmallStrips compares every answer about strips of three to nine cells with the plain rules.
func TestAnswersOfSmallStrips(t *testing.T) {
	p := impartialtest.Prober(t, New(treblecross.Rulesets()[0]))
	positions, without := 0, 0
	for length := treblecross.MinLength; length <= 9; length++ {
		reference := treblecross.NewReference(length)
		positions += impartialtest.Strip{Rules: p.ID(), Length: length, Worth: func(marks uint64) (w impartialtest.Worth, ok bool) {
			if !reference.Reached(marks) {
				return w, false
			}
			worth := reference.Worth(marks)
			w = impartialtest.Worth{Value: worth.Value, Distance: worth.Distance, Over: worth.Distance == 0}
			if worth.Grundy >= 0 {
				w.Grundy = new(uint64(worth.Grundy))
			} else {
				without++
			}
			return w, true
		}}.Compare(t, p)
	}
	if positions < 500 || without < 500 {
		t.Errorf("%d positions; %d times a position without a Grundy number", positions, without)
	}
}

// TestAnswersOfLongStrips asks for strips without a distance, a board or a full list of moves.
func TestAnswersOfLongStrips(t *testing.T) {
	p := impartialtest.Prober(t, New(treblecross.Rulesets()[0]))
	for _, test := range []struct {
		position, value                   string
		moves                             int
		complete, board, distance, grundy bool
	}{
		{"48", "win", 48, true, true, true, true},
		{"49", "win", 49, true, true, false, true},
		{"101", "win", 101, true, false, false, true},
		{"1000", "win", 1000, true, false, false, true},
		{"1001", "win", 13, false, false, false, true},
		{"1001X1X4", "win", 1, false, false, true, false},
		{"2000XXX4", "loss", 0, true, false, true, false},
		{"10000", "win", 12, false, false, false, true},
	} {
		answer, err := game.ProbeOne(t.Context(), p, api.Question{Position: &test.position})
		if err != nil {
			t.Fatal(err)
		}
		got := answer.(*api.GrundyProbe)
		if got.Value != test.value || got.MovesComplete != test.complete || (got.Board != nil) != test.board ||
			(got.Distance != nil) != test.distance || (got.Grundy != nil) != test.grundy || len(got.Moves) != test.moves {
			t.Errorf("%s: a %s with %d moves, complete %t, board %v, distance %v, Grundy number %v",
				test.position, got.Value, len(got.Moves), got.MovesComplete, got.Board, got.Distance, got.Grundy)
		}
		if test.value == "win" && got.Moves[0].Child.Value != rules.Loss.String() {
			t.Errorf("%s: the best move leads to a %s", test.position, got.Moves[0].Child.Value)
		}
	}
}

// TestSize holds the bound of an answer's bytes against answers: none is longer.
func TestSize(t *testing.T) {
	r := treblecross.Rulesets()[0]
	p, encoder := impartialtest.Prober(t, New(r)), impartial.Encoder[treblecross.Position]{Rules: encoding()}
	for _, text := range []string{"3", "48", "100", "4X5", "3X1X4", "4XXX5", "1000", "1001", "10000", strings.Repeat("2X", 300) + "12"} {
		position, err := r.ParsePosition(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, valueOnly := range []bool{false, true} {
			answer, err := game.ProbeOne(t.Context(), p, api.Question{Position: &text, ValueOnly: valueOnly})
			if err != nil {
				t.Fatal(err)
			}
			body, err := json.Marshal(answer)
			if err != nil {
				t.Fatal(err)
			}
			if bound := encoder.Size(position, valueOnly); len(body) > bound {
				t.Errorf("%s, value only %t: %d bytes, bounded by %d", text, valueOnly, len(body), bound)
			}
		}
	}
}
