package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"

	"solved/api"
	"solved/server/games/tictacchec/tictacchectest"
	"solved/server/service"
	"solved/server/tables"
	"solved/tablebase"
)

// busyService is a service that has answered well and badly, so that all it
// measures is there.
func busyService(t *testing.T) *service.Service {
	t.Helper()
	s := quietService(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	handler := s.Handler()
	for _, target := range []string{
		"/v1/tic-tac-chec/probe?position=Pb2/n1R1/2rp/N3_w_dd_m",
		"/v1/tic-tac-chec/line?position=Pb2/n1R1/2rp/N3_w_dd_m&max_plies=3",
		"/v1/tic-tac-chec/probe?position=nothing",
	} {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, target, nil))
	}
	return s
}

func gather(t *testing.T, s *service.Service) map[string]*dto.MetricFamily {
	t.Helper()
	families, err := s.Metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]*dto.MetricFamily)
	for _, f := range families {
		all[f.GetName()] = f
	}
	return all
}

func TestMetricsLint(t *testing.T) {
	problems, err := testutil.GatherAndLint(busyService(t).Metrics.Registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// TestOperatingMetrics holds the table of metrics in OPERATING.md against the
// program: names, kinds and labels. Dashboards and alerts are written by it.
func TestOperatingMetrics(t *testing.T) {
	document, err := os.ReadFile("../deploy/OPERATING.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `(solved_[a-z_]+)` \\| ([a-z]+) \\| ([^|]*) \\| [^|]+ \\|$")
	var listed, exported []string
	for _, m := range row.FindAllStringSubmatch(string(document), -1) {
		labels := strings.Fields(strings.NewReplacer("`", "", ",", "").Replace(m[3]))
		slices.Sort(labels)
		listed = append(listed, fmt.Sprint(m[1], " ", m[2], " ", labels))
	}
	for name, f := range gather(t, busyService(t)) {
		if !strings.HasPrefix(name, "solved_") {
			if !strings.HasPrefix(name, "go_") && !strings.HasPrefix(name, "process_") {
				t.Errorf("%s is exported under a name that is not ours", name)
			}
			continue
		}
		labels := []string{}
		for _, l := range f.Metric[0].Label {
			labels = append(labels, l.GetName())
		}
		exported = append(exported, fmt.Sprint(name, " ", strings.ToLower(f.GetType().String()), " ", labels))
	}
	slices.Sort(listed)
	slices.Sort(exported)
	if !slices.Equal(listed, exported) {
		t.Errorf("OPERATING.md lists\n%s\nthe program exports\n%s", strings.Join(listed, "\n"), strings.Join(exported, "\n"))
	}
	if runtime.GOOS == "linux" && len(exported) < 15 {
		t.Errorf("only %d metrics", len(exported))
	}
}

// TestMetricsFromTheStart checks that what can be counted is there at zero.
func TestMetricsFromTheStart(t *testing.T) {
	s := quietService(t)
	all := gather(t, s)
	counted := 0
	for _, p := range s.Probers {
		counted += len(p.Game().Values())
	}
	for name, n := range map[string]int{
		"solved_problems_total":          len(api.ProblemTypes()),
		"solved_probes_total":            counted,
		"solved_table_faults_total":      len(s.Probers),
		"solved_table_reloads_total":     2 * len(s.Probers),
		"solved_http_rate_limited_total": 1,
		"solved_http_requests_in_flight": 1,
	} {
		if all[name] == nil || len(all[name].Metric) != n {
			t.Errorf("%s: %v, want %d", name, all[name], n)
			continue
		}
		for _, m := range all[name].Metric {
			if m.GetCounter().GetValue() != 0 || m.GetGauge().GetValue() != 0 {
				t.Errorf("%s: %v", name, m)
			}
		}
	}
}

// TestProbesCounted checks what counts as a probe.
func TestProbesCounted(t *testing.T) {
	s := quietService(t)
	for _, p := range s.Probers {
		p.Slot().Table.Store(&tables.Loaded{Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}, State: api.StateReady})
	}
	handler := s.Handler()
	draws := s.Metrics.Probes.WithLabelValues("tic-tac-chec", "draw")
	count := 0.0
	for _, c := range []struct {
		method, target, body string
		more                 float64
	}{
		{"GET", "/v1/tic-tac-chec/probe", "", 1},
		{"GET", "/v1/tic-tac-chec/best", "", 1},
		{"GET", "/v1/tic-tac-chec/line?max_plies=4", "", 5},
		{"POST", "/v1/tic-tac-chec/probe", `{"positions":["opening:0","wrong","opening:1"]}`, 2},
		{"POST", "/v1/tic-tac-chec/probe", `{"positions":["opening:0"],"moves":true}`, 1},
		{"GET", "/v1/tic-tac-chec/probe?position=wrong", "", 0},
		{"GET", "/v1/tic-tac-chec-outbound/probe", "", 0}, // under its own name
		{"GET", "/v1/tic-tac-chec", "", 0},
	} {
		request := httptest.NewRequest(c.method, c.target, strings.NewReader(c.body))
		request.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, request)
		count += c.more
		if got := testutil.ToFloat64(draws); got != count {
			t.Errorf("%s %s: %v probes, want %v: %d %s", c.method, c.target, got, count, w.Code, w.Body)
			count = got
		}
	}
	if got := testutil.ToFloat64(s.Metrics.Probes.WithLabelValues("tic-tac-chec-outbound", "draw")); got != 1 {
		t.Errorf("%v probes of another ruleset, want 1", got)
	}
}

