package api

// The types here are the JSON of the contract, field for field and in order.
// Every field is always present; a pointer that is nil is written as null.

// Rules names the ruleset that an answer holds for.
type Rules struct {
	Name string `json:"name" doc:"The ruleset's name in addresses." example:"tic-tac-chec"`
	Tag  string `json:"tag" doc:"0x and eight lower-case hexadecimal digits." example:"0x54544303"`
}

// Ruleset describes a ruleset and the table that answers for it here.
type Ruleset struct {
	Name    string `json:"name" doc:"The ruleset's name in addresses." example:"tic-tac-chec"`
	Tag     string `json:"tag" doc:"0x and eight lower-case hexadecimal digits." example:"0x54544303"`
	Game    string `json:"game" doc:"The game that the rules are a reading of."`
	Title   string `json:"title" doc:"The ruleset's name for people."`
	Summary string `json:"summary" doc:"One or two sentences about the rules."`
	Start   string `json:"start" doc:"The position that the game starts from."`
	Table   *Table `json:"table" doc:"The table that answers here; null when none is configured."`
}

// Table describes a loaded table.
type Table struct {
	// Source is how the values are held: SourceEmbedded, SourceMapped,
	// SourceMemory or SourceClosedForm.
	Source string `json:"source" enum:"embedded,mapped,memory,closed-form" doc:"How the values are held."`
	Format string `json:"format" doc:"The magic of the file format."`
	// File is the base name, nil when the table is embedded.
	File *string `json:"file" doc:"The file's base name; null when embedded."`
	// ContentSHA256 is nil until the table is verified.
	ContentSHA256    *string `json:"content_sha256" doc:"SHA-256, in lower-case hex, of the .ttb file that holds the same values; null until verified."`
	CRC64            *string `json:"crc64" doc:"CRC-64/XZ of the file loaded, in lower-case hex; null until verified."`
	MainPositions    uint64  `json:"main_positions" doc:"Positions of the main phase."`
	OpeningPositions uint64  `json:"opening_positions" doc:"Positions of the opening."`
	Decisive         uint64  `json:"decisive" doc:"Wins and losses among all positions."`
	LoadedAt         string  `json:"loaded_at" format:"date-time" doc:"When the table was loaded, RFC 3339 UTC."`
	LoadSeconds      float64 `json:"load_seconds" doc:"How long opening and verifying it took."`
}

// The values of Table.Source.
const (
	SourceEmbedded   = "embedded"
	SourceMapped     = "mapped"
	SourceMemory     = "memory"
	SourceClosedForm = "closed-form"
)

// Probe is a position with its value and every move with its value.
type Probe struct {
	Rules       Rules    `json:"rules"`
	Position    string   `json:"position" doc:"The position in canonical form." example:"Pb2/n1R1/2rp/N3 w dd m"`
	Key         string   `json:"key" doc:"The position's key." example:"post:1059850930"`
	Normalised  bool     `json:"normalised" doc:"True when the position was named by a key that shows the mover as White."`
	SideToMove  string   `json:"side_to_move" enum:"white,black"`
	Hands       Hands    `json:"hands" doc:"The pieces in hand, in the order P, N, B, R."`
	Terminal    bool     `json:"terminal" doc:"Whether the game is over."`
	Winner      *string  `json:"winner" enum:"white,black" doc:"Who won; null while nobody has."`
	WinningLine []string `json:"winning_line" nullable:"true" doc:"The squares of the winning line, ascending; null while there is none."`
	Value       string   `json:"value" enum:"win,loss,draw" doc:"The value for the side to move."`
	Distance    *int     `json:"distance" doc:"Plies to the end under optimal play; null for a draw."`
	Moves       []Move   `json:"moves" nullable:"true" doc:"The moves, best first; empty when the game is over; null when a batch asks for none."`
}

// Hands are the pieces in hand, White's in upper and Black's in lower case.
type Hands struct {
	White string `json:"white" example:"B"`
	Black string `json:"black" example:""`
}

