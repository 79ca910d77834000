package pig

// Example is a position worth a look.
type Example struct {
	Name     string
	Position Position
	Summary  string // one sentence
}

// Examples returns a few positions worth a look, the start first.
func Examples() []Example {
	return []Example{
		{"start", Position{}, "The start: whoever begins wins 53.06 % of the games, and holds at 21."},
		{"twenty", Position{0, 0, 20}, "At 20 in the first turn, where a rule of thumb holds, one more roll is a little better."},
		{"islands", Position{5, 76, 33},
			"Far behind, one holds at 30 to 32 and at 45 to 81, but rolls on in between: play can get here from 29."},
		{"all-or-nothing", Position{0, 95, 60}, "The other side is about to win: no total is enough but one that wins at once."},
		{"won", Position{80, 90, 20}, "Score and turn total make 100: holding wins."},
	}
}
