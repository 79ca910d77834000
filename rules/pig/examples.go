package pig

import "solved/rules"

// Example is a position of the game worth a look.
type Example = rules.Example[Position]

// Examples returns a few positions worth a look, the start first.
func Examples() []Example {
	return []Example{
		{Name: "start", Position: Position{}, Summary: "The start: whoever begins wins 53.06 % of the games, and holds at 21."},
		{Name: "twenty", Position: Position{0, 0, 20}, Summary: "At 20 in the first turn, where a rule of thumb holds, one more roll is a little better."},
		{Name: "islands", Position: Position{5, 76, 33},
			Summary: "Far behind, one holds at 30 to 32 and at 45 to 81, but rolls on in between: play can get here from 29."},
		{Name: "all-or-nothing", Position: Position{0, 95, 60}, Summary: "The other side is about to win: no total is enough but one that wins at once."},
		{Name: "won", Position: Position{80, 90, 20}, Summary: "Score and turn total make 100: holding wins."},
	}
}