// Move is a legal move with its value for the player who makes it.
type Move struct {
	Move           string  `json:"move" example:"B@d1"`
	Index          int     `json:"index" doc:"The move's place in the published order, from 0."`
	Piece          string  `json:"piece" doc:"The kind of the piece, in upper case." example:"B"`
	From           *string `json:"from" doc:"The source square; null for a placement."`
	To             string  `json:"to" doc:"The target square." example:"d1"`
	Captures       *string `json:"captures" doc:"The captured piece's letter in its colour's case; null for none."`
	Value          string  `json:"value" enum:"win,loss,draw" doc:"The value for the player who moves."`
	Distance       *int    `json:"distance" doc:"The child's distance and one more; null for a draw."`
	Optimal        bool    `json:"optimal" doc:"Whether no move is better."`
	PreservesValue bool    `json:"preserves_value" doc:"Whether the move's value equals the position's."`
	Child          Child   `json:"child" doc:"The position after the move."`
}

// Child is the position after a move.
type Child struct {
	Position string `json:"position"`
	Key      string `json:"key"`
	Terminal bool   `json:"terminal"`
	Value    string `json:"value" enum:"win,loss,draw" doc:"The value for the player then to move."`
	Distance *int   `json:"distance"`
}

// Line is a line of optimal play.
type Line struct {
	Rules      Rules  `json:"rules"`
	Position   string `json:"position"`
	Key        string `json:"key"`
	Normalised bool   `json:"normalised"`
	SideToMove string `json:"side_to_move" enum:"white,black"`
	Value      string `json:"value" enum:"win,loss,draw"`
	Distance   *int   `json:"distance"`
	Line       []Step `json:"line" nullable:"false" doc:"The moves, from ply 1."`
	End        string `json:"end" enum:"terminal,cycle,limit" doc:"Why the line ends."`
	CycleStart *int   `json:"cycle_start" doc:"The ply at which the position that has just returned first stood; null unless the line ends in a cycle."`
}

// The values of Line.End.
const (
	EndTerminal = "terminal"
	EndCycle    = "cycle"
	EndLimit    = "limit"
)

// Step is one move of a line; position and the rest are those after the move.
type Step struct {
	Ply      int     `json:"ply" doc:"From 1."`
	Move     string  `json:"move"`
	Captures *string `json:"captures"`
	Position string  `json:"position"`
	Key      string  `json:"key"`
	Value    string  `json:"value" enum:"win,loss,draw" doc:"The value for the player then to move."`
	Distance *int    `json:"distance"`
}

// Example is a position worth a look.
type Example struct {
	Name     string `json:"name" example:"longest-win"`
	Position string `json:"position"`
	Summary  string `json:"summary" doc:"One sentence on what there is to see."`
}

// RulesetList is the answer of /v1/rules.
type RulesetList struct {
	Rules []Ruleset `json:"rules" nullable:"false"`
}

// ExampleList is the answer of /v1/{rules}/examples.
type ExampleList struct {
	Examples []Example `json:"examples" nullable:"false"`
}

// BatchRequest is the body of a batch.
type BatchRequest struct {
	Positions []string `json:"positions" nullable:"false" minItems:"1" maxItems:"1000" doc:"Position strings and keys."`
	Moves     bool     `json:"moves,omitempty" default:"false" doc:"Whether to answer with the moves, too."`
}

// BatchAnswer is the answer of a batch: a result for each position, in order.
type BatchAnswer struct {
	Results []BatchResult `json:"results" nullable:"false"`
}

// BatchResult is a probe, or the problem with the position; the other is nil.
type BatchResult struct {
	Probe   *Probe   `json:"probe"`
	Problem *Problem `json:"problem"`
}

// Best returns the probe with its optimal moves only, in the same order. The
// receiver is not changed.
func (p *Probe) Best() *Probe {
	best := *p
	best.Moves = make([]Move, 0, len(p.Moves))
	for _, m := range p.Moves {
		if m.Optimal {
			best.Moves = append(best.Moves, m)
		}
	}
	return &best
}
