package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"solved/api"
	"solved/server/games/tictacchec/tictacchectest"
	"solved/server/service"
	"solved/server/tables"
)

// collector takes spans as an OpenTelemetry collector does.
type collector struct {
	*httptest.Server
	mu    sync.Mutex
	about []*common.KeyValue
	spans []*spans.Span
}

func newCollector(t *testing.T) *collector {
	c := new(collector)
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var request collectortrace.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &request)
		}
		if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("collector: %s %s: %v", r.Method, r.URL, err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, resource := range request.ResourceSpans {
			c.about = resource.Resource.Attributes
			for _, scope := range resource.ScopeSpans {
				c.spans = append(c.spans, scope.Spans...)
			}
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func attributeOf(all []*common.KeyValue, key string) string {
	for _, a := range all {
		if a.Key == key {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

// traceService serves with a configuration, makes requests, and shuts down. It
// returns the answers and the log, a line each.
func traceService(t *testing.T, how service.Config, requests ...*http.Request) (answers []*http.Response, log []map[string]any) {
	t.Helper()
	var text bytes.Buffer
	how.LogFormat, how.Listen = "json", "127.0.0.1:0"
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	s := quietService(t)
	s.How, s.Log = how, how.NewLogger(&text)
	for _, p := range s.Probers {
		p.Slot().Table.Store(&tables.Loaded{Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}, State: api.StateReady})
	}
	if how.Collector != "" {
		var err error
		if s.Tracing, err = service.NewTracing(ctx, how.Collector, how.TraceShare, s.Log); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("tcp", how.Listen)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, r := range requests {
		r.URL.Scheme, r.URL.Host, r.RequestURI = "http", listener.Addr().String(), ""
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		answers = append(answers, response)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
	for line := range strings.Lines(text.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatal(err)
		}
		log = append(log, fields)
	}
	return answers, log
}

func linesOf(log []map[string]any, message string) (lines []map[string]any) {
	for _, l := range log {
		if l["msg"] == message {
			lines = append(lines, l)
		}
	}
	return lines
}

const (
	callerTrace   = "0af7651916cd43dd8448eb211c80319c"
	callerSpan    = "b7ad6b7169203331"
	callerTraced  = "00-" + callerTrace + "-" + callerSpan + "-01"
	callerIgnored = "00-" + callerTrace + "-" + callerSpan + "-00"
)

func traceable(target, parent string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	if parent != "" {
		r.Header.Set("traceparent", parent)
	}
	return r
}

// TestTraces checks that spans reach the collector by the time the server has
// shut down, and what they say.
func TestTraces(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) }) // when the collector has gone
	c := newCollector(t)
	how := standard()
	how.Collector, how.TraceShare = c.URL, 1
	answers, log := traceService(t, how,
		traceable("/v1/0X54544303/probe", callerTraced),
		traceable("/v1/tic-tac-chec/probe?position=nothing", ""),
		traceable("/v1/made-up/probe", ""),
		traceable("/nothing/here", ""),
		traceable("/livez", ""), traceable("/readyz", ""), traceable("/metrics", ""), // not traced
		traceable("/v1/rules", callerIgnored), // the caller has decided
	)
	want := []struct{ name, route, rules, problem string }{
		{"GET /v1/{rules}/probe", "/v1/{rules}/probe", "tic-tac-chec", ""},
		{"GET /v1/{rules}/probe", "/v1/{rules}/probe", "tic-tac-chec", "malformed-position"},
		{"GET /v1/{rules}/probe", "/v1/{rules}/probe", "", "unknown-rules"},
		{"GET none", "none", "", "not-found"},
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.spans) != len(want) {
		t.Fatalf("%d spans, want %d: %v", len(c.spans), len(want), c.spans)
	}
	lines := linesOf(log, "request")
	for i, w := range want {
		got := c.spans[i]
		if got.Name != w.name || attributeOf(got.Attributes, "http.route") != w.route ||
			attributeOf(got.Attributes, "solved.rules") != w.rules || attributeOf(got.Attributes, "solved.problem") != w.problem ||
			attributeOf(got.Attributes, "solved.request_id") != answers[i].Header.Get("X-Request-Id") {
			t.Errorf("span %d is %v", i, got)
		}
		if lines[i]["trace_id"] != hex.EncodeToString(got.TraceId) {
			t.Errorf("the log has the trace id %v, the span %x", lines[i]["trace_id"], got.TraceId)
		}
	}
	first := c.spans[0]
	if hex.EncodeToString(first.TraceId) != callerTrace || hex.EncodeToString(first.ParentSpanId) != callerSpan || first.Kind != spans.Span_SPAN_KIND_SERVER {
		t.Errorf("not a part of the caller's trace: %v", first)
	}
	if attributeOf(c.about, "service.name") != "solved" || attributeOf(c.about, "service.version") != service.BuildVersion() {
		t.Errorf("the service is %v", c.about)
	}
	if last := lines[len(lines)-1]; last["trace_id"] != callerTrace {
		t.Errorf("logged %v: a trace that is not sampled has an id as well", last)
	}
}

// TestTraceRatio checks that a share of nothing leaves what callers demand.
func TestTraceRatio(t *testing.T) {
	c := newCollector(t)
	how := standard()
	how.Collector, how.TraceShare = c.URL+"/", 0
	traceService(t, how, traceable("/v1/rules", ""), traceable("/v1/rules", callerTraced), traceable("/v1/rules", ""))
	if len(c.spans) != 1 || hex.EncodeToString(c.spans[0].TraceId) != callerTrace {
		t.Errorf("%v", c.spans)
	}
}

// TestNoTraces checks that without a collector nothing is traced, whatever a
// caller demands.
func TestNoTraces(t *testing.T) {
	_, log := traceService(t, standard(), traceable("/v1/rules", callerTraced))
	lines := linesOf(log, "request")
	if len(lines) != 1 || lines[0]["trace_id"] != nil {
		t.Errorf("logged %v", lines)
	}
}

// TestCollectorTrouble checks that a collector that is not there, or does not want
// our traces, costs nothing but a line in the log.
func TestCollectorTrouble(t *testing.T) {
	refusing := httptest.NewServer(http.NotFoundHandler())
	defer refusing.Close()
	for name, where := range map[string]string{"absent": "http://127.0.0.1:1", "refusing": refusing.URL} {
		t.Run(name, func(t *testing.T) {
			how := standard()
			how.Collector, how.TraceShare = where, 1
			answers, log := traceService(t, how, traceable("/v1/rules", ""), traceable("/v1/rules", ""))
			for _, a := range answers {
				if a.StatusCode != 200 {
					t.Errorf("status %d", a.StatusCode)
				}
			}
			lines := linesOf(log, "sending traces failed")
			if len(lines) != 1 || lines[0]["collector"] != where || lines[0]["level"] != "WARN" || lines[0]["error"] == "" {
				t.Errorf("logged %v", log)
			}
			if len(linesOf(log, "stopped")) != 1 {
				t.Errorf("did not stop well: %v", log)
			}
		})
	}
}

func TestTracesURL(t *testing.T) {
	for collector, want := range map[string]string{
		"http://localhost:4318":      "http://localhost:4318/v1/traces",
		"http://localhost:4318/":     "http://localhost:4318/v1/traces",
		"https://otel.example/in/x":  "https://otel.example/in/x",
		"https://otel.example/in/x/": "https://otel.example/in/x/",
		"https://[::1]:4318":         "https://[::1]:4318/v1/traces",
	} {
		if got := service.TracesURL(collector); got != want {
			t.Errorf("%s: %s, want %s", collector, got, want)
		}
	}
}
