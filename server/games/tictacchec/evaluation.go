package tictacchec

import (
	"fmt"
	"slices"
	"sync"

	"solved/rules"
	"solved/rules/tictacchec"
	"solved/server/game"
)

// Evaluation is a position with its value and every move with its value. It is
// large and reused, so that evaluating allocates nothing.
type Evaluation struct {
	position tictacchec.Position
	Entry    rules.Entry // of the position, for the side to move
	moves    []tictacchec.Move
	children []tictacchec.Position // after each move
	entries  []rules.Entry         // of each child, for the side then to move
	Order    []game.MoveOrder      // best first

	moveArray  [tictacchec.MaxMoves]tictacchec.Move
	childArray [tictacchec.MaxMoves]tictacchec.Position
	entryArray [tictacchec.MaxMoves]rules.Entry
	orderArray [tictacchec.MaxMoves]game.MoveOrder
}

// evaluations holds evaluations between uses.
var evaluations = sync.Pool{New: func() any { return new(Evaluation) }}

// Won is the entry of a position whose game is over: the side to move has lost.
var Won = rules.Entry{Value: rules.Loss}

// Evaluate fills in everything about a position. A position's value follows
// from its children's, so it is not looked up: what is answered for a position
// and for its moves cannot disagree.
func (v *Evaluation) Evaluate(r *tictacchec.Rules, table EntryReader, p tictacchec.Position) error {
	v.position = p
	v.Entry = Won
	v.moves = r.Moves(p, v.moveArray[:0])
	v.children, v.entries, v.Order = v.childArray[:0], v.entryArray[:len(v.moves)], v.orderArray[:0]
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
		v.Order = append(v.Order, game.OrderOf(child, i))
	}
	slices.Sort(v.Order)
	v.Entry = v.After(v.Order[0].Index())
	return nil
}

// After returns the entry of the move with an index, for the player who makes
// it: one ply more than the child's.
func (v *Evaluation) After(index int) rules.Entry {
	return game.AfterMove(v.entries[index])
}

// Chosen returns the index of the move that a line of optimal play makes: the
// first of the best moves in wins and losses, and in draws the least drawing
// move in the order of the drawing lasso. That order is placements by kind and
// square, then moves by source and target; the published order has a piece's
// targets in the order of its directions instead.
func (v *Evaluation) Chosen() int {
	best := v.Order[0]
	if v.Entry.Value != rules.Draw {
		return best.Index()
	}
	least := best.Index()
	for _, o := range v.Order[1:] {
		if o.Worth() != best.Worth() {
			break
		}
		if i := o.Index(); LassoBefore(v.moves[i], v.moves[least]) {
			least = i
		}
	}
	return least
}

// LassoBefore says whether a comes before b in the order of the drawing lasso.
func LassoBefore(a, b tictacchec.Move) bool {
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
