package inverseduocross

import (
	"solved/rules"
	"solved/rules/strip"
)

// Example is a position of the game worth a look.
type Example = rules.Example[Position]

// Examples returns a few positions worth a look, the start first.
func Examples() []Example {
	return []Example{
		{Name: "start", Position: Empty(DefaultLength), Summary: "The start, an empty strip of 12 cells, which the first player wins."},
		{Name: "middle", Position: Empty(15), Summary: "An odd strip: a mark on the middle cell leaves two equal strips, and wins."},
		{Name: "lost", Position: Empty(14), Summary: "Lost for the side to move, the first exception to the period: strips of 48 cells, and of 34 more " +
			"each time, are won."},
		{Name: "two-games", Position: Position{strip.OfRuns(5, 1, 9)},
			Summary: "The cells next to the mark are closed, so strips of 4 and of 8 cells are left as two games, both lost."},
		{Name: "nine", Position: Empty(85), Summary: "A strip as good as a Nim heap of nine: no strip has a greater value."},
		{Name: "billion", Position: Empty(1_000_000_000), Summary: "Lost for the first player, as all strips of 24 modulo 34 cells are."},
		{Name: "greatest", Position: Empty(strip.MaxLength), Summary: "The longest strip, won by a mark near its end."},
		{Name: "end", Position: Position{strip.OfRuns(1, 1, 2, 1, 1)}, Summary: "Every empty cell is next to a mark, so the side to move has lost."},
	}
}
