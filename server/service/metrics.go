package service

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
	"solved/server/game"
	"solved/server/listener"
)

// metrics holds the server's metrics, in a registry of its own. No label takes its value from a
// client: routes are patterns, and the set of methods is fixed.
type metrics struct {
	Registry *prometheus.Registry
	Requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	InFlight prometheus.Gauge
	Limited  prometheus.Counter
	problems *prometheus.CounterVec
	Probes   *prometheus.CounterVec
	Faults   *prometheus.CounterVec
	Reloads  *prometheus.CounterVec

	logDropped prometheus.Counter
	Ended      *prometheus.CounterVec
}

// The results of reloading a table.
const (
	ReloadSuccess = "success"
	ReloadFailure = "failure"
)

// newMetrics creates and registers the metrics of a service.
func newMetrics(s *Service) *metrics {
	m := &metrics{
		Registry: prometheus.NewRegistry(),
		Requests: prometheus.NewCounterVec(prometheus.CounterOpts{
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
		InFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "solved_http_requests_in_flight",
			Help: "Requests being answered now.",
		}),
		Limited: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "solved_http_rate_limited_total",
			Help: "Requests refused because the client had used up its share.",
		}),
		problems: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "solved_problems_total",
			Help: "Failures told to clients, by problem type.",
		}, []string{"type"}),
		Probes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "solved_probes_total",
			Help: "Positions looked up and answered, each step of a line and each entry of a batch included, by value for the side to move: win, loss, draw, or probability in a game of chance.",
		}, []string{"rules", "value"}),
		Faults: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "solved_table_faults_total",
			Help: "Reads of a table that failed, or after which its file was not what was verified.",
		}, []string{"rules"}),
		Reloads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "solved_table_reloads_total",
			Help: "Tables opened anew while serving, by result: success is served, failure was refused.",
		}, []string{"rules", "result"}),
		Ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "solved_http_connections_closed_total",
			Help: "Connections closed to keep the bounds, by reason: idle waited for a request when another needed its place, client was one too many of its client.",
		}, []string{"reason"}),
		logDropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "solved_log_lines_dropped_total",
			Help: "Lines of the log that were dropped because its reader did not keep up or was gone.",
		}),
	}
	// Each series exists from the start, at zero, so that the first count is an increase.
	for _, t := range api.ProblemTypes() {
		m.problems.WithLabelValues(string(t))
	}
	m.Ended.WithLabelValues(listener.EndedForRoom)
	m.Ended.WithLabelValues(listener.EndedForClient)
	m.Ended.WithLabelValues(listener.EndedForHeader)
	for _, p := range s.Probers {
		m.Faults.WithLabelValues(p.ID().Name)
		m.Reloads.WithLabelValues(p.ID().Name, ReloadSuccess)
		m.Reloads.WithLabelValues(p.ID().Name, ReloadFailure)
		counters := make(map[string]game.ValueCounter)
		for _, value := range p.Game().Values() {
			counters[value] = m.Probes.WithLabelValues(p.ID().Name, value)
		}
		p.CountBy(counters)
	}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "solved_build_info",
		Help: "One, with the version of the program and of Go.",
	}, []string{"version", "go_version"})
	build.WithLabelValues(BuildVersion(), runtime.Version()).Set(1)
	ready := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "solved_ready",
		Help: "Whether the service is ready.",
	}, func() float64 { return OneIf(s.Readiness().Ready) })
	for state, count := range map[string]func(*listener.Listener) int{
		"idle": func(l *listener.Listener) int { _, idle := l.Count(); return idle },
		"busy": func(l *listener.Listener) int { open, idle := l.Count(); return open - idle },
	} {
		m.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "solved_http_connections",
			Help:        "Connections held now, without those of the operator's listener: idle ones wait for a request.",
			ConstLabels: prometheus.Labels{"state": state},
		}, func() float64 {
			l := s.Listener.Load()
			if l == nil {
				return 0
			}
			return float64(count(l))
		}))
	}
	m.Registry.MustRegister(m.Requests, m.duration, m.InFlight, m.Limited, m.problems, m.Probes, m.Faults, m.Reloads, m.logDropped, m.Ended,
		newTableMetrics(s.Probers), build, ready,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// connectionEnded counts a connection that was closed to keep the bounds.
func (m *metrics) connectionEnded(reason string) { m.Ended.WithLabelValues(reason).Inc() }

// OneIf returns 1 for true and 0 for false.
func OneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// Handler answers /metrics.
func (m *metrics) Handler() http.Handler {
	return &Scrapes{Gather: promhttp.HandlerFor(m.Registry, promhttp.HandlerOpts{})}
}

// knownMethod returns a common method as it is, and "other" for any other: a client can make up
// methods.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// request counts a request that has been answered.
func (m *metrics) request(e httpapi.Exchange) {
	m.Requests.WithLabelValues(e.Route, knownMethod(e.Request.Method), strconv.Itoa(e.Status)).Inc()
	m.duration.WithLabelValues(e.Route).Observe(e.Duration.Seconds())
	if e.Problem != "" {
		m.problems.WithLabelValues(string(e.Problem)).Inc()
	}
}
