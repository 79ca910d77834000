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

// scrapePause is the least time between two gatherings of the metrics, each of which
// takes some milliseconds.
const scrapePause = 100 * time.Millisecond

// Scrapes answers with what another handler does, which it asks once for all clients that
// wait at a time. An answer never begins before its request.
type Scrapes struct {
	Gather http.Handler
	joined singleflight.Group

	mu   sync.Mutex
	last time.Time
}

// ServeHTTP answers with the metrics, whole and with their length.
func (s *Scrapes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Of the many headers that a client can send, the few that make a difference.
	format, encoding := string(expfmt.NegotiateAccept(r.Header, expfmt.DefaultAcceptedFormats()...)), ""
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		encoding = "gzip"
	}
	made, _, _ := s.joined.Do(format+" "+encoding, func() (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		time.Sleep(scrapePause - time.Since(s.last))
		s.last = time.Now()
		// A client that asks from now on must see what has happened until now.
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
	_, _ = w.Write(answer.body.Bytes()) // a client that is gone needs no metrics
}

// scraped is an answer in memory.
type scraped struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *scraped) Header() http.Header            { return a.header }
func (a *scraped) WriteHeader(status int)         { a.status = status }
func (a *scraped) Write(text []byte) (int, error) { return a.body.Write(text) }