// TestDurationHistograms checks that durations are told both ways.
func TestDurationHistograms(t *testing.T) {
	for _, m := range gather(t, busyService(t))["solved_http_request_duration_seconds"].Metric {
		h := m.GetHistogram()
		if len(h.Bucket) != 12 || h.GetSchema() < 3 || len(h.PositiveSpan) == 0 || h.GetSampleCount() == 0 {
			t.Errorf("%v", m)
		}
	}
}

// TestInFlight checks that a request counts for as long as it is being answered.
func TestInFlight(t *testing.T) {
	s := quietService(t)
	slow := slowEntries{asked: make(chan struct{}), let: make(chan struct{})}
	s.Probers[0].Slot().Table.Store(&tables.Loaded{Contents: tictacchectest.Table{EntryReader: slow}, State: api.StateReady})
	handler := s.Handler()
	done := make(chan struct{})
	go func() {
		defer close(done)
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/v1/tic-tac-chec/probe", nil))
	}()
	<-slow.asked
	if n := testutil.ToFloat64(s.Metrics.InFlight); n != 1 {
		t.Errorf("%v in flight, want 1", n)
	}
	slow.let <- struct{}{}
	<-done
	if n := testutil.ToFloat64(s.Metrics.InFlight); n != 0 {
		t.Errorf("%v in flight, want 0", n)
	}
}

// TestTableMetrics checks what is told of a table in each state.
func TestTableMetrics(t *testing.T) {
	s := quietService(t)
	sha := strings.Repeat("ab", 32)
	wire := api.Table{Source: api.SourceMemory, Format: new("F"), ContentSHA256: &sha, LoadSeconds: 3}
	value := func(all map[string]*dto.MetricFamily, name string, labels map[string]string) any {
		for _, m := range all[name].GetMetric() {
			got := map[string]string{}
			for _, l := range m.Label {
				got[l.GetName()] = l.GetValue()
			}
			if maps.Equal(got, labels) {
				return m.GetGauge().GetValue()
			}
		}
		return nil
	}
	for _, p := range s.Probers[1:] {
		p.Slot().Table.Store(nil)
	}
	name := s.Probers[0].ID().Name
	for _, c := range []struct {
		table *tables.Loaded
		known bool
	}{
		{&tables.Loaded{Wire: wire, State: api.StateVerifying}, false},
		{&tables.Loaded{Wire: wire, State: api.StateFailed}, false},
		{&tables.Loaded{Wire: wire, State: api.StateReady, Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}, Size: 5, Verifying: 2e9}, true},
		{&tables.Loaded{Wire: wire, State: api.StateDegraded, Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}, Size: 5, Verifying: 2e9}, true},
	} {
		s.Probers[0].Slot().Table.Store(c.table)
		all := gather(t, s)
		if n := len(all["solved_table_state"].Metric); n != 4 {
			t.Errorf("%s: %d states", c.table.State, n)
		}
		for _, state := range []string{"verifying", "ready", "failed", "degraded"} {
			want := service.OneIf(state == c.table.State)
			if got := value(all, "solved_table_state", map[string]string{"rules": name, "state": state}); got != want {
				t.Errorf("%s: the state %s is %v", c.table.State, state, got)
			}
		}
		want := map[string]any{"solved_table_bytes": 5.0, "solved_table_load_seconds": 3.0, "solved_table_verify_seconds": 2.0}
		if service.TellsResident {
			want["solved_table_resident_bytes"] = 5.0
		}
		for metric, v := range want {
			if !c.known {
				v = nil
			}
			if got := value(all, metric, map[string]string{"rules": name}); got != v {
				t.Errorf("%s: %s is %v, want %v", c.table.State, metric, got, v)
			}
		}
		info := value(all, "solved_table_info", map[string]string{
			"rules": name, "tag": "0x54544303", "source": "memory", "format": "F", "content_sha256": sha})
		if c.known != (info == 1.0) {
			t.Errorf("%s: info is %v", c.table.State, info)
		}
	}
	s.Probers[0].Slot().Table.Store(nil)
	if all := gather(t, s); all["solved_table_state"] != nil || all["solved_table_info"] != nil {
		t.Error("a table that is not there has a state")
	}
}

// TestResident checks that what is told of a mapped file is what is in memory of
// it, also when the file is known under a relative name or none any more.
func TestResident(t *testing.T) {
	if !service.TellsResident {
		if service.ResidentByFile() != nil {
			t.Error("resident bytes from nowhere")
		}
		return
	}
	path := filepath.Join(t.TempDir(), "a table (deleted)")
	drawTable(t, path, allGames().Catalog().Rulesets(tables.FormatCompact{})[0].Tag)
	link := filepath.Join(filepath.Dir(path), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	file, err := allGames().Catalog().OpenTable(t.Context(), link, tablebase.Mapped)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	before, ok := service.ResidentByFile()[service.MappingName(file.File)]
	if !ok {
		t.Fatalf("%s is not among %v", service.MappingName(file.File), service.ResidentByFile())
	}
	ready, err := file.Verify(t.Context(), runtime.GOMAXPROCS(0), true)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	after := service.ResidentByFile()[service.MappingName(file.File)]
	if before >= after || after < ready.Size/2 || after > ready.Size+4096 {
		t.Errorf("%d bytes resident before verifying, %d after, of %d", before, after, ready.Size)
	}
}
