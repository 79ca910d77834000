package api_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"solved/api"
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
	handler := api.New(api.Config{
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
