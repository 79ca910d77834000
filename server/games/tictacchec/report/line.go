package report

import (
	"fmt"
	"slices"

	"solved/rules"
	"solved/rules/tictacchec"
)

// ContradictionError says that a table and the rules do not agree about a position.
type ContradictionError struct {
	Position string // as a position string
	Detail   string
}

func (e *ContradictionError) Error() string { return e.Position + ": " + e.Detail }

// Line is a line of optimal play, replayed: of each position the moves have been
// generated twice, by the fast rules and by the plain reference rules, and its entry
// follows from those of the positions after its moves.
//
// Of moves that are equally good, it takes the first in the published order, in a
// draw the least in the order of the drawing lasso: placements by kind and square,
// then moves by source and target.
type Line struct {
	Position string `json:"position"`
	Key      string `json:"key"`
	Entry    string `json:"entry"`
	Steps    []Step `json:"steps"`
	// End is "over", or "cycle" when an exact position (colours, side, phase and
	// directions) has returned: then the line goes on like that for ever, after Prefix
	// plies in a cycle of Cycle plies.
	End    string `json:"end"`
	Prefix int    `json:"prefix,omitempty"`
	Cycle  int    `json:"cycle,omitempty"`
	// Returns is the key of the position that returns.
	Returns string `json:"returns,omitempty"`
	// Narrow are the narrowest choices in it: the fewest moves that keep the value,
	// at most narrowest of them, in the order of the line.
	Narrow []Choice `json:"narrow,omitempty"`
}

// Step is a move in a line.
type Step struct {
	Ply    int    `json:"ply"` // from 1
	Move   string `json:"move"`
	Legal  int    `json:"legal"` // moves before it
	Holds  int    `json:"holds"` // of them, those that keep the value
	Equal  int    `json:"equal"` // of them, those that are as good as this one
	Result string `json:"position"`
	Key    string `json:"key"`
	Entry  string `json:"entry"` // after the move, for the side then to move
}

// Choice is a position with what each move is worth.
type Choice struct {
	Ply      int      `json:"ply"` // moves played before it in its line
	Position string   `json:"position"`
	Key      string   `json:"key"`
	Entry    string   `json:"entry"`
	Legal    int      `json:"legal"`
	Holding  []string `json:"holding"` // the moves that keep the value
	Others   []Worth  `json:"others,omitempty"`
}

// Worth is how many moves are worth the same.
type Worth struct {
	Entry string `json:"entry"` // for the side that moves
	Moves int    `json:"moves"`
}

// narrowest is how many narrow choices a line shows.
const narrowest = 5

// after is a move with what comes of it.
type after struct {
	move  tictacchec.Move
	child tictacchec.Position
	entry rules.Entry // for the side that moves
}

// explore lists the moves of a position in the published order, and holds the table
// against the rules there, both of them.
func (t *Table) explore(p tictacchec.Position) ([]after, error) {
	wrong := func(format string, args ...any) error {
		return &ContradictionError{p.String(), fmt.Sprintf(format, args...)}
	}
	reference, ok := tictacchec.ReferenceOf(t.rules.Ruleset().Tag)
	if !ok {
		return nil, fmt.Errorf("there are no reference rules for %s", t.rules.Ruleset().Name)
	}
	board, ok := tictacchec.ReadReferenceBoard(p.String())
	if !ok {
		return nil, wrong("the reference rules cannot read it")
	}
	moves := t.rules.Moves(p, nil)
	plain := reference.Moves(board)
	if len(plain) != len(moves) {
		return nil, wrong("%d moves, and %d by the reference rules", len(moves), len(plain))
	}
	var list []after
	for i, m := range moves {
		if m.String() != plain[i] {
			return nil, wrong("move %d is %s, and %s by the reference rules", i, m, plain[i])
		}
		child := t.rules.Play(p, m)
		if s := reference.Play(board, plain[i]).String(); s != child.String() {
			return nil, wrong("%s leads to %s, and to %s by the reference rules", m, child, s)
		}
		e := t.entry(child)
		mine := rules.Entry{Value: e.Value.Negate()}
		if e.Value != rules.Draw {
			mine.Distance = e.Distance + 1
		}
		list = append(list, after{m, child, mine})
	}
	if found, follows := t.entry(p), follows(list); found != follows {
		return nil, wrong("the table has a %s, its moves make it a %s", found, follows)
	}
	return list, nil
}

