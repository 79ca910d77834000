package treblecross

import (
	"fmt"

	"solved/rules"
	"solved/rules/strip"
)

// The reasons for which a strip that is written correctly is no position. They are stable:
// programs may compare them.
const (
	// ReasonShort: the strip has less than [MinLength] cells.
	ReasonShort = "too-short"
	// ReasonAfterLine: three in a row remain whichever mark is removed, so the game was over
	// before the last mark was made.
	ReasonAfterLine = "mark-after-line"
)

// longestLine is the greatest number of marks in a row that one mark makes: with two on either
// side.
const longestLine = 2*Row - 1

// Parse reads a position as [Rules.ParsePosition] does.
func (r *Rules) Parse(text string) (rules.Position, error) {
	p, err := r.ParsePosition(text)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// ParsePosition reads a position as package strip writes it: runs of empty cells as numbers,
// each mark as an X, such as "4X5", "XX3" or "7". Every position has exactly one such text.
//
// A text that is no strip, or one of more than [MaxLength] cells, is refused with a
// *[rules.MalformedPositionError]. Its offset is that of the first byte with which no position
// can go on. A strip of less than [MinLength] cells is refused with a
// *[rules.IllegalPositionError] and [ReasonShort]; one with two rows of three marks or more, or
// with a row of more than five, with [ReasonAfterLine].
func (r *Rules) ParsePosition(text string) (Position, error) {
	cells, err := strip.Parse(text, MaxLength)
	if err != nil {
		return Position{}, err
	}
	illegal := func(reason, detail string, args ...any) (Position, error) {
		return Position{}, &rules.IllegalPositionError{Position: text, Reason: reason, Detail: fmt.Sprintf(detail, args...)}
	}
	if n := cells.Length(); n < MinLength {
		return illegal(ReasonShort, "a strip of %d cells has no room for three in a row, expected %d cells or more", n, MinLength)
	}
	_, marks := cells.Runs()
	line := uint64(0)
	for _, row := range marks {
		switch {
		case row > longestLine:
			return illegal(ReasonAfterLine, "%d marks in a row, but the last mark makes at most %d: the first three in a row end the game",
				row, longestLine)
		case row >= Row && line > 0:
			return illegal(ReasonAfterLine, "rows of %d and of %d marks, but the first three in a row end the game", line, row)
		case row >= Row:
			line = row
		}
	}
	return Position{r, cells}, nil
}

// String returns the position as [Rules.ParsePosition] reads it.
func (p Position) String() string { return p.strip.String() }

// Diagram draws the position in one line: an X for a mark and a dot for an empty cell, with the
// number of every tenth cell below. An exclamation mark is a cell that completes three in a row;
// where there is none, an x is a cell that lets the other side do so. Positions of more than 60
// cells are shown as their text.
func (p Position) Diagram() string {
	phase := p.phase()
	drawing := p.strip.Draw(func(gap int, place uint64) byte {
		switch {
		case phase == completable && p.completes(gap, place):
			return '!'
		case phase == quiet && !p.safe(gap, place):
			return 'x'
		}
		return '.'
	})
	drawing += fmt.Sprintf("strip of %d cells", p.Length())
	switch {
	case phase == over:
		drawing += "; three in a row, the game is over"
	case !p.strip.Drawn():
	case phase == completable:
		drawing += "; !: a mark there completes three in a row"
	case !p.IsEmpty():
		drawing += "; x: after a mark there, the other side completes three in a row"
	}
	return drawing + "\n"
}
