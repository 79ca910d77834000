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
	}, nil, func(context.Context, *request) (*RulesetList, error) {
		list := &RulesetList{Rules: make([]Ruleset, len(h.probers))}
		for i, p := range h.probers {
			list.Rules[i] = p.Ruleset()
		}
		return list, nil
	})
	add(h, a, huma.Operation{
		OperationID: "get-rules", Path: "/v1/{rules}",
		Summary: "One ruleset, with its table",
	}, nil, func(_ context.Context, r *request) (*Ruleset, error) {
		ruleset := r.prober.Ruleset()
		return &ruleset, nil
	})
	add(h, a, huma.Operation{
		OperationID: "probe", Path: "/v1/{rules}/probe",
		Summary: "A position's value, and every move with its value",
	}, questionParameters(), probe)
	add(h, a, huma.Operation{
		OperationID: "best", Path: "/v1/{rules}/best",
		Summary: "A position's value, and its optimal moves",
	}, questionParameters(), func(ctx context.Context, r *request) (*Probe, error) {
		answer, err := probe(ctx, r)
		if err != nil {
			return nil, err
		}
		return answer.Best(), nil
	})
	add(h, a, huma.Operation{
		OperationID: "line", Path: "/v1/{rules}/line",
		Summary: "A line of optimal play to its end",
	}, lineParameters(), func(ctx context.Context, r *request) (*Line, error) {
		q, err := r.question()
		if err != nil {
			return nil, err
		}
		plies, err := r.maxPlies()
		if err != nil {
			return nil, err
		}
		return r.prober.Line(ctx, q, plies)
	})
	add(h, a, huma.Operation{
		OperationID: "examples", Path: "/v1/{rules}/examples",
		Summary: "A few positions worth a look",
	}, nil, func(_ context.Context, r *request) (*ExampleList, error) {
		return &ExampleList{Examples: r.prober.Examples()}, nil
	})
}

func probe(ctx context.Context, r *request) (*Probe, error) {
	q, err := r.question()
	if err != nil {
		return nil, err
	}
	return r.prober.Probe(ctx, q)
}

// request is what an operation is asked. Huma fills it by calling Resolve; the
// query is read by our own parser, since huma cannot tell an empty parameter
// from an absent one, nor one from two.
type request struct {
	http   *http.Request
	prober *prober // of the ruleset that the address names, if it names one
	query  values
}

// Resolve takes the request as it came.
func (r *request) Resolve(ctx huma.Context) []error {
	r.http, _ = humachi.Unwrap(ctx)
	return nil
}

// question reads what probe, best and line have in common.
func (r *request) question() (Question, error) {
	if text := r.query[tagParameter]; text != nil {
		id := r.prober.rules
		asserted, err := rules.ParseTag(*text)
		if err != nil {
			return Question{}, badParameter("rules_tag", "The rules_tag is not 0x and eight hexadecimal digits.")
		}
		if asserted.String() != id.Tag {
			return Question{}, mismatch(asserted.String(), id.Tag,
				"The question is for the rules %s, but the address is that of %s (%s).", asserted, id.Name, id.Tag)
		}
	}
	q := Question{Position: r.query[positionParameter]}
	if moves := r.query[movesParameter]; moves != nil {
		if n := strings.Count(*moves, ",") + 1; n > MaxMoves {
			return Question{}, badParameter("moves", "There are %d moves; at most %d are allowed.", n, MaxMoves)
		}
		q.Moves = *moves
	}
	return q, nil
}

func (r *request) maxPlies() (int, error) {
	text := r.query[pliesParameter]
	if text == nil {
		return DefaultMaxPlies, nil
	}
	n, err := strconv.ParseUint(*text, 10, 16)
	if err != nil || n < 1 || n > MaxPlies {
		return 0, badParameter("max_plies", "The parameter max_plies is a whole number from 1 to %d.", MaxPlies)
	}
	return int(n), nil
}

// answer is what an operation returns to huma: a function that writes.
type answer struct {
	Body func(huma.Context)
}

// add registers an operation that takes the given parameters and answers with
// a T, or with a problem.
func add[T any](h *handler, a huma.API, op huma.Operation, parameters []parameter, f func(context.Context, *request) (*T, error)) {
	names := make([]string, len(parameters))
	for i, p := range parameters {
		names[i] = p.name
	}
	perRuleset := strings.Contains(op.Path, "{rules}")
	op.Method = http.MethodGet
	describe(a, &op, perRuleset, parameters, reflect.TypeFor[T]())
	ask := func(ctx context.Context, r *request) (*T, error) {
		var err error
		if perRuleset {
			if r.prober, err = h.prober(chi.URLParam(r.http, "rules")); err != nil {
				return nil, err
			}
		}
		if r.query, err = parseQuery(r.http.URL.RawQuery, names); err != nil {
			return nil, err
		}
		return f(ctx, r)
	}
	huma.Register(a, op, func(ctx context.Context, r *request) (*answer, error) {
		body, err := ask(ctx, r)
		return &answer{func(c huma.Context) {
			_, w := humachi.Unwrap(c)
			if err != nil {
				if errors.Is(err, ErrNoTable) {
					id := r.prober.rules
					err = mismatch(id.Tag, "", "No table for %s (%s) is configured here.", id.Name, id.Tag)
				}
				writeProblem(w, ProblemOf(err))
				return
			}
			if r.prober != nil {
				w.Header().Set("Rules-Tag", r.prober.rules.Tag)
			}
			writeJSON(w, http.StatusOK, contentJSON, body)
		}}, nil
	})
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
