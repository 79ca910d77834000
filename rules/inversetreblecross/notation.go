package inversetreblecross

import (
	"fmt"

	"solved/rules"
	"solved/rules/strip"
)

// ReasonRow is the reason for which a position that is written correctly is refused:
// it has as many marks in a row as the rules forbid, on a ring also across the seam.
// It is stable: programs may compare it.
const ReasonRow = "marks-in-a-row"

// Parse reads a position string as [Rules.ParsePosition] does.
func (r *Rules) Parse(text string) (rules.Position, error) {
	p, err := r.ParsePosition(text)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// ParsePosition reads a position string: runs of empty cells as numbers, each mark as
// an X, such as "4X5", "XX3" or "7"; "0" is the strip without a cell, where the side
// to move has lost. Every position has exactly one such string: no number has leading
// zeros, and none is 0 unless it is all there is.
//
// A text that is none is refused with a *[rules.MalformedPositionError], whose offset is
// that of the first byte with which no position string can go on; it is the text's
// length when more should have followed. More than [MaxLength] cells are malformed, too.
// A position with as many marks in a row as are forbidden is refused with a
// *[rules.IllegalPositionError] and [ReasonRow].
func (r *Rules) ParsePosition(text string) (Position, error) {
	cells, err := strip.Parse(text, MaxLength)
	if err != nil {
		return Position{}, err
	}
	p := Position{r, cells}
	if row := p.longest(); row >= uint64(r.row) {
		return Position{}, &rules.IllegalPositionError{
			Position: text, Reason: ReasonRow,
			Detail: fmt.Sprintf("%d marks in a row, and %s are forbidden", row, numeral(r.row)),
		}
	}
	return p, nil
}

// longest returns the greatest number of marks in a row.
func (p Position) longest() uint64 {
	most := p.strip.LongestRow()
	empty, marks := p.strip.Runs()
	if last := len(marks) - 1; p.rules.ring && last > 0 && empty[0] == 0 && empty[last+1] == 0 {
		most = max(most, marks[last]+marks[0])
	}
	return most
}
