package api_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"solved/api"
)

// pile is a game with one pile of nothing: whoever is to move has lost.
type pile struct{}

func (pile) Ruleset() api.Ruleset {
	return api.Ruleset{Name: "pile", Tag: "0x00000001", Kind: "pieces", Game: "Pile", Title: "Empty pile", Start: "0"}
}

func (pile) Canonical(api.Question) (api.Canonical, error) { return api.Canonical{Position: "0"}, nil }

func (pile) Probe(_ context.Context, questions []api.Question, _ *api.Work) ([]api.Answer, error) {
	none := 0
	answers := make([]api.Answer, len(questions))
	for i := range answers {
		answers[i].Probe = &api.PiecesProbe{
			Rules: api.Rules{Name: "pile", Tag: "0x00000001"}, Kind: "pieces", Position: "0", Key: "0", Reachable: true, SideToMove: "white",
			Terminal: true, Value: "loss", Distance: &none, Moves: []api.PiecesMove{},
		}
	}
	return answers, nil
}

func (pile) Line(context.Context, api.Question, int, *api.Work) (api.Line, error) {
	return nil, api.ErrNoTable
}

func (pile) Examples() []api.Example { return nil }

func Example() {
	handler := api.New(api.Config{
		Probers:   []api.Prober{pile{}},
		Readiness: func() api.Readiness { return api.Readiness{Ready: true} },
	})
	for _, address := range []string{"/v1/pile/probe", "/v1/pile/probe?positon=0"} {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest("GET", address, nil))
		fmt.Print(answer.Code, " ", answer.Body)
	}
	// Output:
	// 200 {"rules":{"name":"pile","tag":"0x00000001"},"kind":"pieces","position":"0","key":"0","normalised":false,"reachable":true,"side_to_move":"white","hands":{"white":"","black":""},"terminal":true,"winner":null,"winning_line":null,"value":"loss","distance":0,"moves":[]}
	// 400 {"type":"/problems/bad-parameter","title":"Bad parameter","status":400,"detail":"There is no parameter \"positon\"; known are: position, moves, rules_tag.","parameter":"positon"}
}
