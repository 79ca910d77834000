package nim

import (
	"fmt"

	"solved/rules"
)

// Rules is the one ruleset of the game, normal play. It is immutable and safe for
// concurrent use.
type Rules struct{ about rules.About }

// Name is the ruleset's name in addresses, and Tag its tag: "NIM" and the ruleset's
// number.
const (
	Name           = "nim"
	Tag  rules.Tag = 0x4e494d01
)

// Rulesets returns the rulesets of the game: normal play.
func Rulesets() []*Rules {
	return []*Rules{{rules.About{
		Name:    Name,
		Tag:     Tag,
		Game:    "Nim",
		Title:   "Nim, normal play",
		Summary: "Heaps of counters. A turn takes one or more from one heap; whoever takes the last counter wins.",
		Bounds: fmt.Sprintf("A position has 1 to %d heaps of 0 to %d counters. Values are given for all of them. "+
			"All moves are listed where there are at most %d, else those that win. Distances are given where at most %d positions can "+
			"come of one, itself included, without regard to the order of heaps and to empty ones: three heaps of 37, or one of %d.",
			MaxHeaps, uint64(MaxHeap), rules.MaxLegal, MaxStates, MaxStates-1),
	}}}
}

// About describes the ruleset.
func (r *Rules) About() rules.About { return r.about }

// Start returns heaps of 3, 5 and 7.
func (r *Rules) Start() rules.Position { return Position{[]uint64{3, 5, 7}} }

// Parse reads a position, as the function Parse does.
func (r *Rules) Parse(text string) (rules.Position, error) {
	p, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return p, nil
}
