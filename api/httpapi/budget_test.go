package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"solved/api"
	"solved/api/httpapi"
)

// batchOf is the body of a batch that asks for a position many times.
func batchOf(n int, moves bool) string {
	return fmt.Sprintf(`{"moves":%t,"positions":["%sx"]}`, moves, strings.Repeat(`x","`, n-1))
}

// bounded returns a handler over a fake whose positions take searches, and one whose do
// not.
func bounded(change func(*httpapi.Config)) (h http.Handler, searched, light *fake) {
	fakes := newFakes()
	light, searched = fakes[0], fakes[1]
	searched.ruleset.Kind, searched.ruleset.Table, searched.fail = string(api.KindGrundy), light.ruleset.Table, nil
	c := httpapi.Config{Probers: []api.Prober{light, searched}, Readiness: func() api.Readiness { return api.Readiness{Ready: true} }}
	if change != nil {
		change(&c)
	}
	return httpapi.New(c), searched, light
}

const searchedProbe, lightProbe = "/v1/noughts-wild/probe", "/v1/noughts/probe"

func askBoth(h http.Handler, method, target, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	h.ServeHTTP(w, r)
	return w
}

// results reads the answer to a batch: how many positions were answered, and checks that
// all after those are overloaded.
func results(t *testing.T, w *httptest.ResponseRecorder) (answered, all int) {
	t.Helper()
	if w.Code != 200 || w.Header().Get("Content-Length") != fmt.Sprint(w.Body.Len()) {
		t.Fatalf("%d %v %.200s", w.Code, w.Header(), w.Body)
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
	for i, r := range answer.Results {
		switch {
		case r.Problem == nil && string(r.Probe) != "null" && answered == i:
			answered++
		case r.Problem == nil || r.Problem.Kind() != api.Overloaded || r.Problem.Status != 503 || string(r.Probe) != "null":
			t.Fatalf("result %d: %s %+v", i, r.Probe, r.Problem)
		}
	}
	return answered, len(answer.Results)
}

// TestBatchBytes asks for more than an answer may have: the positions that still fit are
// answered as ever, and the others are overloaded.
func TestBatchBytes(t *testing.T) {
	for _, c := range []struct {
		target            string
		long, least, most int
	}{
		{lightProbe, 100, 1000, 1000},
		{searchedProbe, 100, 1000, 1000},
		{lightProbe, 16 << 10, 1000, 1000}, // as the longest of Tic Tac Chec
		{searchedProbe, 300 << 10, 50, 60},
		{searchedProbe, 20 << 20, 0, 0}, // longer than any game has
	} {
		h, searched, light := bounded(nil)
		searched.long, light.long = c.long, c.long
		w := askBoth(h, "POST", c.target, batchOf(api.MaxBatch, false))
		answered, all := results(t, w)
		if all != api.MaxBatch || answered < c.least || answered > c.most || w.Body.Len() > 17<<20 {
			t.Errorf("%s of %d bytes: %d of %d answered, in %d bytes", c.target, c.long, answered, all, w.Body.Len())
		}
	}
}

// TestManyBatches lets many clients ask for much at a time. Each gets a status and a whole
// answer, and what they take together is given back.
func TestManyBatches(t *testing.T) {
	h, searched, _ := bounded(func(c *httpapi.Config) { c.Memory = httpapi.MinMemory })
	searched.long = 100 << 10
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, n := range []int{40, 10, 1} {
				if w := askBoth(h, "POST", searchedProbe, batchOf(n, false)); w.Code != 503 {
					if _, got := results(t, w); got != n {
						t.Errorf("%d results of %d", got, n)
					}
				}
				if w := askBoth(h, "GET", searchedProbe, ""); w.Code != 200 && w.Code != 503 {
					t.Errorf("a probe: %d", w.Code)
				}
			}
		})
	}
	all.Wait()
	if answered, _ := results(t, askBoth(h, "POST", searchedProbe, batchOf(100, false))); answered != 100 {
		t.Errorf("after all of them, %d of 100 are answered", answered)
	}
}

