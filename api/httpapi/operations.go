package httpapi

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"

	"solved/api"
	"solved/rules"
)

// operation is a method of an address under /v1.
type operation struct {
	id, method, path, summary, about string
	tag                              string // of the group that it belongs to
	parameters                       []parameter
	// refusals are the types of problem that it can answer with, beside those
	// that every operation can.
	refusals []api.ProblemType
	// caching is the Cache-Control of what describe answers.
	caching string
	body    reflect.Type // of the request; nil for none
	answer  reflect.Type // of a good answer
	respond func(http.ResponseWriter, *request) error
}

// parameter is a query parameter.
type parameter struct {
	name, doc, example string
	schema             *huma.Schema
}

// The parameters of a question. What reads them takes them by their place.
const (
	positionParameter = iota
	movesParameter
	tagParameter
	pliesParameter
)

// perRuleset says whether the address names a ruleset.
func (op *operation) perRuleset() bool { return strings.Contains(op.path, "{rules}") }

func tagAssertion() parameter {
	return parameter{"rules_tag", "An assertion: refused when it is not the tag of the ruleset addressed.", "0x54544303", &huma.Schema{Type: huma.TypeString}}
}

func questionParameters() []parameter {
	text := &huma.Schema{Type: huma.TypeString}
	return []parameter{
		positionParameter: {"position", "A position string or a key; the start when absent.", "Pb2/n1R1/2rp/N3 w dd m", text},
		movesParameter:    {"moves", "Moves played from the position, comma-separated, at most 1,000.", "", text},
		tagParameter:      tagAssertion(),
	}
}

func lineParameters() []parameter {
	least, most := 1.0, float64(api.MaxPlies)
	return append(questionParameters(), parameter{"max_plies", "The greatest length of the line.", "",
		&huma.Schema{Type: huma.TypeInteger, Minimum: &least, Maximum: &most, Default: api.DefaultMaxPlies}})
}

// questionRefusals are the problems that a question can have.
func questionRefusals() []api.ProblemType {
	return []api.ProblemType{api.MalformedPosition, api.MalformedMove, api.IllegalPosition, api.IllegalMove, api.PositionTooLarge, api.RulesMismatch, api.RateLimited, api.Overloaded, api.TableUnavailable}
}

// operations lists the operations of the contract, in the order of its document.
func (h *handler) operations() []operation {
	return []operation{
		describe(h, operation{
			id: "list-rules", path: "/v1/rules", tag: tagRulesets,
			summary: "Every ruleset, with its table", caching: askAgain,
		}, func(*request) *api.RulesetList {
			list := &api.RulesetList{Rules: make([]api.Ruleset, len(h.probers))}
			for i, p := range h.probers {
				list.Rules[i] = p.Ruleset()
			}
			return list
		}),
		describe(h, operation{
			id: "get-rules", path: "/v1/{rules}", tag: tagRulesets,
			summary: "One ruleset, with its table", caching: askAgain,
		}, func(r *request) *api.Ruleset {
			ruleset := r.prober.Ruleset()
			return &ruleset
		}),
		get(h, operation{
			id: "probe", path: "/v1/{rules}/probe", tag: tagPositions,
			summary:    "A position's value, and every move with its value",
			about:      "What is said of the position is for the side to move, and of a move for the player who makes it. Moves come best first. Which fields there are depends on the ruleset's kind. A game with a board has it in board, square by square. A client that looks for the end of the game reads terminal: in the kinds grundy and misere a list of moves may be empty before the end, where moves_complete is false.",
			parameters: questionParameters(), refusals: questionRefusals(),
		}, ask, probe),
		{
			id: "probe-batch", method: http.MethodPost, path: "/v1/{rules}/probe", tag: tagPositions,
			summary:    "Many positions at once",
			about:      "A bad position does not fail the rest: its result holds a problem instead of a probe.",
			parameters: []parameter{tagAssertion()},
			refusals:   []api.ProblemType{api.BadBody, api.BatchTooLarge, api.UnsupportedMedia, api.RulesMismatch, api.RateLimited, api.Overloaded, api.TableUnavailable},
			body:       reflect.TypeFor[api.BatchRequest](), answer: reflect.TypeFor[api.BatchAnswer](),
			respond: h.batch,
		},
		get(h, operation{
			id: "best", path: "/v1/{rules}/best", tag: tagPositions,
			summary:    "A position's value, and its optimal moves",
			parameters: questionParameters(), refusals: questionRefusals(),
		}, ask, func(ctx context.Context, r *request) (api.Probe, error) {
			answer, err := probe(ctx, r)
			if err != nil {
				return nil, err
			}
			return answer.Best(), nil
		}),
		get(h, operation{
			id: "line", path: "/v1/{rules}/line", tag: tagPositions,
			summary:    "A line of optimal play to its end",
			about:      "The line ends with the game, when a position returns, or at max_plies; or where chance decides, or the best move is not worked out. Each move is one of the best. In the kind pieces a line from a draw follows an order of its own, so it often begins with another move than the first of best, as good.",
			parameters: lineParameters(), refusals: questionRefusals(),
		}, askLine, func(ctx context.Context, r *request) (api.Line, error) {
			answer, err := r.prober.Line(ctx, r.questions[0], r.plies, r.work.Work)
			if err == nil {
				// A line costs its steps, the first of which is paid for.
				steps := answer.Length() - 1
				h.charge(r.http, steps)
				r.work.paid += max(steps, 0)
			}
			return answer, err
		}),
		describe(h, operation{
			id: "examples", path: "/v1/{rules}/examples", tag: tagRulesets,
			summary: "A few positions worth a look", caching: cacheForAnHour,
		}, func(r *request) *api.ExampleList { return &api.ExampleList{Examples: r.prober.Examples()} }),
	}
}

