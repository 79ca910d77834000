package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"solved/api"
	"solved/rules"
)

// conditional asks with If-None-Match.
func (s *service) conditional(method, target string, tags ...string) *http.Response {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, target, nil)
	for _, tag := range tags {
		r.Header.Add("If-None-Match", tag)
	}
	s.ServeHTTP(w, r)
	return w.Result()
}

func (s *service) etag(t *testing.T, target string) string {
	t.Helper()
	status, header, body := s.get(target)
	tag := header.Get("ETag")
	if status != 200 || !strings.HasPrefix(tag, `W/"`) || !strings.HasSuffix(tag, `"`) || len(tag) != 36 ||
		header.Get("Cache-Control") != cachingOf(target) || header.Get("Vary") != varyOf(target) {
		t.Errorf("%s: %d %v %s", target, status, header, body)
	}
	return tag
}

var (
	cached = []string{"/v1/noughts/probe", "/v1/noughts/best", "/v1/noughts/line", "/v1/noughts/line?max_plies=7"}
	// described are answers to no question, named by their own text.
	described = []string{"/v1/rules", "/v1/noughts", "/v1/noughts-wild", "/v1/noughts/examples", "/openapi.json", "/openapi.yaml", "/docs", "/problems/internal"}
)

// cachingOf is the Cache-Control of a good answer.
func cachingOf(target string) string {
	switch {
	case slices.Contains(cached, target) || strings.Contains(target, "/probe"):
		return "public, max-age=86400"
	case strings.HasPrefix(target, "/v1/") && !strings.HasSuffix(target, "/examples"):
		return "no-cache"
	}
	return "public, max-age=3600"
}

func varyOf(target string) string {
	if strings.HasPrefix(target, "/problems/") {
		return "" // too short to be compressed
	}
	return "Accept-Encoding"
}

// TestETag checks what an entity tag is made of, and what it is not.
func TestETag(t *testing.T) {
	s, seen := newService(t), map[string]string{}
	for _, target := range slices.Concat(cached, described) {
		tag := s.etag(t, target)
		if other, twice := seen[tag]; twice {
			t.Errorf("%s and %s have the same ETag", target, other)
		}
		seen[tag] = target
	}
	first := s.etag(t, "/v1/noughts/probe")
	for _, target := range []string{"/v1/0X0badcafe/probe", "/v1/noughts/probe?moves=", "/v1/noughts/probe?rules_tag=0x0badcafe&position=x"} {
		if s.etag(t, target) != first {
			t.Errorf("%s: another ETag for the same question", target)
		}
	}
	replica := newService(t)
	table := replica.fakes[0].ruleset.Table
	table.Source, table.File, table.CRC64, table.LoadedAt = api.SourceEmbedded, nil, nil, "2027-01-02T03:04:05Z"
	if replica.etag(t, "/v1/noughts/probe") != first {
		t.Error("a replica with the same values in another form has another ETag")
	}
	table.ContentSHA256 = pointer("00fe")
	if replica.etag(t, "/v1/noughts/probe") == first {
		t.Error("another digest gives the same ETag")
	}
	wild := s.fakes[1]
	wild.ruleset.Table, wild.fail = s.fakes[0].ruleset.Table, nil
	if s.etag(t, "/v1/noughts-wild/probe") == first {
		t.Error("another ruleset gives the same ETag")
	}
}

