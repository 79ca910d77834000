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

// flushTimeout bounds how long a collector that does not answer can keep the
// program from ending.
const flushTimeout = 5 * time.Second

// tracing sends a span for some of the requests to a collector. Without tracing
// a service holds nil, and its handler is not wrapped.
type tracing struct{ provider *sdk.TracerProvider }

// NewTracing prepares to send to a collector; it does not matter whether it can
// be reached now. A request is traced when its caller has it traced, or else for a
// share of all.
func NewTracing(ctx context.Context, collector string, share float64, log *slog.Logger) (*tracing, error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(TracesURL(collector)))
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	// What OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME say goes over what we do.
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

// TracesURL is where a collector takes traces: the usual path, unless another is
// given.
func TracesURL(collector string) string {
	u, err := url.Parse(collector)
	if err != nil || u.Path != "" && u.Path != "/" {
		return collector
	}
	return u.JoinPath("/v1/traces").String()
}

// around wraps a handler. Requests for operation are not traced.
func (t *tracing) around(next http.Handler) http.Handler {
	return otelhttp.NewHandler(next, "",
		otelhttp.WithTracerProvider(t.provider),
		otelhttp.WithMeterProvider(noop.NewMeterProvider()),
		otelhttp.WithPropagators(propagation.TraceContext{}),
		otelhttp.WithFilter(func(r *http.Request) bool { return !operational(r.URL.Path) }),
		// The name is completed when the route is known.
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return knownMethod(r.Method) }),
	)
}

// Describe completes the span of a request that has been answered.
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

// Close sends what has not been sent yet.
func (t *tracing) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	return t.provider.Shutdown(ctx)
}

// loudExporter logs what cannot be sent, now and then. OpenTelemetry itself tells
// only a handler that is one for the whole process.
type loudExporter struct {
	sdk.SpanExporter
	collector string
	log       *slog.Logger
	now       rate.Sometimes
}

// ExportSpans sends spans. Those that cannot be sent are lost.
func (e *loudExporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if err := e.SpanExporter.ExportSpans(ctx, spans); err != nil {
		e.now.Do(func() {
			e.log.Warn("sending traces failed", "collector", e.collector, "spans", len(spans), "error", err)
		})
	}
	return nil
}
