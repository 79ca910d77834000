package service

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"strings"
	"syscall"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/trace"

	"solved/api"
	"solved/api/httpapi"
	"solved/server/game"
	"solved/server/listener"
)

// GCHeadroom is the number of bytes by which the heap may grow before a garbage collection. More
// would leave the processor's caches, and less would collect too often. Go's default is the size of
// the live heap: too little without a table in memory, and far too much with one.
const GCHeadroom = 48 << 20

// SetGCPercent sets the garbage collector's percentage so that the heap grows by GCHeadroom. Call it
// when the tables are loaded.
func SetGCPercent() {
	runtime.GC() // measures the live heap
	live := []runtimemetrics.Sample{{Name: "/gc/heap/live:bytes"}}
	runtimemetrics.Read(live)
	debug.SetGCPercent(GCPercent(live[0].Value.Uint64()))
}

// GCPercent returns GCHeadroom as a percentage of the live heap, as in GOGC. For a very small heap it
// is at most 400.
func GCPercent(live uint64) int { return int(max(1, 100*GCHeadroom/max(live, GCHeadroom/4))) }

// Run opens the tables and sockets of a configuration, and serves until the context ends. lines is
// the writer beneath log.
func Run(ctx context.Context, games game.List, cfg Config, log *slog.Logger, lines *logWriter) error {
	hangups := make(chan os.Signal, 1)
	signal.Ignore(syscall.SIGHUP) // from now on it no longer ends the program
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	s, err := New(games, cfg, log)
	if err != nil {
		return err
	}
	s.Hangups = hangups
	lines.CountDropped(s.Metrics.logDropped)
	if cfg.Collector != "" {
		if s.Tracing, err = NewTracing(ctx, cfg.Collector, cfg.TraceShare, log); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	public, err := listener.Listen(ctx, "listen", cfg.Listen)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	if cfg.opsListen != "" {
		if s.Ops, err = listener.Listen(ctx, "ops-listen", cfg.opsListen); err != nil {
			return errors.Join(err, public.Close(), s.Close())
		}
	}
	return errors.Join(s.Serve(ctx, public), s.Close())
}

const (
	// opsConnections bounds the connections of the operator's listener.
	opsConnections = 64
	// drainQuiet is the time without a new connection after which the server closes the
	// listener. It is longer than a packet of a connection that has begun is on its way.
	drainQuiet = 100 * time.Millisecond
)

// newServer returns a server with a handler and the configured timeouts.
func (s *Service) newServer(handler http.Handler, l *listener.Listener) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: s.How.ReadHeaderTimeout,
		ReadTimeout:       s.How.ReadTimeout,
		WriteTimeout:      s.How.WriteTimeout,
		IdleTimeout:       s.How.IdleTimeout,
		MaxHeaderBytes:    s.How.MaxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
		ConnState:         l.State,
	}
}

// Serve answers until the context ends, and then shuts down. First /readyz answers 503. Then the
// server takes the connections that have arrived, and no others. It returns when all requests have
// been answered. If a table is damaged at the start, Serve returns the error. It closes the listener
// and the operator's listener.
func (s *Service) Serve(ctx context.Context, inner net.Listener) error {
	start := time.Now()
	bounds := listener.Bounds{Most: s.How.MaxConnections, PerClient: s.How.MaxPerClient, Exempt: s.How.Proxies, Headers: listener.NewHeaderBudget()}
	limited := listener.Limit(inner, bounds, s.Metrics.connectionEnded)
	s.Listener.Store(limited)
	server := s.newServer(s.Handler(), limited)
	served := make(chan error, 2)
	at := []any{"address", inner.Addr().String()}
	if s.Ops != nil {
		// It has a bound of its own, so that the operator gets in when the other listener is full.
		l := listener.Limit(s.Ops, listener.Bounds{Most: opsConnections}, nil)
		ops := s.newServer(s.opsHandler(), l)
		go func() { served <- ops.Serve(l) }()
		defer ops.Close() // last, so that the operator can watch the shutdown
		at = append(at, "ops_address", s.Ops.Addr().String())
	}
	s.Log.Info("listening", append(at, "version", BuildVersion())...)

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	verified := make(chan struct{})
	go func() {
		defer close(verified)
		if err := s.Verify(ctx); err != nil {
			stop(err)
			return
		}
		if s.How.Collect {
			SetGCPercent()
		}
		s.Log.Info("ready", "duration_seconds", time.Since(start).Seconds(), "url", listener.Clickable(inner.Addr(), "/docs"))
		s.Follow(ctx)
	}()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		served <- server.Serve(limited)
	}()

	select {
	case err := <-served:
		stop(nil)
		<-verified
		server.Close()
		return err // a listener failed
	case <-ctx.Done():
	}
	s.Stopping.Store(true)
	cause := context.Cause(ctx)
	if errors.Is(cause, context.Canceled) {
		cause = nil // a signal asked for the end
		s.Log.Info("shutting down", "delay_seconds", s.How.shutdownDelay.Seconds())
		time.Sleep(s.How.shutdownDelay)
	}
	deadline, cancel := context.WithTimeout(context.Background(), s.How.ShutdownTimeout)
	defer cancel()
	limited.Drain(drainQuiet, s.How.ShutdownTimeout)
	select {
	case <-closed:
	case <-deadline.Done():
	}
	if err := server.Shutdown(deadline); err != nil {
		s.Log.Warn("requests were cut off", "error", err)
		server.Close()
	}
	<-verified
	if s.Tracing != nil {
		if err := s.Tracing.Close(deadline); err != nil {
			s.Log.Warn("the last traces were not sent", "error", err)
		}
	}
	if cause == nil {
		s.Log.Info("stopped")
	}
	return cause
}

