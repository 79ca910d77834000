package game

import (
	"math"

	"solved/rules"
)

// MoveOrder sorts moves best first, as one number: the value for the mover in
// the order win, draw, loss; then plies, where fewer are better in a win and
// more in a loss; then the move's index in the published order.
type MoveOrder uint32

const (
	orderWin  = 0 << 24
	orderDraw = 1 << 24
	orderLoss = 2 << 24
)

// OrderOf returns the order of a move, from the entry of the position after it and the move's index.
func OrderOf(child rules.Entry, index int) MoveOrder {
	switch child.Value {
	case rules.Loss:
		return orderWin | MoveOrder(child.Distance)<<16 | MoveOrder(index)
	case rules.Win:
		return orderLoss | MoveOrder(255-child.Distance)<<16 | MoveOrder(index)
	}
	return orderDraw | MoveOrder(index)
}

// Index returns the move's index in the published order.
func (o MoveOrder) Index() int { return int(o & 0xffff) }

// Worth returns the part without the index: it is equal for equally good moves.
func (o MoveOrder) Worth() MoveOrder { return o >> 16 }

// AfterMove returns the entry of a move for the mover, from the entry of the position after it.
func AfterMove(child rules.Entry) rules.Entry {
	e := rules.Entry{Value: child.Value.Negate()}
	if e.Value != rules.Draw {
		e.Distance = child.Distance + 1
	}
	return e
}

// PliesOf returns the distance of an entry, nil for a draw.
func PliesOf(e rules.Entry) *int {
	if e.Value == rules.Draw {
		return nil
	}
	return &plyCounts[e.Distance]
}

// plyCounts holds the numbers that answers point to, so that they need no copies. Nothing writes to it.
var plyCounts = func() (plies [rules.MaxDistance + 2]int) { // a move's is one more than its child's
	for i := range plies {
		plies[i] = i
	}
	return plies
}()

// Rank places a move among others by its value and its distance in plies, nil where that is not known. The
// best move has the least rank: wins before losses, fast wins and long losses first.
func Rank(value string, distance *int) int {
	plies := 0
	if distance != nil {
		plies = *distance
	}
	if value == rules.Win.String() {
		return plies
	}
	return math.MaxInt - plies
}