// TestNotModified checks that a match is answered without a look at the table,
// and only after the question has been found good.
func TestNotModified(t *testing.T) {
	for _, target := range slices.Concat(cached, described) {
		s := newService(t)
		tag := s.etag(t, target)
		wantTag := strings.HasPrefix(target, "/v1/noughts")
		for _, match := range [][]string{{tag}, {strings.TrimPrefix(tag, "W/")}, {"*"}, {`"x", W/"y,z" ,` + tag}, {`"x"`, tag}} {
			for _, method := range []string{"GET", "HEAD"} {
				s.fakes[0].asked = nil
				r := s.conditional(method, target, match...)
				body, _ := io.ReadAll(r.Body)
				if r.StatusCode != 304 || len(body) != 0 || s.fakes[0].asked != nil ||
					r.Header.Get("ETag") != tag || r.Header.Get("Cache-Control") != cachingOf(target) ||
					r.Header.Get("Vary") != varyOf(target) || (r.Header.Get("Rules-Tag") != "") != wantTag || r.Header.Get("Content-Type") != "" {
					t.Errorf("%s %s %q: %d %v %s", method, target, match, r.StatusCode, r.Header, body)
				}
			}
		}
		for _, other := range []string{"", `"x"`, `W/"x"`, tag[3:35], tag[:35], `x, ` + tag, `"` + tag + `"`} {
			if r := s.conditional("GET", target, other); r.StatusCode != 200 || r.Header.Get("ETag") != tag {
				t.Errorf("%s %q: %d %v", target, other, r.StatusCode, r.Header)
			}
		}
	}
	s := newService(t)
	for _, target := range []string{"/v1/noughts/probe?positon=x", "/v1/noughts/line?max_plies=0", "/v1/noughts/best?rules_tag=0"} {
		if r := s.conditional("GET", target, "*"); r.StatusCode != 400 || r.Header.Get("ETag") != "" {
			t.Errorf("%s: %d %v", target, r.StatusCode, r.Header)
		}
	}
	s.fakes[0].malformed = &rules.MalformedPositionError{Position: "x", Detail: "that is nothing"}
	if r := s.conditional("GET", "/v1/noughts/probe?position=x", "*"); r.StatusCode != 400 || r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a malformed position: %d %v", r.StatusCode, r.Header)
	}
}

// TestRulesetIsNamedWithItsTable checks that what is said of a ruleset is named with
// all that is said of its table, so that no client keeps what a table was before.
func TestRulesetIsNamedWithItsTable(t *testing.T) {
	for _, target := range []string{"/v1/rules", "/v1/noughts"} {
		s := newService(t)
		tag := s.etag(t, target)
		for name, change := range map[string]func(*api.Ruleset){
			"degraded, with the same values": func(r *api.Ruleset) { r.Table.Source, r.Table.File = api.SourceEmbedded, nil },
			"another digest":                 func(r *api.Ruleset) { r.Table.ContentSHA256 = pointer("00fe") },
			"loaded again":                   func(r *api.Ruleset) { r.Table.LoadedAt = "2027-01-02T03:04:05Z" },
			"no table":                       func(r *api.Ruleset) { r.Table = nil },
			"another summary":                func(r *api.Ruleset) { r.Summary = "Three by three." },
		} {
			changed := newService(t)
			change(&changed.fakes[0].ruleset)
			if r := changed.conditional("GET", target, tag); r.StatusCode != 200 || r.Header.Get("ETag") == tag {
				t.Errorf("%s, %s: %d %v", target, name, r.StatusCode, r.Header)
			}
		}
	}
}

// TestUncached checks that an answer without a digest to vouch for it, or with
// two, is given no name, and that no failure is.
func TestUncached(t *testing.T) {
	s := newService(t)
	for _, target := range []string{"/livez", "/readyz", "/metrics"} {
		if r := s.conditional("GET", target, "*"); r.StatusCode != 200 || r.Header.Get("ETag") != "" || r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v", target, r.StatusCode, r.Header)
		}
	}
	if r := s.conditional("GET", "/v1/noughts-wild/probe", "*"); r.StatusCode != 409 || r.Header.Get("ETag") != "" {
		t.Errorf("without a table: %d %v", r.StatusCode, r.Header)
	}
	s.fakes[0].replaces = pointer("00fe")
	if r := s.conditional("GET", "/v1/noughts/probe"); r.StatusCode != 200 || r.Header.Get("ETag") != "" || r.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("with a table replaced meanwhile: %d %v", r.StatusCode, r.Header)
	}
	s.fakes[0].fail = api.ErrUnavailable
	if r := s.conditional("GET", "/v1/noughts/probe"); r.StatusCode != 503 || r.Header.Get("ETag") != "" || r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a table that cannot be read: %d %v", r.StatusCode, r.Header)
	}
}
