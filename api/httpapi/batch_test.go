package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"solved/api"
	"solved/rules"
)

// post sends a batch as it is.
func (s *service) post(target, body string, headers ...string) *http.Response {
	r := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Del(headers[i])
		if headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestBatch checks that every position gets its own answer, in order.
func TestBatch(t *testing.T) {
	s := newService(t)
	s.fakes[0].failFor = map[string]error{
		"bad":     &rules.MalformedPositionError{Position: "bad", Offset: 1, Detail: "found an a"},
		"illegal": &rules.IllegalPositionError{Position: "illegal", Reason: "mover-line", Detail: "it is over"},
	}
	for _, moves := range []bool{false, true} {
		r := s.post("/v1/noughts/probe", fmt.Sprintf(`{"moves":%t,"positions":["x","bad","y","illegal"]}`, moves))
		body := text(t, r)
		if r.StatusCode != 200 || r.Header.Get("Rules-Tag") != "0x0badcafe" || r.Header.Get("ETag") != "" || r.Header.Get("Cache-Control") != "" {
			t.Fatalf("%d %v %s", r.StatusCode, r.Header, body)
		}
		var answer api.BatchAnswer
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Fatal(err)
		}
		if len(answer.Results) != 4 {
			t.Fatalf("%d results: %s", len(answer.Results), body)
		}
		for i, want := range []api.ProblemType{"", api.MalformedPosition, "", api.IllegalPosition} {
			result := answer.Results[i]
			if (result.Probe != nil) != (want == "") || (result.Problem != nil) != (want != "") || want != "" && result.Problem.Kind() != want {
				t.Errorf("result %d is %+v", i, result)
			}
			if p, ok := result.Probe.(*api.PiecesProbe); ok && (p.Moves != nil) != moves {
				t.Errorf("moves %t: %s", moves, body)
			}
		}
		if strings.Contains(body, `"moves":null`) == moves {
			t.Errorf("moves %t: %s", moves, body)
		}
		if d := cmp.Diff([]string{"x", "bad", "y", "illegal"}, s.fakes[0].positions); d != "" {
			t.Errorf("asked (-want +got):\n%s", d)
		}
		s.fakes[0].positions = nil
	}
}

