package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"solved/server/service"
)

// series returns how many series a scrape of the server stores: the lines of
// /metrics that are no comments.
func series(t *testing.T, s *service.Service) (count int, requests map[string]bool) {
	t.Helper()
	w := httptest.NewRecorder()
	s.Metrics.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	requests = make(map[string]bool)
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		count++
		if labels, ok := strings.CutPrefix(line, "solved_http_requests_total{"); ok {
			labels, _, _ = strings.Cut(labels, "} ")
			requests[labels] = true
		}
	}
	return count, requests
}

// possibleRequests returns the labels that solved_http_requests_total can have by
// the contract, and the routes among them.
func possibleRequests(t *testing.T, handler http.Handler) (requests, routes map[string]bool) {
	t.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	var document struct {
		Paths map[string]map[string]struct {
			Responses map[string]any `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	requests, routes = make(map[string]bool), make(map[string]bool)
	add := func(route, method string, status int) {
		routes[route] = true
		requests[fmt.Sprintf("method=%q,route=%q,status=%q", method, route, strconv.Itoa(status))] = true
	}
	// Before a route is known, or where there is none.
	methods := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, "other"}
	for _, method := range methods {
		for _, status := range []int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusRequestURITooLong} {
			add("none", method, status)
		}
	}
	add("none", http.MethodOptions, http.StatusOK) // pages ask so whether they may ask
	for path, operations := range document.Paths {
		for method, operation := range operations {
			methods := []string{strings.ToUpper(method)}
			if method == "get" {
				methods = append(methods, http.MethodHead)
			}
			for _, method := range methods {
				add(path, method, 499) // the client had gone
				for status := range operation.Responses {
					n, err := strconv.Atoi(status)
					if err != nil {
						t.Fatalf("%s %s: the contract names the status %q", method, path, status)
					}
					add(path, method, n)
				}
			}
		}
	}
	return requests, routes
}

// TestCapacitySeries holds what CAPACITY.md says of the number of series against the
// program: at the start, and when each route has been asked by each method with each
// status that the contract names.
func TestCapacitySeries(t *testing.T) {
	s := quietService(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	handler := s.Handler()
	start, _ := series(t, s)
	possible, routes := possibleRequests(t, handler)

	// Ask well and badly, and see that nothing comes up that is not possible.
	ask := func(method, target, body string, header ...string) {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	targets := []string{
		"/v1/rules", "/v1/nim", "/v1/nim/probe", "/v1/nim/best", "/v1/nim/line?max_plies=2", "/v1/nim/examples",
		"/api/probe", "/problems/overloaded", "/openapi.json", "/openapi.yaml", "/docs", "/livez", "/readyz", "/metrics",
		"/nothing", "/v1/nothing", "/v1/nothing/probe", "/problems/nothing", "/v1/nim/probe?position=nothing", "/v1/nim/probe?position=x&rules_tag=0x0", "/v1/nim/line?moves=1",
		"/v1/nim/probe?position=" + strings.Repeat("1,", 20000),
	}
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, "PROPFIND"} {
		for _, target := range targets {
			ask(method, target, "")
			ask(method, target, `{"positions":["1,2"]}`, "If-None-Match", "*", "Content-Type", "text/plain")
		}
	}
	ask(http.MethodOptions, "/v1/rules", "", "Origin", "https://example.com", "Access-Control-Request-Method", "GET")
	_, seen := series(t, s)
	if len(seen) < 60 {
		t.Errorf("only %d kinds of request were counted", len(seen))
	}
	for _, labels := range slices.Sorted(maps.Keys(seen)) {
		if !possible[labels] {
			t.Errorf("solved_http_requests_total{%s} was counted, and is not expected by the contract", labels)
		}
	}

	// A histogram has a series for each bound, for no bound, the sum and the count.
	const histogram = 12 + 1 + 2
	full := start + len(possible) + histogram*len(routes)

	const path = "../deploy/CAPACITY.md"
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(document)
	for name, count := range map[string]int{"series_start": start, "series_full": full} {
		row := regexp.MustCompile("\\| `" + name + "` \\| ([0-9]+) \\|")
		found := row.FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("CAPACITY.md has no row for %s, which is %d", name, count)
		}
		want := fmt.Sprintf("| `%s` | %d |", name, count)
		if found[0] == want {
			continue
		}
		if !*update {
			t.Errorf("CAPACITY.md says %s; the program exports %d; -update writes it anew", found[0], count)
		}
		text = strings.Replace(text, found[0], want, 1)
	}
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