// Handler returns the handler of the contract, with log, metrics and traces.
func (s *Service) Handler() http.Handler {
	probers := make([]api.Prober, len(s.Probers))
	for i, p := range s.Probers {
		probers[i] = p
	}
	metrics := s.Metrics.Handler()
	if s.Ops != nil {
		metrics = nil
	}
	contract := httpapi.Config{
		Probers:   probers,
		Explorer:  s.Explorer(),
		Readiness: s.Readiness,
		Metrics:   metrics,
		Observe:   s.Observe,
		InFlight:  s.How.maxInFlight,
		Memory:    int64(s.How.answerMemory),
		// The client has the other half of the time to read the answer.
		WorkTime: s.How.WriteTimeout / 2,
		Origins:  s.How.origins,
	}
	if s.How.RateLimit > 0 {
		contract.Limiter = NewLimiter(s.How.RateLimit, s.How.RateBurst, MaxClients, s.How.Proxies, s.Metrics.Limited)
	}
	handler := httpapi.New(contract)
	if s.Tracing != nil {
		handler = s.Tracing.around(handler)
	}
	return promhttp.InstrumentHandlerInFlight(s.Metrics.InFlight, s.closeOnShutdown(handler))
}

// Explorer returns the published explorer's contract for the first ruleset that has one, nil if none
// has.
func (s *Service) Explorer() api.Explorer {
	for _, p := range s.Probers {
		if g, ok := p.Game().(game.Explorable); ok {
			return g.Explorer(p)
		}
	}
	return nil
}

// opsHandler returns the handler of the operator's listener.
func (s *Service) opsHandler() http.Handler {
	return httpapi.NewOperational(httpapi.Config{Readiness: s.Readiness, Metrics: s.Metrics.Handler(), Observe: s.Observe})
}

// closeOnShutdown wraps a handler. While the server shuts down, it closes each connection after the
// next answer. Without it, the server would close an open connection at its end, and lose a request
// that the client had just sent.
func (s *Service) closeOnShutdown(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.Stopping.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// rulesetOf returns the name of the ruleset that a request addresses, by name or by
// tag; empty if it addresses none that is known.
func (s *Service) rulesetOf(r *http.Request) string {
	address := chi.URLParam(r, "rules")
	for _, p := range s.Probers {
		if address == p.ID().Name || strings.EqualFold(address, p.ID().Tag) {
			return p.ID().Name
		}
	}
	return ""
}

// MaxLoggedTarget bounds the part of a request's target that the log shows, in bytes.
const MaxLoggedTarget = 1024

// isOpsPath says whether a path is one that the operator's tools ask every few seconds.
func isOpsPath(path string) bool {
	return path == "/livez" || path == "/readyz" || path == "/metrics"
}

// Observe logs, counts and traces a request.
func (s *Service) Observe(e httpapi.Exchange) {
	s.Metrics.request(e)
	var traced trace.SpanContext
	if s.Tracing != nil {
		span := trace.SpanFromContext(e.Request.Context())
		s.Tracing.Describe(span, e, s.rulesetOf(e.Request))
		traced = span.SpanContext()
	}
	level := slog.LevelInfo
	switch {
	case isOpsPath(e.Route):
		level = slog.LevelDebug
	case e.Problem != "":
		level = e.Problem.Level()
	}
	// The context of a finished request has no values for the log.
	ctx := context.Background()
	if !s.Log.Enabled(ctx, level) {
		return
	}
	attributes := []slog.Attr{
		slog.String("method", e.Request.Method),
		slog.String("target", e.Request.RequestURI[:min(len(e.Request.RequestURI), MaxLoggedTarget)]),
		slog.String("route", e.Route),
		slog.Int("status", e.Status),
		slog.Int64("bytes", e.Bytes),
		slog.Float64("duration_seconds", e.Duration.Seconds()),
		slog.String("client", s.How.Proxies.Client(e.Request).String()),
		slog.String("request_id", e.RequestID),
	}
	if traced.HasTraceID() {
		attributes = append(attributes, slog.String("trace_id", traced.TraceID().String()))
	}
	if e.Problem != "" {
		attributes = append(attributes, slog.String("problem", string(e.Problem)))
	}
	if e.Cause != nil {
		attributes = append(attributes, slog.String("error", e.Cause.Error()))
	}
	if stack := httpapi.Stack(e.Cause); stack != nil {
		attributes = append(attributes, slog.String("stack", string(stack)))
	}
	// Logger would find the calling code for each line, which costs time.
	line := slog.NewRecord(time.Now(), level, "request", 0)
	line.AddAttrs(attributes...)
	_ = s.Log.Handler().Handle(ctx, line) // Logger ignores this error too
}
