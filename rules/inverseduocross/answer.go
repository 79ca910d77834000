package inverseduocross

import "solved/rules"

// MaxWinning is the greatest number of moves that an answer lists when it does not list all. The
// text of each position after them is as long as that of the position.
const MaxWinning = 64

// Valued is a move with its value.
type Valued struct {
	Cell uint64 // from 1
	// Grundy is the value of the position after the move: the move wins when it is 0.
	Grundy uint8
}

// Answer is the value of a position with its moves.
type Answer struct {
	// Grundy is 0 when the side to move loses.
	Grundy uint8
	// Moves are the legal moves by cell if Complete; else the first that wins in each run of
	// cells that can be marked, where there is one, [MaxWinning] in all at most.
	Moves    []Valued
	Complete bool
}

// Grundy returns the Grundy value of the position: the exclusive or of those of its parts.
func (p Position) Grundy() uint8 {
	value := uint8(0)
	for s := range p.parts() {
		value ^= OpenStrip(s.length)
	}
	return value
}

// Answer returns the value of the position and of its moves. It lists all moves where there are
// at most [rules.MaxLegal], else moves that win. It takes time in proportion to
// the length of the position string.
func (p Position) Answer() Answer { return p.answer(rules.MaxLegal, MaxWinning) }

// answer lists all moves where there are at most so many, else at most so many that win.
func (p Position) answer(most uint64, winning int) Answer {
	answer := Answer{Grundy: p.Grundy(), Complete: p.NumMoves() <= most}
	if !answer.Complete {
		answer.Moves = p.winning(winning)
		return answer
	}
	for s := range p.parts() {
		others := answer.Grundy ^ OpenStrip(s.length)
		for place := range s.length {
			answer.Moves = append(answer.Moves, Valued{s.first + place, others ^ markedValue(s.length, place)})
		}
	}
	return answer
}

// winning returns the first move that wins in each part, where there is one, but at most so many
// moves in all. A won position has one in some part.
func (p Position) winning(most int) []Valued {
	var moves []Valued
	value := p.Grundy()
	for s := range p.parts() {
		if value == 0 || len(moves) == most {
			break // no move wins, or enough do
		}
		others := value ^ OpenStrip(s.length)
		for place := range min(s.length, searchedCells) {
			if markedValue(s.length, place) == others {
				moves = append(moves, Valued{Cell: s.first + place})
				break
			}
		}
	}
	return moves
}
