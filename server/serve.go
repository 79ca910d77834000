package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"solved/api"
	"solved/tablebase"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	listen        string
	tables        []string
	tableMode     string
	shutdownDelay time.Duration
	logFormat     string
	logLevel      slog.Level
}

func (o *serveOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.listen, "listen", ":8080", "address to listen on")
	f.StringArrayVar(&o.tables, "table", nil, "serve a ruleset from this table `file` instead of the embedded table; repeatable")
	f.StringVar(&o.tableMode, "table-mode", "mmap", "how to hold table files: mmap or memory")
	f.DurationVar(&o.shutdownDelay, "shutdown-delay", 0, "how long to go on serving, not ready, before shutting down")
	f.StringVar(&o.logFormat, "log-format", "text", "text or json")
	f.TextVar(&o.logLevel, "log-level", slog.LevelInfo, "least `level` to log: debug, info, warn or error")
}

func serveCommand() *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Answer over HTTP",
		Long: `Answer over HTTP, from the tables embedded in the program or from table files.
A table file that is missing, damaged or of no known ruleset stops the start.
/readyz turns 200 when every table has been verified.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return runServe(c, o) },
	}
	o.flags(c.Flags())
	return c
}

// Limits on the phases of a request. Answers are small and made at once; what
// takes longer is a client that is slow or not well disposed.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 10 * time.Second
	writeTimeout      = 30 * time.Second
	idleTimeout       = 2 * time.Minute
	shutdownTimeout   = 30 * time.Second
	maxHeaderBytes    = 64 << 10 // above api.MaxURI, which has an answer of its own
)

func runServe(c *cobra.Command, o serveOptions) error {
	mode, ok := map[string]tablebase.Mode{"mmap": tablebase.Mapped, "memory": tablebase.Memory}[o.tableMode]
	if !ok {
		return &usageError{fmt.Errorf("--table-mode is mmap or memory, not %q", o.tableMode), c.CommandPath()}
	}
	options := &slog.HandlerOptions{Level: o.logLevel}
	var log *slog.Logger
	switch o.logFormat {
	case "text":
		log = slog.New(slog.NewTextHandler(c.ErrOrStderr(), options))
	case "json":
		log = slog.New(slog.NewJSONHandler(c.ErrOrStderr(), options))
	default:
		return &usageError{fmt.Errorf("--log-format is text or json, not %q", o.logFormat), c.CommandPath()}
	}
	s, err := newService(o.tables, mode, log)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(c.Context(), "tcp", o.listen)
	if err != nil {
		return errors.Join(err, s.close())
	}
	return errors.Join(s.serve(c.Context(), listener, o.shutdownDelay), s.close())
}

// serve listens and answers until the context ends, and then shuts down: first
// it is not ready any more, then it takes no new requests, and it returns when
// those in flight have been answered. A table that turns out damaged ends it
// with the error. It closes the listener.
func (s *service) serve(ctx context.Context, listener net.Listener, delay time.Duration) error {
	server := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	s.log.Info("listening", "address", listener.Addr().String(), "version", buildVersion())

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	verified := make(chan struct{})
	go func() {
		defer close(verified)
		if err := s.verify(ctx); err != nil {
			stop(err)
		}
	}()
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()

	select {
	case err := <-served:
		stop(nil)
		<-verified
		return err // the listener failed
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	cause := context.Cause(ctx)
	if errors.Is(cause, context.Canceled) {
		cause = nil // told to stop: the good end
		s.log.Info("shutting down", "delay", delay)
		time.Sleep(delay)
	}
	deadline, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	if err := server.Shutdown(deadline); err != nil {
		s.log.Warn("requests were cut off", "error", err)
		server.Close()
	}
	<-verified
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
	return api.New(api.Config{
		Probers:   probers,
		Explorer:  s.probers[0], // the canonical ruleset's
		Readiness: s.readiness,
		Metrics:   s.metrics.handler(),
		Observe:   s.observe,
	})
}

// maxLoggedTarget bounds what a request can put into the log, in bytes.
const maxLoggedTarget = 1024

// observe logs and counts a request.
func (s *service) observe(e api.Exchange) {
	s.metrics.request(e)
	level := slog.LevelInfo
	switch {
	case e.Route == "/livez" || e.Route == "/readyz" || e.Route == "/metrics":
		level = slog.LevelDebug // asked every few seconds, for ever
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
		slog.Duration("duration", e.Duration),
		slog.String("client", e.Request.RemoteAddr),
		slog.String("request_id", e.RequestID),
	}
	if e.Problem != "" {
		attributes = append(attributes, slog.String("problem", string(e.Problem)))
	}
	if e.Cause != nil {
		attributes = append(attributes, slog.String("error", e.Cause.Error()))
	}
	if stack := api.Stack(e.Cause); stack != nil {
		attributes = append(attributes, slog.String("stack", string(stack)))
	}
	s.log.LogAttrs(ctx, level, "request", attributes...)
}
