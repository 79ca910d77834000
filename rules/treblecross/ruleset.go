package treblecross

import (
	"fmt"
	"sync"

	"solved/rules"
	"solved/rules/strip"
)

// Row is the number of marks in a row that wins.
const Row = 3

// Name is the ruleset's name in addresses, and Tag its tag: "TBC" and the number of marks in a
// row that wins.
const (
	Name           = "treblecross"
	Tag  rules.Tag = 0x54424300 | Row
)

// The numbers of cells of the shortest strip, which a line fills, and of the longest.
const (
	MinLength = Row
	MaxLength = 10_000
)

// DefaultLength is the number of cells that a game starts with.
const DefaultLength = 12

// Rules is the one ruleset of the game. It is immutable and safe for concurrent use.
type Rules struct {
	// heaps returns the Grundy numbers of the heaps of 0.007, computed at the first call.
	heaps func() []uint16
}

var _ rules.Game = (*Rules)(nil)

// Rulesets returns the rulesets of the game: one.
func Rulesets() []*Rules {
	return []*Rules{{heaps: sync.OnceValue(func() []uint16 { return heapValues(maxHeap) })}}
}

// About describes the ruleset.
func (r *Rules) About() rules.About {
	return rules.About{
		Name:    Name,
		Tag:     Tag,
		Game:    "Treblecross",
		Title:   "Treblecross",
		Summary: "A turn marks an empty cell of a strip; the player who completes three marks in a row wins.",
		Bounds: fmt.Sprintf("A position has %d to %d cells. Values are given for all of them. "+
			"All moves are listed where there are at most %d, else the first %d of those that win. "+
			"Distances are given where a line can be completed, and where the heaps of 0.007 with a move have "+
			"at most %d tokens in all: empty strips of up to %d cells.",
			MinLength, MaxLength, rules.MaxLegal, MaxWinning, MaxDistanceTokens, MaxDistanceTokens-unmarkedEnds),
	}
}

// Start returns the empty strip of [DefaultLength] cells.
func (r *Rules) Start() rules.Position { return r.Empty(DefaultLength) }

// Empty returns the strip of so many cells, [MinLength] to [MaxLength], without a mark.
func (r *Rules) Empty(length uint64) Position { return Position{r, strip.Empty(length)} }