// TestWorkBudget asks for more work than a request may take: the rest of a batch is
// overloaded, and the client is charged for what was done.
func TestWorkBudget(t *testing.T) {
	limiter := &purse{left: 1e6}
	h, searched, _ := bounded(func(c *httpapi.Config) { c.Limiter = limiter })
	searched.lookUps = 400_000
	answered, all := results(t, askBoth(h, "POST", searchedProbe, batchOf(api.MaxBatch, false)))
	if answered != 10 || all != api.MaxBatch || limiter.spent != api.MaxBatch || limiter.charged != 20_000 {
		t.Errorf("%d of %d are answered, for %d and %d", answered, all, limiter.spent, limiter.charged)
	}
	for target, want := range map[string]int{searchedProbe: 2000, "/v1/noughts-wild/best": 2000, "/v1/noughts-wild/line": 2000} {
		limiter.charged = 0
		if w := askBoth(h, "GET", target, ""); w.Code != 200 || limiter.charged != want {
			t.Errorf("%s: %d, charged %d", target, w.Code, limiter.charged)
		}
	}
	// What was refused has been worked on, too.
	searched.fail, limiter.charged = errors.New("too hard"), 0
	if w := askBoth(h, "GET", searchedProbe, ""); w.Code != 500 || limiter.charged != 2000 {
		t.Errorf("a failure: %d, charged %d", w.Code, limiter.charged)
	}
	searched.fail, searched.lookUps, searched.long, limiter.charged = nil, 0, 800<<10, 0
	if w := askBoth(h, "GET", searchedProbe, ""); w.Code != 200 || limiter.charged != 99 {
		t.Errorf("a long answer: %d, charged %d", w.Code, limiter.charged)
	}
}

// TestWorkTime lets answers take their time: there is a status before the write timeout
// would end the connection.
func TestWorkTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, searched, _ := bounded(func(c *httpapi.Config) { c.WorkTime = 15 * time.Second })
		searched.takes = 2 * time.Second
		start := time.Now()
		answered, all := results(t, askBoth(h, "POST", searchedProbe, batchOf(100, false)))
		if took := time.Since(start); answered != 7 || all != 100 || took != 15*time.Second {
			t.Errorf("%d of %d answered after %v", answered, all, took)
		}
		searched.takes = time.Minute
		for _, method := range []string{"GET", "POST"} {
			start := time.Now()
			w := askBoth(h, method, searchedProbe, batchOf(100, false))
			if took := time.Since(start); w.Code != 503 || w.Header().Get("Retry-After") != "1" ||
				!strings.Contains(w.Body.String(), "/problems/overloaded") || took != 15*time.Second {
				t.Errorf("%s: %d %v %s after %v", method, w.Code, w.Header(), w.Body, took)
			}
		}
	})
}

// TestHeavyTurns asks for a thousand searches at a time: about one a processor is worked
// on, each client gets a status, and light questions do not wait.
func TestHeavyTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, searched, light := bounded(func(c *httpapi.Config) { c.InFlight = 1024 })
		searched.takes = 40 * time.Millisecond
		var codes sync.Map
		var all sync.WaitGroup
		for i := range 1000 {
			all.Go(func() {
				method, body := "GET", ""
				if i%10 == 0 {
					method, body = "POST", batchOf(100, false)
				}
				w := askBoth(h, method, searchedProbe, body)
				n, _ := codes.LoadOrStore(w.Code, new(atomic.Int64))
				n.(*atomic.Int64).Add(1)
			})
		}
		synctest.Wait()
		start := time.Now()
		for range 10 {
			if w := askBoth(h, "GET", lightProbe, ""); w.Code != 200 {
				t.Errorf("a light question: %d", w.Code)
			}
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("light questions took %v", took)
		}
		all.Wait()
		if most, cores := searched.most.Load(), int64(runtime.GOMAXPROCS(0)); most > max(1, cores-1) {
			t.Errorf("%d searches at a time", most)
		}
		if light.most.Load() != 1 {
			t.Errorf("%d light questions at a time", light.most.Load())
		}
		answered, sum := 0, int64(0)
		codes.Range(func(code, n any) bool {
			sum += n.(*atomic.Int64).Load()
			switch code {
			case 200:
				answered = int(n.(*atomic.Int64).Load())
			case 503:
			default:
				t.Errorf("answered with %d", code)
			}
			return true
		})
		if sum != 1000 || answered < 20 {
			t.Errorf("%d clients have a status, %d of them an answer", sum, answered)
		}
		if w := askBoth(h, "GET", searchedProbe, ""); w.Code != 200 {
			t.Errorf("afterwards: %d", w.Code)
		}
	})
}

// stalled is a body that stops after some bytes, until it is let go on.
type stalled struct {
	bytes int
	let   chan struct{}
	read  *atomic.Int64 // by all of them
}

func (s *stalled) Read(b []byte) (int, error) {
	if s.bytes == 0 {
		<-s.let
		return 0, io.ErrUnexpectedEOF
	}
	n := min(s.bytes, len(b))
	for i := range n {
		b[i] = ' '
	}
	s.bytes -= n
	s.read.Add(int64(n))
	return n, nil
}

