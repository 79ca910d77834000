package api_test

import (
	"strings"
	"testing"

	"solved/api"
)

// TestDidYouMean checks which ruleset is taken to be meant by a misspelt one, and that
// the list of all is told once.
func TestDidYouMean(t *testing.T) {
	var known []api.Rules
	for _, name := range []string{"tic-tac-chec", "tic-tac-chec-outbound", "tic-tac-chec-toward-opponent", "tic-tac-toe", "nim",
		"inverse-treblecross", "inverse-treblecross-4", "inverse-treblecross-ring", "pig"} {
		known = append(known, api.Rules{Name: name, Tag: "0x00000001"})
	}
	for asked, want := range map[string]string{
		"tic-tac-to":                 "tic-tac-toe",
		"tic-tac-chek":               "tic-tac-chec",
		"tictacchec":                 "tic-tac-chec",
		"Tic Tac Chec":               "tic-tac-chec",
		"tic_tac_toe":                "tic-tac-toe",
		"NIM":                        "nim",
		"nmi":                        "nim",
		"pigs":                       "pig",
		"treblecross":                "inverse-treblecross",
		"treblecross-4":              "inverse-treblecross-4",
		"ring":                       "inverse-treblecross-ring",
		"inverse-treblecross-44":     "inverse-treblecross-4",
		"tic-tac-chec-outwards":      "tic-tac-chec-outbound",
		"tic-tac-chec-2025":          "tic-tac-chec",
		"chess":                      "",
		"othello":                    "",
		"":                           "",
		"x":                          "",
		"0x00000002":                 "", // a tag is not taken for another
		"\x00":                       "",
		strings.Repeat("nim", 5_000): "", // nor is time spent on what is no name
	} {
		p := api.UnknownRulesProblem(asked, known)
		detail := `There is no ruleset "` + asked + `" here.`
		if want != "" {
			detail += ` Did you mean "` + want + `"?`
		}
		if p.Detail != detail || len(p.Known) != len(known) {
			t.Errorf("%.40q: %.200s, %d known", asked, p.Detail, len(p.Known))
		}
	}
}
