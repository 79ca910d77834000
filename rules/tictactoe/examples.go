package tictactoe

import "solved/rules"

// Example is a position of the game worth a look.
type Example = rules.Example[Position]

// Examples returns some positions worth a look, the start first.
func (Rules) Examples() []Example {
	return []Example{{
		Name: "start", Position: Start(),
		Summary: "The empty board: a draw, whichever square X marks.",
	}, {
		Name: "corner", Position: played(A1),
		Summary: "X has begun in a corner: only the centre draws for O, and the other seven squares lose.",
	}, {
		Name: "centre", Position: played(B2),
		Summary: "X has begun in the centre: each corner draws for O, and each edge loses.",
	}, {
		Name: "trap", Position: played(A1, B2, C3),
		Summary: "X has two opposite corners: each edge draws for O, and each corner loses.",
	}, {
		Name: "fork", Position: played(A1, B2, C3, A3),
		Summary: "O has marked a corner after all: c1 stops O's line and makes two threats, so X wins in 3 plies.",
	}, {
		Name: "quiet-fork", Position: played(A1, B1),
		Summary: "O has answered at the edge: X wins in 5 plies, as long as any win takes, by any of three moves.",
	}, {
		Name: "longest-loss", Position: played(A1, B1, A2),
		Summary: "O loses in 4 plies, as long as any loss takes: a3 stops the first threat, and then X makes two.",
	}, {
		Name: "two-lines", Position: played(A1, B1, A2, C1, B3, B2, C3, C2, A3),
		Summary: "X has won: the last mark, a3, finished two lines at once.",
	}, {
		Name: "full-board", Position: played(B2, A1, C1, A3, A2, C2, B1, B3, C3),
		Summary: "A draw: the board is full and nobody owns a line.",
	}}
}

// played returns the position after marks from the empty board, which must be legal
// moves.
func played(squares ...Square) Position {
	p := Start()
	for _, s := range squares {
		p = p.Mark(s)
	}
	return p
}
