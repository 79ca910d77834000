package notakto

import (
	"fmt"

	"solved/rules"
)

// Name is the ruleset's name in addresses, and Tag its tag: "NTK" and the ruleset's number.
const (
	Name           = "notakto"
	Tag  rules.Tag = 0x4e544b01
)

// startBoards is the number of empty boards that the game starts with.
const startBoards = 3

// Rules is the one ruleset of the game. It is immutable and safe for concurrent use.
type Rules struct{}

var _ rules.Game = Rules{}

// Rulesets returns the rulesets of the game: one.
func Rulesets() []Rules { return []Rules{{}} }

// About describes the ruleset.
func (Rules) About() rules.About {
	return rules.About{
		Name:  Name,
		Tag:   Tag,
		Game:  "Notakto",
		Title: "Notakto on any number of boards",
		Summary: "Both players mark X on boards of 3×3 squares. A board with three in a row is dead and takes no more marks; " +
			"the player who kills the last live board loses.",
		Bounds: fmt.Sprintf("A position has 1 to %d boards. Values and quotient elements are given for all of them. "+
			"All moves are listed where there are at most %d, else the first %d of those that win. "+
			"Distances are given for at most %d live boards.", MaxBoards, rules.MaxLegal, MaxWinning, MaxDistanceBoards),
	}
}

// Start returns three empty boards.
func (Rules) Start() rules.Position { return Empty(startBoards) }

// Empty returns the position of so many empty boards, 1 to [MaxBoards].
func Empty(boards int) Position { return Position{make([]Board, boards)} }

// Parse reads a position, as the function Parse does.
func (Rules) Parse(text string) (rules.Position, error) {
	p, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return p, nil
}
