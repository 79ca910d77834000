package service

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestScrapes lets many clients ask for the metrics at a time: they are gathered once for
// all that wait, and no answer is older than its request.
func TestScrapes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var gathered atomic.Int64
		s := &Scrapes{Gather: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n := gathered.Add(1)
			time.Sleep(5 * time.Millisecond)
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, n)
		})}
		ask := func(accept string) string {
			r := httptest.NewRequest("GET", "/metrics", nil)
			r.Header.Set("Accept", accept)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != 200 || w.Header().Get("Content-Type") != "text/plain" {
				t.Errorf("%d %v", w.Code, w.Header())
			}
			return w.Body.String()
		}
		if first, second := ask(""), ask(""); first != "1" || second != "2" {
			t.Errorf("one after the other: %s and %s", first, second)
		}
		var all sync.WaitGroup
		start := time.Now()
		for i := range 100 {
			all.Go(func() {
				for time.Since(start) < 10*time.Second {
					before := gathered.Load()
					if got := ask(fmt.Sprintf("text/plain;q=0.%d", i%10)); got <= fmt.Sprint(before) && len(got) <= len(fmt.Sprint(before)) {
						t.Errorf("%s was gathered before %d", got, before)
					}
				}
			})
		}
		all.Wait()
		if n := gathered.Load(); n < 50 || n > 110 {
			t.Errorf("gathered %d times in 10 seconds", n)
		}
	})
}
