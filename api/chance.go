package api

// ChanceProbe is a position of a game of chance with the probability of winning it,
// and its moves with theirs.
type ChanceProbe struct {
	Rules    Rules   `json:"rules"`
	Kind     string  `json:"kind" enum:"chance"`
	Position string  `json:"position" doc:"The position in canonical form: the mover's score, the other's, and what the turn has gathered. When moves have ended the game, the other's score is 100 or more, and no question can begin there." example:"0,0,20"`
	Terminal bool    `json:"terminal" doc:"Whether the game is over, which only moves can bring about: no position that is written is."`
	PWin     float64 `json:"p_win" minimum:"0" maximum:"1" doc:"The probability that the side to move wins, when both play to win; within 0.0001."`
	// HoldAt are the turn totals at which to hold at the scores at hand, ascending.
	HoldAt []Interval   `json:"hold_at" nullable:"false" doc:"At the scores at hand, the turn totals at which holding is optimal. Elsewhere rolling is."`
	Moves  []ChanceMove `json:"moves" nullable:"true" doc:"The moves, best first; empty when the game is over; null when a batch asks for none."`
}

// Interval is a range of whole numbers, both ends in it.
type Interval struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// ChanceMove is a legal move with the probability that who makes it wins.
type ChanceMove struct {
	Move     string          `json:"move" enum:"roll,hold"`
	Index    int             `json:"index" doc:"The move's place in the published order, from 0."`
	PWin     float64         `json:"p_win" minimum:"0" maximum:"1" doc:"The probability that who makes the move wins."`
	Optimal  bool            `json:"optimal" doc:"Whether no move is better."`
	Outcomes []ChanceOutcome `json:"outcomes" nullable:"false" doc:"What can come of it, each as it is written in a list of moves."`
}

// ChanceOutcome is what can come of a move.
type ChanceOutcome struct {
	Move        string      `json:"move" doc:"The move with its outcome." example:"roll-4"`
	Probability float64     `json:"probability" minimum:"0" maximum:"1"`
	Child       ChanceChild `json:"child" doc:"The position after it."`
}

// ChanceChild is the position after a move.
type ChanceChild struct {
	Position *string `json:"position" doc:"Null when the game is over, as no position is written for that."`
	Terminal bool    `json:"terminal"`
	Passes   bool    `json:"passes" doc:"Whether it is the other side's turn then."`
	PWin     float64 `json:"p_win" minimum:"0" maximum:"1" doc:"The probability that the side then to move wins."`
}

// ChanceLine is a line of optimal play, up to where chance has its say.
type ChanceLine struct {
	Rules    Rules        `json:"rules"`
	Kind     string       `json:"kind" enum:"chance"`
	Position string       `json:"position"`
	PWin     float64      `json:"p_win" minimum:"0" maximum:"1"`
	Line     []ChanceStep `json:"line" nullable:"false" doc:"The moves, from ply 1: each the best one."`
	End      string       `json:"end" enum:"terminal,limit,chance" doc:"Why the line ends: chance when the best move then is to roll."`
}

// ChanceStep is one move of a line; position and the rest are those after the move.
type ChanceStep struct {
	Ply      int     `json:"ply" doc:"From 1."`
	Move     string  `json:"move"`
	Position *string `json:"position" doc:"Null when the game is over."`
	PWin     float64 `json:"p_win" minimum:"0" maximum:"1" doc:"The probability that the side then to move wins."`
}

// Ruleset returns what the answer holds for.
func (p *ChanceProbe) Ruleset() Rules { return p.Rules }

// Best returns the probe with its optimal moves only.
func (p *ChanceProbe) Best() Probe {
	best := *p
	best.Moves = optimal(p.Moves, func(m *ChanceMove) bool { return m.Optimal })
	return &best
}

// Choices returns the moves, best first.
func (p *ChanceProbe) Choices() []Choice {
	return choices(p.Moves, func(m *ChanceMove) Choice { return Choice{m.Move, m.Optimal} })
}

// AllMoves says whether Choices has every legal move.
func (p *ChanceProbe) AllMoves() bool { return p.Moves != nil }

// Canonical returns the question that the answer is to.
func (p *ChanceProbe) Canonical() Canonical { return Canonical{Position: p.Position} }

// Ruleset returns what the answer holds for.
func (l *ChanceLine) Ruleset() Rules { return l.Rules }

// Length returns the number of steps.
func (l *ChanceLine) Length() int { return len(l.Line) }

// Canonical returns the question that the answer is to.
func (l *ChanceLine) Canonical() Canonical { return Canonical{Position: l.Position} }
