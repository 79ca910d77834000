package pig

import (
	"fmt"
	"strconv"
	"strings"

	"solved/rules"
)

// Reasons for which a position that is written correctly is refused, in the order in
// which they are tested. They are stable: programs may compare them.
const (
	// ReasonScoreRange: a score is 100 or more, so the game is over.
	ReasonScoreRange = "score-range"
	// ReasonTurnOne: the turn total is 1, but a 1 is lost and other rolls add 2 or more.
	ReasonTurnOne = "turn-one"
	// ReasonTurnRange: the turn total is 100 or more, which wins with any score.
	ReasonTurnRange = "turn-range"
)

// maxDigits is how many digits a number may have: enough to tell what is out of range
// from what is no position.
const maxDigits = 3

// Parse reads a position: the score of the side to move, that of the other side, and the
// turn total, "5,76,0". Each is a decimal number of at most three digits without leading
// zeros.
//
// Any other text is refused with a *[rules.MalformedPositionError], whose offset is that
// of the first byte with which no position can go on; it is the text's length when more
// should have followed. Numbers that no game goes on with are refused with a
// *[rules.IllegalPositionError] and one of the reasons above. Whether a game can reach the
// position is not tested.
func Parse(text string) (Position, error) {
	fail := func(offset int, expected string) (Position, error) {
		detail := rules.Found(text, offset) + ", expected " + expected
		return Position{}, &rules.MalformedPositionError{Position: text, Offset: offset, Detail: detail}
	}
	names := [...]string{"the score of the side to move", "the score of the other side", "the turn total"}
	var numbers [len(names)]int
	at := 0
	for i, name := range names {
		start := at
		for ; at < len(text) && text[at] >= '0' && text[at] <= '9'; at++ {
			if at > start && text[start] == '0' {
				return fail(at, "no digit after a leading zero")
			}
			if at-start == maxDigits {
				return fail(at, fmt.Sprintf("no more than %d digits", maxDigits))
			}
			numbers[i] = 10*numbers[i] + int(text[at]-'0')
		}
		switch last := i == len(names)-1; {
		case at == start:
			return fail(at, name+", a decimal number")
		case last && at < len(text):
			return fail(at, "the end of the text, after score, score and turn total")
		case !last && (at == len(text) || text[at] != ','):
			return fail(at, "a comma and "+names[i+1])
		}
		at++
	}
	mine, theirs, turn := numbers[0], numbers[1], numbers[2]
	refuse := func(reason, format string, n int) (Position, error) {
		return Position{}, &rules.IllegalPositionError{Position: text, Reason: reason, Detail: fmt.Sprintf(format, n)}
	}
	switch {
	case mine > MaxScore:
		return refuse(ReasonScoreRange, "the side to move has %d, but the game ends at 100", mine)
	case theirs > MaxScore:
		return refuse(ReasonScoreRange, "the other side has %d, but the game ends at 100", theirs)
	case turn == Bust:
		return refuse(ReasonTurnOne, "the turn total is %d, but a 1 is lost and other rolls add 2 or more", turn)
	case turn > MaxTurn:
		return refuse(ReasonTurnRange, "the turn total is %d, but 100 wins with any score", turn)
	}
	p, _ := At(mine, theirs, turn)
	return p, nil
}

// String returns the two scores and the turn total with commas between, as Parse reads
// them. Of a game that has been won, the second score is 100 or more ("43,102,0"), which
// Parse refuses: such a position has no text of its own.
func (p Position) String() string {
	text := strconv.AppendInt(nil, int64(p.mine), 10)
	text = strconv.AppendInt(append(text, ','), int64(p.theirs), 10)
	text = strconv.AppendInt(append(text, ','), int64(p.turn), 10)
	return string(text)
}

// Diagram draws the scores as bars of 50 places, in which the turn total is dotted.
func (p Position) Diagram() string {
	const width = 50
	bar := func(score, turn int) string {
		full := min(score, Goal) * width / Goal
		upTo := min(score+turn, Goal) * width / Goal
		return strings.Repeat("#", full) + strings.Repeat(".", upTo-full) + strings.Repeat(" ", width-upTo) + "|"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "mine   %3d  %s", p.Mine(), bar(p.Mine(), p.Turn()))
	if p.turn > 0 {
		fmt.Fprintf(&b, " and %d in this turn", p.Turn())
	}
	fmt.Fprintf(&b, "\ntheirs %3d  %s\n", p.Theirs(), bar(p.Theirs(), 0))
	return b.String()
}

// move is a move as Play reads it: held, or the number rolled.
type move uint8

const held move = 0

func rolled(die int) move { return move(die) }

func (m move) String() string {
	if m == held {
		return Hold.String()
	}
	return Roll.String() + "-" + strconv.Itoa(int(m))
}

// parseMove reads "hold" or "roll-1" to "roll-6". A text of another form is malformed,
// "roll" among them, which does not name the number rolled; any move is illegal once the game
// is over.
func (p Position) parseMove(text string) (move, error) {
	fail := func(offset int, expected string) (move, error) {
		return 0, &rules.MalformedMoveError{Ply: 1, Move: text, Offset: offset, Detail: rules.Found(text, offset) + ", expected " + expected}
	}
	word, m := Hold.String(), held
	if strings.HasPrefix(text, "r") {
		word = Roll.String()
	}
	at := 0
	for ; at < len(word); at++ {
		if at == len(text) || text[at] != word[at] {
			return fail(at, "hold, or roll-1 to roll-6")
		}
	}
	if word == Roll.String() {
		if at == len(text) || text[at] != '-' {
			return fail(at, "a hyphen and what the die showed, as in roll-3")
		}
		at++
		if at == len(text) || text[at] < '1' || text[at] > '0'+Faces {
			return fail(at, "what the die showed, 1 to 6")
		}
		m = rolled(int(text[at] - '0'))
		at++
	}
	if at < len(text) {
		return fail(at, "the end of the move")
	}
	if p.Result() != rules.Unknown {
		return 0, &rules.IllegalMoveError{Ply: 1, Move: text, Legal: []string{}, Detail: "the game is over"}
	}
	return m, nil
}
