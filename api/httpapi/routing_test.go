package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"solved/api"
)

// TestEscapedPaths checks that a percent escape is the character that it stands for, but
// that no escape is a slash between two parts of a path, and that nothing else is made of
// a path than what it says.
func TestEscapedPaths(t *testing.T) {
	s := newService(t)
	for _, c := range []struct {
		path   string
		status int
		kind   api.ProblemType
	}{
		{"/v1/noughts/%70robe", 200, ""},
		{"/%761/%6Eoughts", 200, ""},
		{"/problems/not%2Dfound", 200, ""},
		{"/v1%2Fnoughts", 404, api.NotFound},
		{"/v1%2fnoughts/probe", 404, api.NotFound},
		{"/v1/noughts%2Fprobe", 404, api.UnknownRules},
		{"/v1/%2Fnoughts", 404, api.UnknownRules},
		{"/v1/noughts%2F", 404, api.UnknownRules},
		{"%2Fv1/noughts", 0, ""}, // no path begins so
		{"/%2Fv1/noughts", 404, api.NotFound},
		{"/v1%252Fnoughts", 404, api.NotFound},
		{"/problems%2Finternal", 404, api.NotFound},
		{"/problems/..%2Fdocs", 404, api.NotFound},
		{"//v1/noughts", 404, api.NotFound},
		{"/v1//noughts", 404, api.NotFound},
		{"/v1/./noughts", 404, api.NotFound},
		{"/v1/../v1/noughts", 404, api.NotFound},
		{"/v1/noughts/../noughts", 404, api.NotFound},
		{"/v1/%2e%2e/livez", 404, api.NotFound},
		{"/%2e/livez", 404, api.NotFound},
		{"/v1/%2e%2e", 404, api.UnknownRules},
		{"/v1/noughts;x=1", 404, api.UnknownRules},
		{"/v1/noughts%3Bx", 404, api.UnknownRules},
		{"/v1/noughts/probe;x", 404, api.NotFound},
		{"/v1/noughts%00", 404, api.UnknownRules},
		{"/v1/noughts/probe%00", 404, api.NotFound},
		{"/v1/noughts%5Cprobe", 404, api.UnknownRules},
		{"/v1/noughts%3Fposition=x", 404, api.UnknownRules},
		{"/V1/noughts", 404, api.NotFound},
		{"/v1/Noughts", 404, api.UnknownRules},
		{"/livez/", 404, api.NotFound},
	} {
		if _, err := url.ParseRequestURI(c.path); err != nil {
			if c.status != 0 {
				t.Errorf("%s: %v", c.path, err)
			}
			continue
		}
		status, _, body := s.get(c.path)
		if status != c.status || c.kind != "" && !strings.Contains(body, `"/problems/`+string(c.kind)+`"`) {
			t.Errorf("%s: %d %.200s", c.path, status, body)
		}
		// Other methods are routed by the same path.
		there := status == 200 || c.kind == api.UnknownRules || strings.HasPrefix(c.path, "/problems/")
		if r := s.do(http.MethodDelete, c.path); (r.StatusCode == http.StatusMethodNotAllowed) != there {
			t.Errorf("DELETE %s: %d", c.path, r.StatusCode)
		}
	}
	// The path of OPTIONS * is none.
	w := httptest.NewRecorder()
	s.ServeHTTP(w, &http.Request{Method: http.MethodOptions, URL: &url.URL{Path: "*"}, RequestURI: "*", Header: http.Header{}})
	if w.Code != http.StatusNotFound {
		t.Errorf("OPTIONS *: %d", w.Code)
	}
}
