package deploy

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// vocabulary is what there is to ask Prometheus for: each metric's labels, and the
// values that each label had.
type vocabulary map[string]map[string]map[string]bool

// add adds a metric with its labels.
func (v vocabulary) add(name string, labels ...string) {
	if v[name] == nil {
		v[name] = map[string]map[string]bool{}
	}
	for _, l := range labels {
		if v[name][l] == nil {
			v[name][l] = map[string]bool{}
		}
	}
}

// foreign are metrics that are not the program's: those of Prometheus itself, and those
// of Kubernetes (cAdvisor and kube-state-metrics), which there may be or not.
func (v vocabulary) foreign() {
	v.add("up", "job", "instance")
	v.add("ALERTS", "alertname", "alertstate", "severity", "job", "instance")
	v.add("container_memory_rss", "namespace", "pod", "container")
	v.add("container_memory_failures_total", "namespace", "pod", "container", "failure_type", "scope")
	v.add("kube_pod_container_resource_limits", "namespace", "pod", "container", "resource")
}

// serving starts the real program, and returns its address and how to end it.
func serving(p *program) (address string, end func() error, err error) {
	c := exec.Command(p.path, "serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--rate-limit", "1", "--rate-burst", "1000")
	c.Env = []string{}
	log, err := c.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := c.Start(); err != nil {
		return "", nil, err
	}
	end = func() error {
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		return c.Wait()
	}
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		var line struct{ Msg, Address string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Address != "" {
			go io.Copy(io.Discard, log)
			return "http://" + line.Address, end, nil
		}
	}
	return "", nil, fmt.Errorf("the program does not say where it listens: %w", c.Wait())
}

// scraped is /metrics of the real program, after requests good and bad.
var scraped = sync.OnceValues(func() (text string, err error) {
	p, err := built()
	if err != nil {
		return "", err
	}
	address, end, err := serving(p)
	if err != nil {
		return "", err
	}
	defer func() {
		if e := end(); err == nil && e != nil {
			err = fmt.Errorf("SIGTERM: %w", e)
		}
	}()
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if _, status, err := ask(address, "/readyz", ""); err != nil || status == http.StatusOK {
			break
		} else if time.Since(start) > time.Minute {
			return "", fmt.Errorf("not ready after a minute: %d", status)
		}
	}
	batch := func(n int) string {
		return `{"positions":[` + strings.Repeat(`"opening:0",`, n-1) + `"opening:1"]}`
	}
	for _, r := range []struct {
		target, body string
		status       int
	}{
		{"/v1/tic-tac-chec/probe?position=Pb2/n1R1/2rp/N3_w_dd_m", "", 200},
		{"/v1/tic-tac-chec/best", "", 200},
		{"/v1/tic-tac-chec/line?max_plies=3", "", 200},
		{"/v1/tic-tac-chec-outbound/probe", "", 200},
		{"/v1/tic-tac-chec/probe?position=nothing", "", 400},
		{"/v1/nothing/probe", "", 404},
		{"/nothing", "", 404},
		{"/livez", "", 200},
		{"/metrics", "", 200},
		{"/v1/tic-tac-chec/probe", batch(900), 200},
		{"/v1/tic-tac-chec/probe", batch(1000), 429}, // more than is left
	} {
		if _, status, err := ask(address, r.target, r.body); err != nil || status != r.status {
			return "", fmt.Errorf("%s: %d, %v, want %d", r.target, status, err, r.status)
		}
	}
	text, status, err := ask(address, "/metrics", "")
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("/metrics: %d", status)
	}
	return text, err
})

// ask asks by GET, or by POST if there is a body.
func ask(address, target, body string) (answer string, status int, err error) {
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequest(method, address+target, strings.NewReader(body))
	if err != nil {
		return "", 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: 30 * time.Second}
	got, err := client.Do(r)
	if err != nil {
		return "", 0, err
	}
	defer got.Body.Close()
	all, err := io.ReadAll(got.Body)
	return string(all), got.StatusCode, err
}

// exported is the vocabulary of the real program.
func exported(t *testing.T) vocabulary {
	t.Helper()
	text, err := scraped()
	if err != nil {
		t.Fatal(err)
	}
	v, err := read(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// read reads the text format of /metrics.
func read(text string) (vocabulary, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	v := vocabulary{}
	for name, f := range families {
		names := map[string][]string{name: nil}
		switch f.GetType() {
		case dto.MetricType_HISTOGRAM:
			names = map[string][]string{name + "_bucket": {"le"}, name + "_sum": nil, name + "_count": nil}
		case dto.MetricType_SUMMARY:
			names = map[string][]string{name: {"quantile"}, name + "_sum": nil, name + "_count": nil}
		}
		for n, more := range names {
			v.add(n, append(more, "job", "instance")...) // those that Prometheus adds
			for _, m := range f.Metric {
				for _, l := range m.Label {
					v.add(n, l.GetName())
					v[n][l.GetName()][l.GetValue()] = true
				}
				for _, b := range m.GetHistogram().GetBucket() {
					if n == name+"_bucket" {
						v[n]["le"][fmt.Sprint(b.GetUpperBound())] = true
					}
				}
			}
		}
	}
	return v, nil
}

// TestExported holds what the tests of rules and dashboard stand on: that requests
// good and bad have left their traces.
func TestExported(t *testing.T) {
	v := exported(t)
	for name, values := range map[string]map[string]string{
		"solved_http_requests_total":                  {"status": "429", "route": "/readyz", "method": "POST"},
		"solved_http_request_duration_seconds_bucket": {"le": "+Inf", "route": "none"},
		"solved_problems_total":                       {"type": "overloaded"},
		"solved_table_reloads_total":                  {"result": "failure", "rules": "tic-tac-chec"},
		"solved_table_state":                          {"state": "degraded"},
	} {
		for label, value := range values {
			if !v[name][label][value] {
				t.Errorf("%s{%s=%q} is not exported; values are %v", name, label, value, slices.Sorted(maps.Keys(v[name][label])))
			}
		}
	}
	if text, _ := scraped(); !strings.Contains(text, "\nsolved_http_rate_limited_total 1\n") {
		t.Error("the refused request is not counted")
	}
	// promtool check metrics reads it from here.
	if path := os.Getenv("METRICS_FILE"); path != "" {
		text, _ := scraped()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var ourMetric = regexp.MustCompile(`\bsolved_[a-z_]+`)

// checkNames complains of metrics of ours named in a text that are not exported.
func (v vocabulary) checkNames(text string) (complaints []string) {
	for _, name := range ourMetric.FindAllString(text, -1) {
		if v[name] == nil && v[name+"_bucket"] == nil {
			complaints = append(complaints, name+" is not exported")
		}
	}
	return complaints
}
