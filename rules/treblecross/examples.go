package treblecross

import "solved/rules"

// Example is a position of the game worth a look.
type Example = rules.Example[Position]

// Examples returns a few positions worth a look, the start first.
func (r *Rules) Examples() []Example {
	rows := []struct{ name, position, summary string }{
		{"start", "12", "Twelve empty cells: lost for the side to move, the heap of 14 tokens."},
		{"middle", "5X5", "Lost for the side to move: it answers to two equal heaps."},
		{"two-heaps", "4X9", "The heaps of 4 and of 9 tokens, as four and seven cells are safe."},
		{"complete", "3X1X4", "Cell 5 completes three in a row, so the position is won and has no Grundy number."},
		{"no-safe-cell", "2X4X2", "After any move the other side completes three in a row."},
		{"longest", "10000", "The longest strip: its value is that of the heap of 10,002 tokens."},
		{"over", "4XXX5", "Three in a row: the side to move has lost."},
	}
	examples := make([]Example, len(rows))
	for i, e := range rows {
		p, err := r.ParsePosition(e.position)
		if err != nil {
			panic(err) // a test reads them all
		}
		examples[i] = Example{Name: e.name, Position: p, Summary: e.summary}
	}
	return examples
}
