package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
)

// batch answers for many positions at once.
func (h *handler) batch(w http.ResponseWriter, r *request) error {
	if err := r.assert(r.query[0]); err != nil {
		return err
	}
	if err := checkMedia(r.http); err != nil {
		return err
	}
	asked := reservation{of: h.bodies} // the body, and the positions that it names
	defer asked.shrink(0)
	body, err := h.readBody(w, r.http, &asked)
	if err != nil {
		return err
	}
	a, err := h.answerBatch(w, r, body)
	if err != nil {
		return err
	}
	r.announce(w)
	a.write(w)
	return nil
}

// answerBatch reads a batch and answers it, in a heavy turn.
func (h *handler) answerBatch(w http.ResponseWriter, r *request, body []byte) (*written, error) {
	ctx, cancel := h.workTime(w, r.http)
	defer cancel()
	turn := turn{h: h, heavy: true}
	if err := turn.begin(ctx); err != nil {
		return nil, err
	}
	defer turn.end()
	if err := skipMark(body); err != nil {
		return nil, err
	}
	asked, err := parseBatch(body)
	if err != nil {
		h.charge(r.http, 1+len(body)/bytesPerCost)
		return nil, err
	}
	if err := h.spend(r.http, len(asked.Positions)); err != nil {
		return nil, err
	}
	b := &batchAnswer{positions: len(asked.Positions), answer: &written{
		status: http.StatusOK, content: contentJSON, reserved: reservation{of: h.answers}}}
	if expected := b.expected(asked.Moves); !b.answer.reserved.grow(expected) {
		turn.end() // a request that waits for memory must not keep others waiting
		if err := b.answer.reserved.wait(ctx, expected); err != nil {
			return nil, err
		}
		if err := turn.begin(ctx); err != nil {
			b.answer.free(0)
			return nil, err
		}
	}
	work := &Work{turn: &turn, paid: b.positions}
	defer func() { h.charge(r.http, work.cost(b.text.size)) }()
	if err := b.fill(ctx, r.prober, asked, work); err != nil {
		b.answer.free(0)
		return nil, err
	}
	b.answer.body, b.answer.plain = b.text.list, b.text.size
	b.answer.reserved.shrink(int64(b.text.size + largestPiece))
	b.answer.encode(w)
	return b.answer, nil
}

// batchAnswer is the answer to a batch as it grows.
type batchAnswer struct {
	positions int
	text      chunks
	answer    *written
	refused   []byte // the result of each position that is not answered; nil for none so far
}

const (
	// refusalSize is how long the result of a position is that is not answered, at most.
	refusalSize = 256
	// The answers that a batch begins with room for, in bytes a position.
	expectedMoves, expectedValue = 4 << 10, 256
	// growth is how much it then takes at a time.
	growth = 64 << 10
)

// expected is how much memory to begin with. A small answer needs none.
func (b *batchAnswer) expected(moves bool) int64 {
	each := expectedValue
	if moves {
		each = expectedMoves
	}
	if all := b.positions * (each + refusalSize); all > smallAnswer {
		return int64(min(all, maxAnswer))
	}
	return 0
}

// fill answers position by position. Where the budget of the request, of all requests or
// of time ends, the positions that are left get an Overloaded problem each. It returns
// an error if there is no answer at all.
func (b *batchAnswer) fill(ctx context.Context, p *prober, asked BatchRequest, work *Work) error {
	atOnce := p.atOnce(asked.Moves)
	questions := make([]Question, 0, atOnce)
	var scratch []byte
	b.text.Write([]byte(`{"results":[`))
	for from := 0; from < b.positions; from += atOnce {
		list := asked.Positions[from:min(from+atOnce, b.positions)]
		var answers []Answer
		if b.refused == nil {
			questions = questions[:0]
			for i := range list {
				questions = append(questions, Question{Position: &list[i], ValueOnly: !asked.Moves})
			}
			var err error
			if answers, err = b.ask(ctx, p, questions, from > 0, work); err != nil {
				if p := ProblemOf(err); from == 0 || p.Kind() != Overloaded {
					return err
				}
				b.refuse(ProblemOf(err))
			}
		}
		for i := range list {
			if from+i > 0 {
				b.text.Write([]byte{','})
			}
			if b.refused == nil {
				result := BatchResult{Probe: answers[i].Probe}
				if answers[i].Err != nil {
					result.Problem = ProblemOf(answers[i].Err)
				}
				scratch = result.appendJSON(scratch[:0])
				if b.room(len(scratch), b.positions-from-i-1) {
					b.text.Write(scratch)
					continue
				}
				b.refuse(batchSpent("memory"))
			}
			b.text.Write(b.refused)
		}
		if cap(scratch) > largestPiece {
			scratch = nil // others may have their turn next
		}
	}
	b.text.Write([]byte("]}\n"))
	return nil
}

// ask answers some of the questions, after others have had their turn.
func (b *batchAnswer) ask(ctx context.Context, p *prober, questions []Question, further bool, work *Work) ([]Answer, error) {
	if work.Spent() {
		return nil, batchSpent("work")
	}
	if further {
		if err := work.Pause(ctx); err != nil {
			return nil, err
		}
	}
	return p.Probe(ctx, questions, work)
}

// batchSpent says that a batch has used up what one request is given of memory or work.
func batchSpent(what string) *Problem {
	return newProblem(Overloaded, "The batch has used up the %s that a request is given. Ask for this position and the next ones in a smaller batch.", what)
}

