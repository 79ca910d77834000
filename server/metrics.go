package main

import (
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"solved/api"
	"solved/api/httpapi"
)

// metrics are the program's measurements, on a registry of their own. No label
// takes its value from a client: routes are patterns, and methods are bounded.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
	limited  prometheus.Counter
	problems *prometheus.CounterVec
	probes   *prometheus.CounterVec
	faults   *prometheus.CounterVec
	reloads  *prometheus.CounterVec

	logDropped prometheus.Counter
	ended      *prometheus.CounterVec
}

// The results of loading a table anew.
const (
	reloadSuccess = "success"
	reloadFailure = "failure"
)

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
			// The native histogram beside the classic one: each bucket a tenth
			// wider than the one before it, and not more of them than that.
			NativeHistogramBucketFactor:     1.1,
			NativeHistogramMaxBucketNumber:  160,
			NativeHistogramMinResetDuration: time.Hour,
		}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "solved_http_requests_in_flight",
			Help: "Requests being answered now.",
		}),
		limited: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "solved_http_rate_limited_total",
			Help: "Requests refused because the client had used up its share.",
		}),
		problems: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "solved_problems_total",
			Help: "Failures told to clients, by problem type.",
		}, []string{"type"}),
		probes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "solved_probes_total",
			Help: "Positions looked up and answered, each step of a line and each entry of a batch included, by value for the side to move: win, loss, draw, or probability in a game of chance.",
		}, []string{"rules", "value"}),
		faults: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "solved_table_faults_total",
			Help: "Reads of a table that failed, or after which its file was not what was verified.",
		}, []string{"rules"}),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "solved_table_reloads_total",
			Help: "Tables opened anew while serving, by result: success is served, failure was refused.",
		}, []string{"rules", "result"}),
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "solved_http_connections_closed_total",
			Help: "Connections closed to keep the bounds, by reason: idle waited for a request when another needed its place, client was one too many of its client.",
		}, []string{"reason"}),
		logDropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "solved_log_lines_dropped_total",
			Help: "Lines of the log that were dropped because its reader did not keep up or was gone.",
		}),
	}
	// What can be counted is there from the start, at zero, so that the first
	// count is an increase.
	for _, t := range api.ProblemTypes() {
		m.problems.WithLabelValues(string(t))
	}
	m.ended.WithLabelValues(endedForRoom)
	m.ended.WithLabelValues(endedForClient)
	m.ended.WithLabelValues(endedForHeader)
	for _, p := range s.probers {
		m.faults.WithLabelValues(p.id().Name)
		m.reloads.WithLabelValues(p.id().Name, reloadSuccess)
		m.reloads.WithLabelValues(p.id().Name, reloadFailure)
		counters := make(map[string]valueCounter)
		for _, value := range p.game().values() {
			counters[value] = m.probes.WithLabelValues(p.id().Name, value)
		}
		p.countBy(counters)
	}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "solved_build_info",
		Help: "One, with the version of the program and of Go.",
	}, []string{"version", "go_version"})
	build.WithLabelValues(buildVersion(), runtime.Version()).Set(1)
	ready := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "solved_ready",
		Help: "Whether the service is ready.",
	}, func() float64 { return oneIf(s.readiness().Ready) })
	for state, count := range map[string]func(*listener) int{
		"idle": func(l *listener) int { _, idle := l.count(); return idle },
		"busy": func(l *listener) int { open, idle := l.count(); return open - idle },
	} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "solved_http_connections",
			Help:        "Connections held now, without those of the operator's listener: idle ones wait for a request.",
			ConstLabels: prometheus.Labels{"state": state},
		}, func() float64 {
			l := s.listener.Load()
			if l == nil {
				return 0
			}
			return float64(count(l))
		}))
	}
	m.registry.MustRegister(m.requests, m.duration, m.inFlight, m.limited, m.problems, m.probes, m.faults, m.reloads, m.logDropped, m.ended,
		newTableMetrics(s.probers), build, ready,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// connectionEnded counts a connection that was closed to keep the bounds.
func (m *metrics) connectionEnded(reason string) { m.ended.WithLabelValues(reason).Inc() }

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func (m *metrics) handler() http.Handler {
	return &scrapes{gather: promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})}
}

// knownMethod returns a method if it is a common one: a client can make up as many
// others as it likes.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// request counts a request.
func (m *metrics) request(e httpapi.Exchange) {
	m.requests.WithLabelValues(e.Route, knownMethod(e.Request.Method), strconv.Itoa(e.Status)).Inc()
	m.duration.WithLabelValues(e.Route).Observe(e.Duration.Seconds())
	if e.Problem != "" {
		m.problems.WithLabelValues(string(e.Problem)).Inc()
	}
}
