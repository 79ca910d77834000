package main

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
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"
	"go.opentelemetry.io/otel/trace"

	"solved/api"
	"solved/api/httpapi"
)

func serveCommand(games gameList, environ []string) *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Answer over HTTP",
		Long: `Answer over HTTP, from the tables embedded in the program or from table files.
A table file that is missing, damaged or of no known ruleset stops the start.
/readyz turns 200 when every table has been verified.

A table file that is replaced, or written to, is verified and then served instead:
after it was seen to have changed, or at once on SIGHUP. One that is no good is
refused, and the table before goes on serving.

With --tables, the files in a directory are served, and those that are missing are made
there in the background, each in 2 GB of memory, while the embedded tables answer. What
cannot be made or served is told in the log, and the embedded table answers on.

Each flag can be given in the environment instead: --log-level as SOLVED_LOG_LEVEL.
SOLVED_TABLE holds files as PATH holds folders; other lists are separated by commas.
Flags win. A variable SOLVED_… that belongs to no flag stops the start.`,
		Args: noArguments,
	}
	serving(c, games, environ)
	return c
}

// serving makes a command serve, with all the flags of that.
func serving(c *cobra.Command, games gameList, environ []string) {
	var how config
	how.flags(c.Flags())
	c.RunE = func(c *cobra.Command, _ []string) error {
		from, err := bind(c.Flags(), environ)
		if err != nil {
			return &usageError{err, c.CommandPath()}
		}
		// A log whose reader has gone is no reason to end: writing it fails instead. This
		// holds for SIGPIPE ignored at the start as well.
		broken := make(chan os.Signal, 1)
		signal.Notify(broken, syscall.SIGPIPE)
		defer signal.Stop(broken)
		lines := newLogWriter(c.ErrOrStderr(), how.droppedLines)
		defer lines.close()
		log := how.newLogger(lines)
		log.LogAttrs(c.Context(), slog.LevelInfo, "configuration", effective(c.Flags(), from)...)
		how.collect = !slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "GOGC=") })
		if err := runServe(c.Context(), games, how, log, lines); err != nil {
			tell(lines, err) // not past the log, where it might wait for ever
			return reportedError{err}
		}
		return nil
	}
}

// litter is how much may be thrown away on the heap before it is collected, in bytes:
// enough for that to cost little, and not so much that nothing of it is left in the
// processor's caches when it is used again. By itself Go lets the heap grow to twice
// what is in use, which is too little without a table in memory, and with one far too
// much: there, a request would take twice its time.
const litter = 48 << 20

// collectByLitter has the heap collected by how much has been thrown away. The tables
// have to be there already.
func collectByLitter() {
	runtime.GC() // only then is it known what is in use
	live := []runtimemetrics.Sample{{Name: "/gc/heap/live:bytes"}}
	runtimemetrics.Read(live)
	debug.SetGCPercent(litterPercent(live[0].Value.Uint64()))
}

// litterPercent is litter in hundredths of what is in use, in bytes: as GOGC has it.
// With very little in use it is no more than four times that.
func litterPercent(live uint64) int { return int(max(1, 100*litter/max(live, litter/4))) }

func runServe(ctx context.Context, games gameList, how config, log *slog.Logger, lines *logWriter) error {
	hangups := make(chan os.Signal, 1)
	signal.Ignore(syscall.SIGHUP) // from now on it no longer ends the program
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	s, err := newService(games, how, log)
	if err != nil {
		return err
	}
	s.hangups = hangups
	lines.countDropped(s.metrics.logDropped)
	if how.collector != "" {
		if s.tracing, err = newTracing(ctx, how.collector, how.traceShare, log); err != nil {
			return errors.Join(err, s.close())
		}
	}
	listener, err := listen(ctx, "listen", how.listen)
	if err != nil {
		return errors.Join(err, s.close())
	}
	if how.opsListen != "" {
		if s.ops, err = listen(ctx, "ops-listen", how.opsListen); err != nil {
			return errors.Join(err, listener.Close(), s.close())
		}
	}
	return errors.Join(s.serve(ctx, listener), s.close())
}

const (
	// opsConnections is how many connections the operator's listener holds at a time.
	opsConnections = 64
	// drainQuiet is how long no connection must have arrived before the listener is
	// closed: longer than the last packet of one that has begun is on its way.
	drainQuiet = 100 * time.Millisecond
)

// newServer returns a server with a handler and the timeouts that are set.
func (s *service) newServer(handler http.Handler, l *listener) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: s.how.readHeaderTimeout,
		ReadTimeout:       s.how.readTimeout,
		WriteTimeout:      s.how.writeTimeout,
		IdleTimeout:       s.how.idleTimeout,
		MaxHeaderBytes:    s.how.maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		ConnState:         l.state,
	}
}

