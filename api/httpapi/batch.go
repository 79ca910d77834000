package httpapi

import (
	"context"
	"mime"
	"net/http"
	"strings"

	"solved/api"
)

// batch answers for many positions at once.
func (h *handler) batch(w http.ResponseWriter, r *request) error {
	if err := r.prober.rules.CheckTag(r.query[0]); err != nil {
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
	asked, err := api.ParseBatch(body)
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
	work := workload{api.NewWork(turn.pause), b.positions}
	defer func() { h.charge(r.http, work.cost(b.text.size)) }()
	if err := b.fill(ctx, r.prober, asked, work.Work); err != nil {
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
func (b *batchAnswer) fill(ctx context.Context, p *prober, asked api.BatchRequest, work *api.Work) error {
	atOnce := p.atOnce(asked.Moves)
	questions := make([]api.Question, 0, atOnce)
	var scratch []byte
	b.text.Write([]byte(`{"results":[`))
	for from := 0; from < b.positions; from += atOnce {
		list := asked.Positions[from:min(from+atOnce, b.positions)]
		var answers []api.Answer
		if b.refused == nil {
			questions = questions[:0]
			for i := range list {
				questions = append(questions, api.Question{Position: &list[i], ValueOnly: !asked.Moves})
			}
			var err error
			if answers, err = b.ask(ctx, p, questions, from > 0, work); err != nil {
				if p := api.ProblemOf(err); from == 0 || p.Kind() != api.Overloaded {
					return err
				}
				b.refuse(api.ProblemOf(err))
			}
		}
		for i := range list {
			if from+i > 0 {
				b.text.Write([]byte{','})
			}
			if b.refused == nil {
				result := api.BatchResult{Probe: answers[i].Probe}
				if answers[i].Err != nil {
					result.Problem = api.ProblemOf(answers[i].Err)
				}
				scratch = api.AppendJSON(scratch[:0], &result)
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
func (b *batchAnswer) ask(ctx context.Context, p *prober, questions []api.Question, further bool, work *api.Work) ([]api.Answer, error) {
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
func batchSpent(what string) *api.Problem {
	return api.NewProblem(api.Overloaded, "The batch has used up the %s that a request is given. Ask for this position and the next ones in a smaller batch.", what)
}

// refuse says what becomes of the positions that are left.
func (b *batchAnswer) refuse(p *api.Problem) {
	b.refused = api.AppendJSON(nil, &api.BatchResult{Problem: p})
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
		return api.NewProblem(api.UnsupportedMedia, "The body must be %s in UTF-8, and its Content-Type must say so.", contentJSON)
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return api.NewProblem(api.UnsupportedMedia, "The body must not be compressed or otherwise encoded.")
	}
	return nil
}
