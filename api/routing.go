package api

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
)

// decodedPath routes by the path without percent escapes, since %70robe and
// probe are the same address.
func decodedPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chi.RouteContext(r.Context()).RoutePath = r.URL.Path
		next.ServeHTTP(w, r)
	})
}

// limitURI refuses a target that is longer than any question needs to be.
func limitURI(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.RequestURI) > MaxURI {
			p := newProblem(URITooLong, "The address has %d bytes; at most %d are allowed.", len(r.RequestURI), MaxURI)
			limit := MaxURI
			p.Limit = &limit
			writeProblem(w, p)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (h *handler) notFound(w http.ResponseWriter, r *http.Request) {
	writeProblem(w, newProblem(NotFound, "There is nothing at this address. The rulesets are listed at /v1/rules."))
}

// methodNotAllowed answers for an address that exists under other methods, and
// also for a method that the router has never heard of.
func (h *handler) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if h.routes.Match(chi.NewRouteContext(), method, r.URL.Path) {
			allowed = append(allowed, method)
			if method == http.MethodGet {
				allowed = append(allowed, http.MethodHead)
			}
		}
	}
	if allowed == nil {
		h.notFound(w, r)
		return
	}
	p := newProblem(MethodNotAllowed, "The method %s is not allowed here; allowed are: %s.", r.Method, strings.Join(allowed, ", "))
	p.allow = strings.Join(allowed, ", ")
	writeProblem(w, p)
}
