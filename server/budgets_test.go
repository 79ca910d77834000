package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"solved/api"
	"solved/api/httpapi"
	"solved/server/game"
	"solved/server/listener"
	"solved/server/service"
)

// budgetHandler returns the handler of a service whose tables answer.
func budgetHandler(t *testing.T, limiter httpapi.Limiter) http.Handler {
	t.Helper()
	c := httpapi.Config{Readiness: func() api.Readiness { return api.Readiness{Ready: true} }, Limiter: limiter, WorkTime: time.Minute}
	for _, name := range []string{"nim", "inverse-treblecross", "inverse-treblecross-13"} {
		g, err := allGames().Find(name)
		if err != nil {
			t.Fatal(err)
		}
		p := game.NewProber(g)
		table, err := g.Embedded()
		if err != nil {
			t.Fatal(err)
		}
		p.Slot().Table.Store(table)
		c.Probers = append(c.Probers, p)
	}
	return httpapi.New(c)
}

// batchResults asks for a position many times, and returns how many are answered, refused
// as too large, and overloaded.
func batchResults(t *testing.T, h http.Handler, rules, position string, n int, moves bool) (answered, large, overloaded, bytes int) {
	t.Helper()
	text, err := json.Marshal(api.BatchRequest{Positions: strings.Split(strings.Repeat(position+";", n-1)+position, ";"), Moves: moves})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/v1/"+rules+"/probe", strings.NewReader(string(text)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 200 {
		t.Fatalf("%s: %d %.300s", rules, w.Code, w.Body)
	}
	var answer struct {
		Results []struct {
			Probe   json.RawMessage
			Problem *api.Problem
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Results) != n {
		t.Errorf("%s: %d results for %d positions", rules, len(answer.Results), n)
	}
	for _, r := range answer.Results {
		switch {
		case r.Problem == nil:
			answered++
		case r.Problem.Kind() == api.PositionTooLarge:
			large++
		case r.Problem.Kind() == api.Overloaded:
			overloaded++
		default:
			t.Errorf("%s: %+v", rules, r.Problem)
		}
	}
	return answered, large, overloaded, w.Body.Len()
}

// TestLargeNimAnswers asks for a thousand positions with as many moves as are listed, on
// as many heaps as there may be: 344 MB, of which an answer has what one may have.
func TestLargeNimAnswers(t *testing.T) {
	h := budgetHandler(t, nil)
	position := strings.Repeat("15,", 63) + "15"
	answered, _, overloaded, bytes := batchResults(t, h, "nim", position, api.MaxBatch, true)
	if answered < 40 || answered+overloaded != api.MaxBatch || bytes > 17<<20 {
		t.Errorf("%d answered, %d overloaded, in %d bytes", answered, overloaded, bytes)
	}
	answered, _, _, _ = batchResults(t, h, "nim", position, api.MaxBatch, false)
	if answered != api.MaxBatch {
		t.Errorf("without moves: %d answered", answered)
	}
}

// TestHardTreblecross asks for many positions whose search is as long as any, and charges
// for it.
func TestHardTreblecross(t *testing.T) {
	limiter := service.NewLimiter(2000, 10_000, 10, nil, prometheus.NewCounter(prometheus.CounterOpts{Name: "refused"}))
	h := budgetHandler(t, limiter)
	answered, large, overloaded, _ := batchResults(t, h, "inverse-treblecross-13", "31X32", 100, false)
	if worked := answered + large; worked < 1 || worked > 50 || worked+overloaded != 100 {
		t.Errorf("%d answered, %d too large, %d overloaded", answered, large, overloaded)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/v1/inverse-treblecross-13/probe?position=1", nil))
	if w.Code != http.StatusTooManyRequests {
		t.Errorf("after that much work: %d", w.Code)
	}
}

// TestLongTreblecross asks for positions whose text is so long that a thousand moves, each
// with the position after it, would be hundreds of megabytes.
func TestLongTreblecross(t *testing.T) {
	h := budgetHandler(t, nil)
	for _, position := range []string{
		strings.Repeat("1XX", 60_000) + "1XX900",
		strings.Repeat("2XX1XX", 30_000) + "900",
	} {
		start := time.Now()
		_, large, overloaded, bytes := batchResults(t, h, "inverse-treblecross", position, 1, true)
		if large+overloaded != 1 || bytes > 1<<20 {
			t.Errorf("%.20s: %d too large, %d overloaded, in %d bytes after %v", position, large, overloaded, bytes, time.Since(start))
		}
	}
	// A line of one whose steps would be as long.
	target := "/v1/inverse-treblecross/line?max_plies=1000&position=" + strings.Repeat("1XX", 4000) + "900"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	if w.Code != 422 && w.Code != 200 || w.Body.Len() > 2<<20 {
		t.Errorf("a long line: %d, %d bytes: %.200s", w.Code, w.Body.Len(), w.Body)
	}
}

// TestHeaderBudget holds what headers take together to its bound, and checks that it is
// all given back.
func TestHeaderBudget(t *testing.T) {
	b := listener.NewHeaderBudget()
	var uses []*listener.HeaderUse
	taken, refused := 0, 0
	for range 1000 {
		u := &listener.HeaderUse{Of: b}
		uses = append(uses, u)
		for range 8 {
			if !u.Read(4096) {
				refused++
				break
			}
			taken += 4096
		}
	}
	if most := 1000*listener.FreeHeader + listener.HeaderMemory/listener.HeaderInMemory; refused == 0 || taken > most || taken < most-7*4096 {
		t.Errorf("%d bytes were read of at most %d, %d refused", taken, most, refused)
	}
	for i, u := range uses {
		u.End()
		if !u.Read(1 << 20) {
			t.Error("a body is counted as a header")
		}
		u.Release()
		if i%2 == 0 {
			u.Release() // a connection that is closed while it waits
		}
	}
	if free := b.Free.Load(); free != listener.HeaderMemory {
		t.Errorf("%d bytes are free in the end", free)
	}
	if none := new(listener.HeaderUse); !none.Read(1 << 30) {
		t.Error("bounded without a bound")
	}
	if text := string(listener.HeaderRefusal); !strings.HasPrefix(text, "HTTP/1.1 503 ") || !strings.Contains(text, fmt.Sprintf("%q", "/problems/overloaded")) {
		t.Error(text)
	}
}
