package rules

import "iter"

// Game is the interface for code that works with any game and knows none by name: the
// command line, the terminal, and the laws that every game is tested against.
// Implementations are immutable and safe for concurrent use.
type Game interface {
	// About describes the ruleset.
	About() About
	// Start returns the position that the game starts from.
	Start() Position
	// Parse reads a position string, or another name of a position of the
	// game. Its errors are *MalformedPositionError and *IllegalPositionError.
	Parse(text string) (Position, error)
}

// About describes a ruleset to people and to programs.
type About struct {
	// Name is the lower-case name in addresses, such as "tic-tac-chec".
	Name string
	Tag  Tag
	// Game is the name of the game that the rules are a reading of, Title the
	// ruleset's own, and Summary one or two sentences about the rules.
	Game, Title, Summary string
	// Bounds says in plain sentences which positions can be named and how far they are worked
	// out; empty for a game all of whose positions are in a table.
	Bounds string
}

// Position is a position of a game, for one of two sides to move. It is immutable
// and safe for concurrent use.
type Position interface {
	// String returns the position in canonical form, which Parse reads as an equal
	// position; but in a game of chance that is over, which may have no text of its own.
	// Equal positions have equal strings.
	String() string
	// Diagram draws the position for a terminal, in lines that end in a newline.
	Diagram() string
	// Result returns how the game ended, for the side that would be to move;
	// Unknown as long as it goes on.
	Result() Value
	// Moves yields the legal moves in the game's published order, none exactly when
	// the game is over. There may be very many, so a caller that needs only a few stops early.
	Moves() iter.Seq[string]
	// Play returns the position after a move, and whether the other side is to move
	// there, which is so after every move but where a turn takes several. Its errors
	// are *MalformedMoveError and *IllegalMoveError, with Ply and Offset for a list
	// of this one move; IllegalMoveError.Legal lists at most MaxLegal moves.
	Play(move string) (next Position, passes bool, err error)
}

// Counted is a Position that counts its legal moves without listing them, for a bound of
// an answer's size before the answer is worked out.
type Counted interface {
	Position
	// NumMoves returns the number of legal moves, math.MaxUint64 if there are more than
	// that. It takes time in proportion to the length of the position string.
	NumMoves() uint64
}

// MaxLegal is how many legal moves an IllegalMoveError lists at most.
const MaxLegal = 1000

// Stochastic is a Position with moves whose effect is left to chance.
type Stochastic interface {
	// Outcomes returns the possible outcomes of a move that Moves has yielded, as moves for
	// Play, all equally likely; none for a move without chance. Play refuses a
	// move with outcomes as malformed: it says which of them happened.
	Outcomes(move string) []string
}

// Example is a position worth a look.
type Example[P Position] struct {
	Name     string // short, in lower case: "longest-win"
	Position P
	Summary  string // one sentence on what there is to see
}
