package treblecross

import "solved/rules"

// MaxWinning is the greatest number of moves that an answer lists when it does not list all. The
// text of each position after them is about as long as that of the position.
const MaxWinning = 64

// Valued is a move with the worth of the position after it, which [Position.Mark] returns.
type Valued struct {
	Cell uint64 // from 1
	// Worth is that of the position after the move. The move wins when its value is Loss.
	Worth Worth
	// Over says whether the move completes three in a row.
	Over bool
}

// Answer is the worth of a position with its moves.
type Answer struct {
	Worth
	// Moves are the legal moves in their published order if Complete; else the first of those
	// that win, [MaxWinning] at most.
	Moves    []Valued
	Complete bool
}

// Answer returns the worth of a position and of its moves. It lists all moves where there are at
// most [rules.MaxLegal], else the first of those that win. It takes time in proportion to the
// number of cells, once the values of heaps are there.
func (p Position) Answer() Answer { return p.answer(rules.MaxLegal, MaxWinning) }

// answer lists all moves where there are at most so many, else at most so many that win.
func (p Position) answer(most uint64, winning int) Answer {
	phase := p.phase()
	answer := Answer{Worth: p.Worth(), Complete: p.NumMoves() <= most}
	if phase == over {
		return answer
	}
	values := p.rules.heaps()
	gaps, marks := p.strip.Runs()
	first := uint64(1)
	for i, n := range gaps {
		left, right := p.walls(i)
		for j := range n {
			move := Valued{Cell: first + j, Worth: Worth{Value: rules.Win}}
			switch {
			case phase == completable && p.completes(i, j):
				move.Worth.Value, move.Over = rules.Loss, true
			case phase == quiet && p.safe(i, j):
				a, b := p.split(i, j)
				move.Worth = quietWorth(uint16(answer.Grundy) ^ values[heapOf(n, left, right)] ^ values[a] ^ values[b])
			}
			if !answer.Complete && move.Worth.Value != rules.Loss {
				continue
			}
			if !answer.Complete && len(answer.Moves) == winning {
				return answer
			}
			answer.Moves = append(answer.Moves, move)
		}
		first += n
		if i < len(marks) {
			first += marks[i]
		}
	}
	return answer
}