// TestBatchFails checks what fails a batch as a whole.
func TestBatchFails(t *testing.T) {
	many := func(n int) string { return `{"positions":["` + strings.Repeat(`x","`, n-1) + `x"]}` }
	fit := many(api.MaxBatch)
	cases := []struct {
		name, body string
		headers    []string
		target     string
		fail       error
		status     int
		kind       api.ProblemType
		offset     int // -1 for none
		limit      int // 0 for none
	}{
		{name: "most", body: fit, status: 200, offset: -1},
		{name: "assertion", body: fit, target: "/v1/noughts/probe?rules_tag=0X0BADCAFE", status: 200, offset: -1},
		{name: "charset", body: fit, headers: []string{"Content-Type", `Application/JSON; charset="UTF-8"`}, status: 200, offset: -1},
		{name: "identity", body: fit, headers: []string{"Content-Encoding", "identity"}, status: 200, offset: -1},
		{name: "white space", body: " {\n\"positions\" : [ \"x\" , \"y\" ] , \"moves\" : true }\n", status: 200, offset: -1},
		{name: "marked", body: "\ufeff" + fit, status: 200, offset: -1},
		{name: "largest", body: fit + strings.Repeat(" ", api.MaxBody-len(fit)), status: 200, offset: -1},

		{name: "too many", body: many(api.MaxBatch + 1), status: 413, kind: api.BatchTooLarge, offset: -1, limit: api.MaxBatch},
		{name: "too large", body: fit + strings.Repeat(" ", api.MaxBody+1-len(fit)), status: 413, kind: api.BatchTooLarge, offset: -1, limit: api.MaxBody},
		{name: "text", body: fit, headers: []string{"Content-Type", "text/plain"}, status: 415, kind: api.UnsupportedMedia, offset: -1},
		{name: "form", body: fit, headers: []string{"Content-Type", "application/x-www-form-urlencoded"}, status: 415, kind: api.UnsupportedMedia, offset: -1},
		{name: "no type", body: fit, headers: []string{"Content-Type", ""}, status: 415, kind: api.UnsupportedMedia, offset: -1},
		{name: "broken type", body: fit, headers: []string{"Content-Type", "application/json;="}, status: 415, kind: api.UnsupportedMedia, offset: -1},
		{name: "latin", body: fit, headers: []string{"Content-Type", "application/json; charset=latin1"}, status: 415, kind: api.UnsupportedMedia, offset: -1},
		{name: "compressed", body: fit, headers: []string{"Content-Encoding", "gzip"}, status: 415, kind: api.UnsupportedMedia, offset: -1},
		{name: "mismatch", body: fit, target: "/v1/noughts/probe?rules_tag=0x00000002", status: 409, kind: api.RulesMismatch, offset: -1},
		{name: "no table", body: fit, target: "/v1/noughts-wild/probe", status: 409, kind: api.RulesMismatch, offset: -1},
		{name: "parameter", body: fit, target: "/v1/noughts/probe?position=x", status: 400, kind: api.BadParameter, offset: -1},
		{name: "unavailable", body: fit, fail: api.ErrUnavailable, status: 503, kind: api.TableUnavailable, offset: -1},
		{name: "internal", body: fit, fail: io.ErrUnexpectedEOF, status: 500, kind: api.Internal, offset: -1},

		{name: "empty", body: "", status: 400, kind: api.BadBody, offset: 0},
		{name: "null", body: "null", status: 400, kind: api.BadBody, offset: 0},
		{name: "a list", body: `["x"]`, status: 400, kind: api.BadBody, offset: 0},
		{name: "no field", body: `{}`, status: 400, kind: api.BadBody, offset: -1},
		{name: "no positions", body: `{"moves":true}`, status: 400, kind: api.BadBody, offset: -1},
		{name: "none", body: `{"positions":[]}`, status: 400, kind: api.BadBody, offset: -1},
		{name: "positions null", body: `{"positions":null}`, status: 400, kind: api.BadBody, offset: 13},
		{name: "positions text", body: `{"positions":"x"}`, status: 400, kind: api.BadBody, offset: 13},
		{name: "a number", body: `{"positions":["x", 12]}`, status: 400, kind: api.BadBody, offset: 19},
		{name: "a null", body: `{"positions":["x",null]}`, status: 400, kind: api.BadBody, offset: 18},
		{name: "a list in it", body: `{"positions":[["x"]]}`, status: 400, kind: api.BadBody, offset: 14},
		{name: "moves text", body: `{"positions":["x"],"moves":"true"}`, status: 400, kind: api.BadBody, offset: 27},
		{name: "moves null", body: `{"positions":["x"],"moves":null}`, status: 400, kind: api.BadBody, offset: 27},
		{name: "moves number", body: `{"positions":["x"],"moves":1e999}`, status: 400, kind: api.BadBody, offset: 27},
		{name: "unknown", body: `{"position":["x"]}`, status: 400, kind: api.BadBody, offset: 1},
		{name: "case", body: `{"Positions":["x"]}`, status: 400, kind: api.BadBody, offset: 1},
		{name: "twice", body: `{"positions":["x"], "positions":["y"]}`, status: 400, kind: api.BadBody, offset: 20},
		{name: "more", body: `{"positions":["x"]} {}`, status: 400, kind: api.BadBody, offset: 20},
		{name: "cut", body: `{"positions":["x"`, status: 400, kind: api.BadBody, offset: 17},
		{name: "cut text", body: `{"positions":["x`, status: 400, kind: api.BadBody, offset: 16},
		{name: "comma", body: `{"positions":["x",]}`, status: 400, kind: api.BadBody, offset: 18},
		{name: "no comma", body: `{"positions":["x" "y"]}`, status: 400, kind: api.BadBody, offset: 18},
		{name: "not JSON", body: `positions=x`, status: 400, kind: api.BadBody, offset: 0},
		{name: "escape", body: `{"positions":["\x"]}`, status: 400, kind: api.BadBody, offset: 14},
		{name: "marked and wrong", body: "\ufeff{\"position\":[]}", status: 400, kind: api.BadBody, offset: 4},
		{name: "marked twice", body: "\ufeff\ufeff" + fit, status: 400, kind: api.BadBody, offset: 3},
		{name: "UTF-16", body: "\xff\xfe{\x00}\x00", status: 400, kind: api.BadBody, offset: 0},
		{name: "UTF-16, the other way", body: "\xfe\xff\x00{\x00}", status: 400, kind: api.BadBody, offset: 0},
		{name: "deep", body: `{"positions":` + strings.Repeat("[", 100_000), status: 400, kind: api.BadBody, offset: 14},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t)
			if c.fail != nil {
				s.fakes[0].fail = c.fail
			}
			if c.target == "" {
				c.target = "/v1/noughts/probe"
			}
			r := s.post(c.target, c.body, c.headers...)
			body := text(t, r)
			if r.StatusCode != c.status {
				t.Fatalf("%d %.500s", r.StatusCode, body)
			}
			if c.status == 200 {
				return
			}
			var p api.Problem
			if err := json.Unmarshal([]byte(body), &p); err != nil {
				t.Fatal(err)
			}
			if p.Kind() != c.kind || p.Status != c.status {
				t.Errorf("%s", body)
			}
			switch {
			case c.offset < 0 && p.Offset != nil, c.offset >= 0 && (p.Offset == nil || *p.Offset != c.offset):
				t.Errorf("offset is not %d: %s", c.offset, body)
			case c.limit > 0 && (p.Limit == nil || *p.Limit != c.limit):
				t.Errorf("limit is not %d: %s", c.limit, body)
			}
		})
	}
}

