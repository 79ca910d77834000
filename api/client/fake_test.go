package client_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"solved/api"
	"solved/api/client"
	"solved/api/httpapi"
	"solved/rules"
)

// The games of the tests.
const (
	pairTag  rules.Tag = 0x0badcafe
	otherTag rules.Tag = 0x0badcaff
)

// pair is a game with two positions: in "2" one takes both and wins, at "0" the game
// is over.
type pair struct {
	name string
	tag  rules.Tag
	fail error
}

func (p pair) Ruleset() api.Ruleset {
	digest := "00ff"
	return api.Ruleset{Name: p.name, Tag: p.tag.String(), Kind: "pieces", Game: "Pair", Title: "Pair", Summary: "Take both.", Start: "2",
		Table: &api.Table{Source: api.SourceClosedForm, ContentSHA256: &digest, MainPositions: new(uint64(2)), Decisive: new(uint64(2)),
			LoadedAt: "2026-01-02T03:04:05Z"}}
}

func (p pair) id() api.Rules { return api.Rules{Name: p.name, Tag: p.tag.String()} }

// after plays a question.
func (p pair) after(q api.Question) (string, error) {
	position := "2"
	if q.Position != nil {
		position = *q.Position
	}
	switch {
	case position != "2" && position != "0":
		return "", &rules.MalformedPositionError{Position: position, Detail: "found something else, expected 2 or 0"}
	case q.Moves == "":
		return position, nil
	case position == "2" && q.Moves == "both":
		return "0", nil
	}
	return "", &rules.IllegalMoveError{Ply: 1, Move: q.Moves, Legal: []string{"both"}, Detail: "one takes both"}
}

func (p pair) Canonical(q api.Question) (api.Canonical, error) {
	position, err := p.after(q)
	return api.Canonical{Position: position}, err
}

// Probe asks probe for each question. An error that a problem type of positions or
// moves stands for is that question's own.
func (p pair) Probe(_ context.Context, questions []api.Question, _ *api.Work) ([]api.Answer, error) {
	answers := make([]api.Answer, len(questions))
	for i, q := range questions {
		answers[i].Probe, answers[i].Err = p.probe(q)
		if err := answers[i].Err; err != nil {
			switch api.ProblemOf(err).Kind() {
			case api.MalformedPosition, api.IllegalPosition, api.MalformedMove, api.IllegalMove:
			default:
				return nil, err
			}
		}
	}
	return answers, nil
}

func (p pair) probe(q api.Question) (api.Probe, error) {
	position, err := p.after(q)
	if err != nil {
		return nil, err
	}
	if p.fail != nil {
		return nil, p.fail
	}
	one, none := 1, 0
	if position == "0" {
		winner := "white"
		return &api.PiecesProbe{Rules: p.id(), Kind: "pieces", Position: "0", Key: "k:0", SideToMove: "black", Terminal: true, Winner: &winner,
			Value: "loss", Distance: &none, Moves: []api.PiecesMove{}}, nil
	}
	probe := &api.PiecesProbe{Rules: p.id(), Kind: "pieces", Position: "2", Key: "k:2", SideToMove: "white", Value: "win", Distance: &one}
	if !q.ValueOnly {
		probe.Moves = []api.PiecesMove{{Move: "both", Piece: "X", To: "away", Value: "win", Distance: &one, Optimal: true, PreservesValue: true,
			Child: api.PiecesChild{Position: "0", Key: "k:0", Terminal: true, Value: "loss", Distance: &none}}}
	}
	return probe, nil
}

func (p pair) Line(_ context.Context, q api.Question, plies int, _ *api.Work) (api.Line, error) {
	position, err := p.after(q)
	if err != nil {
		return nil, err
	}
	one, none := 1, 0
	line := &api.PiecesLine{Rules: p.id(), Kind: "pieces", Position: position, Key: "k:" + position, SideToMove: "white", Value: "win", Distance: &one,
		Line: []api.PiecesStep{}, End: api.EndLimit}
	if position == "2" {
		line.Line = append(line.Line, api.PiecesStep{Ply: 1, Move: "both", Position: "0", Key: "k:0", Value: "loss", Distance: &none})
	}
	if plies > 1 {
		line.End = api.EndTerminal
	}
	return line, nil
}

func (p pair) Examples() []api.Example {
	return []api.Example{{Name: "start", Position: "2", Summary: strings.Repeat("It is won. ", 1000)}} // long enough to be compressed
}

// newHandler is the contract over two rulesets.
func newHandler(probers ...api.Prober) http.Handler {
	return httpapi.New(httpapi.Config{Probers: probers, Readiness: func() api.Readiness { return api.Readiness{Ready: true} }})
}

func games() []api.Prober {
	return []api.Prober{pair{name: "pair", tag: pairTag}, pair{name: "pair-other", tag: otherTag}}
}

// serve serves a handler on real connections. At the test's end nothing of them may
// go on.
func serve(t *testing.T, handler http.Handler, options ...client.Option) *client.Client {
	t.Helper()
	before := goleak.IgnoreCurrent()
	server := httptest.NewServer(handler)
	c := newClient(t, server.URL, options...)
	t.Cleanup(func() {
		c.CloseIdleConnections()
		server.Close()
		goleak.VerifyNone(t, before)
	})
	return c
}

func newClient(t testing.TB, address string, options ...client.Option) *client.Client {
	t.Helper()
	c, err := client.New(address, options...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// transport answers without a connection, so that time can be fake.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// body is one that knows whether it has been closed.
type body struct {
	io.ReadCloser
	closed bool
}

func (b *body) Close() error {
	b.closed = true
	return b.ReadCloser.Close()
}

// direct is a client that is answered by a function. It must close every answer.
func direct(t testing.TB, f transport, options ...client.Option) *client.Client {
	t.Helper()
	var open []*body
	t.Cleanup(func() {
		for _, b := range open {
			if !b.closed {
				t.Error("an answer was not closed")
			}
		}
	})
	watched := transport(func(r *http.Request) (*http.Response, error) {
		a, err := f(r)
		if a != nil {
			b := &body{ReadCloser: a.Body}
			a.Body, open = b, append(open, b)
		}
		return a, err
	})
	h := &http.Client{Transport: watched, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return newClient(t, "http://solved.test/", append(options, client.WithHTTPClient(h))...)
}

// ask hands a client's request to a handler.
func ask(h http.Handler, r *http.Request) *http.Response {
	var body io.Reader
	if r.Body != nil {
		text, _ := io.ReadAll(r.Body)
		body = bytes.NewReader(text)
	}
	asked := httptest.NewRequestWithContext(r.Context(), r.Method, r.URL.RequestURI(), body)
	asked.Header = r.Header
	w := httptest.NewRecorder()
	h.ServeHTTP(w, asked)
	return w.Result()
}

// answer makes an answer by hand. Headers are names and values in turn.
func answer(status int, body string, headers ...string) *http.Response {
	r := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}
