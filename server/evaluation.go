package main

import (
	"fmt"
	"slices"
	"sync"

	"solved/rules"
	"solved/rules/tictacchec"
)

// evaluation is a position with its value and every move with its value. It is
// large and reused, so that evaluating allocates nothing.
type evaluation struct {
	position tictacchec.Position
	entry    rules.Entry // of the position, for the side to move
	moves    []tictacchec.Move
	children []tictacchec.Position // after each move
	entries  []rules.Entry         // of each child, for the side then to move
	order    []moveOrder           // best first

	moveArray  [tictacchec.MaxMoves]tictacchec.Move
	childArray [tictacchec.MaxMoves]tictacchec.Position
	entryArray [tictacchec.MaxMoves]rules.Entry
	orderArray [tictacchec.MaxMoves]moveOrder
}

// evaluations holds evaluations between uses.
var evaluations = sync.Pool{New: func() any { return new(evaluation) }}

// moveOrder sorts moves best first, as one number: the value for the mover in
// the order win, draw, loss; then plies, where fewer are better in a win and
// more in a loss; then the move's index in the published order.
type moveOrder uint32

const (
	orderWin  = 0 << 24
	orderDraw = 1 << 24
	orderLoss = 2 << 24
)

// orderOf places the move with an index that leads to a position with an entry.
func orderOf(child rules.Entry, index int) moveOrder {
	switch child.Value {
	case rules.Loss:
		return orderWin | moveOrder(child.Distance)<<16 | moveOrder(index)
	case rules.Win:
		return orderLoss | moveOrder(255-child.Distance)<<16 | moveOrder(index)
	}
	return orderDraw | moveOrder(index)
}

func (o moveOrder) index() int { return int(o & 0xffff) }

// worth is the part that is equal for moves that are equally good.
func (o moveOrder) worth() moveOrder { return o >> 16 }

// won is the entry of a position whose game is over: the side to move has lost.
var won = rules.Entry{Value: rules.Loss}

// evaluate fills in everything about a position. A position's value follows
// from its children's, so it is not looked up: what is answered for a position
// and for its moves cannot disagree.
func (v *evaluation) evaluate(r *tictacchec.Rules, table entries, p tictacchec.Position) error {
	v.position = p
	v.entry = won
	v.moves = r.Moves(p, v.moveArray[:0])
	v.children, v.entries, v.order = v.childArray[:0], v.entryArray[:len(v.moves)], v.orderArray[:0]
	if len(v.moves) == 0 {
		return nil // terminal: every other position has a move
	}
	for _, m := range v.moves {
		v.children = append(v.children, r.Play(p, m))
	}
	if err := table.Entries(v.children, v.entries); err != nil {
		return err
	}
	for i, child := range v.entries {
		if child.Value == rules.Unknown {
			return fmt.Errorf("the table has no value for %s", v.children[i])
		}
		v.order = append(v.order, orderOf(child, i))
	}
	slices.Sort(v.order)
	v.entry = v.after(v.order[0].index())
	return nil
}

// after returns the entry of the move with an index, for the player who makes
// it: one ply more than the child's.
func (v *evaluation) after(index int) rules.Entry {
	return afterMove(v.entries[index])
}

// afterMove is the entry of a move, for the player who makes it, that leads to a
// position with an entry.
func afterMove(child rules.Entry) rules.Entry {
	e := rules.Entry{Value: child.Value.Negate()}
	if e.Value != rules.Draw {
		e.Distance = child.Distance + 1
	}
	return e
}

// chosen returns the index of the move that a line of optimal play makes: the
// first of the best moves in wins and losses, and in draws the least drawing
// move in the order of the drawing lasso. That order is placements by kind and
// square, then moves by source and target; the published order has a piece's
// targets in the order of its directions instead.
func (v *evaluation) chosen() int {
	best := v.order[0]
	if v.entry.Value != rules.Draw {
		return best.index()
	}
	least := best.index()
	for _, o := range v.order[1:] {
		if o.worth() != best.worth() {
			break
		}
		if i := o.index(); lassoBefore(v.moves[i], v.moves[least]) {
			least = i
		}
	}
	return least
}

// lassoBefore says whether a comes before b in the order of the drawing lasso.
func lassoBefore(a, b tictacchec.Move) bool {
	placed := a.From == tictacchec.NoSquare
	switch {
	case placed != (b.From == tictacchec.NoSquare):
		return placed
	case placed && a.Piece.Kind() != b.Piece.Kind():
		return a.Piece.Kind() < b.Piece.Kind()
	case !placed && a.From != b.From:
		return a.From < b.From
	}
	return a.To < b.To
}
