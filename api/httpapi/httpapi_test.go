package httpapi_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"solved/api"
	"solved/api/apitest"
	"solved/api/httpapi"
	"solved/rules"
)

var update = flag.Bool("update", false, "write the golden files anew")

// contract is the document, which does not depend on who answers.
var contract = sync.OnceValues(func() (*apitest.Contract, error) { return apitest.Of(httpapi.New(httpapi.Config{})) })

// service is a handler over fakes, with what was observed of it.
type service struct {
	http.Handler
	httpapi.Config
	fakes    []*fake
	ready    api.Readiness
	observed []httpapi.Exchange
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{fakes: newFakes(), ready: api.Readiness{Ready: true}}
	var probers []api.Prober
	for _, f := range s.fakes {
		probers = append(probers, f)
	}
	for _, f := range newCrosses() {
		probers = append(probers, f)
	}
	s.Config = httpapi.Config{
		Probers:   probers,
		Readiness: func() api.Readiness { return s.ready },
		Metrics:   http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "metrics\n") }),
	}
	s.build(t)
	return s
}

// build makes the handler anew, and one around it that holds every answer against
// the contract's document.
func (s *service) build(t *testing.T) {
	t.Helper()
	contract, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	s.Config.Observe = func(e httpapi.Exchange) { s.observed = append(s.observed, e) }
	s.Handler = contract.Checked(httpapi.New(s.Config), func(err error) { t.Error(err) })
}

func (s *service) do(method, target string) *http.Response {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w.Result()
}

func (s *service) get(target string) (status int, header http.Header, body string) {
	r := s.do("GET", target)
	b, _ := io.ReadAll(r.Body)
	return r.StatusCode, r.Header, string(b)
}

