package httpapi_test

import (
	"compress/gzip"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"solved/api"
)

// TestCompression checks that long answers are compressed for those who can read
// them, hold the same, and keep their name.
func TestCompression(t *testing.T) {
	s := newService(t)
	s.fakes[0].steps = 200
	const long, short = "/v1/noughts/line", "/v1/noughts"
	_, plainHeader, plain := s.get(long)
	if len(plain) < 10_000 || plainHeader.Get("Content-Encoding") != "" {
		t.Fatalf("the answer has %d bytes, %v", len(plain), plainHeader)
	}
	batch := `{"moves":true,"positions":["` + strings.Repeat(`x","`, 99) + `x"]}`
	plainBatch := text(t, s.post("/v1/noughts/probe", batch))
	for accept, want := range map[string]string{
		"gzip": "gzip", "zstd": "zstd", "gzip, deflate, br, zstd": "zstd", "zstd;q=0.1, gzip;q=0.9": "gzip",
		"GZIP": "gzip", "br": "", "": "", "identity": "", "gzip;q=0": "", "zstd;q=0, gzip": "gzip", "*;q=0": "", "nonsense;;q=,": "",
	} {
		for _, c := range []struct{ method, target, body, want string }{
			{"GET", long, "", plain}, {"GET", short, "", ""}, {"POST", "/v1/noughts/probe", batch, plainBatch}, {"GET", "/openapi.json", "", ""},
		} {
			r := httptest.NewRequest(c.method, c.target, strings.NewReader(c.body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept-Encoding", accept)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != 200 || !slices.Contains(w.Header().Values("Vary"), "Accept-Encoding") {
				t.Errorf("%s for %q: %d %v", c.target, accept, w.Code, w.Header())
			}
			got := w.Header().Get("Content-Encoding")
			if c.target == short {
				if got != "" {
					t.Errorf("%s for %q: compressed by %s", c.target, accept, got)
				}
				continue
			}
			if got != want {
				t.Errorf("%s for %q: compressed by %q, want %q", c.target, accept, got, want)
				continue
			}
			length := w.Body.Len()
			body := expanded(t, got, w.Body)
			if c.want != "" && body != c.want {
				t.Errorf("%s for %q: another answer: %.100s", c.target, accept, body)
			}
			if got != "" && length*2 > len(body) {
				t.Errorf("%s for %q: %d bytes of %d", c.target, accept, length, len(body))
			}
			if c.target == long && w.Header().Get("ETag") != plainHeader.Get("ETag") {
				t.Errorf("%s for %q: another ETag", c.target, accept)
			}
		}
	}
	// A problem in a compressed answer's place is still a problem, and counted.
	s.fakes[0].fail = api.ErrUnavailable
	r := httptest.NewRequest("GET", long, nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if last := s.observed[len(s.observed)-1]; w.Code != 503 || last.Problem != api.TableUnavailable {
		t.Errorf("%d %s, observed %+v", w.Code, w.Body, last)
	}
}

func expanded(t *testing.T, encoding string, r io.Reader) string {
	t.Helper()
	var err error
	switch encoding {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "zstd":
		var decoder *zstd.Decoder
		decoder, err = zstd.NewReader(r)
		if err == nil {
			defer decoder.Close()
		}
		r = decoder
	}
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
