package tictacchec

import (
	"iter"

	"solved/rules"
)

// Game is a ruleset as those see it that know no game by name.
type Game struct{ *Rules }

// About describes the ruleset.
func (g Game) About() rules.About {
	return rules.About{Name: g.ruleset.Name, Tag: g.ruleset.Tag, Game: "Tic Tac Chec", Title: g.title, Summary: g.summary}
}

// Start returns the empty board.
func (g Game) Start() rules.Position { return View{g.Rules, Start()} }

// Parse reads a position string or a key.
func (g Game) Parse(text string) (rules.Position, error) {
	p, _, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return View{g.Rules, p}, nil
}

// View is a position together with the rules that say how it goes on from there.
type View struct {
	rules    *Rules
	position Position
}

// String returns the position string.
func (v View) String() string { return v.position.String() }

// Diagram draws the board, the hands, and the side to move.
func (v View) Diagram() string { return v.position.Diagram() }

// Result returns Loss when the game is over, since only the side that has moved can have
// finished a line, and Unknown as long as it goes on.
func (v View) Result() rules.Value {
	if v.position.Terminal() {
		return rules.Loss
	}
	return rules.Unknown
}

// Moves yields the legal moves in the published order.
func (v View) Moves() iter.Seq[string] {
	return func(yield func(string) bool) {
		var space [MaxMoves]Move
		for _, m := range v.rules.Moves(v.position, space[:0]) {
			if !yield(m.String()) {
				return
			}
		}
	}
}

// Play returns the position after a move. The other side is always to move then.
func (v View) Play(move string) (rules.Position, bool, error) {
	m, err := v.rules.ParseMove(v.position, move)
	if err != nil {
		return nil, false, err
	}
	return View{v.rules, v.rules.Play(v.position, m)}, true, nil
}
