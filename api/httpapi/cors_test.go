package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"solved/api"
	"solved/api/httpapi"
)

// TestOrigins asks as a browser does for a page of another origin.
func TestOrigins(t *testing.T) {
	handler := newService(t).Handler
	ask := func(method, target string, headers ...string) *http.Response {
		r := httptest.NewRequest(method, target, nil)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Result()
	}
	const origin = "https://front.example"
	for target, status := range map[string]int{
		"/v1/noughts/probe":          200,
		"/v1/chess/probe":            404, // a page must be able to read its mistakes, too
		"/v1/noughts/probe?mvoes=a1": 400,
	} {
		w := ask(http.MethodGet, target, "Origin", origin)
		if w.StatusCode != status || w.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d %v", target, w.StatusCode, w.Header)
		}
		exposed := strings.Split(w.Header.Get("Access-Control-Expose-Headers"), ", ")
		for _, name := range []string{"Rules-Tag", "Etag", "Retry-After", "X-Request-Id"} {
			if !slices.ContainsFunc(exposed, func(e string) bool { return strings.EqualFold(e, name) }) {
				t.Errorf("%s: %s is not among the exposed headers %q", target, name, exposed)
			}
		}
		if w.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: credentials are allowed", target)
		}
	}
	preflight := func(method, header string) *http.Response {
		return ask(http.MethodOptions, "/v1/noughts/probe", "Origin", origin,
			"Access-Control-Request-Method", method, "Access-Control-Request-Headers", header)
	}
	if w := preflight("POST", "content-type"); w.StatusCode != 200 || w.Header.Get("Access-Control-Allow-Origin") != "*" ||
		w.Header.Get("Access-Control-Allow-Methods") != "POST" || w.Header.Get("Access-Control-Max-Age") != "86400" {
		t.Errorf("preflight: %d %v", w.StatusCode, w.Header)
	}
	if w := preflight("DELETE", "content-type"); w.Header.Get("Access-Control-Allow-Methods") != "" {
		t.Errorf("preflight of DELETE: %d %v", w.StatusCode, w.Header)
	}
	if w := preflight("GET", "authorization"); w.Header.Get("Access-Control-Allow-Methods") != "" {
		t.Errorf("preflight with credentials: %d %v", w.StatusCode, w.Header)
	}
	// OPTIONS that is no preflight is a method like any other that is not there.
	if w := ask(http.MethodOptions, "/v1/noughts/probe"); w.StatusCode != 405 {
		t.Errorf("OPTIONS: %d %v", w.StatusCode, w.Header)
	}
	// What is kept for one who came from nowhere must do for a page, too.
	w := ask(http.MethodGet, "/v1/noughts/probe")
	if w.Header.Get("Access-Control-Allow-Origin") != "*" || !slices.Equal(w.Header.Values("Vary"), []string{"Accept-Encoding"}) {
		t.Errorf("without an origin: %v", w.Header)
	}
}

// TestSomeOrigins checks that only the origins configured may ask, if any are.
func TestSomeOrigins(t *testing.T) {
	handler := httpapi.New(httpapi.Config{
		Readiness: func() api.Readiness { return api.Readiness{Ready: true} },
		Origins:   []string{"https://front.example"},
	})
	for origin, want := range map[string]string{
		"https://front.example": "https://front.example",
		"https://other.example": "",
		"":                      "",
	} {
		r := httptest.NewRequest(http.MethodGet, "/v1/rules", nil)
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if got := w.Header().Get("Access-Control-Allow-Origin"); got != want || !slices.Contains(w.Header().Values("Vary"), "Origin") {
			t.Errorf("%q: allowed %q, Vary %q", origin, got, w.Header().Values("Vary"))
		}
	}
}

// TestOriginsAreNoPatterns checks that a star within an origin matches nothing, as the
// middleware would have it match any text.
func TestOriginsAreNoPatterns(t *testing.T) {
	handler := httpapi.New(httpapi.Config{Origins: []string{"https://*.front.example", "https://front.example"}})
	for _, origin := range []string{"https://a.front.example", "https://evil.example/.front.example", "null"} {
		for _, method := range []string{http.MethodGet, http.MethodOptions} {
			r := httptest.NewRequest(method, "/v1/rules", nil)
			r.Header.Set("Origin", origin)
			r.Header.Set("Access-Control-Request-Method", http.MethodGet)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != "" {
				t.Errorf("%s from %s: allowed %q", method, origin, got)
			}
		}
	}
}

