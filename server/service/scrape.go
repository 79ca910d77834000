package service

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/common/expfmt"
	"golang.org/x/sync/singleflight"
)

// scrapePause is the least time between two gatherings of the metrics.
const scrapePause = 100 * time.Millisecond

// Scrapes is a handler that gathers the metrics once for all clients that wait at the same time.
// The gathering for a request never begins before the request.
type Scrapes struct {
	Gather http.Handler
	joined singleflight.Group

	mu   sync.Mutex
	last time.Time
}

// ServeHTTP answers with the metrics, whole and with their length.
func (s *Scrapes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Only these headers change the answer, so that clients with other headers can share it.
	format, encoding := string(expfmt.NegotiateAccept(r.Header, expfmt.DefaultAcceptedFormats()...)), ""
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		encoding = "gzip"
	}
	made, _, _ := s.joined.Do(format+" "+encoding, func() (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		time.Sleep(scrapePause - time.Since(s.last))
		s.last = time.Now()
		// A later request needs a new gathering.
		s.joined.Forget(format + " " + encoding)
		answer := &scraped{header: http.Header{}, status: http.StatusOK}
		s.Gather.ServeHTTP(answer, &http.Request{Method: http.MethodGet,
			Header: http.Header{"Accept": r.Header["Accept"], "Accept-Encoding": {encoding}}})
		return answer, nil
	})
	answer := made.(*scraped)
	for name, values := range answer.header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.status)
	_, _ = w.Write(answer.body.Bytes()) // a failed write means that the client is gone
}

// scraped is a response writer that keeps the answer in memory.
type scraped struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *scraped) Header() http.Header            { return a.header }
func (a *scraped) WriteHeader(status int)         { a.status = status }
func (a *scraped) Write(text []byte) (int, error) { return a.body.Write(text) }
