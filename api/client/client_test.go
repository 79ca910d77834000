package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"solved/api"
	"solved/api/client"
	"solved/api/httpapi"
	"solved/rules"
)

// TestCalls makes every call, on a real connection, and checks what was asked and
// what came of it.
func TestCalls(t *testing.T) {
	var asked *http.Request
	handler := newHandler(games()...)
	c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Clone(context.WithoutCancel(r.Context()))
		handler.ServeHTTP(w, r)
	}), client.WithUserAgent("tester/7"))
	ctx := t.Context()
	game := pair{name: "pair", tag: pairTag}
	probed := func(q api.Question) api.Probe {
		p, err := game.probe(q)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	lineOf := func(plies int) api.Line {
		l, err := game.Line(ctx, api.Question{}, plies, nil)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	zero := "0"
	for target, call := range map[string]func() (got, want any, err error){
		"GET /v1/rules": func() (got, want any, err error) {
			got, err = c.Rules(ctx)
			return got, []api.Ruleset{game.Ruleset(), games()[1].Ruleset()}, err
		},
		"GET /v1/pair": func() (got, want any, err error) {
			r, tag, err := c.Ruleset(ctx, "pair")
			if tag != pairTag {
				t.Errorf("the tag is %s", tag)
			}
			return *r, game.Ruleset(), err
		},
		"GET /v1/0x0badcafe/probe?rules_tag=0x0badcafe": func() (got, want any, err error) {
			got, err = c.Probe(ctx, pairTag, client.Question{})
			return got, probed(api.Question{}), err
		},
		"GET /v1/0x0badcafe/probe?position=0&rules_tag=0x0badcafe": func() (got, want any, err error) {
			got, err = c.Probe(ctx, pairTag, client.At("0"))
			return got, probed(api.Question{Position: &zero}), err
		},
		"GET /v1/0x0badcafe/best?moves=both&position=2&rules_tag=0x0badcafe": func() (got, want any, err error) {
			got, err = c.Best(ctx, pairTag, client.At("2", "both"))
			return got, probed(api.Question{Position: &zero}), err
		},
		"GET /v1/0x0badcafe/line?rules_tag=0x0badcafe": func() (got, want any, err error) {
			got, err = c.Line(ctx, pairTag, client.FromStart(), 0)
			return got, lineOf(api.DefaultMaxPlies), err
		},
		"GET /v1/0x0badcafe/line?max_plies=1&rules_tag=0x0badcafe": func() (got, want any, err error) {
			got, err = c.Line(ctx, pairTag, client.FromStart(), 1)
			return got, lineOf(1), err
		},
		"GET /v1/0x0badcafe/examples": func() (got, want any, err error) {
			got, err = c.Examples(ctx, pairTag)
			return got, game.Examples(), err
		},
		"POST /v1/0x0badcafe/probe?rules_tag=0x0badcafe": func() (got, want any, err error) {
			results, err := c.Batch(ctx, pairTag, []string{"2", "x", "0"}, true)
			if len(results) != 3 || results[1].Problem == nil || results[1].Problem.Kind() != api.MalformedPosition || *results[1].Problem.Position != "x" {
				t.Errorf("the batch: %+v", results)
				return nil, nil, err
			}
			return []api.Probe{results[0].Probe, results[2].Probe}, []api.Probe{probed(api.Question{}), probed(api.Question{Position: &zero})}, err
		},
		"GET /readyz": func() (got, want any, err error) {
			got, err = c.Readiness(ctx)
			return got, api.Readiness{Ready: true, Tables: []api.TableState{}}, err
		},
	} {
		got, want, err := call()
		if err != nil {
			t.Errorf("%s: %v", target, err)
			continue
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: (-want +got)\n%s", target, d)
		}
		if what := asked.Method + " " + asked.RequestURI; what != target {
			t.Errorf("asked was %s, want %s", what, target)
		}
		if asked.Header.Get("User-Agent") != "tester/7" || asked.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("%s: asked with %v", target, asked.Header)
		}
	}
	// Without moves, and the default of who asks.
	results, err := c.Batch(ctx, pairTag, []string{"2"}, false)
	if err != nil || len(results) != 1 || results[0].Probe.Choices() != nil || results[0].Probe.(*api.PiecesProbe).Value != "win" {
		t.Errorf("a batch without moves: %+v, %v", results, err)
	}
	if _, err := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.UserAgent() != "solved-client/"+api.Version {
			t.Errorf("the user agent is %q", r.UserAgent())
		}
		handler.ServeHTTP(w, r)
	})).Rules(ctx); err != nil {
		t.Error(err)
	}
}

