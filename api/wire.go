package api

import "encoding/json"

// Version is the version of the contract. It is part of every ETag, so that it changes
// with the answers, too, and not only with their form.
const Version = "1.4"

// The types here are the JSON of the contract, field for field and in order.
// Every field is always present; a pointer that is nil is written as null.

// Rules names the ruleset that an answer holds for.
type Rules struct {
	Name string `json:"name" doc:"The ruleset's name in addresses." example:"tic-tac-chec"`
	Tag  string `json:"tag" doc:"0x and eight lower-case hexadecimal digits." example:"0x54544303"`
}

// Ruleset describes a ruleset and the table that answers for it here.
type Ruleset struct {
	Name    string  `json:"name" doc:"The ruleset's name in addresses." example:"tic-tac-chec"`
	Tag     string  `json:"tag" doc:"0x and eight lower-case hexadecimal digits." example:"0x54544303"`
	Kind    string  `json:"kind" enum:"pieces,marks,grundy,misere,chance" doc:"Of which kind the answers about it are."`
	Game    string  `json:"game" doc:"The game that the rules are a reading of."`
	Title   string  `json:"title" doc:"The ruleset's name for people."`
	Summary string  `json:"summary" doc:"One or two sentences about the rules."`
	Bounds  *string `json:"bounds" doc:"Which positions can be asked about, and how far they are worked out: sizes, values, moves and distances; null where every position of the game has all of these."`
	Start   string  `json:"start" doc:"The position that the game starts from."`
	Table   *Table  `json:"table" doc:"The table that answers here; null when none is configured."`
}

// Table describes a loaded table.
type Table struct {
	// Source is how the values are held: SourceEmbedded, SourceMapped,
	// SourceMemory, SourceClosedForm or SourceSearch.
	Source string `json:"source" enum:"embedded,mapped,memory,closed-form,search" doc:"How the values are held, or where they come from without a table: from a closed form (as far as there is one), or from a search of each position."`
	// Format is nil for a closed form, as all is that only a file or a table has.
	Format *string `json:"format" doc:"The magic of the file format; null where there is no table."`
	// File is the base name, nil when the table is embedded.
	File *string `json:"file" doc:"The file's base name; null when embedded."`
	// ContentSHA256 is nil until the table is verified.
	ContentSHA256 *string `json:"content_sha256" doc:"SHA-256, in lower-case hex, of the file, in the plain form of its format, that holds the same values (for a table of wins, losses and draws the .ttb file); null until verified."`
	CRC64         *string `json:"crc64" doc:"CRC-64/XZ of the file loaded, in lower-case hex; null until verified."`
	// MainPositions and OpeningPositions count the positions of the two sections of a
	// table; one that has only one section has OpeningPositions nil.
	MainPositions    *uint64 `json:"main_positions" doc:"Positions of the main phase, or of the whole game if it has no opening apart; null where there is no table."`
	OpeningPositions *uint64 `json:"opening_positions" doc:"Positions of the opening; null where the table has none apart."`
	Decisive         *uint64 `json:"decisive" doc:"Wins and losses among all positions; null where the values are others."`
	LoadedAt         string  `json:"loaded_at" format:"date-time" doc:"When the table was loaded, RFC 3339 UTC."`
	LoadSeconds      float64 `json:"load_seconds" doc:"How long opening and verifying it took."`
}

// The values of Table.Source: what holds the values.
const (
	SourceEmbedded   = "embedded"
	SourceMapped     = "mapped"
	SourceMemory     = "memory"
	SourceClosedForm = "closed-form" // at least of some positions
	SourceSearch     = "search"
)

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
	Probe   Probe    `json:"probe"`
	Problem *Problem `json:"problem"`
}

// UnmarshalJSON reads a result, whatever kind its probe is of.
func (r *BatchResult) UnmarshalJSON(text []byte) error {
	var parts struct {
		Probe   json.RawMessage `json:"probe"`
		Problem *Problem        `json:"problem"`
	}
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	*r = BatchResult{Problem: parts.Problem}
	if len(parts.Probe) == 0 || string(parts.Probe) == "null" {
		return nil
	}
	p, err := DecodeProbe(parts.Probe)
	if err == nil {
		r.Probe = p
	}
	return err
}
