package inversetreblecross

import (
	"fmt"

	"solved/rules"
)

// The numbers of marks in a row that a ruleset can forbid.
const (
	MinRow = 3
	MaxRow = 13
)

// The first three bytes of the tags, ASCII "ITX" and "ITR"; the last is the number
// of marks in a row that is forbidden.
const (
	stripTags rules.Tag = 0x49545800
	ringTags  rules.Tag = 0x49545200
)

// DefaultLength is the number of cells that a game starts with.
const DefaultLength = 12

// Rules is one ruleset: so many marks in a row are forbidden, on a strip or on a
// ring. It is immutable and safe for concurrent use.
type Rules struct {
	row  int
	ring bool
}

var _ rules.Game = (*Rules)(nil)

// Rulesets returns the rulesets in a fixed order: three in a row on a strip, which is
// the canonical one, four to thirteen in a row on a strip, three in a row on a ring.
func Rulesets() []*Rules {
	var all []*Rules
	for row := MinRow; row <= MaxRow; row++ {
		all = append(all, &Rules{row: row})
	}
	return append(all, &Rules{row: MinRow, ring: true})
}

// Row returns the number of marks in a row that is forbidden.
func (r *Rules) Row() int { return r.row }

// Ring says whether the cells lie on a ring, the last next to the first.
func (r *Rules) Ring() bool { return r.ring }

// About describes the ruleset.
func (r *Rules) About() rules.About {
	about := rules.About{
		Name:  "inverse-treblecross",
		Tag:   stripTags | rules.Tag(r.row),
		Game:  "Inverse Treblecross",
		Title: "Inverse Treblecross",
		Summary: fmt.Sprintf("A turn marks an empty cell of a strip; making %s marks in a row is forbidden, and who cannot move loses.",
			numeral(r.row)),
	}
	switch {
	case r.ring:
		about.Name = "inverse-treblecross-ring"
		about.Tag = ringTags | rules.Tag(r.row)
		about.Title = "Inverse Treblecross on a ring"
		about.Summary = fmt.Sprintf("A turn marks an empty cell of a ring; making %s marks in a row, all different cells, is forbidden, "+
			"and who cannot move loses.", numeral(r.row))
	case r.row != MinRow:
		about.Name = fmt.Sprintf("inverse-treblecross-%d", r.row)
		about.Title = fmt.Sprintf("Inverse Treblecross, %s in a row", numeral(r.row))
	}
	about.Bounds = r.bounds()
	return about
}

// The greatest numbers of cells up to which a question's look-ups suffice, three in a row
// being forbidden.
const (
	answeredStrip = 33
	answeredRing  = 32
)

// bounds says how far positions are worked out.
func (r *Rules) bounds() string {
	values := fmt.Sprintf("A search has %d look-ups for a position with its moves, and takes on at most %d neighbouring cells. "+
		"They suffice for empty strips of up to %d cells and all that can come of them by one move, and for nearly all other positions of that length.",
		DefaultBudget, maxPiece, valuedStrip)
	switch {
	case r.ring:
		values = fmt.Sprintf("A search has %d look-ups for a position with its moves, and takes on at most %d neighbouring cells. "+
			"They suffice for rings of up to %d cells without a mark or with one, and for lines from rings of up to %d.",
			DefaultBudget, maxPiece, valuedRing, answeredRing)
	case r.row == MinRow:
		values = fmt.Sprintf("Empty strips have values for any number of cells. All else is searched. A search has %d look-ups for a position "+
			"with its moves, and takes on at most %d neighbouring cells. They suffice for empty strips of up to %d cells with all their moves.",
			DefaultBudget, maxPiece, answeredStrip)
	}
	return fmt.Sprintf("A position has 0 to %d cells. %s At most %d moves are valued. Distances are given for up to %d cells.",
		uint64(MaxLength), values, MaxMoves, MaxDistanceLength)
}

// Start returns the empty strip or ring of [DefaultLength] cells.
func (r *Rules) Start() rules.Position { return r.Empty(DefaultLength) }

func numeral(n int) string {
	return [...]string{3: "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"}[n]
}
