package api

import (
	"encoding/json"
	"fmt"
)

// Kind says what a ruleset's positions are worth and how that is said: each kind
// of answer has its own fields, and none that mean nothing in it.
type Kind string

// The kinds. A ruleset is of one of them, and so are all answers about it.
const (
	// KindPieces: win, loss or draw with a distance; pieces move, capture, and come
	// from a hand. PiecesProbe, PiecesLine.
	KindPieces Kind = "pieces"
	// KindMarks: win, loss or draw with a distance; marks are made and stay.
	// MarksProbe, MarksLine.
	KindMarks Kind = "marks"
	// KindGrundy: win or loss with a Grundy value, in a game in which both sides have
	// the same moves and the player who cannot move has lost, or in which the player who
	// completes something has won. GrundyProbe, GrundyLine.
	KindGrundy Kind = "grundy"
	// KindMisere: win or loss without a Grundy value, in a game in which both sides have
	// the same moves and the player who makes the last one has lost. MisereProbe, MisereLine.
	KindMisere Kind = "misere"
	// KindChance: the probability of winning. ChanceProbe, ChanceLine.
	KindChance Kind = "chance"
)

// Kinds lists the kinds in a fixed order.
func Kinds() []Kind { return []Kind{KindPieces, KindMarks, KindGrundy, KindMisere, KindChance} }

// Probe is a position with its value and, unless a batch asks for none, every move
// with its value: a *PiecesProbe, *MarksProbe, *GrundyProbe, *MisereProbe or
// *ChanceProbe. Its field kind says which.
type Probe interface {
	// Ruleset returns what the answer holds for.
	Ruleset() Rules
	// Best returns the probe with its optimal moves only, in the same order. The
	// receiver is not changed, and shares them.
	Best() Probe
	// Choices returns the moves, best first, as they are written; nil if there are
	// none because a batch asked for none.
	Choices() []Choice
	// AllMoves says whether Choices has every legal move.
	AllMoves() bool
	// Canonical returns the question that the answer is to.
	Canonical() Canonical
}

// Choice is a move of a Probe.
type Choice struct {
	Move    string
	Optimal bool
}

// Line is a line of optimal play: a *PiecesLine, *MarksLine, *GrundyLine, *MisereLine
// or *ChanceLine.
type Line interface {
	// Ruleset returns what the answer holds for.
	Ruleset() Rules
	// Length returns the number of steps.
	Length() int
	// Canonical returns the question that the answer is to.
	Canonical() Canonical
}

// The ends of a line.
const (
	EndTerminal = "terminal" // of the game
	EndCycle    = "cycle"    // a position has returned
	EndLimit    = "limit"    // there are as many steps as were asked for
	EndChance   = "chance"   // the best move is one whose effect is left to chance
	EndBound    = "bound"    // to find the best move would take more than is spent on a question
)

// Searched says whether positions of the kind can take a search, or have answers of many
// sizes. All others are light.
func (k Kind) Searched() bool { return k == KindGrundy || k == KindMisere }

// NewProbe returns an empty probe of a kind, nil if there is no such kind.
func (k Kind) NewProbe() Probe {
	switch k {
	case KindPieces:
		return new(PiecesProbe)
	case KindMarks:
		return new(MarksProbe)
	case KindGrundy:
		return new(GrundyProbe)
	case KindMisere:
		return new(MisereProbe)
	case KindChance:
		return new(ChanceProbe)
	}
	return nil
}

// NewLine returns an empty line of a kind, nil if there is no such kind.
func (k Kind) NewLine() Line {
	switch k {
	case KindPieces:
		return new(PiecesLine)
	case KindMarks:
		return new(MarksLine)
	case KindGrundy:
		return new(GrundyLine)
	case KindMisere:
		return new(MisereLine)
	case KindChance:
		return new(ChanceLine)
	}
	return nil
}

// DecodeProbe reads a probe of whatever kind from its JSON.
func DecodeProbe(text []byte) (Probe, error) {
	kind, err := kindOf(text)
	if err != nil {
		return nil, err
	}
	p := kind.NewProbe()
	if p == nil {
		return nil, unknownKind(kind)
	}
	return p, json.Unmarshal(text, p)
}

// DecodeLine reads a line of whatever kind from its JSON.
func DecodeLine(text []byte) (Line, error) {
	kind, err := kindOf(text)
	if err != nil {
		return nil, err
	}
	l := kind.NewLine()
	if l == nil {
		return nil, unknownKind(kind)
	}
	return l, json.Unmarshal(text, l)
}

func kindOf(text []byte) (Kind, error) {
	var says struct{ Kind Kind }
	err := json.Unmarshal(text, &says)
	return says.Kind, err
}

func unknownKind(k Kind) error {
	return fmt.Errorf("an answer of the kind %q, which is not known here", k)
}

// optimal returns the moves of a list that are optimal: as moves come best first, its
// beginning.
func optimal[M any](moves []M, is func(*M) bool) []M {
	n := 0
	for n < len(moves) && is(&moves[n]) {
		n++
	}
	if n == 0 {
		return []M{} // a list of none, even of a position whose moves were not asked for
	}
	return moves[:n:n]
}

// choices returns the moves of a list as they are written.
func choices[M any](moves []M, of func(*M) Choice) []Choice {
	if moves == nil {
		return nil
	}
	all := make([]Choice, len(moves))
	for i := range moves {
		all[i] = of(&moves[i])
	}
	return all
}