// TestOperatorsAddresses checks that no page of another origin may read what is for the
// operator, however the address is written.
func TestOperatorsAddresses(t *testing.T) {
	for _, origins := range [][]string{nil, {"*"}, {"https://front.example"}} {
		s := newService(t)
		s.Config.Origins = origins
		s.build(t)
		for _, path := range []string{"/livez", "/readyz", "/metrics", "/%6Civez", "/metric%73"} {
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions} {
				r := httptest.NewRequest(method, path, nil)
				r.Header.Set("Origin", "https://front.example")
				r.Header.Set("Access-Control-Request-Method", http.MethodGet)
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				want := map[string]int{http.MethodGet: 200, http.MethodHead: 200}[method]
				if want == 0 {
					want = http.StatusMethodNotAllowed
				}
				if w.Code != want {
					t.Errorf("%s %s: %d", method, path, w.Code)
				}
				for name := range w.Header() {
					if strings.HasPrefix(name, "Access-Control-") {
						t.Errorf("%s %s, allowed %q: has %s", method, path, origins, name)
					}
				}
			}
		}
	}
}

// TestProtected checks that every answer says what a browser must not do with it.
func TestProtected(t *testing.T) {
	s := newService(t)
	s.fakes[1].fail, s.fakes[1].panics = nil, true
	ask := func(method, target string, header http.Header) *http.Response {
		r := httptest.NewRequest(method, target, nil)
		r.Header = header
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Result()
	}
	preflight := http.Header{"Origin": {"https://front.example"}, "Access-Control-Request-Method": {"POST"}}
	for _, c := range []struct {
		method, target string
		header         http.Header
		status         int
	}{
		{"GET", "/v1/rules", nil, 200},
		{"HEAD", "/v1/noughts/probe", nil, 200},
		{"GET", "/v1/noughts/probe", http.Header{"If-None-Match": {"*"}}, 304},
		{"GET", "/v1/noughts/probe?x=1", nil, 400},
		{"GET", "/v1/noughts-wild/probe", nil, 500},
		{"POST", "/v1/noughts/probe", nil, 415},
		{"GET", "/nothing", nil, 404},
		{"PUT", "/v1/rules", nil, 405},
		{"GET", "/v1/rules?" + strings.Repeat("x", api.MaxURI), nil, 414},
		{"OPTIONS", "/v1/noughts/probe", preflight, 200},
		{"GET", "/livez", nil, 200},
		{"GET", "/readyz", nil, 200},
		{"GET", "/metrics", nil, 200},
		{"GET", "/openapi.json", nil, 200},
		{"GET", "/openapi.yaml", nil, 200},
		{"GET", "/docs", nil, 200},
		{"GET", "/problems/internal", nil, 200},
	} {
		r := ask(c.method, c.target, c.header)
		policy := r.Header.Values("Content-Security-Policy")
		if r.StatusCode != c.status || !slices.Equal(r.Header.Values("X-Content-Type-Options"), []string{"nosniff"}) ||
			len(policy) != 1 || !strings.HasSuffix(policy[0], "frame-ancestors 'none'") {
			t.Errorf("%s %.40s: %d %v", c.method, c.target, r.StatusCode, r.Header)
			continue
		}
		if page := strings.HasPrefix(r.Header.Get("Content-Type"), "text/html"); page != strings.HasPrefix(policy[0], "default-src 'none';") {
			t.Errorf("%s %.40s: %s has the policy %q", c.method, c.target, r.Header.Get("Content-Type"), policy[0])
		}
	}
}

// TestOperatorsListener checks that what is answered to the operator alone says the same to
// a browser, and lets no page read it.
func TestOperatorsListener(t *testing.T) {
	handler := httpapi.NewOperational(newService(t).Config)
	for target, status := range map[string]int{"/livez": 200, "/%6Civez": 200, "/readyz": 200, "/metrics": 200, "/v1/rules": 404, "/livez%2F": 404} {
		r := httptest.NewRequest(http.MethodGet, target, nil)
		r.Header.Set("Origin", "https://front.example")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		header := w.Header()
		if w.Code != status || header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Content-Security-Policy") != "frame-ancestors 'none'" ||
			header.Get("Access-Control-Allow-Origin") != "" || header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v", target, w.Code, header)
		}
	}
}
