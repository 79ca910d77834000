package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"solved/api"
	"solved/server/games/tictacchec/tictacchectest"
	"solved/server/listener"
	"solved/server/service"
	"solved/server/tables"
)

// limiterAt is a limiter whose clock stands still until it is moved.
func limiterAt(perSecond, burst, clients int) (l *service.Limiter, pass func(time.Duration)) {
	now := time.Unix(1e9, 0)
	l = service.NewLimiter(perSecond, burst, clients, nil, prometheus.NewCounter(prometheus.CounterOpts{Name: "refused"}))
	l.Now = func() time.Time { return now }
	return l, func(d time.Duration) { now = now.Add(d) }
}

func from(address string) *http.Request { return &http.Request{RemoteAddr: address} }

const alice, bob = "203.0.113.1:1000", "203.0.113.2:1000"

// TestLimiter follows a client's bucket.
func TestLimiter(t *testing.T) {
	l, pass := limiterAt(10, 1000, 10)
	step := func(what string, got, want time.Duration) {
		t.Helper()
		if d := got - want; d < -time.Microsecond || d > time.Microsecond {
			t.Errorf("%s: wait %v, want %v", what, got, want)
		}
	}
	step("a full bucket", l.Spend(from(alice), 1000), 0)
	step("an empty one", l.Spend(from(alice), 1), 100*time.Millisecond)
	step("another client", l.Spend(from(bob), 1000), 0)
	step("another port", l.Spend(from("203.0.113.1:2"), 5), 500*time.Millisecond)
	pass(500 * time.Millisecond)
	step("too much", l.Spend(from(alice), 6), 100*time.Millisecond)
	step("what is there", l.Spend(from(alice), 5), 0)
	l.Charge(from(alice), 999)
	step("in debt", l.Spend(from(alice), 1), 100*time.Second)
	pass(99 * time.Second)
	step("still in debt", l.Spend(from(alice), 1), time.Second)
	step("nothing is free in debt", l.Spend(from(alice), 11), 2*time.Second)
	pass(time.Second)
	step("out of debt", l.Spend(from(alice), 1), 0)
	pass(time.Hour)
	step("no more than full", l.Spend(from(alice), 1000), 0)
	step("and empty again", l.Spend(from(alice), 1000), 100*time.Second)
	if n := testutil.ToFloat64(l.Refused); n != 7 {
		t.Errorf("%v refusals counted, want 7", n)
	}
}

// TestLimiterDebt checks that any number of charges can be owed.
func TestLimiterDebt(t *testing.T) {
	l, pass := limiterAt(1000, api.MaxBatch, 10)
	for range 50 {
		l.Charge(from(alice), api.MaxPlies)
	}
	if wait := l.Spend(from(alice), 1); wait < 49*time.Second || wait > 50*time.Second {
		t.Errorf("wait %v", wait)
	}
	pass(50 * time.Second)
	if wait := l.Spend(from(alice), 1000); wait != 0 {
		t.Errorf("wait %v after paying", wait)
	}
	// Also more at a time than a bucket holds.
	l.Charge(from(alice), 20*api.MaxBatch+7)
	if wait := l.Spend(from(alice), 1); wait < 20*time.Second || wait > 21*time.Second {
		t.Errorf("wait %v after a great charge", wait)
	}
}

