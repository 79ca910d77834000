package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"solved/api"
)

// TestProblemPages follows the type of every problem to its page.
func TestProblemPages(t *testing.T) {
	handler := newService(t).Handler
	ask := func(method, target string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(method, target, nil))
		return w
	}
	kinds := []api.ProblemType{
		api.MalformedPosition, api.MalformedMove, api.BadParameter, api.UnknownRules, api.NotFound, api.MethodNotAllowed,
		api.RulesMismatch, api.URITooLong, api.IllegalPosition, api.IllegalMove, api.Internal, api.TableUnavailable,
	}
	for _, kind := range kinds {
		w := ask(http.MethodGet, "/problems/"+string(kind))
		body := w.Body.String()
		if w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || w.Header().Get("Cache-Control") != "public, max-age=3600" {
			t.Errorf("%s: %d %v", kind, w.Code, w.Header())
		}
		for _, want := range []string{"/problems/" + string(kind), http.StatusText(kind.Status()), "What it means", "What to do"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: the page does not say %q", kind, want)
			}
		}
		if strings.Contains(body, "<p></p>") || strings.Contains(body, "http://") || strings.Contains(body, "https://") || strings.Contains(body, "src=") {
			t.Errorf("%s: the page is not whole, or loads something:\n%s", kind, body)
		}
	}
	if w := ask(http.MethodGet, "/problems/not-a-problem"); w.Code != 404 || !strings.Contains(w.Body.String(), `"/problems/not-found"`) {
		t.Errorf("an unknown type: %d %s", w.Code, w.Body)
	}
	if w := ask(http.MethodHead, "/problems/internal"); w.Code != 200 {
		t.Errorf("HEAD: %d", w.Code)
	}
	if w := ask(http.MethodPost, "/problems/internal"); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d %v", w.Code, w.Header())
	}
}
