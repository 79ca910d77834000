package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/spf13/pflag"
	"go.uber.org/goleak"

	"solved/api"
	"solved/rules"
	"solved/rules/tictacchec"
	"solved/server/games/tictacchec/tictacchectest"
	"solved/server/service"
	"solved/server/tables"
	"solved/tablebase"
)

// slowEntries says when it is asked, and answers when it is let.
type slowEntries struct {
	tictacchectest.DrawnEntries
	asked, let chan struct{}
}

func (s slowEntries) Entries(positions []tictacchec.Position, out []rules.Entry) error {
	s.asked <- struct{}{}
	<-s.let
	return s.DrawnEntries.Entries(positions, out)
}

// brokenEntries fails as a mapped file does that was cut short.
type brokenEntries struct{}

func (brokenEntries) Entries([]tictacchec.Position, []rules.Entry) error {
	return &tablebase.FaultError{Path: "/srv/secret.ttb", Err: io.ErrUnexpectedEOF}
}

func quietService(t *testing.T) *service.Service {
	t.Helper()
	s, err := service.New(allGames(), standard(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// standard is the configuration when nothing is said.
func standard() service.Config {
	var c service.Config
	c.Flags(pflag.NewFlagSet("serve", pflag.ContinueOnError))
	return c
}

// TestShutdown checks that a request in flight is answered, that the server ends
// well, and that it leaves no goroutine behind.
func TestShutdown(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s := quietService(t)
	slow := slowEntries{asked: make(chan struct{}), let: make(chan struct{})}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()

	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	base := "http://" + listener.Addr().String()
	for deadline := time.Now().Add(time.Minute); !s.Readiness().Ready; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not ready in a minute")
		}
	}
	s.Probers[0].Slot().Table.Store(&tables.Loaded{Contents: tictacchectest.Table{EntryReader: slow}, State: api.StateReady})

	answered := make(chan string, 1)
	go func() {
		response, err := client.Get(base + "/v1/tic-tac-chec/probe")
		if err != nil {
			answered <- err.Error()
			return
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		answered <- response.Status + " " + string(body)
	}()
	select {
	case <-slow.asked:
	case got := <-answered:
		t.Fatalf("the table was not asked: %s", got)
	}
	stop()
	for !s.Stopping.Load() {
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-ended:
		t.Fatalf("ended with a request in flight: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	slow.let <- struct{}{}
	if got := <-answered; !strings.HasPrefix(got, "200 OK {") || !strings.HasSuffix(got, "}\n") {
		t.Errorf("the request in flight got %s", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestReadiness checks what is said of each state.
func TestReadiness(t *testing.T) {
	s := quietService(t)
	handler := s.Handler()
	set := func(t0 *tables.Loaded) {
		for i, p := range s.Probers {
			p.Slot().Table.Store(nil)
			if i == 0 {
				p.Slot().Table.Store(t0)
			}
		}
	}
	for _, c := range []struct {
		table    *tables.Loaded
		stopping bool
		status   int
		want     string
	}{
		{nil, false, 200, `"tables":[]`},
		{&tables.Loaded{State: api.StateVerifying, Reason: "It is."}, false, 503, `"state":"verifying","reason":"It is."`},
		{&tables.Loaded{State: api.StateFailed, Reason: "It did."}, false, 503, `"state":"failed","reason":"It did."`},
		{&tables.Loaded{Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}, State: api.StateReady}, false, 200, `"state":"ready","reason":null`},
		{&tables.Loaded{Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}, State: api.StateReady}, true, 503, `"detail":"The server is shutting down."`},
	} {
		set(c.table)
		s.Stopping.Store(c.stopping)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%+v: %d %s", c.table, w.Code, w.Body)
		}
	}
}

// TestBrokenTable checks that a table that fails is our trouble alone: the client
// is told to come back, and the log is told why.
func TestBrokenTable(t *testing.T) {
	var log strings.Builder
	s := quietService(t)
	s.Log = slog.New(slog.NewJSONHandler(&log, nil))
	s.Probers[0].Slot().Table.Store(&tables.Loaded{Contents: tictacchectest.Table{EntryReader: brokenEntries{}}, State: api.StateReady})
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/tic-tac-chec/probe", nil))
	if w.Code != 503 || w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	var line struct{ Level, Error, Problem, Request_ID string }
	fault, request, _ := strings.Cut(log.String(), "\n")
	if err := json.Unmarshal([]byte(fault), &line); err != nil || line.Level != "ERROR" || !strings.Contains(line.Error, "/srv/secret.ttb") {
		t.Errorf("logged %s: %v", fault, err)
	}
	if err := json.Unmarshal([]byte(request), &line); err != nil {
		t.Fatalf("%v in %s", err, log.String())
	}
	if line.Level != "WARN" || !strings.Contains(line.Error, "/srv/secret.ttb") || line.Problem != "table-unavailable" || line.Request_ID != w.Header().Get("X-Request-Id") {
		t.Errorf("logged %s", log.String())
	}
}

// TestFallBack checks that an embedded table answers in place of one that fails or
// has changed, for whoever asks at the same time, too; and that it shows.
func TestFallBack(t *testing.T) {
	for name, failing := range map[string]*tables.Loaded{
		"failing": {Contents: tictacchectest.Table{EntryReader: brokenEntries{}}, State: api.StateReady, Wire: api.Table{Source: api.SourceMapped}},
		"changed": {Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}, State: api.StateReady, Wire: api.Table{Source: api.SourceMapped},
			Intact: func() error { return errors.New("it has changed") }},
	} {
		t.Run(name, func(t *testing.T) {
			s := quietService(t)
			p := s.Probers[0]
			p.Slot().Fallback = p.Game().Embedded
			p.Slot().Table.Store(failing)
			if err := s.Verify(t.Context()); err != nil { // the other tables
				t.Fatal(err)
			}
			var wait sync.WaitGroup
			for range 8 {
				wait.Go(func() {
					position := "Pb2/n1R1/2rp/N3 w dd m"
					answer, err := tictacchectest.Probe(t.Context(), p, api.Question{Position: &position})
					if err != nil || answer.Value != "win" || answer.Distance == nil || *answer.Distance != 41 {
						t.Errorf("%+v, %v", answer, err)
					}
				})
			}
			wait.Wait()
			state := s.Readiness()
			if got := state.Tables[0]; !state.Ready || got.State != api.StateDegraded || got.Source != api.SourceMapped || got.Reason == nil {
				t.Errorf("readiness is %+v", state)
			}
			if n := testutil.ToFloat64(s.Metrics.Faults.WithLabelValues(p.ID().Name)); n != 1 {
				t.Errorf("%v faults counted", n)
			}
		})
	}
}

// TestUnboundedMethods checks that a client cannot make up metrics.
func TestUnboundedMethods(t *testing.T) {
	s := quietService(t)
	handler := s.Handler()
	for _, method := range []string{"BREW", "WHEN", "GET"} {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, "/v1/"+method, nil))
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	body := w.Body.String()
	if strings.Contains(body, "BREW") || strings.Contains(body, "WHEN") {
		t.Error("a method that a client made up is a label")
	}
	if !strings.Contains(body, `solved_http_requests_total{method="other",route="none",status="405"} 2`) {
		for line := range strings.Lines(body) {
			if strings.HasPrefix(line, "solved_http_requests_total") {
				t.Log(line)
			}
		}
		t.Error("the requests of unknown methods are not counted together")
	}
}