// TestBatchUnread checks that a body that is announced to be too large is refused
// before it is read, and one whose length is a secret when it turns out to be.
func TestBatchUnread(t *testing.T) {
	for _, announced := range []int64{1 << 40, -1} {
		s := newService(t)
		endless := &countingReader{}
		r := httptest.NewRequest(http.MethodPost, "/v1/noughts/probe", endless)
		r.Header.Set("Content-Type", "application/json")
		r.ContentLength = announced
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != 413 || endless.n > api.MaxBody+1<<16 || announced > 0 && endless.n > 0 {
			t.Errorf("announced %d: %d %s after %d bytes", announced, w.Code, w.Body, endless.n)
		}
	}
}

type countingReader struct{ n int }

func (r *countingReader) Read(b []byte) (int, error) {
	r.n += len(b)
	copy(b, bytes.Repeat([]byte(" "), len(b)))
	return len(b), nil
}

// purse is a limiter that keeps account.
type purse struct{ left, spent, charged int }

func (p *purse) Spend(_ *http.Request, cost int) time.Duration {
	if cost > p.left {
		return 1500 * time.Millisecond
	}
	p.left -= cost
	p.spent += cost
	return 0
}

func (p *purse) Charge(_ *http.Request, cost int) { p.charged += cost }

// TestCost checks what each question costs, and what one is told who has spent
// what there was.
func TestCost(t *testing.T) {
	for _, c := range []struct {
		target, body   string
		match          bool // whether to ask again for what is known
		spent, charged int
	}{
		{target: "/v1/rules", spent: 1},
		{target: "/v1/noughts", spent: 1},
		{target: "/v1/noughts/examples", spent: 1},
		{target: "/v1/noughts/probe", spent: 1},
		{target: "/v1/noughts/best", spent: 1},
		{target: "/v1/noughts/probe", match: true, spent: 1},
		{target: "/v1/noughts/line", spent: 1, charged: 2},
		{target: "/v1/noughts/line", match: true, spent: 1},
		{target: "/v1/noughts/probe", body: `{"positions":["x","y","z"]}`, spent: 3},
		{target: "/v1/noughts/probe?positon=x"}, // refused before anything is done
		{target: "/v1/noughts/probe", body: `{"positions":["x",7]}`, charged: 1},
		{target: "/v1/noughts/probe", body: `{"positions":["` + strings.Repeat("x", 100_000), charged: 1 + 100_000/8192},
		{target: "/v1/noughts/probe?moves=" + strings.Repeat("a,", 499) + "a", spent: 1 + 5},
		{target: "/v1/noughts/line?moves=" + strings.Repeat("a,", 299) + "a", spent: 1 + 3, charged: 2},
		{target: "/metrics", spent: 10},
		{target: "/openapi.json", spent: 1},
		{target: "/openapi.yaml", spent: 1},
		{target: "/docs", spent: 1},
		{target: "/livez"},
		{target: "/readyz"},
	} {
		s := newService(t)
		s.fakes[0].steps = 3
		etag := ""
		if c.match {
			etag = s.etag(t, c.target)
		}
		limiter := &purse{left: 100}
		s.Config.Limiter = limiter
		s.build(t)
		switch {
		case c.match:
			if r := s.conditional("GET", c.target, etag); r.StatusCode != 304 {
				t.Errorf("%s: %d, want 304", c.target, r.StatusCode)
			}
		case c.body != "":
			s.post(c.target, c.body)
		default:
			s.do("GET", c.target)
		}
		if limiter.spent != c.spent || limiter.charged != c.charged {
			t.Errorf("%+v: spent %d, charged %d", c, limiter.spent, limiter.charged)
		}
	}
	s := newService(t)
	s.Config.Limiter = &purse{left: 2}
	s.build(t)
	for _, r := range []*http.Response{
		s.post("/v1/noughts/probe", `{"positions":["x","y","z"]}`),
		s.do("GET", "/v1/noughts/probe"),
		s.do("GET", "/v1/noughts/probe"),
		s.do("GET", "/v1/noughts/probe"),
	} {
		body := text(t, r)
		if r.StatusCode == 200 {
			continue
		}
		if r.StatusCode != 429 || r.Header.Get("Retry-After") != "2" || !strings.Contains(body, `"/problems/rate-limited"`) {
			t.Errorf("%d %v %s", r.StatusCode, r.Header, body)
		}
	}
	var kinds []api.ProblemType
	for _, e := range s.observed {
		kinds = append(kinds, e.Problem)
	}
	if d := cmp.Diff([]api.ProblemType{api.RateLimited, "", "", api.RateLimited}, kinds); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
