package api

// GrundyProbe is a position of an impartial game with its value and moves with
// theirs.
type GrundyProbe struct {
	Rules    Rules  `json:"rules"`
	Kind     string `json:"kind" enum:"grundy"`
	Position string `json:"position" doc:"The position in canonical form." example:"3,5,7"`
	Board    *Board `json:"board" doc:"The cells, with the marks X; null in a game without a board, as Nim, and for more than 100 cells."`
	Terminal bool   `json:"terminal" doc:"Whether the game is over: there is no move, and the player to move has lost."`
	Value    string `json:"value" enum:"win,loss" doc:"The value for the side to move."`
	// Grundy is nil for a position that has no Grundy value.
	Grundy   *uint64 `json:"grundy" doc:"The Grundy value, which is zero exactly in a loss. It may be as great as 2⁶³−1, which not every reader of JSON numbers keeps exactly. Null where the position has none: in a game that a player wins by completing something, when the next move can do that, or the last move has."`
	Source   string  `json:"source" enum:"closed-form,search" doc:"How the value is known: by a theorem, or by a search of the positions below."`
	Distance *int    `json:"distance" doc:"Plies to the end when the winner hurries and the loser delays; null where that is more than is worked out here, as the ruleset's bounds say."`
	// MovesComplete says whether Moves has every legal move.
	MovesComplete bool         `json:"moves_complete" doc:"Whether moves lists every legal move. Where there are more than 1,000, or to work all of them out is too much, it is false, and moves lists those that are known to win. So a lost position may have no move in the list and not be terminal. Where a batch asks for no moves, it is false, too."`
	Moves         []GrundyMove `json:"moves" nullable:"true" doc:"The moves, best first; all of them only if moves_complete. Empty when the game is over, and in a lost position whose moves are too many: only terminal tells the two apart. Null when a batch asks for none."`
}

// GrundyMove is a legal move with its value for the player who makes it.
type GrundyMove struct {
	Move           string      `json:"move" example:"2-4"`
	Value          string      `json:"value" enum:"win,loss" doc:"The value for the player who moves."`
	Distance       *int        `json:"distance" doc:"The child's distance and one more; null where the position's own distance is null."`
	Optimal        bool        `json:"optimal" doc:"Whether no move is known to be better: by distance where all distances are given, else by value."`
	PreservesValue bool        `json:"preserves_value" doc:"Whether the move's value equals the position's."`
	Child          GrundyChild `json:"child" doc:"The position after the move."`
}

// GrundyChild is the position after a move.
type GrundyChild struct {
	Position string  `json:"position"`
	Terminal bool    `json:"terminal"`
	Value    string  `json:"value" enum:"win,loss" doc:"The value for the player then to move."`
	Grundy   *uint64 `json:"grundy" doc:"Null where the position has no Grundy value."`
	Distance *int    `json:"distance" doc:"Given where that of the position asked about is. Where it is null, a probe of the child itself may give a number, as the bound is on what is asked about."`
}

// GrundyLine is a line of optimal play.
type GrundyLine struct {
	Rules    Rules        `json:"rules"`
	Kind     string       `json:"kind" enum:"grundy"`
	Position string       `json:"position"`
	Value    string       `json:"value" enum:"win,loss"`
	Grundy   *uint64      `json:"grundy" doc:"Null where the position has no Grundy value."`
	Distance *int         `json:"distance" doc:"As a probe gives it."`
	Line     []GrundyStep `json:"line" nullable:"false" doc:"The moves, from ply 1: each the first of the best moves that are listed, as a probe gives them."`
	End      string       `json:"end" enum:"terminal,limit,bound" doc:"Why the line ends: bound where to find the best move would take more than is spent on a question."`
}

// GrundyStep is one move of a line; position and the rest are those after the move.
type GrundyStep struct {
	Ply      int     `json:"ply" doc:"From 1."`
	Move     string  `json:"move"`
	Position string  `json:"position"`
	Value    string  `json:"value" enum:"win,loss" doc:"The value for the player then to move."`
	Grundy   *uint64 `json:"grundy" doc:"Null where the position has no Grundy value."`
	Distance *int    `json:"distance" doc:"Null where a probe of the position gives none."`
}

// Ruleset returns what the answer holds for.
func (p *GrundyProbe) Ruleset() Rules { return p.Rules }

// Best returns the probe with its optimal moves only.
func (p *GrundyProbe) Best() Probe {
	best := *p
	best.Moves = optimal(p.Moves, func(m *GrundyMove) bool { return m.Optimal })
	return &best
}

// Choices returns the moves, best first.
func (p *GrundyProbe) Choices() []Choice {
	return choices(p.Moves, func(m *GrundyMove) Choice { return Choice{m.Move, m.Optimal} })
}

// AllMoves says whether Choices has every legal move.
func (p *GrundyProbe) AllMoves() bool { return p.MovesComplete }

// Canonical returns the question that the answer is to.
func (p *GrundyProbe) Canonical() Canonical { return Canonical{Position: p.Position} }

// Ruleset returns what the answer holds for.
func (l *GrundyLine) Ruleset() Rules { return l.Rules }

// Length returns the number of steps.
func (l *GrundyLine) Length() int { return len(l.Line) }

// Canonical returns the question that the answer is to.
func (l *GrundyLine) Canonical() Canonical { return Canonical{Position: l.Position} }
