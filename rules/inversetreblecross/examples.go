package inversetreblecross

import (
	"solved/rules"
	"strconv"
	"strings"
)

// Example is a position of the game worth a look.
type Example = rules.Example[Position]

// Examples returns some positions worth a look, the start first.
func (r *Rules) Examples() []Example {
	type row struct{ name, position, summary string }
	rows := []row{{"start", r.Start().String(), "Twelve empty cells."}}
	switch {
	case r.ring:
		rows = append(rows,
			row{"eleven", "11", "The first player wins here, yet loses on a ring of 21 cells."},
			row{"twenty-one", "21", "Lost for the first player: rings of 1 modulo 10 cells follow no simple rule."},
			row{"seam", "X4X", "The marks at both ends are neighbours, so cells 2 and 5 are closed and two cells are left."},
		)
	case r.row == MinRow:
		rows = append(rows,
			row{"middle", "7X7", "Lost for the side to move: whatever it marks, there is an answer."},
			row{"two-games", "4XX5", "The cells beside the two marks are closed, so 3 and 4 empty cells are left as two games."},
			row{"four", "4X9", "A position as good as a Nim heap of four."},
			row{"billion", "1000000000", "Lost for the first player by the theorem: 0 modulo 10."},
			row{"third-cell", "1000000005", "Won by the theorem: mark cell 3."},
			row{"end", "XX1XX", "No cell can be marked, so the side to move has lost."},
		)
	default:
		rows = append(rows,
			row{"no-row", strconv.Itoa(r.row - 1), "Too short for a row: every cell gets its mark, and only their number matters."},
			row{"one-stays-empty", strconv.Itoa(r.row), "Exactly one cell stays empty."},
			row{"closed", strings.Repeat("X", r.row-1) + "1", "The one empty cell would complete a row, so the side to move has lost."},
		)
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
