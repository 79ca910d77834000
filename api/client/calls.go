package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"solved/api"
	"solved/rules"
)

// Rules lists the rulesets that the service knows, each with the table that answers
// for it there.
func (c *Client) Rules(ctx context.Context) ([]api.Ruleset, error) {
	var list api.RulesetList
	err := c.get(ctx, c.tries, []string{"v1", "rules"}, nil, &list, func(http.Header) error {
		if list.Rules == nil {
			return answerError(nil, "the answer lists no rulesets")
		}
		for _, r := range list.Rules {
			if _, err := rules.ParseTag(r.Tag); err != nil {
				return answerError(nil, "the answer names the rules %q with the tag %q, which is none", r.Name, r.Tag)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list.Rules, nil
}

// Ruleset describes the ruleset of a name such as "tic-tac-chec", and returns its
// tag.
func (c *Client) Ruleset(ctx context.Context, name string) (*api.Ruleset, rules.Tag, error) {
	answer := new(api.Ruleset)
	var tag rules.Tag
	err := c.get(ctx, c.tries, []string{"v1", name}, nil, answer, func(header http.Header) (err error) {
		if tag, err = rules.ParseTag(answer.Tag); err != nil || answer.Name != name {
			return answerError(nil, "asked was for the rules %q; the answer is about %q with the tag %q", name, answer.Name, answer.Tag)
		}
		return holdsFor(tag, header.Get("Rules-Tag"))
	})
	if err != nil {
		return nil, 0, err
	}
	return answer, tag, nil
}

// decoded reads an answer of whatever kind.
type decoded[T any] struct {
	of     T
	decode func([]byte) (T, error)
}

// UnmarshalJSON reads it.
func (d *decoded[T]) UnmarshalJSON(text []byte) (err error) {
	d.of, err = d.decode(text)
	return err
}

// Probe gives a position's value, and every move with its value, best first. Of which
// kind the answer is, and so which type it has, is the ruleset's; Ruleset tells it.
func (c *Client) Probe(ctx context.Context, tag rules.Tag, q Question) (api.Probe, error) {
	return c.probe(ctx, tag, "probe", q)
}

// Best gives a position's value, and its optimal moves.
func (c *Client) Best(ctx context.Context, tag rules.Tag, q Question) (api.Probe, error) {
	return c.probe(ctx, tag, "best", q)
}

func (c *Client) probe(ctx context.Context, tag rules.Tag, what string, q Question) (api.Probe, error) {
	query, err := q.query(tag)
	if err != nil {
		return nil, err
	}
	var answer decoded[api.Probe]
	answer.decode = api.DecodeProbe
	err = c.get(ctx, c.tries, []string{"v1", tag.String(), what}, query, &answer, func(header http.Header) error {
		return holdsFor(tag, header.Get("Rules-Tag"), answer.of.Ruleset().Tag)
	})
	if err != nil {
		return nil, err
	}
	return answer.of, nil
}

// Line gives a line of optimal play of at most maxPlies moves; 0 leaves the limit to
// the service.
func (c *Client) Line(ctx context.Context, tag rules.Tag, q Question, maxPlies int) (api.Line, error) {
	query, err := q.query(tag)
	if err != nil {
		return nil, err
	}
	if maxPlies != 0 {
		query.Set("max_plies", strconv.Itoa(maxPlies))
	}
	var answer decoded[api.Line]
	answer.decode = api.DecodeLine
	err = c.get(ctx, c.tries, []string{"v1", tag.String(), "line"}, query, &answer, func(header http.Header) error {
		return holdsFor(tag, header.Get("Rules-Tag"), answer.of.Ruleset().Tag)
	})
	if err != nil {
		return nil, err
	}
	return answer.of, nil
}

// Examples names a few positions worth a look.
func (c *Client) Examples(ctx context.Context, tag rules.Tag) ([]api.Example, error) {
	var list api.ExampleList
	err := c.get(ctx, c.tries, []string{"v1", tag.String(), "examples"}, nil, &list, func(header http.Header) error {
		if list.Examples == nil {
			return answerError(nil, "the answer lists no examples")
		}
		return holdsFor(tag, header.Get("Rules-Tag"))
	})
	if err != nil {
		return nil, err
	}
	return list.Examples, nil
}

// Batch probes many positions at once, at most api.MaxBatch. There is a result for
// each, in order: a probe, or the problem with that position, which fails no other.
// The probes have their moves only if moves is true.
func (c *Client) Batch(ctx context.Context, tag rules.Tag, positions []string, moves bool) ([]api.BatchResult, error) {
	body, err := json.Marshal(api.BatchRequest{Positions: positions, Moves: moves})
	if err != nil {
		return nil, err
	}
	var answer api.BatchAnswer
	q := request{http.MethodPost, []string{"v1", tag.String(), "probe"}, assertion(tag), body, c.tries}
	err = c.ask(ctx, q, &answer, func(header http.Header) error {
		if len(answer.Results) != len(positions) {
			return answerError(nil, "there are %d results for %d positions", len(answer.Results), len(positions))
		}
		for i, r := range answer.Results {
			switch {
			case (r.Probe == nil) == (r.Problem == nil):
				return answerError(nil, "result %d must be a probe or a problem", i)
			case r.Probe != nil:
				if err := holdsFor(tag, r.Probe.Ruleset().Tag); err != nil {
					return err
				}
			}
		}
		return holdsFor(tag, header.Get("Rules-Tag"))
	})
	if err != nil {
		return nil, err
	}
	return answer.Results, nil
}

// Readiness tells whether the service is ready, and how each of its tables stands.
// That it is not is an answer, not a failure, and asked for only once.
func (c *Client) Readiness(ctx context.Context) (api.Readiness, error) {
	var now api.Readiness
	err := c.get(ctx, 1, []string{"readyz"}, nil, &now, func(http.Header) error {
		if !now.Ready || now.Tables == nil {
			return answerError(nil, "the answer does not say that the service is ready")
		}
		return nil
	})
	var problem *api.Problem
	if errors.As(err, &problem) && problem.Kind() == api.TableUnavailable && problem.Tables != nil {
		return api.Readiness{Reason: problem.Detail, Tables: problem.Tables}, nil
	}
	if err != nil {
		return api.Readiness{}, err
	}
	return now, nil
}

func (c *Client) get(ctx context.Context, tries int, path []string, query map[string][]string, into any, check func(http.Header) error) error {
	return c.ask(ctx, request{method: http.MethodGet, path: path, query: query, tries: tries}, into, check)
}

// holdsFor checks that all tags of an answer are the one asked for.
func holdsFor(asked rules.Tag, got ...string) error {
	for _, text := range got {
		if tag, err := rules.ParseTag(text); err != nil || tag != asked {
			return &MismatchError{asked, text}
		}
	}
	return nil
}
