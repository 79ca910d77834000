package httpapi_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"solved/api"
	"solved/api/httpapi"
)

// pile is a game with one pile of nothing: whoever is to move has lost.
type pile struct{}

func (pile) Ruleset() api.Ruleset {
	return api.Ruleset{Name: "pile", Tag: "0x00000001", Kind: "grundy", Game: "Pile", Title: "Empty pile", Start: "0"}
}

func (pile) Canonical(api.Question) (api.Canonical, error) { return api.Canonical{Position: "0"}, nil }

func (pile) Probe(_ context.Context, questions []api.Question, _ *api.Work) ([]api.Answer, error) {
	none := 0
	answers := make([]api.Answer, len(questions))
	for i := range answers {
		answers[i].Probe = &api.GrundyProbe{
			Rules: api.Rules{Name: "pile", Tag: "0x00000001"}, Kind: "grundy", Position: "0", Terminal: true,
			Value: "loss", Grundy: new(uint64), Source: api.SourceClosedForm, Distance: &none, MovesComplete: true, Moves: []api.GrundyMove{},
		}
	}
	return answers, nil
}

func (pile) Line(context.Context, api.Question, int, *api.Work) (api.Line, error) {
	return nil, api.ErrNoTable
}

func (pile) Examples() []api.Example { return nil }

func Example() {
	handler := httpapi.New(httpapi.Config{
		Probers:   []api.Prober{pile{}},
		Readiness: func() api.Readiness { return api.Readiness{Ready: true} },
	})
	for _, address := range []string{"/v1/pile/probe", "/v1/pile/probe?positon=0"} {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest("GET", address, nil))
		fmt.Print(answer.Code, " ", answer.Body)
	}
	// Output:
	// 200 {"rules":{"name":"pile","tag":"0x00000001"},"kind":"grundy","position":"0","board":null,"terminal":true,"value":"loss","grundy":0,"source":"closed-form","distance":0,"moves_complete":true,"moves":[]}
	// 400 {"type":"/problems/bad-parameter","title":"Bad parameter","status":400,"detail":"There is no parameter \"positon\"; known are: position, moves, rules_tag.","parameter":"positon"}
}
