package inversetreblecross

import (
	"fmt"

	"solved/rules"
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
	malformed := func(offset int, expected string) (Position, error) {
		return Position{}, &rules.MalformedPositionError{
			Position: text, Offset: offset, Detail: rules.Found(text, offset) + ", expected " + expected,
		}
	}
	p := Position{rules: r, empty: []uint64{0}}
	room := uint64(MaxLength) // for cells that are not read yet
	run := uint64(0)          // the empty cells of the number being read
	for i := range len(text) {
		c := text[i]
		last := len(p.empty) - 1
		switch {
		case text[0] == '0' && i > 0:
			return malformed(i, "the end of the text after 0, as a number has no leading zeros and 0 stands alone")
		case c == 'X':
			if room == 0 {
				return malformed(i, fmt.Sprintf("at most %d cells", uint64(MaxLength)))
			}
			room--
			if run > 0 || len(p.marks) == 0 {
				p.marks = append(p.marks, 0)
				p.empty = append(p.empty, 0)
			}
			p.marks[len(p.marks)-1]++
			run = 0
		case c == '0' && i > 0 && run == 0:
			return malformed(i, "X or a number from 1: marks without an empty cell between them are written XX")
		case c >= '0' && c <= '9':
			digit := uint64(c - '0')
			// room and run never add up to more than MaxLength, so that nothing overflows.
			if run > (room+run-min(digit, room+run))/10 || digit > room+run {
				return malformed(i, fmt.Sprintf("at most %d cells", uint64(MaxLength)))
			}
			room = room + run - (10*run + digit)
			run = 10*run + digit
			p.empty[last] = run
		default:
			return malformed(i, "X for a mark or a number of empty cells")
		}
	}
	if text == "" {
		return malformed(0, "X for a mark or a number of empty cells")
	}
	p.length = MaxLength - room
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
	most := uint64(0)
	for _, n := range p.marks {
		most = max(most, n)
	}
	if last := len(p.marks) - 1; p.rules.ring && last > 0 && p.empty[0] == 0 && p.empty[last+1] == 0 {
		most = max(most, p.marks[last]+p.marks[0])
	}
	return most
}