// TestGolden holds whole bodies, byte for byte.
func TestGolden(t *testing.T) {
	ready := api.Readiness{Ready: true, Tables: []api.TableState{{
		Rules: api.Rules{Name: "noughts", Tag: "0x0badcafe"}, Source: api.SourceMapped, File: pointer("noughts.ttb"), State: api.StateReady,
	}}}
	verifying := api.Readiness{Reason: "A table is being verified.", Tables: []api.TableState{{
		Rules: api.Rules{Name: "noughts", Tag: "0x0badcafe"}, Source: api.SourceEmbedded, State: api.StateVerifying, Reason: pointer("because"),
	}}}
	cases := []struct {
		name, target string
		status       int
		fail         error
		ready        api.Readiness
	}{
		{name: "rules", target: "/v1/rules", status: 200},
		{name: "ruleset", target: "/v1/noughts", status: 200},
		{name: "ruleset-without-table", target: "/v1/noughts-wild", status: 200},
		{name: "probe", target: "/v1/noughts/probe", status: 200},
		{name: "best", target: "/v1/noughts/best", status: 200},
		{name: "line", target: "/v1/noughts/line", status: 200},
		{name: "probe-grundy-null", target: "/v1/row/probe", status: 200},
		{name: "line-grundy-null", target: "/v1/row/line", status: 200},
		{name: "probe-misere", target: "/v1/boards/probe", status: 200},
		{name: "best-misere", target: "/v1/boards/best", status: 200},
		{name: "line-misere", target: "/v1/boards/line", status: 200},
		{name: "examples", target: "/v1/noughts/examples", status: 200},
		{name: "livez", target: "/livez", status: 200},
		{name: "readyz", target: "/readyz", status: 200, ready: ready},
		{name: "readyz-verifying", target: "/readyz", status: 503, ready: verifying},
		{name: "malformed-position", target: "/v1/noughts/probe?position=%ff%3C%22", status: 400,
			fail: &rules.MalformedPositionError{Position: "\xff<\"", Offset: 0, Detail: "found 0xff, expected a piece"}},
		{name: "illegal-position", target: "/v1/noughts/probe?position=x", status: 422,
			fail: &rules.IllegalPositionError{Position: "x", Reason: "mover-line", Detail: "the side to move has won"}},
		{name: "malformed-move", target: "/v1/noughts/probe?moves=,", status: 400,
			fail: &rules.MalformedMoveError{Ply: 1, Move: "", Offset: 0, Detail: "found a comma, expected a move"}},
		{name: "illegal-move", target: "/v1/noughts/line?moves=x@a1", status: 422,
			fail: &rules.IllegalMoveError{Ply: 1, Move: "x@a1", Legal: []string{"o@a1", "o@b1"}, Detail: "it is Black's turn"}},
		{name: "illegal-move-after-the-end", target: "/v1/noughts/line?moves=x@a1", status: 422,
			fail: &rules.IllegalMoveError{Ply: 4, Move: "x@a1", Detail: "the game is over"}},
		{name: "unknown-rules", target: "/v1/chess/probe", status: 404},
		{name: "unknown-tag", target: "/v1/0xdeadbeef", status: 404},
		{name: "unknown-parameter", target: "/v1/noughts/probe?positon=x", status: 400},
		{name: "unknown-parameter-none-known", target: "/v1/noughts/examples?x=1", status: 400},
		{name: "repeated-parameter", target: "/v1/noughts/probe?moves=&moves=", status: 400},
		{name: "bad-tag", target: "/v1/noughts/probe?rules_tag=12", status: 400},
		{name: "rules-mismatch", target: "/v1/noughts/probe?rules_tag=0x00000002", status: 409},
		{name: "no-table", target: "/v1/noughts-wild/probe", status: 409},
		{name: "bad-max-plies", target: "/v1/noughts/line?max_plies=1001", status: 400},
		{name: "not-found", target: "/v2", status: 404},
		{name: "table-unavailable", target: "/v1/noughts/probe", status: 503, fail: fmt.Errorf("/secret/path: %w", api.ErrUnavailable)},
	}
	seen := map[string]bool{}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t)
			if c.fail != nil {
				s.fakes[0].fail = c.fail
			}
			s.ready = c.ready
			status, header, body := s.get(c.target)
			if status != c.status {
				t.Fatalf("status %d, want %d; body %s", status, c.status, body)
			}
			content := "application/json"
			if status != 200 {
				content = "application/problem+json"
				if header.Get("Cache-Control") != "no-store" {
					t.Errorf("a failure has Cache-Control %q", header.Get("Cache-Control"))
				}
			}
			if got := header.Get("Content-Type"); got != content {
				t.Errorf("Content-Type %q, want %q", got, content)
			}
			if got := header.Get("Content-Length"); got != fmt.Sprint(len(body)) {
				t.Errorf("Content-Length %s, body has %d bytes", got, len(body))
			}
			wantRetry := map[bool]string{true: "1"}[status == 503]
			if got := header.Get("Retry-After"); got != wantRetry {
				t.Errorf("Retry-After %q, want %q", got, wantRetry)
			}
			wantTag := ""
			for _, p := range s.Probers {
				if r := p.Ruleset(); status == 200 && strings.HasPrefix(c.target+"/", "/v1/"+r.Name+"/") {
					wantTag = r.Tag
				}
			}
			if got := header.Get("Rules-Tag"); got != wantTag {
				t.Errorf("Rules-Tag %q, want %q", got, wantTag)
			}
			golden(t, c.name, body)
		})
		seen[c.name+".json"] = true
	}
	files, err := os.ReadDir("testdata/golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !seen[f.Name()] {
			t.Errorf("no case uses testdata/golden/%s", f.Name())
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name+".json")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("body differs from %s (-want +got):\n%s", file, d)
	}
}

// TestQuestion checks what of a query reaches the prober, and how.
func TestQuestion(t *testing.T) {
	cases := []struct {
		target string
		want   asked
	}{
		{"/v1/noughts/probe", asked{}},
		{"/v1/noughts/probe?", asked{}},
		{"/v1/noughts/probe?&", asked{}},
		{"/v1/noughts/probe?position=", asked{question: api.Question{Position: pointer("")}}},
		{"/v1/noughts/probe?position", asked{question: api.Question{Position: pointer("")}}},
		{"/v1/noughts/probe?position=a+b%20c_d", asked{question: api.Question{Position: pointer("a b c_d")}}},
		{"/v1/noughts/probe?%70osition=a;b=c", asked{question: api.Question{Position: pointer("a;b=c")}}},
		{"/v1/noughts/best?moves=a,b&position=x", asked{question: api.Question{Position: pointer("x"), Moves: "a,b"}}},
		{"/v1/noughts/best?moves=", asked{}},
		{"/v1/0x0badcafe/probe?rules_tag=0x0badcafe", asked{}},
		{"/v1/0X0BADcafe/%70robe?rules_tag=0X0BADCAFE", asked{}},
		{"/v1/noughts/line", asked{plies: 200}},
		{"/v1/noughts/line?max_plies=1", asked{plies: 1}},
		{"/v1/noughts/line?max_plies=1000", asked{plies: 1000}},
		{"/v1/noughts/probe?moves=" + strings.Repeat(",", api.MaxMoves-1), asked{question: api.Question{Moves: strings.Repeat(",", api.MaxMoves-1)}}},
	}
	for _, c := range cases {
		s := newService(t)
		status, _, body := s.get(c.target)
		if status != 200 {
			t.Errorf("%s: status %d: %s", c.target, status, body)
			continue
		}
		if d := cmp.Diff(&c.want, s.fakes[0].asked, cmp.AllowUnexported(asked{})); d != "" {
			t.Errorf("%s: (-want +got)\n%s", c.target, d)
		}
	}
}

