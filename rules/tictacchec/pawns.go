package tictacchec

import "solved/rules"

// pawnMoves are the moves of a pawn from one square in one direction.
type pawnMoves struct {
	step     uint16    // the square ahead, as a set: empty or one square
	captures uint16    // the squares that it captures on, if an enemy is there
	order    [3]Square // step, then captures from file a to file d
	n        uint8
}

// pawnOrigin is a place from which a pawn can have come.
type pawnOrigin struct {
	square Square
	up     bool
}

// pawnOrigins are the places from which a pawn reaches one square with one
// direction after its arrival.
type pawnOrigins struct {
	steps    [2]pawnOrigin
	captures [4]pawnOrigin
	nSteps   uint8
	nTakes   uint8
}

// pawnTable holds the pawn's moves under one ruleset, and their inverse, by
// owner, square and direction (1 is up).
type pawnTable struct {
	moves   [2][Squares][2]pawnMoves
	origins [2][Squares][2]pawnOrigins
}

// pawnArrives returns a pawn's direction after it has arrived on a square (or
// has been placed there): it turns round on the edge row that it points at.
func pawnArrives(s Square, up bool) bool {
	switch s >> 2 {
	case 0:
		return true
	case 3:
		return false
	}
	return up
}

// pawnPlaced returns the direction of a pawn that its owner has just placed on a
// square: it points at the opponent.
func pawnPlaced(owner rules.Player, s Square) bool { return pawnArrives(s, owner == rules.White) }

// pawnStands reports whether a pawn can be on a square with that direction: on
// an edge row it has already turned round.
func pawnStands(s Square, up bool) bool { return pawnArrives(s, up) == up }

func newPawnTable(captures capturing) pawnTable {
	var t pawnTable
	for _, owner := range [2]rules.Player{rules.White, rules.Black} {
		for from := range Square(Squares) {
			for _, up := range [2]bool{false, true} {
				if !pawnStands(from, up) {
					continue
				}
				m := &t.moves[owner][from][bit(up)]
				if to, ok := shifted(from, step{0, vertical(up)}); ok {
					m.step = 1 << to
					m.order[m.n] = to
					m.n++
					t.origins[owner][to][bit(pawnArrives(to, up))].addStep(from, up)
				}
				takes, takesUp := true, up
				switch outbound := up == (owner == rules.White); captures {
				case outboundOnly:
					takes = outbound
				case towardOpponent:
					takesUp = owner == rules.White
				}
				for _, file := range [2]int{-1, 1} {
					to, ok := shifted(from, step{file, vertical(takesUp)})
					if !ok || !takes {
						continue
					}
					m.captures |= 1 << to
					m.order[m.n] = to
					m.n++
					t.origins[owner][to][bit(pawnArrives(to, up))].addCapture(from, up)
				}
			}
		}
	}
	return t
}

func (o *pawnOrigins) addStep(from Square, up bool) {
	o.steps[o.nSteps] = pawnOrigin{from, up}
	o.nSteps++
}

func (o *pawnOrigins) addCapture(from Square, up bool) {
	o.captures[o.nTakes] = pawnOrigin{from, up}
	o.nTakes++
}

func vertical(up bool) int {
	if up {
		return 1
	}
	return -1
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
