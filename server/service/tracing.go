package service

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"

	"solved/api/httpapi"
)

// flushTimeout bounds the time that a silent collector can delay the end of the program.
const flushTimeout = 5 * time.Second

// tracing sends spans of some requests to a collector. A service without traces holds nil.
type tracing struct{ provider *sdk.TracerProvider }

// NewTracing prepares to send to a collector, which need not be reachable yet. The server traces a
// request if the caller asks for it, and a share of the requests whose callers do not decide.
func NewTracing(ctx context.Context, collector string, share float64, log *slog.Logger) (*tracing, error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(TracesURL(collector)))
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	// OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME override these attributes.
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(semconv.ServiceName("solved"), semconv.ServiceVersion(BuildVersion())), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	loud := &loudExporter{SpanExporter: exporter, collector: collector, log: log, now: rate.Sometimes{First: 1, Interval: time.Minute}}
	return &tracing{sdk.NewTracerProvider(
		sdk.WithBatcher(loud),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(share))),
		sdk.WithResource(about),
	)}, nil
}

// TracesURL returns the address to which to send traces: /v1/traces of the collector, unless the
// address has a path.
func TracesURL(collector string) string {
	u, err := url.Parse(collector)
	if err != nil || u.Path != "" && u.Path != "/" {
		return collector
	}
	return u.JoinPath("/v1/traces").String()
}

// around wraps a handler. It does not trace /livez, /readyz and /metrics.
func (t *tracing) around(next http.Handler) http.Handler {
	return otelhttp.NewHandler(next, "",
		otelhttp.WithTracerProvider(t.provider),
		otelhttp.WithMeterProvider(noop.NewMeterProvider()),
		otelhttp.WithPropagators(propagation.TraceContext{}),
		otelhttp.WithFilter(func(r *http.Request) bool { return !isOpsPath(r.URL.Path) }),
		// Describe completes the name when the route is known.
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return knownMethod(r.Method) }),
	)
}

// Describe adds route, ruleset and problem to the span of an answered request.
func (t *tracing) Describe(span trace.Span, e httpapi.Exchange, ruleset string) {
	if !span.IsRecording() {
		return
	}
	span.SetName(knownMethod(e.Request.Method) + " " + e.Route)
	attributes := []attribute.KeyValue{semconv.HTTPRoute(e.Route), attribute.String("solved.request_id", e.RequestID)}
	if ruleset != "" {
		attributes = append(attributes, attribute.String("solved.rules", ruleset))
	}
	if e.Problem != "" {
		attributes = append(attributes, attribute.String("solved.problem", string(e.Problem)))
	}
	span.SetAttributes(attributes...)
}

// Close sends the remaining spans.
func (t *tracing) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	return t.provider.Shutdown(ctx)
}

// loudExporter logs failures to send, at most once a minute. OpenTelemetry itself reports them only to
// one handler for the whole process.
type loudExporter struct {
	sdk.SpanExporter
	collector string
	log       *slog.Logger
	now       rate.Sometimes
}

// ExportSpans sends spans. Spans that it cannot send are lost.
func (e *loudExporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if err := e.SpanExporter.ExportSpans(ctx, spans); err != nil {
		e.now.Do(func() {
			e.log.Warn("sending traces failed", "collector", e.collector, "spans", len(spans), "error", err)
		})
	}
	return nil
}
