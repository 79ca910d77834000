package tictacchec

import (
	"solved/rules"
)

// capturing is how a ruleset lets a pawn capture: the one thing in which the
// rulesets differ.
type capturing uint8

const (
	// travelling: ahead of the current direction.
	travelling capturing = iota
	// outboundOnly: ahead, and only while it travels toward the opponent.
	outboundOnly
	// towardOpponent: always toward the opponent, whichever way it travels.
	towardOpponent
)

// Rules is one ruleset of the game. It is immutable and safe for concurrent use.
type Rules struct {
	ruleset rules.Ruleset
	title   string
	summary string
	// captures is the direction in which pawns capture, and pawns the tables that follow from it.
	captures capturing
	pawns    pawnTable
}

// The names of the rulesets.
const (
	CanonicalName      = "tic-tac-chec"
	OutboundName       = "tic-tac-chec-outbound"
	TowardOpponentName = "tic-tac-chec-toward-opponent"
)

// Rulesets returns the three readings of the rules, the canonical one first.
func Rulesets() []*Rules {
	return []*Rules{
		newRules(CanonicalName, 0x54544303, travelling,
			"Tic Tac Chec (1998, Dream Green)",
			"Chess pieces on a 4×4 board, four in a line wins. A pawn captures on the two diagonals ahead of its current direction.",
			[rules.Sections]uint8{41, 39}),
		newRules(OutboundName, 0x54544301, outboundOnly,
			"Tic Tac Chec, pawns capture outbound only",
			"As Tic Tac Chec, but a pawn captures only while it travels toward the opponent.",
			[rules.Sections]uint8{41, 37}),
		newRules(TowardOpponentName, 0x54544302, towardOpponent,
			"Tic Tac Chec, pawns capture toward the opponent",
			"As Tic Tac Chec, but a pawn always captures toward the opponent, whichever way it travels.",
			[rules.Sections]uint8{43, 37}),
	}
}

func newRules(name string, tag rules.Tag, captures capturing, title, summary string, longest [rules.Sections]uint8) *Rules {
	return &Rules{
		ruleset: rules.Ruleset{
			Name:      name,
			Tag:       tag,
			Positions: [rules.Sections]uint64{MainPositions, OpeningPositions},
			Longest:   longest,
		},
		title:    title,
		summary:  summary,
		captures: captures,
		pawns:    newPawnTable(captures),
	}
}

// Ruleset returns the ruleset's name and tag and the measures of its tables.
func (r *Rules) Ruleset() rules.Ruleset { return r.ruleset }

// Title returns the ruleset's name for people.
func (r *Rules) Title() string { return r.title }

// Summary returns one or two sentences about the ruleset.
func (r *Rules) Summary() string { return r.summary }