// TestHouseholds checks which addresses share a bucket.
func TestHouseholds(t *testing.T) {
	for _, c := range []struct {
		one, other string
		same       bool
	}{
		{"203.0.113.1", "203.0.113.2", false},
		{"2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true},
		{"2001:db8:0:1::1", "2001:db8:0:2::1", false},
		{"::1", "::2", true},
	} {
		if same := listener.RateLimitKey(netip.MustParseAddr(c.one)) == listener.RateLimitKey(netip.MustParseAddr(c.other)); same != c.same {
			t.Errorf("%s and %s: same bucket %v", c.one, c.other, same)
		}
	}
	if a := listener.RateLimitKey(netip.Addr{}); a.IsValid() {
		t.Errorf("no address is %s", a)
	}
}

// TestForgetting checks that the limiter stays bounded, and that nobody gets a
// fresh bucket by being forgotten: neither who comes back, nor all together.
func TestForgetting(t *testing.T) {
	const clients, burst = 10, 1000
	l, pass := limiterAt(1, burst, clients)
	spent := 0
	for round := range 5 {
		for i := range 100 {
			r := from(fmt.Sprintf("203.0.113.%d:1", i))
			for l.Spend(r, 100) == 0 {
				spent += 100
			}
			if n := l.Clients.Len(); n > clients {
				t.Fatalf("%d clients remembered", n)
			}
		}
		if spent != clients*burst {
			t.Fatalf("round %d: %d spent, there were %d", round, spent, clients*burst)
		}
	}
	// Those who have been silent long enough to have filled up are replaced by
	// newcomers, who so find a full bucket.
	pass(burst * time.Second)
	if wait := l.Spend(from("198.51.100.1:1"), burst); wait != 0 {
		t.Errorf("a newcomer waits %v", wait)
	}
	// The client that asked last is not the one who is replaced.
	if wait := l.Spend(from("203.0.113.99:1"), burst); wait != 0 {
		t.Errorf("wait %v", wait)
	}
	for i := range clients - 1 {
		l.Spend(from(fmt.Sprintf("198.51.100.%d:1", i+2)), 1)
	}
	if wait := l.Spend(from("203.0.113.99:1"), 1); wait != time.Second {
		t.Errorf("wait %v, want 1s: it was forgotten", wait)
	}
}

// TestLimiterMemory holds the limiter to what is said of its memory.
func TestLimiterMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	l, _ := limiterAt(1, 1000, service.MaxClients)
	r := from("")
	for i := range 2 * service.MaxClients {
		r.RemoteAddr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{11, byte(i >> 16), byte(i >> 8), byte(i)}), 1).String()
		l.Spend(r, 1)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := float64(after.HeapAlloc-before.HeapAlloc) / service.MaxClients
	t.Logf("%.0f bytes a client", each)
	if each > 400 || l.Clients.Len() != service.MaxClients {
		t.Errorf("%.0f bytes for each of %d clients", each, l.Clients.Len())
	}
}

// TestLimiterConcurrent checks that a bucket holds for all who ask at once.
func TestLimiterConcurrent(t *testing.T) {
	l, _ := limiterAt(1, 1000, 2)
	var spent atomic.Int64
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 1000 {
				if l.Spend(from(fmt.Sprintf("203.0.113.%d:%d", (g+i)%3, g)), 7) == 0 {
					spent.Add(7)
				}
			}
		})
	}
	all.Wait()
	if n := spent.Load(); n > 2000 || n < 2000-2*7 {
		t.Errorf("%d spent of two buckets of 1000", n)
	}
}

// TestRateLimited checks what a client sees of it, and that operation is free.
func TestRateLimited(t *testing.T) {
	s := quietService(t)
	s.How.RateLimit, s.How.RateBurst = 1, 1000
	for _, p := range s.Probers {
		p.Slot().Table.Store(&tables.Loaded{Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}, State: api.StateReady})
	}
	handler := s.Handler()
	ask := func(method, target, body string) *httptest.ResponseRecorder {
		request := httptest.NewRequest(method, target, strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, request)
		return w
	}
	batch := `{"positions":["opening:0"` + strings.Repeat(`,"opening:0"`, 989) + `]}`
	if w := ask("POST", "/v1/tic-tac-chec/probe", batch); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if w := ask("GET", "/v1/tic-tac-chec/line?max_plies=300", ""); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	w := ask("GET", "/v1/tic-tac-chec/probe", "")
	if w.Code != 429 || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "/problems/rate-limited") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	if n := testutil.ToFloat64(s.Metrics.Limited); n != 1 {
		t.Errorf("%v refusals counted", n)
	}
	for target, want := range map[string]int{"/livez": 200, "/readyz": 200, "/metrics": 429, "/v1/rules": 429, "/openapi.json": 429} {
		if w := ask("GET", target, ""); w.Code != want {
			t.Errorf("%s: %d, not %d", target, w.Code, want)
		}
	}
	s.How.RateLimit = 0
	handler = s.Handler()
	for range 3 {
		if w := ask("POST", "/v1/tic-tac-chec/probe", batch); w.Code != 200 {
			t.Errorf("without a limit: %d", w.Code)
		}
	}
}
