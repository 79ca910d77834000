package pig

import "solved/rules"

// Rules is the one ruleset of the game: two players, one die, goal 100. It is immutable
// and safe for concurrent use.
type Rules struct{ about rules.About }

// Name is the ruleset's name in addresses, and Tag its tag: "PIG" and the ruleset's
// number.
const (
	Name           = "pig"
	Tag  rules.Tag = 0x50494701
)

// Rulesets returns the rulesets of the game: the one with goal 100.
func Rulesets() []*Rules {
	return []*Rules{{rules.About{
		Name:  Name,
		Tag:   Tag,
		Game:  "Pig",
		Title: "Pig, goal 100",
		Summary: "A turn rolls a die as often as it likes and adds up, then holds to keep the total; a 1 loses it. " +
			"Whoever first holds 100 points wins.",
	}}}
}

// About describes the ruleset.
func (r *Rules) About() rules.About { return r.about }

// Start returns the position in which neither side has a point.
func (r *Rules) Start() rules.Position { return Position{} }

// Parse reads a position, as the function Parse does.
func (r *Rules) Parse(text string) (rules.Position, error) {
	p, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Ruleset describes a table of the game: Positions positions, all in the
// main section. They have no distances.
func (r *Rules) Ruleset() rules.Ruleset {
	return rules.Ruleset{Name: r.about.Name, Tag: r.about.Tag, Positions: [rules.Sections]uint64{rules.Main: Positions}}
}
