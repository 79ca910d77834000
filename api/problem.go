package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"solved/rules"
)

// ProblemType is the name of a kind of failure: the last part of a problem's
// type reference.
type ProblemType string

// The problem types of the contract.
const (
	MalformedPosition ProblemType = "malformed-position"
	MalformedMove     ProblemType = "malformed-move"
	BadParameter      ProblemType = "bad-parameter"
	BadBody           ProblemType = "bad-body"
	UnknownRules      ProblemType = "unknown-rules"
	NotFound          ProblemType = "not-found"
	MethodNotAllowed  ProblemType = "method-not-allowed"
	RulesMismatch     ProblemType = "rules-mismatch"
	BatchTooLarge     ProblemType = "batch-too-large"
	URITooLong        ProblemType = "uri-too-long"
	UnsupportedMedia  ProblemType = "unsupported-media-type"
	IllegalPosition   ProblemType = "illegal-position"
	IllegalMove       ProblemType = "illegal-move"
	PositionTooLarge  ProblemType = "position-too-large"
	RateLimited       ProblemType = "rate-limited"
	Internal          ProblemType = "internal"
	TableUnavailable  ProblemType = "table-unavailable"
	// Overloaded is not in the first version of the contract's text: the limit on
	// requests in flight needs an answer of its own.
	Overloaded ProblemType = "overloaded"
)

// failure is a row of the one table from a kind of failure to what a client
// and the log see of it.
type failure struct {
	status int
	title  string
	level  slog.Level
	// meaning and remedy are what the type's page says: what has happened, and
	// what to do about it.
	meaning, remedy string
}

// failures is that table. What a client got wrong is of no interest to the
// operator; what we got wrong is.
var failures = map[ProblemType]failure{
	MalformedPosition: {400, "Malformed position", slog.LevelInfo,
		"The text is neither a position string nor a key, or the key is past the end of its section, or the position is larger than any that can be named.",
		"Look at the byte at offset; detail says what was expected there. The ruleset's start and examples show how positions are written, and its bounds say how large they may be."},
	MalformedMove: {400, "Malformed move", slog.LevelInfo,
		"A move in the list is not written as a move, or the list is too long.",
		"Look at the byte at offset of the list; detail says what was expected there. Moves are separated by single commas."},
	BadParameter: {400, "Bad parameter", slog.LevelInfo,
		"A parameter is unknown here, given twice, or has a value that it cannot have.",
		"Correct the parameter that is named. Unknown ones are refused so that a misspelt one does not quietly mean its default."},
	BadBody: {400, "Bad body", slog.LevelInfo,
		"The body is not the JSON that a batch is made of, or names no position.",
		"Look at the byte at offset; detail says what was expected there. A batch is {\"positions\": [\"…\"], \"moves\": false}."},
	UnknownRules: {404, "Unknown rules", slog.LevelInfo,
		"The address names a ruleset that this build does not know.",
		"Use a name or a tag from the list of known ones, or ask /v1/rules."},
	NotFound: {404, "Not found", slog.LevelInfo,
		"There is nothing at this address.",
		"Check the path; it has no trailing slash. The rulesets are listed at /v1/rules."},
	MethodNotAllowed: {405, "Method not allowed", slog.LevelInfo,
		"The address exists, but not for this method.",
		"Use one of the methods in the Allow header."},
	RulesMismatch: {409, "Rules mismatch", slog.LevelInfo,
		"The question is for other rules than the address, or no table for the ruleset is configured here.",
		"Address the ruleset that the position was written for. The answer under another one would be wrong, not just different."},
	BatchTooLarge: {413, "Batch too large", slog.LevelInfo,
		"The batch has more positions, or more bytes, than limit.",
		"Split the batch."},
	UnsupportedMedia: {415, "Unsupported media type", slog.LevelInfo,
		"The body is said to be something else than plain JSON in UTF-8.",
		"Send the header Content-Type: application/json, and no Content-Encoding."},
	URITooLong: {414, "URI too long", slog.LevelInfo,
		"The address is longer than any question needs to be.",
		"Ask from a later position instead of with a longer list of moves."},
	IllegalPosition: {422, "Illegal position", slog.LevelInfo,
		"The text reads as a position, but no such position belongs to the game; reason says why.",
		"Correct what the reason names; detail explains it."},
	IllegalMove: {422, "Illegal move", slog.LevelInfo,
		"A move in the list cannot be played where it stands.",
		"Choose among the legal moves that are given; there are none after the end of the game."},
	PositionTooLarge: {422, "Position too large", slog.LevelInfo,
		"The position belongs to the game, but to work out its value would take more than is spent on a question.",
		"Ask about a smaller position; detail says what the bound is, and the ruleset's bounds say which positions are worked out. Asking again does not help."},
	RateLimited: {429, "Rate limited", slog.LevelInfo,
		"You have asked for more than your share, which is counted in positions. A probe costs one, a batch as many as it has positions, a line its steps, and an answer that turns out unchanged one. What takes more work costs more: one for each 200 look-ups of a search, for each 100 moves of a list, and for each 8 KiB of an answer beyond its positions.",
		"Ask again after the number of seconds in the Retry-After header. Answers may be kept for a day; batches save time, not share."},
	Overloaded: {503, "Overloaded", slog.LevelWarn,
		"The server has as much to do as it takes on at once, or the request takes more work, memory or time than one request is given. In the answer to a batch, that is so of the position in whose place the problem stands, and of those after it.",
		"Ask again after the number of seconds in the Retry-After header; of a batch, ask for the positions that were not answered, in a smaller batch."},
	Internal: {500, "Internal error", slog.LevelError,
		"The server has made a mistake. It is in its log under the request id.",
		"Tell the operator the request id. Asking again may or may not help."},
	TableUnavailable: {503, "Table unavailable", slog.LevelWarn,
		"The table for this ruleset is still being verified, or a read of it has failed and no embedded table can answer.",
		"Ask again after the number of seconds in the Retry-After header."},
}

