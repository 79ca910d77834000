package main

import (
	"fmt"

	"solved/api"
	"solved/rules"
	"solved/rules/tictacchec"
)

// gameName is the name of the one game so far.
const gameName = "Tic Tac Chec"

// games is the list of what this program answers for, in the order in which it
// is listed everywhere.
func games() []*tictacchec.Rules { return tictacchec.Rulesets() }

// rulesets returns what table files are held against.
func rulesets() []rules.Ruleset {
	var list []rules.Ruleset
	for _, r := range games() {
		list = append(list, r.Ruleset())
	}
	return list
}

// findGame finds a ruleset by its name or tag.
func findGame(name string) (*tictacchec.Rules, error) {
	tag, tagErr := rules.ParseTag(name)
	known := make([]api.Rules, 0, 3)
	for _, r := range games() {
		ruleset := r.Ruleset()
		if ruleset.Name == name || tagErr == nil && ruleset.Tag == tag {
			return r, nil
		}
		known = append(known, api.Rules{Name: ruleset.Name, Tag: ruleset.Tag.String()})
	}
	return nil, api.UnknownRulesProblem(name, known)
}

// describe names a ruleset in a sentence.
func describe(r rules.Ruleset) string { return fmt.Sprintf("%s (%s)", r.Name, r.Tag) }

// examples are the positions worth a look under a ruleset.
func examples(r *tictacchec.Rules) []api.Example {
	list := []api.Example{{
		Name: "start", Position: tictacchec.Start().String(),
		Summary: "The empty board.",
	}}
	return list
}
