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

// Litter is how much may be thrown away on the heap before it is collected, in bytes:
// enough for that to cost little, and not so much that nothing of it is left in the
// processor's caches when it is used again. By itself Go lets the heap grow to twice
// what is in use, which is too little without a table in memory, and with one far too
// much: there, a request would take twice its time.
const Litter = 48 << 20

// CollectByLitter has the heap collected by how much has been thrown away. The tables
// have to be there already.
func CollectByLitter() {
	runtime.GC() // only then is it known what is in use
	live := []runtimemetrics.Sample{{Name: "/gc/heap/live:bytes"}}
	runtimemetrics.Read(live)
	debug.SetGCPercent(LitterPercent(live[0].Value.Uint64()))
}

// LitterPercent is litter in hundredths of what is in use, in bytes: as GOGC has it.
// With very little in use it is no more than four times that.
func LitterPercent(live uint64) int { return int(max(1, 100*Litter/max(live, Litter/4))) }

func Run(ctx context.Context, games game.List, how Config, log *slog.Logger, lines *logWriter) error {
	hangups := make(chan os.Signal, 1)
	signal.Ignore(syscall.SIGHUP) // from now on it no longer ends the program
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	s, err := New(games, how, log)
	if err != nil {
		return err
	}
	s.Hangups = hangups
	lines.CountDropped(s.Metrics.logDropped)
	if how.Collector != "" {
		if s.Tracing, err = NewTracing(ctx, how.Collector, how.TraceShare, log); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	public, err := listener.Listen(ctx, "listen", how.Listen)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	if how.opsListen != "" {
		if s.Ops, err = listener.Listen(ctx, "ops-listen", how.opsListen); err != nil {
			return errors.Join(err, public.Close(), s.Close())
		}
	}
	return errors.Join(s.Serve(ctx, public), s.Close())
}

const (
	// opsConnections is how many connections the operator's listener holds at a time.
	opsConnections = 64
	// drainQuiet is how long no connection must have arrived before the listener is
	// closed: longer than the last packet of one that has begun is on its way.
	drainQuiet = 100 * time.Millisecond
)

// newServer returns a server with a handler and the timeouts that are set.
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

// Serve listens and answers until the context ends, and then shuts down: first
// it is not ready any more, then it takes the connections that have arrived and no
// others, and it returns when all requests have been answered. A table that turns out
// damaged ends it with the error. It closes the listener, and that of the operator.
func (s *Service) Serve(ctx context.Context, inner net.Listener) error {
	start := time.Now()
	bounds := listener.Bounds{Most: s.How.MaxConnections, PerClient: s.How.MaxPerClient, Exempt: s.How.Proxies, Headers: listener.NewHeaderBudget()}
	limited := listener.Limit(inner, bounds, s.Metrics.connectionEnded)
	s.Listener.Store(limited)
	server := s.newServer(s.Handler(), limited)
	served := make(chan error, 2)
	at := []any{"address", inner.Addr().String()}
	if s.Ops != nil {
		// Its connections are few, so that it has room when the other one has none.
		l := listener.Limit(s.Ops, listener.Bounds{Most: opsConnections}, nil)
		ops := s.newServer(s.opsHandler(), l)
		go func() { served <- ops.Serve(l) }()
		defer ops.Close() // last of all: it tells how the rest ends
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
			CollectByLitter()
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
		cause = nil // told to stop: the good end
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

// Handler is the contract with its logs and metrics.
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
		// The other half is for the client, to read the answer.
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
	return promhttp.InstrumentHandlerInFlight(s.Metrics.InFlight, s.parting(handler))
}

// Explorer answers in the published explorer's contract: for the first ruleset that can, nil for none.
func (s *Service) Explorer() api.Explorer {
	for _, p := range s.Probers {
		if g, ok := p.Game().(game.Explorable); ok {
			return g.Explorer(p)
		}
	}
	return nil
}

// opsHandler is what is answered to the operator alone.
func (s *Service) opsHandler() http.Handler {
	return httpapi.NewOperational(httpapi.Config{Readiness: s.Readiness, Metrics: s.Metrics.Handler(), Observe: s.Observe})
}

// parting ends, from when the server is told to stop, each connection with its next
// answer. A connection that is kept would be closed when the server stops, and with
// it whatever its client has sent just then.
func (s *Service) parting(next http.Handler) http.Handler {
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

// MaxLoggedTarget bounds what a request can put into the log, in bytes.
const MaxLoggedTarget = 1024

// operational says whether an address is asked by whoever operates the server,
// every few seconds, for ever.
func operational(path string) bool {
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
	case operational(e.Route):
		level = slog.LevelDebug
	case e.Problem != "":
		level = e.Problem.Level()
	}
	// The context of a finished request carries nothing for a log.
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
	// Not by way of Logger, which for each line works out what code it comes from.
	line := slog.NewRecord(time.Now(), level, "request", 0)
	line.AddAttrs(attributes...)
	_ = s.Log.Handler().Handle(ctx, line) // as Logger does: where could it be told?
}
