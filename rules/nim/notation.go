package nim

import (
	"fmt"
	"strconv"
	"strings"

	"solved/rules"
)

// Parse reads a position: the sizes of its heaps, 0 to [MaxHeap], in decimal without
// leading zeros, one to [MaxHeaps] of them with commas between, as in "3,5,7". Every
// text of that form is a position, so no position is illegal.
//
// Any other text is refused with a *[rules.MalformedPositionError], whose offset is that
// of the first byte with which no position can go on; it is the text's length when more
// should have followed.
func Parse(text string) (Position, error) {
	fail := func(offset int, expected string) (Position, error) {
		detail := rules.Found(text, offset) + ", expected " + expected
		return Position{}, &rules.MalformedPositionError{Position: text, Offset: offset, Detail: detail}
	}
	heaps := make([]uint64, 0, min(strings.Count(text, ",")+1, MaxHeaps))
	for at := 0; ; at++ {
		heap, end, expected := parseNumber(text, at)
		if expected != "" {
			return fail(end, "the size of a heap, "+expected)
		}
		heaps = append(heaps, heap)
		switch at = end; {
		case at == len(text):
			return Position{heaps}, nil
		case text[at] == ',' && len(heaps) == MaxHeaps:
			return fail(at, fmt.Sprintf("the end of the text, as there are at most %d heaps", MaxHeaps))
		case text[at] != ',' && heap == 0:
			return fail(at, "a comma or the end of the text, as no number begins with a zero")
		case text[at] != ',':
			return fail(at, "a digit, a comma or the end of the text")
		}
	}
}

// parseNumber reads a decimal number of at most MaxHeap that starts at an offset, and
// returns where it ends. A number that is not as expected ends where it cannot go on.
func parseNumber(text string, start int) (n uint64, end int, expected string) {
	const wanted = "0 to 9223372036854775807"
	at := start
	for ; at < len(text) && text[at] >= '0' && text[at] <= '9'; at++ {
		digit := uint64(text[at] - '0')
		switch {
		case at > start && n == 0:
			return n, at, "" // no digit follows a leading zero
		case n > (MaxHeap-digit)/10:
			return n, at, wanted
		}
		n = 10*n + digit
	}
	if at == start {
		return 0, at, wanted
	}
	return n, at, ""
}

// String returns the sizes of the heaps with commas between, as Parse reads them.
func (p Position) String() string {
	var text []byte
	for i, heap := range p.heaps {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendUint(text, heap, 10)
	}
	return string(text)
}

// drawn is how many counters of a heap Diagram draws at most.
const drawn = 40

// Diagram draws each heap on a line of its own: its number, its size, and a bar for
// each of its first 40 counters.
func (p Position) Diagram() string {
	width := 1
	for _, heap := range p.heaps {
		width = max(width, len(strconv.FormatUint(heap, 10)))
	}
	var b strings.Builder
	for i, heap := range p.heaps {
		bars := strings.Repeat("|", int(min(heap, drawn)))
		if heap > drawn {
			bars += "…"
		}
		line := fmt.Sprintf("heap %*d: %*d  %s", len(strconv.Itoa(len(p.heaps))), i+1, width, heap, bars)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// String returns the move as it is written: "2-4" takes 4 from heap 2.
func (m Move) String() string {
	return string(strconv.AppendUint(append(strconv.AppendInt(nil, int64(m.Heap), 10), '-'), m.Take, 10))
}

// ParseMove reads a move such as "2-4": the number of a heap from 1, a hyphen, and how
// many counters to take, at least 1 and in no more than 63 bits; both in decimal without
// leading zeros.
//
// A text of another form is refused with a *[rules.MalformedMoveError], a move that
// cannot be played with a *[rules.IllegalMoveError]; both speak of ply 1, and the
// offset is that in the text.
func (p Position) ParseMove(text string) (Move, error) {
	fail := func(offset int, expected string) (Move, error) {
		detail := rules.Found(text, offset) + ", expected " + expected
		return Move{}, &rules.MalformedMoveError{Ply: 1, Move: text, Offset: offset, Detail: detail}
	}
	heap, at, expected := parseNumber(text, 0)
	switch {
	case expected != "":
		return fail(at, "the number of a heap and how many to take, such as 2-4")
	case heap == 0:
		return fail(0, "the number of a heap, counted from 1")
	case at == len(text) || text[at] != '-':
		return fail(at, "a hyphen after the number of a heap, as in 2-4")
	}
	start := at + 1
	take, at, expected := parseNumber(text, start)
	switch {
	case expected != "":
		return fail(at, "how many to take, 1 to 9223372036854775807")
	case take == 0:
		return fail(start, "at least 1 to take")
	case at < len(text):
		return fail(at, "the end of the move")
	}
	if heap <= MaxHeaps {
		if m := (Move{Heap: int(heap), Take: take}); p.IsLegal(m) {
			return m, nil
		}
	}
	return Move{}, p.illegalMove(text, heap, take)
}

// illegalMove says why a move that is written correctly cannot be played.
func (p Position) illegalMove(text string, heap, take uint64) error {
	legal := []string{}
	for move := range p.Moves() {
		if len(legal) == rules.MaxLegal {
			break
		}
		legal = append(legal, move)
	}
	var detail string
	switch {
	case len(legal) == 0:
		detail = "the game is over"
	case heap > uint64(len(p.heaps)):
		detail = fmt.Sprintf("there is no heap %d, the last one is %d", heap, len(p.heaps))
	default:
		detail = fmt.Sprintf("heap %d has %d, so %d cannot be taken", heap, p.heaps[heap-1], take)
	}
	return &rules.IllegalMoveError{Ply: 1, Move: text, Legal: legal, Detail: detail}
}