// TestRefusals checks the status and type of what is refused before a prober
// is asked.
func TestRefusals(t *testing.T) {
	cases := []struct {
		target, parameter string
		status            int
		kind              api.ProblemType
	}{
		{"/v1/noughts/probe?max_plies=3", "max_plies", 400, api.BadParameter},
		{"/v1/noughts/probe?Position=x", "Position", 400, api.BadParameter},
		{"/v1/noughts/probe?=x", "", 400, api.BadParameter},
		{"/v1/noughts/probe?position=x&%70osition=y", "position", 400, api.BadParameter},
		{"/v1/noughts/probe?position=%zz", "position", 400, api.BadParameter},
		{"/v1/noughts/probe?%zz=1", "%zz", 400, api.BadParameter},
		{"/v1/noughts/probe?rules_tag=", "rules_tag", 400, api.BadParameter},
		{"/v1/noughts/probe?rules_tag=noughts", "rules_tag", 400, api.BadParameter},
		{"/v1/noughts/probe?rules_tag=0x0badcaf", "rules_tag", 400, api.BadParameter},
		{"/v1/noughts/probe?moves=" + strings.Repeat(",", api.MaxMoves), "moves", 400, api.BadParameter},
		{"/v1/noughts/line?max_plies=", "max_plies", 400, api.BadParameter},
		{"/v1/noughts/line?max_plies=0", "max_plies", 400, api.BadParameter},
		{"/v1/noughts/line?max_plies=-1", "max_plies", 400, api.BadParameter},
		{"/v1/noughts/line?max_plies=%2B1", "max_plies", 400, api.BadParameter},
		{"/v1/noughts/line?max_plies=1_0", "max_plies", 400, api.BadParameter},
		{"/v1/noughts/line?max_plies=1e2", "max_plies", 400, api.BadParameter},
		{"/v1/noughts/line?max_plies=99999999999999999999", "max_plies", 400, api.BadParameter},
		{"/v1/rules?x", "x", 400, api.BadParameter},
		{"/v1/noughts?rules_tag=0x0badcafe", "rules_tag", 400, api.BadParameter},
		{"/v1/Noughts", "", 404, api.UnknownRules},
		{"/v1/0x0badcaf", "", 404, api.UnknownRules},
		{"/v1/0x1badcafe/probe?x=1", "", 404, api.UnknownRules},
		{"/v1/rules/probe", "", 404, api.UnknownRules},
		{"/v1/noughts/probe?rules_tag=0x0badcaff", "", 409, api.RulesMismatch},
		{"/v1/noughts-wild/line", "", 409, api.RulesMismatch},
		{"/", "", 404, api.NotFound},
		{"/v1", "", 404, api.NotFound},
		{"/v1/", "", 404, api.NotFound},
		{"/v1/rules/", "", 404, api.NotFound},
		{"/v1/noughts/", "", 404, api.NotFound},
		{"/v1/noughts/probe/", "", 404, api.NotFound},
		{"/v1/noughts/nothing", "", 404, api.NotFound},
		{"/v1//probe/x", "", 404, api.NotFound},
		{"/livez/", "", 404, api.NotFound},
		{"/openapi.json?x=1", "x", 400, api.BadParameter},
		{"/docs/", "", 404, api.NotFound},
		{"/schemas/Probe.json", "", 404, api.NotFound},
		{"/v1/noughts/probe?position=" + strings.Repeat("x", api.MaxURI), "", 414, api.URITooLong},
	}
	for _, c := range cases {
		s := newService(t)
		status, _, body := s.get(c.target)
		var p struct {
			Type, Title, Detail, Parameter string
			Status                         int
		}
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			t.Errorf("%.80s: %v in %s", c.target, err, body)
			continue
		}
		if status != c.status || p.Status != c.status || p.Type != "/problems/"+string(c.kind) || p.Parameter != c.parameter {
			t.Errorf("%.80s: %d %s, want %d %s for %q", c.target, status, body, c.status, c.kind, c.parameter)
		}
		if p.Title == "" || p.Detail == "" {
			t.Errorf("%.80s: no title or no detail: %s", c.target, body)
		}
		if s.fakes[0].asked != nil {
			t.Errorf("%.80s: the prober was asked", c.target)
		}
		if got := s.observed[0].Problem; got != c.kind {
			t.Errorf("%.80s: observed %q", c.target, got)
		}
	}
}