// serve listens and answers until the context ends, and then shuts down: first
// it is not ready any more, then it takes the connections that have arrived and no
// others, and it returns when all requests have been answered. A table that turns out
// damaged ends it with the error. It closes the listener, and that of the operator.
func (s *service) serve(ctx context.Context, inner net.Listener) error {
	start := time.Now()
	bounds := connectionBounds{most: s.how.maxConnections, perClient: s.how.maxPerClient, exempt: s.how.proxies, headers: newHeaderBudget()}
	listener := limitConnections(inner, bounds, s.metrics.connectionEnded)
	s.listener.Store(listener)
	server := s.newServer(s.handler(), listener)
	served := make(chan error, 2)
	at := []any{"address", inner.Addr().String()}
	if s.ops != nil {
		// Its connections are few, so that it has room when the other one has none.
		l := limitConnections(s.ops, connectionBounds{most: opsConnections}, nil)
		ops := s.newServer(s.opsHandler(), l)
		go func() { served <- ops.Serve(l) }()
		defer ops.Close() // last of all: it tells how the rest ends
		at = append(at, "ops_address", s.ops.Addr().String())
	}
	s.log.Info("listening", append(at, "version", buildVersion())...)

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	verified := make(chan struct{})
	go func() {
		defer close(verified)
		if err := s.verify(ctx); err != nil {
			stop(err)
			return
		}
		if s.how.collect {
			collectByLitter()
		}
		s.log.Info("ready", "duration_seconds", time.Since(start).Seconds(), "url", clickable(inner.Addr(), "/docs"))
		s.follow(ctx)
	}()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		served <- server.Serve(listener)
	}()

	select {
	case err := <-served:
		stop(nil)
		<-verified
		server.Close()
		return err // a listener failed
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	cause := context.Cause(ctx)
	if errors.Is(cause, context.Canceled) {
		cause = nil // told to stop: the good end
		s.log.Info("shutting down", "delay_seconds", s.how.shutdownDelay.Seconds())
		time.Sleep(s.how.shutdownDelay)
	}
	deadline, cancel := context.WithTimeout(context.Background(), s.how.shutdownTimeout)
	defer cancel()
	listener.drain(drainQuiet, s.how.shutdownTimeout)
	select {
	case <-closed:
	case <-deadline.Done():
	}
	if err := server.Shutdown(deadline); err != nil {
		s.log.Warn("requests were cut off", "error", err)
		server.Close()
	}
	<-verified
	if s.tracing != nil {
		if err := s.tracing.close(deadline); err != nil {
			s.log.Warn("the last traces were not sent", "error", err)
		}
	}
	if cause == nil {
		s.log.Info("stopped")
	}
	return cause
}

// handler is the contract with its logs and metrics.
func (s *service) handler() http.Handler {
	probers := make([]api.Prober, len(s.probers))
	for i, p := range s.probers {
		probers[i] = p
	}
	metrics := s.metrics.handler()
	if s.ops != nil {
		metrics = nil
	}
	contract := httpapi.Config{
		Probers:   probers,
		Explorer:  s.explorer(),
		Readiness: s.readiness,
		Metrics:   metrics,
		Observe:   s.observe,
		InFlight:  s.how.maxInFlight,
		Memory:    int64(s.how.answerMemory),
		// The other half is for the client, to read the answer.
		WorkTime: s.how.writeTimeout / 2,
		Origins:  s.how.origins,
	}
	if s.how.rateLimit > 0 {
		contract.Limiter = newLimiter(s.how.rateLimit, s.how.rateBurst, maxClients, s.how.proxies, s.metrics.limited)
	}
	handler := httpapi.New(contract)
	if s.tracing != nil {
		handler = s.tracing.around(handler)
	}
	return promhttp.InstrumentHandlerInFlight(s.metrics.inFlight, s.parting(handler))
}

// explorer answers in the published explorer's contract: for the first ruleset that can, nil for none.
func (s *service) explorer() api.Explorer {
	for _, p := range s.probers {
		if g, ok := p.game().(explorable); ok {
			return g.explorer(p)
		}
	}
	return nil
}

// opsHandler is what is answered to the operator alone.
func (s *service) opsHandler() http.Handler {
	return httpapi.NewOperational(httpapi.Config{Readiness: s.readiness, Metrics: s.metrics.handler(), Observe: s.observe})
}

// parting ends, from when the server is told to stop, each connection with its next
// answer. A connection that is kept would be closed when the server stops, and with
// it whatever its client has sent just then.
func (s *service) parting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.stopping.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// rulesetOf returns the name of the ruleset that a request addresses, by name or by
// tag; empty if it addresses none that is known.
func (s *service) rulesetOf(r *http.Request) string {
	address := chi.URLParam(r, "rules")
	for _, p := range s.probers {
		if address == p.id().Name || strings.EqualFold(address, p.id().Tag) {
			return p.id().Name
		}
	}
	return ""
}

// maxLoggedTarget bounds what a request can put into the log, in bytes.
const maxLoggedTarget = 1024

// operational says whether an address is asked by whoever operates the server,
// every few seconds, for ever.
func operational(path string) bool {
	return path == "/livez" || path == "/readyz" || path == "/metrics"
}

// observe logs, counts and traces a request.
func (s *service) observe(e httpapi.Exchange) {
	s.metrics.request(e)
	var traced trace.SpanContext
	if s.tracing != nil {
		span := trace.SpanFromContext(e.Request.Context())
		s.tracing.describe(span, e, s.rulesetOf(e.Request))
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
	if !s.log.Enabled(ctx, level) {
		return
	}
	attributes := []slog.Attr{
		slog.String("method", e.Request.Method),
		slog.String("target", e.Request.RequestURI[:min(len(e.Request.RequestURI), maxLoggedTarget)]),
		slog.String("route", e.Route),
		slog.Int("status", e.Status),
		slog.Int64("bytes", e.Bytes),
		slog.Float64("duration_seconds", e.Duration.Seconds()),
		slog.String("client", s.how.proxies.client(e.Request).String()),
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
	_ = s.log.Handler().Handle(ctx, line) // as Logger does: where could it be told?
}
