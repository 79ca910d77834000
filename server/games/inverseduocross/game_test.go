package inverseduocross

import (
	"encoding/json"
	"strings"
	"testing"

	"solved/api"
	"solved/rules"
	"solved/rules/inverseduocross"
	"solved/server/game"
	"solved/server/game/impartial"
	"solved/server/game/impartialtest"
)

var ruleset = inverseduocross.Rules{}

// TestAnswersOfSmallStrips compares every answer about strips of up to ten cells with the plain rules.
func TestAnswersOfSmallStrips(t *testing.T) {
	p := impartialtest.Prober(t, New(ruleset))
	positions := 0
	for length := 1; length <= 10; length++ {
		reference := inverseduocross.NewReference(length)
		positions += impartialtest.Strip{Rules: p.ID(), Length: length, Worth: func(marks uint64) (w impartialtest.Worth, ok bool) {
			worth, ok := reference.Of(marks)
			w = impartialtest.Worth{Value: rules.Win, Grundy: new(uint64(worth.Grundy)), Distance: int(worth.Plies), Over: worth.Plies == 0}
			if worth.Grundy == 0 {
				w.Value = rules.Loss
			}
			return w, ok
		}}.Compare(t, p)
	}
	if positions != 374 { // the Fibonacci numbers 2, 3, 5, …, 144
		t.Errorf("%d positions", positions)
	}
}

// TestAnswersOfLongStrips asks for strips without a distance, a board or a full list of moves.
func TestAnswersOfLongStrips(t *testing.T) {
	p := impartialtest.Prober(t, New(ruleset))
	for _, test := range []struct {
		position, value           string
		moves                     int
		complete, board, distance bool
	}{
		{"45", "win", 45, true, true, true},
		{"46", "win", 46, true, true, false},
		{"100", "win", 100, true, true, false},
		{"101", "win", 101, true, false, false},
		{"1000", "win", 1000, true, false, false},
		{"1001", "win", 1, false, false, false},
		{"1000000000", "loss", 0, false, false, false},
		{"9223372036854775807", "win", 1, false, false, false},
	} {
		answer, err := game.ProbeOne(t.Context(), p, api.Question{Position: &test.position})
		if err != nil {
			t.Fatal(err)
		}
		got := answer.(*api.GrundyProbe)
		if got.Value != test.value || got.MovesComplete != test.complete || (got.Board != nil) != test.board || got.Terminal ||
			(got.Distance != nil) != test.distance || len(got.Moves) != test.moves {
			t.Errorf("%s: a %s with %d moves, complete %t, board %v, distance %v", test.position, got.Value, len(got.Moves), got.MovesComplete, got.Board, got.Distance)
		}
		if test.value == "win" && got.Moves[0].Child.Value != "loss" {
			t.Errorf("%s: the best move leads to a %s", test.position, got.Moves[0].Child.Value)
		}
	}
}

// TestSize holds the bound of an answer's bytes against answers: none is longer.
func TestSize(t *testing.T) {
	p, encoder := impartialtest.Prober(t, New(ruleset)), impartial.Encoder[inverseduocross.Position]{Rules: encoding()}
	for _, text := range []string{"0", "1", "45", "100", "4X5", "1000", "1000000005", "9223372036854775807", strings.Repeat("1X", 300) + "12"} {
		position, err := inverseduocross.Parse(text)
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

// TestLineEndsBeforeLongAnswers plays on from a position of 1,001 moves and a long text. Of the
// positions after it, all moves would be listed, each with a long text.
func TestLineEndsBeforeLongAnswers(t *testing.T) {
	p := impartialtest.Prober(t, New(ruleset))
	position := strings.Repeat("1X", 6000) + "1002"
	line, err := p.Line(t.Context(), api.Question{Position: &position}, api.MaxPlies, nil)
	if err != nil {
		t.Fatal(err)
	}
	if l := line.(*api.GrundyLine); l.End != api.EndBound || len(l.Line) > 1 {
		t.Errorf("a line of %d plies ends with %s", len(l.Line), l.End)
	}
}
