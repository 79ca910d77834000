package rules

import (
	"fmt"
	"strconv"
	"strings"
)

// Tag names one exact ruleset. It is stored in every table file and checked
// against every question, so that no position is ever answered under rules it
// was not written for.
type Tag uint32

// String returns the tag as it is written everywhere: 0x and eight lower-case
// hexadecimal digits.
func (t Tag) String() string { return fmt.Sprintf("0x%08x", uint32(t)) }

// ParseTag reads a tag: 0x (either case) and exactly eight hexadecimal digits
// (either case).
func ParseTag(s string) (Tag, error) {
	if len(s) != 10 || s[0] != '0' || (s[1] != 'x' && s[1] != 'X') {
		return 0, fmt.Errorf("rules tag %q is not 0x and eight hexadecimal digits", s)
	}
	n, err := strconv.ParseUint(strings.ToLower(s[2:]), 16, 32)
	if err != nil {
		return 0, fmt.Errorf("rules tag %q is not 0x and eight hexadecimal digits", s)
	}
	return Tag(n), nil
}

// Player is one of the two sides.
type Player uint8

// The players. White moves first.
const (
	White Player = iota
	Black
)

// Opponent returns the other player.
func (p Player) Opponent() Player { return p ^ 1 }

// String returns "white" or "black".
func (p Player) String() string {
	if p == White {
		return "white"
	}
	return "black"
}

// Value is the worth of a position under perfect play for the side to move.
// The zero value is Unknown.
type Value uint8

// The values.
const (
	Unknown Value = iota
	Win
	Loss
	Draw
)

// Negate returns the value of the same position for the other side.
func (v Value) Negate() Value {
	switch v {
	case Win:
		return Loss
	case Loss:
		return Win
	}
	return v
}

// String returns "win", "loss", "draw" or "unknown".
func (v Value) String() string {
	switch v {
	case Win:
		return "win"
	case Loss:
		return "loss"
	case Draw:
		return "draw"
	}
	return "unknown"
}

// MaxDistance is the greatest distance, in plies, that a table entry can hold.
const MaxDistance = 63

// Code is a table entry in one byte: a distance in plies (0 to MaxDistance), or
// CodeDraw. An even distance is a loss for the side to move, an odd one a win.
type Code = uint8

// CodeDraw is the Code of a position that neither side can force.
const CodeDraw Code = 255

// Entry is a value with its distance.
type Entry struct {
	Value Value
	// Distance is the number of plies to the end under optimal play. It has a
	// meaning only for wins (odd) and losses (even).
	Distance uint8
}

// EntryOf returns the entry that a code stands for.
func EntryOf(c Code) Entry {
	switch {
	case c == CodeDraw:
		return Entry{Value: Draw}
	case c&1 == 1:
		return Entry{Value: Win, Distance: c}
	default:
		return Entry{Value: Loss, Distance: c}
	}
}

// Code returns the one-byte form of a decided entry; Unknown has none and
// yields CodeDraw.
func (e Entry) Code() Code {
	if e.Value == Win || e.Value == Loss {
		return e.Distance
	}
	return CodeDraw
}

// String returns "draw", "win in 5" or "loss in 4".
func (e Entry) String() string {
	if e.Value == Win || e.Value == Loss {
		return fmt.Sprintf("%s in %d", e.Value, e.Distance)
	}
	return e.Value.String()
}

// IndexedLoss is a lost position.
type IndexedLoss struct {
	Index    uint64 // in its section
	Distance uint8  // in plies, even
}

// Section is one of the two index ranges of a table.
type Section uint8

// The sections: the main phase, and the opening.
const (
	Main Section = iota
	Opening
)

// Sections is the number of sections.
const Sections = 2

// String returns "main" or "opening".
func (s Section) String() string {
	if s == Main {
		return "main"
	}
	return "opening"
}

// Ruleset describes the table of a ruleset: a file that differs is not its table.
type Ruleset struct {
	// Name is the lower-case name in addresses, such as "tic-tac-chec".
	Name string
	Tag  Tag
	// Positions is the number of positions of each section.
	Positions [Sections]uint64
	// Longest is the greatest distance, in plies, in each section.
	Longest [Sections]uint8
}
