package inverseduocross

import (
	"fmt"

	"solved/rules"
	"solved/rules/strip"
)

// Name is the ruleset's name in addresses, and Tag its tag: "ITX", as for Inverse Treblecross on a
// strip, and the number of marks in a row that is forbidden.
const (
	Name           = "inverse-duocross"
	Tag  rules.Tag = 0x49545802
)

// DefaultLength is the number of cells that a game starts with.
const DefaultLength = 12

// Rules is the one ruleset of the game. It is immutable and safe for concurrent use.
type Rules struct{}

var _ rules.Game = Rules{}

// Rulesets returns the rulesets of the game: two in a row on a strip.
func Rulesets() []Rules { return []Rules{{}} }

// About describes the ruleset.
func (Rules) About() rules.About {
	return rules.About{
		Name:  Name,
		Tag:   Tag,
		Game:  "Inverse Duocross",
		Title: "Inverse Duocross",
		Summary: "A turn marks an empty cell of a strip; making two marks in a row is forbidden, and the player who cannot move loses. " +
			"Equal to Dawson's Chess.",
		Bounds: fmt.Sprintf("A position has 0 to %d cells. Values are given for all of them. All moves are listed where there are "+
			"at most %d, else up to %d that win, at most one in each run of cells that can be marked. Distances are given where these "+
			"cells, and three more for each such run, are at most %d: for all positions of up to %d cells.",
			uint64(strip.MaxLength), rules.MaxLegal, MaxWinning, MaxDistanceWidth, MaxDistanceWidth-partWidth),
	}
}

// Start returns the empty strip of [DefaultLength] cells.
func (Rules) Start() rules.Position { return Empty(DefaultLength) }

// Parse reads a position as the function [Parse] does.
func (Rules) Parse(text string) (rules.Position, error) {
	p, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return p, nil
}
