package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
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
		header.Get("Cache-Control") != "public, max-age=86400" || header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("%s: %d %v %s", target, status, header, body)
	}
	return tag
}

var cached = []string{"/v1/noughts", "/v1/noughts/probe", "/v1/noughts/best", "/v1/noughts/line", "/v1/noughts/line?max_plies=7", "/v1/noughts/examples"}

// TestETag checks what an entity tag is made of, and what it is not.
func TestETag(t *testing.T) {
	s, seen := newService(t), map[string]string{}
	for _, target := range cached {
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
	for _, target := range cached {
		s := newService(t)
		tag := s.etag(t, target)
		for _, match := range [][]string{{tag}, {strings.TrimPrefix(tag, "W/")}, {"*"}, {`"x", W/"y,z" ,` + tag}, {`"x"`, tag}} {
			for _, method := range []string{"GET", "HEAD"} {
				s.fakes[0].asked = nil
				r := s.conditional(method, target, match...)
				body, _ := io.ReadAll(r.Body)
				if r.StatusCode != 304 || len(body) != 0 || s.fakes[0].asked != nil ||
					r.Header.Get("ETag") != tag || r.Header.Get("Cache-Control") != "public, max-age=86400" ||
					r.Header.Get("Vary") != "Accept-Encoding" || r.Header.Get("Rules-Tag") == "" || r.Header.Get("Content-Type") != "" {
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

// TestUncached checks that an answer without a digest to vouch for it, or with
// two, is given no name, and that no failure is.
func TestUncached(t *testing.T) {
	s := newService(t)
	if r := s.conditional("GET", "/v1/noughts-wild", "*"); r.StatusCode != 200 || r.Header.Get("ETag") != "" || r.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("without a table: %d %v", r.StatusCode, r.Header)
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
