package main

import (
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"solved/api"
)

// metrics are the program's measurements, on a registry of their own. No label
// takes its value from a client: routes are patterns, and methods are bounded.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	problems *prometheus.CounterVec
	tables   *prometheus.GaugeVec
	loading  *prometheus.GaugeVec
	faults   *prometheus.CounterVec
}

func newMetrics(s *service) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "solved_http_requests_total",
			Help: "Requests answered, by route pattern, method and status.",
		}, []string{"route", "method", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "solved_http_request_duration_seconds",
			Help:    "Time to answer a request, by route pattern.",
			Buckets: prometheus.ExponentialBuckets(25e-6, 2.5, 12), // 25 µs to 0.6 s
		}, []string{"route"}),
		problems: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "solved_problems_total",
			Help: "Failures told to clients, by problem type.",
		}, []string{"type"}),
		tables: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "solved_table_info",
			Help: "One for each table that answers.",
		}, []string{"rules", "tag", "source", "format", "content_sha256"}),
		loading: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "solved_table_load_seconds",
			Help: "How long opening and verifying the table took.",
		}, []string{"rules"}),
	}
	m.faults = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "solved_table_faults_total",
		Help: "Reads of a table that failed, or after which its file was not what was verified.",
	}, []string{"rules"})
	for _, p := range s.probers {
		m.faults.WithLabelValues(p.id.Name) // there from the start, at zero
	}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "solved_build_info",
		Help: "One, with the version of the program and of Go.",
	}, []string{"version", "go_version"})
	build.WithLabelValues(buildVersion(), runtime.Version()).Set(1)
	ready := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "solved_ready",
		Help: "Whether the service is ready.",
	}, func() float64 {
		if s.readiness().Ready {
			return 1
		}
		return 0
	})
	m.registry.MustRegister(m.requests, m.duration, m.problems, m.tables, m.loading, m.faults, build, ready,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// request counts a request.
func (m *metrics) request(e api.Exchange) {
	method := e.Request.Method
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
	default:
		method = "other" // a client can make up as many as it likes
	}
	m.requests.WithLabelValues(e.Route, method, strconv.Itoa(e.Status)).Inc()
	m.duration.WithLabelValues(e.Route).Observe(e.Duration.Seconds())
	if e.Problem != "" {
		m.problems.WithLabelValues(string(e.Problem)).Inc()
	}
}

// loaded notes a table that has become ready.
func (m *metrics) loaded(id api.Rules, t api.Table) {
	digest := ""
	if t.ContentSHA256 != nil {
		digest = *t.ContentSHA256
	}
	m.tables.DeletePartialMatch(prometheus.Labels{"rules": id.Name})
	m.tables.WithLabelValues(id.Name, id.Tag, t.Source, t.Format, digest).Set(1)
	m.loading.WithLabelValues(id.Name).Set(t.LoadSeconds)
}

// buildVersion is the version of the main module as the go command stamped it.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
