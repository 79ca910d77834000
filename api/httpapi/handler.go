package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"solved/api"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/cors"
)

// Config is what a handler is made of.
type Config struct {
	// Probers answer, one for each ruleset, in the order in which /v1/rules
	// lists them. Names and tags are different.
	Probers []api.Prober
	// Explorer is the one of Probers that answers /api/probe, the published
	// explorer's own contract; nil means that there is no such address.
	Explorer api.Explorer
	// Readiness is asked by /readyz. It is required.
	Readiness func() api.Readiness
	// Metrics answers /metrics; nil means that there is no such address.
	Metrics http.Handler
	// Observe is told of every request when it has been answered; nil for
	// nobody. It is called concurrently and must not keep the request.
	Observe func(Exchange)
	// Limiter says what each client may ask for; nil for anything.
	Limiter Limiter
	// InFlight is how many questions are answered at a time; further ones wait,
	// and are refused as Overloaded when they have waited for a second. 0 means
	// any number.
	InFlight int
	// Memory is what large bodies and answers, and working them out, may take at a
	// time, in bytes; 0 means DefaultMemory, and the least is MinMemory. What does not
	// fit is refused as Overloaded.
	Memory int64
	// WorkTime is how long after it began a request may still be worked on; then it
	// is refused as Overloaded. 0 means any time.
	WorkTime time.Duration
	// Origins are the origins whose pages may ask, in lower case as browsers send them;
	// none, or a star among them, means any. A star within an origin matches nothing.
	Origins []string
}

type handler struct {
	probers   []api.Prober
	known     []api.Rules
	addresses map[string]*prober // by name, and by tag as Tag.String writes it
	readiness func() api.Readiness
	observe   func(Exchange)
	limiter   Limiter // nil for none
	inFlight  *gate
	heavy     *gate         // of requests that take long; they pass it before inFlight
	bodies    *budget       // of large bodies
	answers   *budget       // of large answers
	timeLimit time.Duration // Config.WorkTime
	encoder   *encoder
	routes    chi.Routes
}

// prober is a Prober with its unchanging identity.
type prober struct {
	api.Prober
	rules api.Rules
	tag   []string // the value of the Rules-Tag header
	kind  api.Kind
}

// atOnce is how many positions of a batch are answered in one go: enough for their
// look-ups to overlap and for a check of the table's file to weigh little, and few enough
// for others not to wait for long.
func (p *prober) atOnce(moves bool) int {
	switch {
	case p.kind.Searched():
		return 1
	case moves:
		return 16
	}
	return 64
}

// New returns the handler of the whole contract.
func New(c Config) http.Handler {
	memory := c.Memory
	if memory == 0 {
		memory = DefaultMemory
	}
	h := &handler{
		probers:   c.Probers,
		addresses: make(map[string]*prober, 2*len(c.Probers)),
		readiness: c.Readiness,
		observe:   c.Observe,
		limiter:   c.Limiter,
		inFlight:  newGate(c.InFlight),
		heavy:     newGate(heavyTurns(memory)),
		bodies:    newBudget(memory/8, 0),
		answers:   newBudget(memory*3/8, memory*3/32),
		timeLimit: c.WorkTime,
		encoder:   newEncoder(),
	}
	for _, p := range c.Probers {
		r := p.Ruleset()
		id := api.Rules{Name: r.Name, Tag: r.Tag}
		h.known = append(h.known, id)
		h.addresses[id.Name] = &prober{p, id, []string{id.Tag}, api.Kind(r.Kind)}
		h.addresses[id.Tag] = h.addresses[id.Name]
	}

	router := chi.NewRouter()
	h.routes = router
	router.Use(h.record, protected, decodedPath, corsFor(c.Origins), limitURI, middleware.GetHead)
	router.NotFound(func(w http.ResponseWriter, r *http.Request) { h.notFound(w, r) })
	router.MethodNotAllowed(h.methodNotAllowed)
	metrics := c.Metrics
	if metrics != nil {
		metrics = h.spending(metricsCost, metrics)
	}
	h.operational(router, metrics)
	router.Get("/problems/{type}", h.problemPage)
	if c.Explorer != nil {
		router.Method(http.MethodGet, "/api/probe", compressed(h.explore(c.Explorer)))
	}
	operations := h.operations()
	for _, op := range operations {
		router.Method(op.method, op.path, compressed(h.serve(op)))
	}
	document := newDocument(operations)
	router.Method(http.MethodGet, "/openapi.json", compressed(h.spending(1, document.json())))
	router.Method(http.MethodGet, "/openapi.yaml", compressed(h.spending(1, document.yaml())))
	router.Method(http.MethodGet, "/docs", compressed(h.spending(1, document.page())))
	return router
}

