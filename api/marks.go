package api

// MarksProbe is a position of a game of marks with its value and every move with
// its value.
type MarksProbe struct {
	Rules       Rules       `json:"rules"`
	Kind        string      `json:"kind" enum:"marks"`
	Position    string      `json:"position" doc:"The position in canonical form." example:"X.O/.X./..O"`
	SideToMove  string      `json:"side_to_move" doc:"The mark that is made next." example:"X"`
	Board       Board       `json:"board" doc:"The board, with the marks X and O."`
	Terminal    bool        `json:"terminal" doc:"Whether the game is over."`
	Winner      *string     `json:"winner" nullable:"true" doc:"The mark that has won; null while none has."`
	WinningLine []string    `json:"winning_line" nullable:"true" doc:"The squares of a finished line, ascending; null while there is none."`
	Value       string      `json:"value" enum:"win,loss,draw" doc:"The value for the side to move."`
	Distance    *int        `json:"distance" doc:"Plies to the end under optimal play; null for a draw."`
	Moves       []MarksMove `json:"moves" nullable:"true" doc:"The moves, best first; empty when the game is over; null when a batch asks for none."`
}

// MarksMove is a legal move with its value for the player who makes it.
type MarksMove struct {
	Move           string     `json:"move" doc:"The square that is marked." example:"b2"`
	Index          int        `json:"index" doc:"The move's place in the published order, from 0."`
	Value          string     `json:"value" enum:"win,loss,draw" doc:"The value for the player who moves."`
	Distance       *int       `json:"distance" doc:"The child's distance and one more; null for a draw."`
	Optimal        bool       `json:"optimal" doc:"Whether no move is better."`
	PreservesValue bool       `json:"preserves_value" doc:"Whether the move's value equals the position's."`
	Child          MarksChild `json:"child" doc:"The position after the move."`
}

// MarksChild is the position after a move.
type MarksChild struct {
	Position string `json:"position"`
	Terminal bool   `json:"terminal"`
	Value    string `json:"value" enum:"win,loss,draw" doc:"The value for the player then to move."`
	Distance *int   `json:"distance" doc:"Plies to the end under optimal play; null for a draw."`
}

// MarksLine is a line of optimal play.
type MarksLine struct {
	Rules      Rules       `json:"rules"`
	Kind       string      `json:"kind" enum:"marks"`
	Position   string      `json:"position"`
	SideToMove string      `json:"side_to_move"`
	Value      string      `json:"value" enum:"win,loss,draw"`
	Distance   *int        `json:"distance" doc:"Plies to the end under optimal play; null for a draw."`
	Line       []MarksStep `json:"line" nullable:"false" doc:"The moves, from ply 1: each the first of the best moves, as a probe gives them."`
	End        string      `json:"end" enum:"terminal,limit" doc:"Why the line ends."`
}

// MarksStep is one move of a line; position and the rest are those after the move.
type MarksStep struct {
	Ply      int    `json:"ply" doc:"From 1."`
	Move     string `json:"move"`
	Position string `json:"position"`
	Value    string `json:"value" enum:"win,loss,draw" doc:"The value for the player then to move."`
	Distance *int   `json:"distance" doc:"Plies to the end under optimal play; null for a draw."`
}

// Ruleset returns what the answer holds for.
func (p *MarksProbe) Ruleset() Rules { return p.Rules }

// Best returns the probe with its optimal moves only.
func (p *MarksProbe) Best() Probe {
	best := *p
	best.Moves = optimal(p.Moves, func(m *MarksMove) bool { return m.Optimal })
	return &best
}

// Choices returns the moves, best first.
func (p *MarksProbe) Choices() []Choice {
	return choices(p.Moves, func(m *MarksMove) Choice { return Choice{m.Move, m.Optimal} })
}

// AllMoves says whether Choices has every legal move.
func (p *MarksProbe) AllMoves() bool { return p.Moves != nil }

// Canonical returns the question that the answer is to.
func (p *MarksProbe) Canonical() Canonical { return Canonical{Position: p.Position} }

// Ruleset returns what the answer holds for.
func (l *MarksLine) Ruleset() Rules { return l.Rules }

// Length returns the number of steps.
func (l *MarksLine) Length() int { return len(l.Line) }

// Canonical returns the question that the answer is to.
func (l *MarksLine) Canonical() Canonical { return Canonical{Position: l.Position} }
