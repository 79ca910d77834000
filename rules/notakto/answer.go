package notakto

import (
	"context"

	"solved/rules"
)

// MaxWinning is the greatest number of moves that an answer lists when it does not list all. The
// text of each position after them has as many boards as the position.
const MaxWinning = 64

// Valued is a move with the worth of the position after it.
type Valued struct {
	Move Move
	// Element is that of the position after the move. The move wins when the side then
	// to move loses there.
	Element Element
	// Terminal says whether the move ends the game, and so loses it.
	Terminal bool
}

// Answer is the worth of a position with its moves.
type Answer struct {
	Value   rules.Value
	Element Element
	// Moves are the legal moves in their published order if Complete; else the first of
	// those that win, [MaxWinning] at most.
	Moves    []Valued
	Complete bool
}

// Answer returns the value of a position and of its moves. It lists all moves where there are
// at most [rules.MaxLegal], else the first of those that win. Its error is the context's.
func (p Position) Answer(ctx context.Context) (Answer, error) {
	return p.answer(ctx, rules.MaxLegal, MaxWinning)
}

// answer lists all moves where there are at most so many, else at most so many that win.
func (p Position) answer(ctx context.Context, most uint64, winning int) (Answer, error) {
	q := quotientOf()
	answer := Answer{Element: p.Element(), Complete: p.NumMoves() <= most}
	answer.Value = answer.Element.Value()
	// after[i] is the product of the boards after board i.
	after := make([]Element, len(p.boards)+1)
	for i := len(p.boards) - 1; i > 0; i-- {
		after[i-1] = q.product[after[i]][q.of(p.boards[i])]
	}
	live := p.Live()
	var before Element
	for i, b := range p.boards {
		if err := ctx.Err(); err != nil {
			return Answer{}, err
		}
		others := q.product[before][after[i]]
		before = q.product[before][q.of(b)]
		if b.Dead() {
			continue
		}
		for s := range Square(Squares) {
			if b.Marked(s) {
				continue
			}
			child := b | 1<<s
			element := q.product[others][q.of(child)]
			if !answer.Complete && (!q.lost[element] || len(answer.Moves) == winning) {
				continue
			}
			answer.Moves = append(answer.Moves, Valued{Move{i + 1, s}, element, live == 1 && child.Dead()})
		}
	}
	return answer, nil
}
