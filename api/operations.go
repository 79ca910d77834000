package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"solved/rules"
)

// parameter describes a query parameter for the contract's document.
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

func questionParameters() []parameter {
	text := &huma.Schema{Type: huma.TypeString}
	return []parameter{
		positionParameter: {"position", "A position string or a key; the start when absent.", "Pb2/n1R1/2rp/N3 w dd m", text},
		movesParameter:    {"moves", "Moves played from the position, comma-separated, at most 1,000.", "B@d1", text},
		tagParameter:      {"rules_tag", "An assertion: refused when it is not the tag of the ruleset addressed.", "0x54544303", text},
	}
}

func lineParameters() []parameter {
	least, most := 1.0, float64(MaxPlies)
	return append(questionParameters(), parameter{"max_plies", "The greatest length of the line.", "",
		&huma.Schema{Type: huma.TypeInteger, Minimum: &least, Maximum: &most, Default: DefaultMaxPlies}})
}

// register adds the operations of the contract.
func (h *handler) register(a huma.API) {
	add(h, a, huma.Operation{
		OperationID: "list-rules", Path: "/v1/rules",
		Summary: "Every ruleset, with its table",
	}, nil, nil, func(context.Context, *request) (*RulesetList, error) {
		list := &RulesetList{Rules: make([]Ruleset, len(h.probers))}
		for i, p := range h.probers {
			list.Rules[i] = p.Ruleset()
		}
		return list, nil
	})
	add(h, a, huma.Operation{
		OperationID: "get-rules", Path: "/v1/{rules}",
		Summary: "One ruleset, with its table",
	}, nil, nil, func(_ context.Context, r *request) (*Ruleset, error) {
		ruleset := r.prober.Ruleset()
		return &ruleset, nil
	})
	add(h, a, huma.Operation{
		OperationID: "probe", Path: "/v1/{rules}/probe",
		Summary: "A position's value, and every move with its value",
	}, questionParameters(), ask, probe)
	add(h, a, huma.Operation{
		OperationID: "best", Path: "/v1/{rules}/best",
		Summary: "A position's value, and its optimal moves",
	}, questionParameters(), ask, func(ctx context.Context, r *request) (*Probe, error) {
		answer, err := probe(ctx, r)
		if err != nil {
			return nil, err
		}
		return answer.Best(), nil
	})
	add(h, a, huma.Operation{
		OperationID: "line", Path: "/v1/{rules}/line",
		Summary: "A line of optimal play to its end",
	}, lineParameters(), askLine, func(ctx context.Context, r *request) (*Line, error) {
		return r.prober.Line(ctx, r.question, r.plies)
	})
	add(h, a, huma.Operation{
		OperationID: "examples", Path: "/v1/{rules}/examples",
		Summary: "A few positions worth a look",
	}, nil, nil, func(_ context.Context, r *request) (*ExampleList, error) {
		return &ExampleList{Examples: r.prober.Examples()}, nil
	})
}

func probe(ctx context.Context, r *request) (*Probe, error) { return r.prober.Probe(ctx, r.question) }

// request is what an operation is asked. Huma fills it by calling Resolve; the
// query is read by our own parser, since huma cannot tell an empty parameter
// from an absent one, nor one from two.
type request struct {
	http      *http.Request
	operation string  // its id
	prober    *prober // of the ruleset that the address names, if it names one
	query     values
	question  Question // what ask has read
	plies     int      // what askLine has read
}

// Resolve takes the request as it came.
func (r *request) Resolve(ctx huma.Context) []error {
	r.http, _ = humachi.Unwrap(ctx)
	return nil
}

// ask reads the question that probe, best and line have in common.
func ask(r *request) error {
	if text := r.query[tagParameter]; text != nil {
		id := r.prober.rules
		asserted, err := rules.ParseTag(*text)
		if err != nil {
			return badParameter("rules_tag", "The rules_tag is not 0x and eight hexadecimal digits.")
		}
		if asserted.String() != id.Tag {
			return mismatch(asserted.String(), id.Tag,
				"The question is for the rules %s, but the address is that of %s (%s).", asserted, id.Name, id.Tag)
		}
	}
	r.question.Position = r.query[positionParameter]
	if moves := r.query[movesParameter]; moves != nil {
		if n := strings.Count(*moves, ",") + 1; n > MaxMoves {
			return badParameter("moves", "There are %d moves; at most %d are allowed.", n, MaxMoves)
		}
		r.question.Moves = *moves
	}
	return nil
}

// askLine reads the question of line.
func askLine(r *request) error {
	if err := ask(r); err != nil {
		return err
	}
	text := r.query[pliesParameter]
	if text == nil {
		r.plies = DefaultMaxPlies
		return nil
	}
	n, err := strconv.ParseUint(*text, 10, 16)
	if err != nil || n < 1 || n > MaxPlies {
		return badParameter("max_plies", "The parameter max_plies is a whole number from 1 to %d.", MaxPlies)
	}
	r.plies = int(n)
	return nil
}