// NewOperational returns the handler of /livez, /readyz and /metrics alone, for a
// listener that only the operator reaches. Of a Config it uses Readiness, Metrics and
// Observe.
func NewOperational(c Config) http.Handler {
	h := &handler{readiness: c.Readiness, observe: c.Observe}
	router := chi.NewRouter()
	h.routes = router
	router.Use(h.record, protected, decodedPath, limitURI, middleware.GetHead)
	router.NotFound(func(w http.ResponseWriter, r *http.Request) { h.notFound(w, r) })
	router.MethodNotAllowed(h.methodNotAllowed)
	h.operational(router, c.Metrics)
	return router
}

// operational answers at the addresses for the operator.
func (h *handler) operational(router chi.Router, metrics http.Handler) {
	router.Get("/livez", livez)
	router.Get("/readyz", h.readyz)
	if metrics != nil {
		router.Method(http.MethodGet, "/metrics", uncached(metrics))
	}
}

// corsFor lets pages of some origins ask, or of any if none is named, and answers
// their preflight requests. There is nothing here that a page could do on behalf of
// its visitor: no cookie and no credential has a meaning. The addresses for the
// operator are left out.
func corsFor(origins []string) func(http.Handler) http.Handler {
	any := len(origins) == 0 || slices.Contains(origins, "*")
	exposed := []string{"Rules-Tag", "ETag", "Retry-After", requestIDHeader}
	options := cors.Options{
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost},
		AllowedHeaders: []string{"Accept", "Content-Type", "If-None-Match"},
		ExposedHeaders: exposed,
		MaxAge:         86400, // seconds
	}
	if any {
		options.AllowedOrigins = []string{"*"}
	} else {
		// In a list of its own the package would take a star for any text.
		options.AllowOriginFunc = func(_ *http.Request, origin string) bool { return slices.Contains(origins, origin) }
	}
	all := cors.Handler(options)
	star, expose := []string{"*"}, []string{strings.Join(exposed, ", ")}
	return func(next http.Handler) http.Handler {
		full := all(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case operational(chi.RouteContext(r.Context()).RoutePath):
				next.ServeHTTP(w, r)
			case !any || r.Method == http.MethodOptions:
				full.ServeHTTP(w, r)
			default:
				// An answer that allows any origin says so whether or not one asked, and so
				// does not vary with it: a cache in between may keep one for all.
				header := w.Header()
				header["Access-Control-Allow-Origin"], header["Access-Control-Expose-Headers"] = star, expose
				next.ServeHTTP(w, r)
			}
		})
	}
}

// The Content-Security-Policy of an answer. No page of ours is to be shown within
// another, and one of ours loads nothing at all: its style is in it.
const (
	policy     = "frame-ancestors 'none'"
	pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; " + policy
)

// protected says with every answer that a browser may neither guess what it is, nor
// show it within another page.
func protected(next http.Handler) http.Handler {
	// By their canonical names: Set would have to work them out. Nobody writes to these.
	nosniff, framing := []string{"nosniff"}, []string{policy}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header["X-Content-Type-Options"], header["Content-Security-Policy"] = nosniff, framing
		next.ServeHTTP(w, r)
	})
}
