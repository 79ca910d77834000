package notakto

import "solved/rules"

// Example is a position of the game worth a look.
type Example = rules.Example[Position]

// Examples returns a few positions worth a look, the start first.
func Examples() []Example {
	return []Example{
		{Name: "start", Position: Empty(startBoards), Summary: "Three empty boards: won for the side to move."},
		{Name: "one-board", Position: Empty(1), Summary: "One empty board: only the centre wins."},
		{Name: "two-boards", Position: Empty(2), Summary: "Two empty boards: lost, whichever square is marked."},
		{Name: "centre", Position: Position{[]Board{0o020}}, Summary: "The centre is marked: the side to move loses on this board alone."},
		{Name: "last-board", Position: Position{[]Board{0o007, 0o653}}, Summary: "Every move kills the last live board and so loses."},
		{Name: "many-boards", Position: Empty(100), Summary: "A hundred empty boards: the quotient gives the value, and the distance is not worked out."},
		{Name: "over", Position: Position{[]Board{0o007, 0o124}}, Summary: "All boards are dead: the side to move has won."},
	}
}
