package api

// MisereProbe is a position of a misère game, in which the player who makes the last move
// loses, with its value and its moves with theirs.
type MisereProbe struct {
	Rules    Rules   `json:"rules"`
	Kind     string  `json:"kind" enum:"misere"`
	Position string  `json:"position" doc:"The position in canonical form." example:"X../.../...,.X./.../..."`
	Boards   []Board `json:"boards" nullable:"true" doc:"The boards that the position consists of, in the order of the position string. A move names its board by its place in this list, from 1. Null in a game without boards, and for more than 100 squares in all."`
	Terminal bool    `json:"terminal" doc:"Whether the game is over: there is no move, and the player to move has won."`
	Value    string  `json:"value" enum:"win,loss" doc:"The value for the side to move."`
	// Quotient is a product of generators, such as "abc", or "1" for the identity.
	Quotient string `json:"quotient" doc:"The element of the game's misère quotient that the position belongs to, as a product of generators; 1 is the identity. In every sum of positions, positions of the same element can replace each other: the value of the sum stays the same." example:"abc"`
	Distance *int   `json:"distance" doc:"Plies to the end when the winner hurries and the loser delays; null where that is more than is worked out here, as the ruleset's bounds say."`
	// MovesComplete says whether Moves has every legal move.
	MovesComplete bool         `json:"moves_complete" doc:"Whether moves lists every legal move. Where there are more than 1,000, it is false, and moves lists at most 1,000 of those that are known to win. So a lost position may have no move in the list and not be terminal. Where a batch asks for no moves, it is false, too."`
	Moves         []MisereMove `json:"moves" nullable:"true" doc:"The moves, best first; all of them only if moves_complete. Empty when the game is over, and in a lost position whose moves are too many: only terminal tells the two apart. Null when a batch asks for none."`
}

// MisereMove is a legal move with its value for the player who makes it.
type MisereMove struct {
	Move           string      `json:"move" example:"1:b2"`
	Value          string      `json:"value" enum:"win,loss" doc:"The value for the player who moves."`
	Distance       *int        `json:"distance" doc:"The child's distance and one more; null where the position's own distance is null."`
	Optimal        bool        `json:"optimal" doc:"Whether no move is known to be better: by distance where all distances are given, else by value."`
	PreservesValue bool        `json:"preserves_value" doc:"Whether the move's value equals the position's."`
	Child          MisereChild `json:"child" doc:"The position after the move."`
}

// MisereChild is the position after a move.
type MisereChild struct {
	Position string `json:"position"`
	Terminal bool   `json:"terminal"`
	Value    string `json:"value" enum:"win,loss" doc:"The value for the player then to move."`
	Quotient string `json:"quotient" doc:"The position's element of the misère quotient." example:"ab"`
	Distance *int   `json:"distance" doc:"Given where that of the position asked about is. Where it is null, a probe of the child itself may give a number, as the bound is on what is asked about."`
}

// MisereLine is a line of optimal play.
type MisereLine struct {
	Rules    Rules        `json:"rules"`
	Kind     string       `json:"kind" enum:"misere"`
	Position string       `json:"position"`
	Value    string       `json:"value" enum:"win,loss"`
	Quotient string       `json:"quotient" doc:"The position's element of the misère quotient." example:"abc"`
	Distance *int         `json:"distance" doc:"As a probe gives it."`
	Line     []MisereStep `json:"line" nullable:"false" doc:"The moves, from ply 1: each the first of the best moves that are listed, as a probe gives them."`
	End      string       `json:"end" enum:"terminal,limit,bound" doc:"Why the line ends: bound where to find the best move would take more than is spent on a question."`
}

// MisereStep is one move of a line; position and the rest are those after the move.
type MisereStep struct {
	Ply      int    `json:"ply" doc:"From 1."`
	Move     string `json:"move"`
	Position string `json:"position"`
	Value    string `json:"value" enum:"win,loss" doc:"The value for the player then to move."`
	Quotient string `json:"quotient" doc:"The position's element of the misère quotient."`
	Distance *int   `json:"distance" doc:"Null where a probe of the position gives none."`
}

// Ruleset returns what the answer holds for.
func (p *MisereProbe) Ruleset() Rules { return p.Rules }

// Best returns the probe with its optimal moves only.
func (p *MisereProbe) Best() Probe {
	best := *p
	best.Moves = optimal(p.Moves, func(m *MisereMove) bool { return m.Optimal })
	return &best
}

// Choices returns the moves, best first.
func (p *MisereProbe) Choices() []Choice {
	return choices(p.Moves, func(m *MisereMove) Choice { return Choice{m.Move, m.Optimal} })
}

// AllMoves says whether Choices has every legal move.
func (p *MisereProbe) AllMoves() bool { return p.MovesComplete }

// Canonical returns the question that the answer is to.
func (p *MisereProbe) Canonical() Canonical { return Canonical{Position: p.Position} }

// Ruleset returns what the answer holds for.
func (l *MisereLine) Ruleset() Rules { return l.Rules }

// Length returns the number of steps.
func (l *MisereLine) Length() int { return len(l.Line) }

// Canonical returns the question that the answer is to.
func (l *MisereLine) Canonical() Canonical { return Canonical{Position: l.Position} }
