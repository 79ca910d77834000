package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"solved/api"
	"solved/api/httpapi"
)

// TestInFlight checks that a question waits for its turn, that it is refused when
// that takes too long, and that what operates the service is never kept waiting.
func TestInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := newFakes()[0]
		busy.entered, busy.let, busy.fail = make(chan struct{}), make(chan struct{}), api.ErrNoTable
		handler := httpapi.New(httpapi.Config{
			Probers:   []api.Prober{busy},
			Readiness: func() api.Readiness { return api.Readiness{Ready: true} },
			InFlight:  1,
		})
		ask := func(method, target, body string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(method, target, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			handler.ServeHTTP(w, r)
			return w
		}
		const probe = "/v1/noughts/probe"
		first := make(chan int)
		go func() { first <- ask("GET", probe, "").Code }()
		<-busy.entered

		for _, target := range []string{"/livez", "/readyz", "/v1/rules", "/v1/noughts", "/problems/overloaded"} {
			if w := ask("GET", target, ""); w.Code != 200 {
				t.Errorf("%s: %d while the service is busy", target, w.Code)
			}
		}
		for _, w := range []*httptest.ResponseRecorder{
			ask("GET", probe, ""),
			ask("POST", probe, `{"positions":["x"]}`),
		} {
			if w.Code != 503 || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), `"/problems/overloaded"`) {
				t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
			}
		}
		// One that waits for less than that has its turn.
		second := make(chan int)
		go func() { second <- ask("GET", probe, "").Code }()
		synctest.Wait()
		busy.let <- struct{}{}
		if code := <-first; code != 409 { // what a prober without a table makes of it
			t.Errorf("the first is answered with %d", code)
		}
		<-busy.entered
		busy.let <- struct{}{}
		if code := <-second; code != 409 {
			t.Errorf("the second is answered with %d", code)
		}
	})
}

// TestClientGone checks that a client that leaves before its answer is no failure of
// ours, whether it waits for its turn or for the table.
func TestClientGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := newFakes()[0]
		busy.entered, busy.let, busy.fail = make(chan struct{}), make(chan struct{}), context.Canceled
		var observed []httpapi.Exchange
		handler := httpapi.New(httpapi.Config{
			Probers: []api.Prober{busy}, Readiness: func() api.Readiness { return api.Readiness{} }, InFlight: 1,
			Observe: func(e httpapi.Exchange) { observed = append(observed, e) },
		})
		var all sync.WaitGroup
		ask := func(ctx context.Context) {
			defer func() {
				if fault := recover(); fault != http.ErrAbortHandler {
					t.Errorf("ended with %v", fault)
				}
			}()
			r := httptest.NewRequest(http.MethodGet, "/v1/noughts/probe", nil).WithContext(ctx)
			r.Header.Set("Accept-Encoding", "gzip")
			handler.ServeHTTP(httptest.NewRecorder(), r)
		}
		ctx, leave := context.WithCancel(t.Context())
		all.Go(func() { ask(ctx) })
		<-busy.entered
		all.Go(func() { ask(ctx) })
		synctest.Wait()
		leave()
		synctest.Wait()
		busy.let <- struct{}{}
		all.Wait()
		if len(observed) != 2 {
			t.Fatalf("observed %+v", observed)
		}
		for _, e := range observed {
			if e.Status != httpapi.StatusClientGone || e.Problem != "" || e.Cause != nil {
				t.Errorf("observed %+v", e)
			}
		}
	})
}

// slowReader is a client that does not read its answer until it is let.
type slowReader struct {
	*httptest.ResponseRecorder
	let chan struct{}
}

func (s slowReader) Write(b []byte) (int, error) {
	<-s.let
	return s.ResponseRecorder.Write(b)
}

// TestSlowReader checks that clients that do not read their answers take no more memory
// than there is for large answers, and keep nobody from a small one.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := httpapi.New(httpapi.Config{
			Probers: []api.Prober{newFakes()[0]}, Readiness: func() api.Readiness { return api.Readiness{} }, InFlight: 1,
			Memory: httpapi.MinMemory,
		})
		let := make(chan struct{})
		var all sync.WaitGroup
		var held, refused atomic.Int64
		slow := func(method, body string) {
			all.Go(func() {
				r := httptest.NewRequest(method, "/v1/noughts/probe", strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				w := slowReader{httptest.NewRecorder(), let}
				handler.ServeHTTP(w, r)
				if w.Code == 200 {
					held.Add(int64(w.Body.Len()))
				} else {
					refused.Add(1)
				}
			})
		}
		ask := func(method, body string) int {
			r := httptest.NewRequest(method, "/v1/noughts/probe", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			return w.Code
		}
		large := `{"moves":true,"positions":["` + strings.Repeat(`x","`, api.MaxBatch-1) + `x"]}`
		medium := `{"moves":true,"positions":["` + strings.Repeat(`x","`, 99) + `x"]}`
		for range 40 {
			slow("GET", "")
			slow("POST", large)
		}
		time.Sleep(time.Minute) // of the bubble
		synctest.Wait()
		if code := ask("GET", ""); code != 200 {
			t.Errorf("a probe is answered with %d", code)
		}
		if code := ask("POST", medium); code != 200 {
			t.Errorf("a batch of some positions is answered with %d", code)
		}
		if code := ask("POST", large); code != 503 {
			t.Errorf("a large batch too many is answered with %d", code)
		}
		close(let)
		all.Wait()
		if held := held.Load(); held < httpapi.MinMemory/8 || held > httpapi.MinMemory*3/8 {
			t.Errorf("%d bytes of answers were held", held)
		}
		if refused.Load() == 0 {
			t.Error("none was refused")
		}
		if code := ask("POST", large); code != 200 {
			t.Errorf("after all have read, a large batch is answered with %d", code)
		}
	})
}
