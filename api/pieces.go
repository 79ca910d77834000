package api

// PiecesProbe is a position with its value and every move with its value.
type PiecesProbe struct {
	Rules      Rules  `json:"rules"`
	Kind       string `json:"kind" enum:"pieces"`
	Position   string `json:"position" doc:"The position in canonical form." example:"Pb2/n1R1/2rp/N3 w dd m"`
	Key        string `json:"key" doc:"The position's key." example:"post:1059850930"`
	Normalised bool   `json:"normalised" doc:"True when the position was named by a key that shows the mover as White."`
	Reachable  bool   `json:"reachable" doc:"Whether a game from the start can come to the position."`
	SideToMove string `json:"side_to_move" enum:"white,black"`
	Board      Board  `json:"board" doc:"The board: White's pieces are P, N, B, R, Black's p, n, b, r."`
	// PawnDirections is of the pawns on the board.
	PawnDirections PawnDirections `json:"pawn_directions" doc:"Which way each side's pawn travels."`
	Hands          Hands          `json:"hands" doc:"The pieces in hand, in the order P, N, B, R."`
	Terminal       bool           `json:"terminal" doc:"Whether the game is over."`
	Winner         *string        `json:"winner" enum:"white,black" doc:"Who won; null while nobody has."`
	WinningLine    []string       `json:"winning_line" nullable:"true" doc:"The squares of the winning line, ascending; null while there is none."`
	Value          string         `json:"value" enum:"win,loss,draw" doc:"The value for the side to move."`
	Distance       *int           `json:"distance" doc:"Plies to the end under optimal play; null for a draw."`
	Moves          []PiecesMove   `json:"moves" nullable:"true" doc:"The moves, best first; empty when the game is over; null when a batch asks for none."`
}

// Hands are the pieces in hand, White's in upper and Black's in lower case.
type Hands struct {
	White string `json:"white" example:"B"`
	Black string `json:"black" example:""`
}

// PiecesMove is a legal move with its value for the player who makes it.
type PiecesMove struct {
	Move           string      `json:"move" example:"B@d1"`
	Index          int         `json:"index" doc:"The move's place in the published order, from 0."`
	Piece          string      `json:"piece" doc:"The kind of the piece, in upper case." example:"B"`
	From           *string     `json:"from" doc:"The source square; null for a placement."`
	To             string      `json:"to" doc:"The target square." example:"d1"`
	Captures       *string     `json:"captures" doc:"The captured piece's letter in its colour's case; null for none."`
	Value          string      `json:"value" enum:"win,loss,draw" doc:"The value for the player who moves."`
	Distance       *int        `json:"distance" doc:"The child's distance and one more; null for a draw."`
	Optimal        bool        `json:"optimal" doc:"Whether no move is better."`
	PreservesValue bool        `json:"preserves_value" doc:"Whether the move's value equals the position's."`
	Child          PiecesChild `json:"child" doc:"The position after the move."`
}

// PiecesChild is the position after a move.
type PiecesChild struct {
	Position string `json:"position"`
	Key      string `json:"key"`
	Terminal bool   `json:"terminal"`
	Value    string `json:"value" enum:"win,loss,draw" doc:"The value for the player then to move."`
	Distance *int   `json:"distance" doc:"Plies to the end under optimal play; null for a draw."`
}

// PiecesLine is a line of optimal play.
type PiecesLine struct {
	Rules      Rules        `json:"rules"`
	Kind       string       `json:"kind" enum:"pieces"`
	Position   string       `json:"position"`
	Key        string       `json:"key"`
	Normalised bool         `json:"normalised"`
	SideToMove string       `json:"side_to_move" enum:"white,black"`
	Value      string       `json:"value" enum:"win,loss,draw"`
	Distance   *int         `json:"distance" doc:"Plies to the end under optimal play; null for a draw."`
	Line       []PiecesStep `json:"line" nullable:"false" doc:"The moves, from ply 1. In a win or a loss each is the first of the best moves. In a draw it is the least move that draws, in an order of its own: placements by piece (P, N, B, R) and square, then moves by source and target square. So a line from a draw often begins with another move than the first of best, as good."`
	End        string       `json:"end" enum:"terminal,cycle,limit" doc:"Why the line ends."`
	CycleStart *int         `json:"cycle_start" doc:"The ply at which the position that has just returned first stood; null unless the line ends in a cycle."`
}

// PiecesStep is one move of a line; position and the rest are those after the move.
type PiecesStep struct {
	Ply      int     `json:"ply" doc:"From 1."`
	Move     string  `json:"move"`
	Captures *string `json:"captures"`
	Position string  `json:"position"`
	Key      string  `json:"key"`
	Value    string  `json:"value" enum:"win,loss,draw" doc:"The value for the player then to move."`
	Distance *int    `json:"distance" doc:"Plies to the end under optimal play; null for a draw."`
}

// Ruleset returns what the answer holds for.
func (p *PiecesProbe) Ruleset() Rules { return p.Rules }

// Best returns the probe with its optimal moves only.
func (p *PiecesProbe) Best() Probe {
	best := *p
	best.Moves = optimal(p.Moves, func(m *PiecesMove) bool { return m.Optimal })
	return &best
}

// Choices returns the moves, best first.
func (p *PiecesProbe) Choices() []Choice {
	return choices(p.Moves, func(m *PiecesMove) Choice { return Choice{m.Move, m.Optimal} })
}

// AllMoves says whether Choices has every legal move.
func (p *PiecesProbe) AllMoves() bool { return p.Moves != nil }

// Canonical returns the question that the answer is to.
func (p *PiecesProbe) Canonical() Canonical { return Canonical{p.Position, p.Normalised} }

// Ruleset returns what the answer holds for.
func (l *PiecesLine) Ruleset() Rules { return l.Rules }

// Length returns the number of steps.
func (l *PiecesLine) Length() int { return len(l.Line) }

// Canonical returns the question that the answer is to.
func (l *PiecesLine) Canonical() Canonical { return Canonical{l.Position, l.Normalised} }
