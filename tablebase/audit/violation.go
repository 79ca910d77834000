package audit

import (
	"fmt"

	"solved/rules"
)

// Position is a position's place in a table.
type Position struct {
	Section rules.Section
	Index   uint64
}

// Violation is an entry that does not follow from those of its successors.
type Violation struct {
	Position
	// Spelt is the position for people.
	Spelt string
	// Found is the entry in the table.
	Found rules.Entry
	// Follows is the one that follows from the successors' in the same table; its
	// distance may be one more than any table can hold. It is Unknown where the game
	// contradicts itself: a position is over and has moves, or neither.
	Follows rules.Entry
}

// String says it all in one line.
func (v Violation) String() string {
	follows := "its moves make it a " + v.Follows.String()
	if v.Follows.Value == rules.Unknown {
		follows = "the rules contradict themselves about whether it is over"
	}
	return fmt.Sprintf("%s %d, %s: the table has a %s, %s", v.Section, v.Index, v.Spelt, v.Found, follows)
}

// ending returns the entry of a position in which the game is over, by its result; false
// if that is none of a game that is over.
func ending(result rules.Value) (entry rules.Entry, ok bool) {
	return rules.Entry{Value: result}, result == rules.Loss || result == rules.Draw
}

// follow returns the code that follows from the codes of the successors of a position that
// is not over.
type follow struct {
	nearest  rules.Code // loss among the successors, or CodeDraw
	farthest rules.Code // of all successors; CodeDraw if there is a draw
}

func newFollow() follow { return follow{nearest: rules.CodeDraw} }

// add takes a successor into account. It has no branches, which would often be
// mispredicted: an odd code with all bits set is CodeDraw, which is odd itself.
func (f *follow) add(c rules.Code) {
	f.nearest = min(f.nearest, c|-(c&1))
	f.farthest = max(f.farthest, c)
}

// code is the code that follows. It is past rules.MaxDistance where no entry can
// be right.
func (f *follow) code() rules.Code {
	switch {
	case f.nearest != rules.CodeDraw:
		return f.nearest + 1
	case f.farthest == rules.CodeDraw:
		return rules.CodeDraw
	}
	return f.farthest + 1
}