// answer is what an operation returns to huma: a function that writes.
type answer struct {
	Body func(huma.Context)
}

// add registers an operation that takes the given parameters, reads its question
// from them, if it has one, and answers with a T, or with a problem.
func add[T any](h *handler, a huma.API, op huma.Operation, parameters []parameter,
	read func(*request) error, f func(context.Context, *request) (*T, error)) {
	names := make([]string, len(parameters))
	for i, p := range parameters {
		names[i] = p.name
	}
	perRuleset := strings.Contains(op.Path, "{rules}")
	op.Method = http.MethodGet
	describe(a, &op, perRuleset, parameters, reflect.TypeFor[T]())
	respond := func(ctx context.Context, w http.ResponseWriter, r *request) error {
		r.operation = op.OperationID
		var err error
		if perRuleset {
			if r.prober, err = h.prober(chi.URLParam(r.http, "rules")); err != nil {
				return err
			}
		}
		if r.query, err = parseQuery(r.http.URL.RawQuery, names); err != nil {
			return err
		}
		if read != nil {
			if err := read(r); err != nil {
				return err
			}
		}
		if !perRuleset {
			body, err := f(ctx, r)
			if err != nil {
				return err
			}
			writeJSON(w, http.StatusOK, contentJSON, body)
			return nil
		}
		digest := r.prober.digest()
		if digest != "" && r.http.Header.Get("If-None-Match") != "" {
			var q Canonical
			if read != nil {
				if q, err = r.prober.Canonical(r.question); err != nil {
					return err
				}
			}
			if etag := r.etag(digest, q); r.known(etag) {
				cacheable(w.Header(), etag)
				r.announce(w)
				w.WriteHeader(http.StatusNotModified)
				return nil
			}
		}
		body, err := f(ctx, r)
		if err != nil {
			return err
		}
		// A table may have taken another's place meanwhile. Which of them
		// answered is not known then, so the answer is given no name.
		if digest != "" && digest == r.prober.digest() {
			cacheable(w.Header(), r.etag(digest, canonical(body)))
		} else {
			w.Header().Set("Cache-Control", "no-cache")
		}
		r.announce(w)
		writeJSON(w, http.StatusOK, contentJSON, body)
		return nil
	}
	huma.Register(a, op, func(ctx context.Context, r *request) (*answer, error) {
		return &answer{func(c huma.Context) {
			_, w := humachi.Unwrap(c)
			if err := respond(ctx, w, r); err != nil {
				r.refuse(w, err)
			}
		}}, nil
	})
}

// announce writes the headers that every good answer about a ruleset has.
func (r *request) announce(w http.ResponseWriter) {
	w.Header().Set("Rules-Tag", r.prober.rules.Tag)
	w.Header().Set("Vary", "Accept-Encoding")
}

// refuse answers with the problem that an error is.
func (r *request) refuse(w http.ResponseWriter, err error) {
	if errors.Is(err, ErrNoTable) {
		id := r.prober.rules
		err = mismatch(id.Tag, "", "No table for %s (%s) is configured here.", id.Name, id.Tag)
	}
	writeProblem(w, ProblemOf(err))
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
	return nil, UnknownRulesProblem(address, h.known)
}

// describe writes an operation into the contract's document.
func describe(a huma.API, op *huma.Operation, perRuleset bool, parameters []parameter, body reflect.Type) {
	registry := a.OpenAPI().Components.Schemas
	ok := &huma.Response{
		Description: http.StatusText(http.StatusOK),
		Content:     map[string]*huma.MediaType{contentJSON: {Schema: registry.Schema(body, true, "")}},
	}
	if perRuleset {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "rules", In: "path", Required: true,
			Description: "A ruleset's name, or its tag.",
			Schema:      &huma.Schema{Type: huma.TypeString}, Example: "tic-tac-chec",
		})
		ok.Headers = map[string]*huma.Param{"Rules-Tag": {
			Description: "The tag of the ruleset that the answer holds for.",
			Schema:      &huma.Schema{Type: huma.TypeString},
		}}
	}
	for _, p := range parameters {
		param := &huma.Param{Name: p.name, In: "query", Description: p.doc, Schema: p.schema}
		if p.example != "" {
			param.Example = p.example
		}
		op.Parameters = append(op.Parameters, param)
	}
	op.Responses = map[string]*huma.Response{
		"200": ok,
		"default": {
			Description: "A problem.",
			Content:     map[string]*huma.MediaType{contentProblem: {Schema: registry.Schema(reflect.TypeFor[Problem](), true, "")}},
		},
	}
}