// TestStalledBodies sends thousands of large bodies that do not end. The server reads no
// more of them than there is memory for, and answers others.
func TestStalledBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _, _ := bounded(nil)
		let := make(chan struct{})
		var read, refused atomic.Int64
		var all sync.WaitGroup
		for range 2000 {
			all.Go(func() {
				r := httptest.NewRequest("POST", lightProbe, &stalled{250_000, let, &read})
				r.ContentLength = api.MaxBody
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code == 503 {
					refused.Add(1)
				} else if w.Code != 400 {
					t.Errorf("a body that does not end: %d", w.Code)
				}
			})
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got, most := read.Load(), int64(2000*16<<10+httpapi.DefaultMemory/8); got > most || refused.Load() < 1900 {
			t.Errorf("%d bytes were read, at most %d are foreseen; %d were refused", got, most, refused.Load())
		}
		if answered, _ := results(t, askBoth(h, "POST", lightProbe, batchOf(1000, false))); answered != 1000 {
			t.Errorf("another batch: %d of 1000 answered", answered)
		}
		large := `{"positions":["` + strings.Repeat("x", api.MaxBody-len(`{"positions":[""]}`)) + `"]}`
		if w := askBoth(h, "POST", lightProbe, large); w.Code != 503 {
			t.Errorf("another large body: %d", w.Code)
		}
		close(let)
		all.Wait()
		if w := askBoth(h, "POST", lightProbe, large); w.Code != 200 {
			t.Errorf("a large body afterwards: %d", w.Code)
		}
	})
}

// goneWriter fails after some bytes, as a connection does that is closed or not read.
type goneWriter struct {
	*httptest.ResponseRecorder
	left int
}

func (w *goneWriter) Write(b []byte) (int, error) {
	n := min(len(b), w.left)
	w.left -= n
	w.ResponseRecorder.Write(b[:n])
	if n < len(b) {
		return n, io.ErrClosedPipe
	}
	return n, nil
}

// TestUnwritten checks that an answer that could not be written is not counted as one.
func TestUnwritten(t *testing.T) {
	var seen []httpapi.Exchange
	h, _, _ := bounded(func(c *httpapi.Config) { c.Observe = func(e httpapi.Exchange) { seen = append(seen, e) } })
	for _, c := range []struct{ method, target, body string }{
		{"GET", lightProbe, ""}, {"GET", searchedProbe, ""}, {"POST", lightProbe, batchOf(1000, true)}, {"GET", "/v1/rules", ""},
		{"GET", "/openapi.json", ""}, {"GET", "/v1/chess", ""}, {"GET", "/livez", ""},
	} {
		for _, left := range []int{0, 10, 1 << 30} {
			seen = nil
			r := httptest.NewRequest(c.method, c.target, strings.NewReader(c.body))
			r.Header.Set("Content-Type", "application/json")
			w := &goneWriter{httptest.NewRecorder(), left}
			h.ServeHTTP(w, r)
			want := w.Code
			if left < 1<<30 {
				want = httpapi.StatusClientGone
			}
			if len(seen) != 1 || seen[0].Status != want || seen[0].Bytes != int64(w.Body.Len()) {
				t.Errorf("%s after %d bytes: observed %+v, want %d", c.target, left, seen, want)
			}
		}
	}
}

// TestHeadCompressed checks that HEAD tells the same as GET, in each encoding.
func TestHeadCompressed(t *testing.T) {
	s := newService(t)
	s.fakes[0].steps = 200
	for _, target := range []string{"/v1/noughts/line", "/v1/noughts/probe", "/v1/noughts/best", "/v1/noughts", "/v1/rules", "/v1/noughts/examples",
		"/openapi.json", "/openapi.yaml", "/docs", "/livez", "/readyz", "/metrics", "/problems/internal", "/v1/chess", "/v1/rules?x=" + strings.Repeat("y", 8000)} {
		for _, accept := range []string{"", "gzip", "zstd", "gzip, zstd", "gzip;q=0", "*", "br"} {
			var of [2]*http.Response
			for i, method := range []string{"GET", "HEAD"} {
				r := httptest.NewRequest(method, target, nil)
				r.Header.Set("Accept-Encoding", accept)
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				of[i] = w.Result()
				if length := w.Header().Get("Content-Length"); method == "GET" && target != "/metrics" && length != fmt.Sprint(w.Body.Len()) {
					t.Errorf("%s by %q: length %q of %d bytes", target, accept, length, w.Body.Len())
				}
			}
			for _, name := range []string{"Content-Length", "Content-Encoding", "Content-Type", "Vary", "ETag", "Cache-Control", "Retry-After", "Rules-Tag"} {
				if get, head := of[0].Header.Values(name), of[1].Header.Values(name); fmt.Sprint(get) != fmt.Sprint(head) {
					t.Errorf("%s by %q: %s is %q of GET and %q of HEAD", target, accept, name, get, head)
				}
			}
			if of[0].StatusCode != of[1].StatusCode {
				t.Errorf("%s: %d of GET, %d of HEAD", target, of[0].StatusCode, of[1].StatusCode)
			}
		}
	}
}

// TestNoWork checks that work that nobody bounds goes on until its context ends.
func TestNoWork(t *testing.T) {
	var none *api.Work
	none.Add(1e9)
	if none.Spent() || none.Pause(t.Context()) != nil {
		t.Error("it ended")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := none.Pause(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}