// ProblemTypes returns every type, in order of their names.
func ProblemTypes() []ProblemType { return slices.Sorted(maps.Keys(failures)) }

// Level returns the level at which a failure of this type is logged.
func (t ProblemType) Level() slog.Level { return failures[t].level }

// Status returns the HTTP status of a failure of this type.
func (t ProblemType) Status() int { return failures[t].status }

// problemPath is where the pages of the types are.
const problemPath = "/problems/"

// Known says whether the type is one of the contract's.
func (t ProblemType) Known() bool {
	_, ok := failures[t]
	return ok
}

// Title returns the title of all problems of this type.
func (t ProblemType) Title() string { return failures[t].title }

// Meaning returns sentences that say what has happened.
func (t ProblemType) Meaning() string { return failures[t].meaning }

// Remedy returns sentences that say what the client can do.
func (t ProblemType) Remedy() string { return failures[t].remedy }

// Reference returns the relative reference that names the type in a problem.
func (t ProblemType) Reference() string { return problemPath + string(t) }

// Problem is a failure as a client sees it: RFC 9457 problem details. Which of
// the fields after Detail are present depends on the type.
type Problem struct {
	Type   string `json:"type" format:"uri-reference" example:"/problems/illegal-move"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail" doc:"What is wrong and where, in words to act on."`

	Position  *string      `json:"position,omitempty" doc:"The position as received."`
	Ply       *int         `json:"ply,omitempty" doc:"The move's place in the list of moves, from 1."`
	Move      *string      `json:"move,omitempty" doc:"The move as received."`
	Offset    *int         `json:"offset,omitempty" doc:"The byte in the decoded value."`
	Reason    *string      `json:"reason,omitempty" doc:"Why the position is illegal, for programs."`
	Legal     []string     `json:"legal,omitzero" nullable:"false" doc:"The legal moves there."`
	Parameter *string      `json:"parameter,omitempty" doc:"The name of the parameter."`
	Known     []Rules      `json:"known,omitzero" nullable:"false" doc:"The rulesets of this build."`
	Asked     *string      `json:"asked,omitempty" doc:"The tag asked for."`
	Loaded    *LoadedTag   `json:"loaded,omitempty" nullable:"true" doc:"The tag of the ruleset that would answer; null when there is no table."`
	Limit     *int         `json:"limit,omitempty" doc:"The limit that was exceeded."`
	Tables    []TableState `json:"tables,omitzero" nullable:"false" doc:"The state of each table."`
	RequestID *string      `json:"request_id,omitempty" doc:"The request's id in the server's log."`

	retryAfter int   // seconds
	cause      error // for the log only
}

// LoadedTag is a tag, or null when it is empty: the ruleset has no table here.
type LoadedTag string

// MarshalJSON writes the tag, or null.
func (t LoadedTag) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

// RetryAfter returns after how many seconds to ask again, 0 where nothing is known of
// that.
func (p *Problem) RetryAfter() int { return p.retryAfter }

// Cause returns the error behind a failure of the server, nil for none. It is for the
// log: its text is not for the client.
func (p *Problem) Cause() error { return p.cause }

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

// Kind returns the type without its path, also of a problem that was read from
// an answer.
func (p *Problem) Kind() ProblemType {
	return ProblemType(strings.TrimPrefix(p.Type, problemPath))
}

// NewProblem returns a problem of a kind whose detail is formatted as by fmt.Sprintf.
func NewProblem(kind ProblemType, format string, args ...any) *Problem {
	row := failures[kind]
	p := &Problem{
		Type:   kind.Reference(),
		Title:  row.title,
		Status: row.status,
		Detail: fmt.Sprintf(format, args...),
	}
	if row.status == 503 {
		p.retryAfter = 1 // verifying takes less, and overload passes
	}
	return p
}