func probe(ctx context.Context, r *request) (api.Probe, error) {
	answers, err := r.prober.Probe(ctx, r.questions[:], r.work.Work)
	if err != nil {
		return nil, err
	}
	return answers[0].Probe, answers[0].Err
}

// request is what an operation is asked.
type request struct {
	http      *http.Request
	operation string  // its id
	prober    *prober // of the ruleset that the address names, if it names one
	query     api.Values
	questions [1]api.Question // the one that ask has read
	moves     int             // of the list that it has
	named     api.Canonical   // the question, where it is not one about a position
	check     func() error    // checks that, in the request's turn; nil for nothing
	plies     int             // what askLine has read; 0 for no line
	work      workload        // of a heavy request
}

// lightMoves is how many moves a light question has at most: to play them takes no longer
// than to answer it.
const lightMoves = 64

// heavy says whether a question can take long, or have a large answer.
func (r *request) heavy() bool {
	return r.prober.kind.Searched() || r.plies > 0 || r.moves > lightMoves
}

// serve returns the handler of an operation.
func (h *handler) serve(op operation) http.HandlerFunc {
	names := make([]string, len(op.parameters))
	for i, p := range op.parameters {
		names[i] = p.name
	}
	perRuleset := op.perRuleset()
	respond := func(w http.ResponseWriter, r *request) (err error) {
		if perRuleset {
			if r.prober, err = h.prober(chi.URLParam(r.http, "rules")); err != nil {
				return err
			}
		}
		if r.query, err = api.ParseQuery(r.http.URL.RawQuery, names); err != nil {
			return err
		}
		return op.respond(w, r)
	}
	return func(w http.ResponseWriter, hr *http.Request) {
		r := &request{http: hr, operation: op.id}
		if err := respond(w, r); err != nil {
			r.refuse(w, err)
		}
	}
}

// describe completes an operation that asks no question: what it answers with is the
// same for every client, and is named by its own text.
func describe[T any](h *handler, op operation, f func(*request) T) operation {
	op.method = http.MethodGet
	op.answer = reflect.TypeFor[T]()
	op.respond = func(w http.ResponseWriter, r *request) error {
		if err := h.spend(r.http, 1); err != nil {
			return err
		}
		body := append(api.AppendJSON(nil, f(r)), '\n')
		if r.prober != nil {
			r.announce(w)
		}
		newNamed(contentJSON, op.caching, body).write(w, r.http)
		return nil
	}
	return op
}

// get completes an operation that reads a question from the parameters, and answers
// with a T that may be cached.
func get[T any](h *handler, op operation, read func(*request) error, f func(context.Context, *request) (T, error)) operation {
	op.method = http.MethodGet
	op.answer = reflect.TypeFor[T]()
	op.caching = cacheForADay
	op.respond = func(w http.ResponseWriter, r *request) error {
		if err := read(r); err != nil {
			return err
		}
		return answer(h, w, r, f)
	}
	return op
}