// follows is the entry of a position by those of its moves.
func follows(list []after) rules.Entry {
	if len(list) == 0 {
		return rules.Entry{Value: rules.Loss}
	}
	best := list[0].entry
	for _, a := range list[1:] {
		if better(a.entry, best) {
			best = a.entry
		}
	}
	return best
}

// better says whether the side to move would rather have a than b.
func better(a, b rules.Entry) bool {
	order := [values]int{rules.Win: 2, rules.Draw: 1, rules.Loss: 0}
	switch {
	case a.Value != b.Value:
		return order[a.Value] > order[b.Value]
	case a.Value == rules.Win:
		return a.Distance < b.Distance
	case a.Value == rules.Loss:
		return a.Distance > b.Distance
	}
	return false
}

// lassoOrder compares moves in the order of the drawing lasso.
func lassoOrder(a, b tictacchec.Move) int {
	rank := func(m tictacchec.Move) int {
		if m.From == tictacchec.NoSquare {
			return int(m.Piece.Kind())<<8 | int(m.To)
		}
		return 1<<16 | int(m.From)<<8 | int(m.To)
	}
	return rank(a) - rank(b)
}

// choice tells what each move of a position is worth.
func choice(ply int, p tictacchec.Position, list []after) Choice {
	own := follows(list)
	c := Choice{Ply: ply, Position: p.String(), Key: p.Key(), Entry: own.String(), Legal: len(list)}
	others := map[rules.Entry]int{}
	for _, a := range list {
		if a.entry.Value == own.Value {
			c.Holding = append(c.Holding, a.move.String())
		} else {
			others[a.entry]++
		}
	}
	for _, e := range sortedEntries(others) {
		c.Others = append(c.Others, Worth{e.String(), others[e]})
	}
	return c
}

// sortedEntries lists the keys of a map, the best for the side to move first.
func sortedEntries(m map[rules.Entry]int) []rules.Entry {
	var list []rules.Entry
	for e := range m {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b rules.Entry) int {
		switch {
		case better(a, b):
			return -1
		case better(b, a):
			return 1
		}
		return 0
	})
	return list
}

// line replays the line of optimal play from a position.
func (t *Table) line(p tictacchec.Position) (*Line, error) {
	l := &Line{Position: p.String(), Key: p.Key(), Entry: t.entry(p).String(), Steps: []Step{}}
	first := map[tictacchec.Position]int{p: 0}
	var all []Choice
	for {
		list, err := t.explore(p)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			l.End = "over"
			break
		}
		own := follows(list)
		var next *after
		step := Step{Ply: len(l.Steps) + 1, Legal: len(list)}
		for i := range list {
			a := &list[i]
			if a.entry.Value == own.Value {
				step.Holds++
			}
			if a.entry != own {
				continue
			}
			step.Equal++
			if next == nil || own.Value == rules.Draw && lassoOrder(a.move, next.move) < 0 {
				next = a
			}
		}
		if step.Holds < step.Legal {
			all = append(all, choice(len(l.Steps), p, list))
		}
		p = next.child
		step.Move, step.Result, step.Key, step.Entry = next.move.String(), p.String(), p.Key(), t.entry(p).String()
		l.Steps = append(l.Steps, step)
		if ply, again := first[p]; again {
			l.End, l.Prefix, l.Cycle, l.Returns = "cycle", ply, len(l.Steps)-ply, p.Key()
			break
		}
		first[p] = len(l.Steps)
	}
	slices.SortStableFunc(all, func(a, b Choice) int {
		// By the share of moves that hold, then by how many do not.
		if d := len(a.Holding)*b.Legal - len(b.Holding)*a.Legal; d != 0 {
			return d
		}
		return b.Legal - a.Legal
	})
	l.Narrow = all[:min(len(all), narrowest)]
	slices.SortStableFunc(l.Narrow, func(a, b Choice) int { return a.Ply - b.Ply })
	return l, nil
}