// TestBeneath asks a service beneath a path.
func TestBeneath(t *testing.T) {
	server := httptest.NewServer(http.StripPrefix("/games/solved", newHandler(games()...)))
	defer server.Close()
	for _, end := range []string{"/games/solved", "/games/solved/"} {
		c := newClient(t, server.URL+end)
		defer c.CloseIdleConnections()
		if probe, err := c.Probe(t.Context(), pairTag, client.At("2")); err != nil || probe.(*api.PiecesProbe).Value != "win" {
			t.Errorf("%s: %+v, %v", end, probe, err)
		}
	}
}

// TestProblems checks how the failures of the contract arrive.
func TestProblems(t *testing.T) {
	probers := games()
	probers[1] = pair{name: "pair-other", tag: otherTag, fail: api.ErrNoTable}
	probers = append(probers, pair{name: "broken", tag: 3, fail: errors.New("a secret")})
	c := serve(t, newHandler(probers...), client.WithTries(1))
	ctx := t.Context()
	for _, c := range []struct {
		name string
		call func() error
		kind api.ProblemType
		look func(*api.Problem) bool
	}{
		{"a position that is none", func() error { _, err := c.Probe(ctx, pairTag, client.At("x y")); return err }, api.MalformedPosition,
			func(p *api.Problem) bool { return *p.Position == "x y" && *p.Offset == 0 }},
		{"an empty position is not the start", func() error { _, err := c.Probe(ctx, pairTag, client.At("")); return err }, api.MalformedPosition,
			func(p *api.Problem) bool { return *p.Position == "" }},
		{"an illegal move", func() error { _, err := c.Best(ctx, pairTag, client.FromStart("one")); return err }, api.IllegalMove,
			func(p *api.Problem) bool { return *p.Ply == 1 && p.Legal[0] == "both" }},
		{"unknown rules", func() error { _, err := c.Line(ctx, 0xdeadbeef, client.FromStart(), 0); return err }, api.UnknownRules,
			func(p *api.Problem) bool { return len(p.Known) == 3 && p.Known[0].Name == "pair" }},
		{"an unknown name", func() error { _, _, err := c.Ruleset(ctx, "chess"); return err }, api.UnknownRules, nil},
		{"a name with a slash", func() error { _, _, err := c.Ruleset(ctx, "a/b"); return err }, api.UnknownRules, nil},
		{"no name", func() error { _, _, err := c.Ruleset(ctx, ""); return err }, api.NotFound, nil},
		{"a name that is two dots", func() error { _, _, err := c.Ruleset(ctx, ".."); return err }, api.NotFound, nil},
		{"no table", func() error { _, err := c.Probe(ctx, otherTag, client.At("2")); return err }, api.RulesMismatch,
			func(p *api.Problem) bool { return *p.Asked == otherTag.String() && p.Loaded == nil }},
		{"an odd limit", func() error { _, err := c.Line(ctx, pairTag, client.At("2"), -1); return err }, api.BadParameter,
			func(p *api.Problem) bool { return *p.Parameter == "max_plies" }},
		{"an empty batch", func() error { _, err := c.Batch(ctx, pairTag, nil, false); return err }, api.BadBody, nil},
		{"a large batch", func() error { _, err := c.Batch(ctx, pairTag, make([]string, api.MaxBatch+1), false); return err }, api.BatchTooLarge,
			func(p *api.Problem) bool { return *p.Limit == api.MaxBatch }},
		{"a fault", func() error { _, err := c.Probe(ctx, 3, client.At("2")); return err }, api.Internal,
			func(p *api.Problem) bool { return *p.RequestID != "" }},
	} {
		err := c.call()
		var problem *api.Problem
		if !errors.As(err, &problem) || problem.Kind() != c.kind || c.look != nil && !c.look(problem) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var failure *client.Error
		if !errors.As(err, &failure) || failure.Status != c.kind.Status() || failure.Tries != 1 || len(failure.RequestID) != 16 {
			t.Errorf("%s: %+v", c.name, failure)
		}
		for _, part := range []string{failure.Method + " " + failure.Path + ": ", string(c.kind), problem.Detail, failure.RequestID} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q does not tell %q", c.name, err, part)
			}
		}
	}
}