// answer answers a question.
func answer[T any](h *handler, w http.ResponseWriter, r *request, f func(context.Context, *request) (T, error)) error {
	a, etag, err := work(h, w, r, f)
	if err != nil {
		return err
	}
	r.announce(w)
	if etag != "" {
		cacheable(w.Header(), etag)
	} else {
		w.Header().Set("Cache-Control", askAgain)
	}
	if a == nil {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	a.write(w)
	return nil
}

// work works out the answer to a question, in its turn, as far as it is to be written.
// It is nil if the client has the answer already.
func work[T any](h *handler, w http.ResponseWriter, r *request, f func(context.Context, *request) (T, error)) (a *written, etag string, err error) {
	paid := 1 + r.moves/movesPerCost
	if err := h.spend(r.http, paid); err != nil {
		return nil, "", err
	}
	ctx := r.http.Context()
	t := turn{h: h, heavy: r.heavy()}
	if t.heavy {
		var cancel context.CancelFunc
		ctx, cancel = h.workTime(w, r.http)
		defer cancel()
		r.work = workload{api.NewWork(t.pause), paid}
	}
	if err := t.begin(ctx); err != nil {
		return nil, "", err
	}
	defer t.end()
	body, etag, err := find(ctx, r, f)
	if err == nil && body != nil {
		a, err = prepare(w, http.StatusOK, contentJSON, body)
	}
	if r.work.Work != nil {
		size := 0
		if a != nil {
			size = a.plain
		}
		h.charge(r.http, r.work.cost(size))
	}
	return a, etag, err
}

// workTime returns the context of a heavy request, which ends when the time for it is up.
func (h *handler) workTime(w http.ResponseWriter, r *http.Request) (context.Context, context.CancelFunc) {
	// The question has been read. The deadline for that would end the request as if the
	// client had gone. A writer of tests has none.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	if h.timeLimit <= 0 {
		return context.WithCancel(r.Context())
	}
	return context.WithDeadline(r.Context(), recorderOf(w).start.Add(h.timeLimit))
}

// find finds the answer to a question, and names it. The body is nil if the client has it
// already.
func find[T any](ctx context.Context, r *request, f func(context.Context, *request) (T, error)) (body any, etag string, err error) {
	if r.check != nil {
		if err := r.check(); err != nil {
			return nil, "", err
		}
	}
	digest := r.prober.digest()
	if digest != "" && len(r.http.Header["If-None-Match"]) > 0 {
		q := r.named
		if q == (api.Canonical{}) {
			if q, err = r.prober.Canonical(r.questions[0]); err != nil {
				return nil, "", err
			}
		}
		if etag := r.etag(digest, q); known(r.http, etag) {
			return nil, etag, nil
		}
	}
	if body, err = f(ctx, r); err != nil {
		return nil, "", err
	}
	if digest == "" || digest != r.prober.digest() {
		// A table may have taken another's place meanwhile. Which of them answered
		// is not known then, so the answer is given no name.
		return body, "", nil
	}
	q := r.named
	if q == (api.Canonical{}) {
		q = canonical(body)
	}
	return body, r.etag(digest, q), nil
}

// ask reads the question that probe, best and line have in common.
func ask(r *request) (err error) {
	if err := r.prober.rules.CheckTag(r.query[tagParameter]); err != nil {
		return err
	}
	r.questions[0], err = api.NewQuestion(r.query[positionParameter], r.query[movesParameter])
	r.moves = r.questions[0].MoveCount()
	return err
}

// askLine reads the question of line.
func askLine(r *request) (err error) {
	if err := ask(r); err != nil {
		return err
	}
	r.plies, err = api.ParseMaxPlies(r.query[pliesParameter])
	return err
}

// announce writes the headers that every good answer about a ruleset has.
func (r *request) announce(w http.ResponseWriter) {
	w.Header()["Rules-Tag"] = r.prober.tag
}

// refuse answers with the problem that an error is. If it is that the client has
// gone, there is nobody to answer.
func (r *request) refuse(w http.ResponseWriter, err error) {
	if errors.Is(err, context.Canceled) && r.http.Context().Err() != nil {
		if rec := recorderOf(w); rec != nil {
			rec.status = StatusClientGone
		}
		panic(http.ErrAbortHandler)
	}
	if errors.Is(err, api.ErrNoTable) {
		err = api.NoTableProblem(r.prober.rules)
	}
	writeProblem(w, api.ProblemOf(err))
}

// prober finds the ruleset that an address names, by name or by tag.
func (h *handler) prober(address string) (*prober, error) {
	if p := h.addresses[address]; p != nil {
		return p, nil
	}
	if tag, err := rules.ParseTag(address); err == nil {
		if p := h.addresses[tag.String()]; p != nil {
			return p, nil
		}
	}
	return nil, api.UnknownRulesProblem(address, h.known)
}