// refuse says what becomes of the positions that are left.
func (b *batchAnswer) refuse(p *Problem) {
	b.refused = BatchResult{Problem: p}.appendJSON(nil)
}

// room makes room for a result, and for as many refusals as positions are left then.
func (b *batchAnswer) room(size, left int) bool {
	needed := int64(b.text.size + size + left*refusalSize + largestPiece)
	switch {
	case needed <= b.answer.reserved.bytes, needed <= smallAnswer+largestPiece:
		return true
	case needed > maxAnswer:
		return false
	}
	return b.answer.reserved.grow(min(needed+growth, maxAnswer))
}

// checkMedia refuses a body that is not said to be plain JSON.
func checkMedia(r *http.Request) error {
	media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset, stated := parameters["charset"]
	if err != nil || media != contentJSON || stated && !strings.EqualFold(charset, "utf-8") {
		return newProblem(UnsupportedMedia, "The body must be %s in UTF-8, and its Content-Type must say so.", contentJSON)
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return newProblem(UnsupportedMedia, "The body must not be compressed or otherwise encoded.")
	}
	return nil
}

func batchTooLarge(limit int, format string, args ...any) *Problem {
	p := newProblem(BatchTooLarge, format, args...)
	p.Limit = &limit
	return p
}

// batchReader reads a batch token by token, since encoding/json alone lets pass
// what must not quietly mean something else: a name in another case, a field
// given twice, null.
type batchReader struct {
	*json.Decoder
	text []byte
}

// skipMark overwrites a byte order mark before a body with white space, so that the
// offsets of what follows stay; RFC 8259, section 8.1, lets a parser ignore it.
func skipMark(body []byte) error {
	if bytes.HasPrefix(body, []byte("\xfe\xff")) || bytes.HasPrefix(body, []byte("\xff\xfe")) {
		return badBody(0, "there is the byte order mark of UTF-16 or UTF-32; the body is JSON in UTF-8")
	}
	if mark := "\ufeff"; bytes.HasPrefix(body, []byte(mark)) {
		copy(body, "   ")
	}
	return nil
}

// parseBatch parses the body of a batch strictly.
func parseBatch(text []byte) (BatchRequest, error) {
	var b BatchRequest
	in := batchReader{json.NewDecoder(bytes.NewReader(text)), text}
	in.UseNumber() // one that is too large for float64 is as wrong as any other
	if err := in.delimiter('{', "an object"); err != nil {
		return b, err
	}
	seen := make(map[string]bool, 2)
	for in.More() {
		at := in.next()
		token, err := in.Token()
		if err != nil {
			return b, in.syntax(err)
		}
		name, _ := token.(string) // the decoder has seen to it
		if seen[name] {
			return b, badBody(at, "the field %q is given more than once", name)
		}
		seen[name] = true
		switch name {
		case "positions":
			if b.Positions, err = in.positions(); err != nil {
				return b, err
			}
		case "moves":
			at := in.next()
			token, err := in.Token()
			if err != nil {
				return b, in.syntax(err)
			}
			moves, ok := token.(bool)
			if !ok {
				return b, badBody(at, "moves is true or false")
			}
			b.Moves = moves
		default:
			return b, badBody(at, "there is no field %q; known are positions and moves", name)
		}
	}
	if _, err := in.Token(); err != nil { // the closing brace
		return b, in.syntax(err)
	}
	if end := in.next(); end < len(text) {
		return b, badBody(end, "there is more after the object")
	}
	if len(b.Positions) == 0 {
		return b, newProblem(BadBody, "The body names no position.")
	}
	return b, nil
}

// positions reads the list of positions.
func (in batchReader) positions() ([]string, error) {
	if err := in.delimiter('[', "a list of strings"); err != nil {
		return nil, err
	}
	var all []string
	for in.More() {
		at := in.next()
		token, err := in.Token()
		if err != nil {
			return nil, in.syntax(err)
		}
		position, ok := token.(string)
		if !ok {
			return nil, badBody(at, "a position is a string")
		}
		if len(all) == MaxBatch {
			return nil, batchTooLarge(MaxBatch, "The batch has more than %d positions.", MaxBatch)
		}
		all = append(all, position)
	}
	if _, err := in.Token(); err != nil { // the closing bracket
		return nil, in.syntax(err)
	}
	return all, nil
}

// delimiter reads what opens an object or a list.
func (in batchReader) delimiter(want json.Delim, what string) error {
	at := in.next()
	token, err := in.Token()
	if err != nil {
		return in.syntax(err)
	}
	if token != want {
		return badBody(at, "%s is expected", what)
	}
	return nil
}

// next returns the offset of the next token: InputOffset is the end of the last
// one, before what separates the two.
func (in batchReader) next() int {
	at := int(in.InputOffset())
	for at < len(in.text) && strings.IndexByte(" \t\r\n,:", in.text[at]) >= 0 {
		at++
	}
	return at
}

// syntax is the problem that an error of the decoder is.
func (in batchReader) syntax(err error) *Problem {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		// Where the token begins: the error's own offset counts from several
		// places.
		return badBody(in.next(), "it is not JSON: %s", syntax)
	default: // io.EOF and io.ErrUnexpectedEOF
		return badBody(len(in.text), "it ends too early")
	}
}

func badBody(offset int, format string, args ...any) *Problem {
	p := newProblem(BadBody, "The body does not parse: at byte %d, %s.", offset, fmt.Sprintf(format, args...))
	p.Offset = &offset
	return p
}