// ProblemOf turns an error into the problem that a client sees. What is
// neither a problem nor one of the errors a Prober may return becomes an
// internal error, whose text stays here.
func ProblemOf(err error) *Problem {
	var problem *Problem
	var malformedPosition *rules.MalformedPositionError
	var illegalPosition *rules.IllegalPositionError
	var malformedMove *rules.MalformedMoveError
	var illegalMove *rules.IllegalMoveError
	var beyond *rules.BeyondBoundError
	switch {
	case errors.As(err, &problem):
		return problem
	case errors.As(err, &malformedPosition):
		e := malformedPosition
		p := NewProblem(MalformedPosition, "The position does not parse: at byte %d, %s.", e.Offset, e.Detail)
		p.Position, p.Offset = &e.Position, &e.Offset
		return p
	case errors.As(err, &illegalPosition):
		e := illegalPosition
		p := NewProblem(IllegalPosition, "The position is illegal (%s): %s.", e.Reason, e.Detail)
		p.Position, p.Reason = &e.Position, &e.Reason
		return p
	case errors.As(err, &beyond):
		p := NewProblem(PositionTooLarge, "The position is too large to be worked out here: %s.", beyond.Detail)
		p.Position = &beyond.Position
		return p
	case errors.As(err, &malformedMove):
		e := malformedMove
		p := NewProblem(MalformedMove, "Move %d does not parse: at byte %d of the list of moves, %s.", e.Ply, e.Offset, e.Detail)
		p.Ply, p.Move, p.Offset = &e.Ply, &e.Move, &e.Offset
		return p
	case errors.As(err, &illegalMove):
		e := illegalMove
		p := NewProblem(IllegalMove, "Move %d cannot be played there: %s.", e.Ply, e.Detail)
		p.Ply, p.Move, p.Legal = &e.Ply, &e.Move, e.Legal
		if p.Legal == nil {
			p.Legal = []string{}
		}
		return p
	case errors.Is(err, ErrUnavailable):
		p := NewProblem(TableUnavailable, "The table for this ruleset cannot be asked now. Try again in a moment.")
		p.cause = err
		return p
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		// The client has gone, or the time for the answer is up: the same question may
		// succeed when less is asked.
		return OverloadedProblem("The answer could not be worked out in time. Try again in a moment.")
	}
	p := NewProblem(Internal, "Something went wrong on our side. The request id names the entry in our log.")
	p.cause = err
	return p
}

// OverloadedProblem says what there is too much of, for a request that is refused before it
// comes to the handler.
func OverloadedProblem(detail string) *Problem { return NewProblem(Overloaded, "%s", detail) }

// RateLimitedProblem says that a request costs more positions than are left of its
// client's share, and after how many seconds it may be asked again.
func RateLimitedProblem(cost, seconds int) *Problem {
	p := NewProblem(RateLimited, "This request costs %d positions, more than is left of your share. Ask again in %d seconds.", cost, seconds)
	p.retryAfter = seconds
	return p
}

// BatchTooLargeProblem says that a batch has more than the limit of what its detail names.
func BatchTooLargeProblem(limit int, format string, args ...any) *Problem {
	p := NewProblem(BatchTooLarge, format, args...)
	p.Limit = &limit
	return p
}

// BadParameterProblem says what is wrong with the parameter of a name.
func BadParameterProblem(name, format string, args ...any) *Problem {
	p := NewProblem(BadParameter, format, args...)
	p.Parameter = &name
	return p
}

func mismatch(asked, loaded string, format string, args ...any) *Problem {
	p := NewProblem(RulesMismatch, format, args...)
	tag := LoadedTag(loaded)
	p.Asked, p.Loaded = &asked, &tag
	return p
}

// NoTableProblem says that there is no table for a ruleset.
func NoTableProblem(id Rules) *Problem {
	return mismatch(id.Tag, "", "No table for %s (%s) is configured here.", id.Name, id.Tag)
}

// UnknownRulesProblem says that asked is not one of the known rulesets, and which of
// them may be meant. Their list is the problem's member known.
func UnknownRulesProblem(asked string, known []Rules) *Problem {
	detail := fmt.Sprintf("There is no ruleset \"%s\" here.", asked)
	if name := nearest(asked, known); name != "" {
		detail += fmt.Sprintf(" Did you mean \"%s\"?", name)
	}
	p := NewProblem(UnknownRules, "%s", detail)
	p.Known = known
	return p
}

// nearest returns the name of the ruleset that may be meant: the shortest that has the
// text as a part of it, or that which takes the fewest changes of a letter if these are
// few, or the shortest that is a part of the text. It is empty if there is none. A tag is
// never taken for another, as each of its digits counts.
func nearest(asked string, known []Rules) string {
	const longest = 64 // bytes; comparing takes as long as both texts multiplied
	if _, err := rules.ParseTag(asked); err == nil || len(asked) > longest {
		return ""
	}
	asked = strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(asked))
	shorter := func(name, than string) bool { return than == "" || len(name) < len(than) }
	var whole, alike, part string
	least := max(2, len(asked)/3) + 1 // changes; so many make another word
	for _, k := range known {
		if len(asked) >= 3 && strings.Contains(k.Name, asked) && shorter(k.Name, whole) {
			whole = k.Name
		}
		if changes := levenshtein.ComputeDistance(asked, k.Name); changes < least {
			alike, least = k.Name, changes
		}
		if strings.Contains(asked, k.Name) && shorter(k.Name, part) {
			part = k.Name
		}
	}
	return cmp.Or(whole, alike, part)
}