func TestMethods(t *testing.T) {
	for _, target := range []string{"/v1/rules", "/v1/noughts", "/v1/noughts/probe", "/v1/noughts/best", "/v1/noughts/line", "/v1/noughts/examples",
		"/livez", "/readyz", "/metrics", "/problems/internal", "/openapi.json", "/openapi.yaml", "/docs"} {
		methods, allow := []string{"POST", "PUT", "DELETE", "PATCH", "BREW"}, "GET, HEAD"
		if target == "/v1/noughts/probe" {
			methods, allow = methods[1:], "GET, HEAD, POST"
		}
		s := newService(t)
		get, head := s.do("GET", target), s.do("HEAD", target)
		if head.StatusCode != 200 {
			t.Errorf("HEAD %s: status %d", target, head.StatusCode)
		}
		get.Header.Del("X-Request-Id")
		head.Header.Del("X-Request-Id")
		if d := cmp.Diff(get.Header, head.Header); d != "" {
			t.Errorf("HEAD %s: header differs from GET's:\n%s", target, d)
		}
		for _, method := range methods {
			r := s.do(method, target)
			b, _ := io.ReadAll(r.Body)
			if r.StatusCode != 405 || r.Header.Get("Allow") != allow || !strings.Contains(string(b), "/problems/method-not-allowed") {
				t.Errorf("%s %s: status %d, Allow %q, body %s", method, target, r.StatusCode, r.Header.Get("Allow"), b)
			}
		}
	}
	s := newService(t)
	for _, method := range []string{"HEAD", "POST", "BREW"} {
		if r := s.do(method, "/nothing"); r.StatusCode != 404 {
			t.Errorf("%s /nothing: status %d", method, r.StatusCode)
		}
	}
}

// TestInternal checks that nothing of an error of ours reaches a client, and
// that the log gets it with the id that the client got.
func TestInternal(t *testing.T) {
	for _, panics := range []bool{false, true} {
		s := newService(t)
		s.fakes[0].panics = panics
		s.fakes[0].fail = errors.New("a secret of ours")
		status, header, body := s.get("/v1/noughts/probe")
		var p api.Problem
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			t.Fatal(err)
		}
		if status != 500 || p.Type != "/problems/internal" || p.RequestID == nil || *p.RequestID == "" || *p.RequestID != header.Get("X-Request-Id") {
			t.Errorf("status %d, X-Request-Id %q, body %s", status, header.Get("X-Request-Id"), body)
		}
		if strings.Contains(body, "secret") || strings.Contains(body, "goroutine") || header.Get("Rules-Tag") != "" {
			t.Errorf("too much is told: %s %v", body, header)
		}
		e := s.observed[0]
		if e.RequestID != *p.RequestID || e.Cause == nil || !strings.Contains(e.Cause.Error(), "a secret of ours") || e.Status != 500 {
			t.Errorf("observed %+v", e)
		}
		if (httpapi.Stack(e.Cause) != nil) != panics {
			t.Errorf("stack: %s", httpapi.Stack(e.Cause))
		}
	}
}

// TestExchange checks that routes are named by their patterns.
func TestExchange(t *testing.T) {
	s := newService(t)
	for _, target := range []string{"/v1/0x0badcafe/probe?position=x", "/nothing", "/livez", "/v1/noughts/"} {
		s.get(target)
	}
	s.do("POST", "/v1/noughts/best")
	var got []string
	for _, e := range s.observed {
		got = append(got, fmt.Sprint(e.Route, " ", e.Status))
	}
	want := []string{"/v1/{rules}/probe 200", "none 404", "/livez 200", "none 404", "none 405"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