// TestMoves checks that a move is sent as one or not at all.
func TestMoves(t *testing.T) {
	c := direct(t, func(*http.Request) (*http.Response, error) {
		t.Error("asked all the same")
		return answer(500, ""), nil
	})
	for _, moves := range [][]string{{""}, {"a", ""}, {"a,b"}, {"a", "b,"}} {
		if _, err := c.Probe(t.Context(), pairTag, client.FromStart(moves...)); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("move %d", len(moves))) {
			t.Errorf("%q: %v", moves, err)
		}
		if _, err := c.Line(t.Context(), pairTag, client.At("2", moves...), 1); err == nil {
			t.Errorf("%q: no error", moves)
		}
	}
}

// TestReadiness checks that a service that is not ready is an answer, and that what
// is no answer is a failure. It is asked once.
func TestReadiness(t *testing.T) {
	reason := "It is being read."
	state := api.Readiness{Reason: "Not every table is ready.", Tables: []api.TableState{{
		Rules: api.Rules{Name: "pair", Tag: pairTag.String()}, Source: api.SourceMapped, State: api.StateVerifying, Reason: &reason}}}
	asked := 0
	handler := httpapi.New(httpapi.Config{Probers: games(), Readiness: func() api.Readiness { asked++; return state }})
	c := serve(t, handler)
	got, err := c.Readiness(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(state, got); d != "" || asked != 1 {
		t.Errorf("asked %d times, (-want +got)\n%s", asked, d)
	}
	for _, a := range []*http.Response{
		answer(503, "upstream connect error", "Content-Type", "text/plain"),
		answer(503, `{"type":"/problems/overloaded","status":503}`, "Content-Type", "application/problem+json"),
		answer(200, `{}`, "Content-Type", "application/json"),
		answer(200, `{"ready":false,"tables":[]}`, "Content-Type", "application/json"),
		answer(200, `ok`, "Content-Type", "text/plain"),
	} {
		tries := 0
		c := direct(t, func(*http.Request) (*http.Response, error) { tries++; return a, nil })
		if r, err := c.Readiness(t.Context()); err == nil || r.Ready || tries != 1 {
			t.Errorf("%d: %+v, %v, asked %d times", a.StatusCode, r, err, tries)
		}
	}
}

// TestNew checks what is refused, and that no password is told.
func TestNew(t *testing.T) {
	for _, address := range []string{"", "solved.example", "//solved.example", "ftp://solved.example", "http://", "http:///v1", "/v1", "http://a b",
		"http://solved.example?x=1", "http://solved.example?", "http://solved.example#x", "http://u:hush@solved.example?x", "http://[::1", "unix:/run/solved"} {
		if _, err := client.New(address); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%q: %v", address, err)
		}
	}
	for name, option := range map[string]client.Option{
		"tries": client.WithTries(0), "time": client.WithTime(-1), "largest": client.WithLargest(0), "agent": client.WithUserAgent("a\nb"),
	} {
		if _, err := client.New("https://solved.example", option); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// A service that is not there: neither address nor password in the text twice.
	c := newClient(t, "http://u:hush@127.0.0.1:1/x", client.WithTries(3))
	defer c.CloseIdleConnections()
	_, err := c.Rules(t.Context())
	var failure *client.Error
	if !errors.As(err, &failure) || failure.Tries != 1 || failure.Status != 0 || strings.Contains(err.Error(), "hush") || !strings.HasPrefix(err.Error(), "GET /v1/rules: ") {
		t.Errorf("nobody there: %v", err)
	}
}

// TestConcurrent asks from many goroutines at once, over real connections, while
// some give up.
func TestConcurrent(t *testing.T) {
	c := serve(t, newHandler(games()...))
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Go(func() {
			for range 20 {
				tag := []rules.Tag{pairTag, otherTag}[i%2]
				probe, err := c.Probe(t.Context(), tag, client.At("2"))
				if err != nil || probe.Ruleset().Tag != tag.String() {
					t.Errorf("%+v, %v", probe, err)
				}
				short, cancel := context.WithTimeout(t.Context(), time.Duration(i)*20*time.Microsecond)
				if _, err := c.Batch(short, tag, []string{"2"}, true); err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("given up: %v", err)
				}
				cancel()
			}
		})
	}
	wait.Wait()
}
