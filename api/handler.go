package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/cors"
)

// Version is the version of the contract.
const Version = "1"

// MaxURI is the greatest length of a request's target, in bytes. The longest
// question, of 1,000 moves percent-encoded where usual, has about 10,000.
const MaxURI = 16 << 10

// Config is what a handler is made of.
type Config struct {
	// Probers answer, one for each ruleset, in the order in which /v1/rules
	// lists them. Names and tags are different.
	Probers []Prober
	// Readiness is asked by /readyz. It is required.
	Readiness func() Readiness
	// Metrics answers /metrics; nil means that there is no such address.
	Metrics http.Handler
	// Observe is told of every request when it has been answered; nil for
	// nobody. It is called concurrently and must not keep the request.
	Observe func(Exchange)
}

type handler struct {
	probers   []Prober
	known     []Rules
	addresses map[string]*prober // by name, and by tag as Tag.String writes it
	readiness func() Readiness
	observe   func(Exchange)
	routes    chi.Routes
}

// prober is a Prober with its unchanging identity.
type prober struct {
	Prober
	rules Rules
}

// New returns the handler of the whole contract.
func New(c Config) http.Handler {
	h := &handler{
		probers:   c.Probers,
		addresses: make(map[string]*prober, 2*len(c.Probers)),
		readiness: c.Readiness,
		observe:   c.Observe,
	}
	for _, p := range c.Probers {
		r := p.Ruleset()
		id := Rules{Name: r.Name, Tag: r.Tag}
		h.known = append(h.known, id)
		h.addresses[id.Name] = &prober{p, id}
		h.addresses[id.Tag] = &prober{p, id}
	}

	router := chi.NewRouter()
	h.routes = router
	router.Use(h.record, anyOrigin(), decodedPath, limitURI, middleware.GetHead)
	router.NotFound(func(w http.ResponseWriter, r *http.Request) { h.notFound(w, r) })
	router.MethodNotAllowed(h.methodNotAllowed)
	router.Get("/livez", livez)
	router.Get("/readyz", h.readyz)
	router.Get("/problems/{type}", h.problemPage)
	if c.Metrics != nil {
		router.Method(http.MethodGet, "/metrics", c.Metrics)
	}
	h.register(humachi.New(router, humaConfig()))
	return router
}

// anyOrigin lets pages of any origin ask, and answers their preflight requests.
// There is nothing here that a page could do on behalf of its visitor: no cookie
// and no credential has a meaning.
func anyOrigin() func(http.Handler) http.Handler {
	return cors.Handler(cors.Options{
		AllowedOrigins: []string{"*"},
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost},
		AllowedHeaders: []string{"Accept", "Content-Type", "If-None-Match"},
		ExposedHeaders: []string{"Rules-Tag", "ETag", "Retry-After", "X-Request-Id"},
		MaxAge:         86400, // seconds
	})
}

// humaConfig describes the contract for huma, with nothing hosted by it: the
// documents have their own addresses in the contract.
func humaConfig() huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title:       "solved",
				Version:     Version,
				Description: "Exact values of solved games: perfect play, move by move.",
			},
		},
		Formats:       map[string]huma.Format{"application/json": {Marshal: WriteJSON}},
		DefaultFormat: "application/json",
	}
}
