package tictactoe

import "solved/rules"

// Name is the name of the one ruleset, Tag its tag.
const (
	Name           = "tic-tac-toe"
	Tag  rules.Tag = 0x54545401
)

// Longest is the greatest distance to the end, in plies, of a win or loss: that of a
// win. No first move is a mistake, so nothing is decided with more than seven squares empty.
const Longest = 5

// Rules is the one ruleset, a [rules.Game].
type Rules struct{}

// Rulesets returns the rulesets of the game: one.
func Rulesets() []Rules { return []Rules{{}} }

// About describes the ruleset.
func (Rules) About() rules.About {
	return rules.About{
		Name:  Name,
		Tag:   Tag,
		Game:  "Tic-tac-toe",
		Title: "Tic-tac-toe on 3×3 squares",
		Summary: "X and O take turns to mark one of nine squares, X first. " +
			"Three of one's own marks in a row, column or diagonal win; a full board without such a line is a draw.",
	}
}

// Ruleset returns the ruleset's name and tag and the measures of its table, which has
// no opening section.
func (Rules) Ruleset() rules.Ruleset {
	return rules.Ruleset{
		Name:      Name,
		Tag:       Tag,
		Positions: [rules.Sections]uint64{Positions, 0},
		Longest:   [rules.Sections]uint8{Longest, 0},
	}
}

// Start returns the empty board.
func (Rules) Start() rules.Position { return Start() }

// Parse reads a position string as the function Parse does.
func (Rules) Parse(text string) (rules.Position, error) {
	p, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return p, nil
}
