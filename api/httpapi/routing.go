package httpapi

import (
	"net/http"
	"net/url"
	"strings"

	"solved/api"

	"github.com/go-chi/chi/v5"
)

// decodedPath routes by the path without percent escapes, since %70robe and
// probe are the same address.
func decodedPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chi.RouteContext(r.Context()).RoutePath = routedPath(r.URL)
		next.ServeHTTP(w, r)
	})
}

// routedPath returns the path that an address is routed by. An escaped slash belongs
// to its segment (RFC 3986, section 2.2): it stays %2F, and so matches no route and no
// name of a ruleset.
func routedPath(u *url.URL) string {
	if u.RawPath == "" {
		return u.Path // no escape of it can be a slash
	}
	path, err := url.PathUnescape(escapedSlash.Replace(u.EscapedPath()))
	if err != nil {
		return u.Path // it was unescaped when the request was read
	}
	return path
}

// escapedSlash keeps slashes escaped when what it returns is unescaped.
var escapedSlash = strings.NewReplacer("%2F", "%252F", "%2f", "%252F")

// operational says whether a path is that of an address for the operator of the
// server. No page of another origin has any business there.
func operational(path string) bool {
	return path == "/livez" || path == "/readyz" || path == "/metrics"
}

// limitURI refuses a target that is longer than any question needs to be.
func limitURI(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.RequestURI) > api.MaxURI {
			p := api.NewProblem(api.URITooLong, "The address has %d bytes; at most %d are allowed.", len(r.RequestURI), api.MaxURI)
			limit := api.MaxURI
			p.Limit = &limit
			writeProblem(w, p)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (h *handler) notFound(w http.ResponseWriter, r *http.Request) {
	writeProblem(w, api.NewProblem(api.NotFound, "There is nothing at this address. The rulesets are listed at /v1/rules."))
}

// methodNotAllowed answers for an address that exists under other methods, and
// also for a method that the router has never heard of.
func (h *handler) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if h.routes.Match(chi.NewRouteContext(), method, routedPath(r.URL)) {
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
	methods := strings.Join(allowed, ", ")
	w.Header().Set("Allow", methods)
	writeProblem(w, api.NewProblem(api.MethodNotAllowed, "The method %s is not allowed here; allowed are: %s.", r.Method, methods))
}
