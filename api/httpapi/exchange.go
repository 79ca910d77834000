package httpapi

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"time"

	"solved/api"
)

// Exchange is a request with what became of it, for logs and metrics.
type Exchange struct {
	Request *http.Request
	// Route is the pattern that matched, or "none".
	Route string
	// Status is that of the answer, or StatusClientGone if that did not leave the server
	// whole.
	Status   int
	Bytes    int64 // of the body as written
	Duration time.Duration
	// RequestID is the id that the answer carried.
	RequestID string
	// Problem is the failure that the client was told of, empty for none.
	Problem api.ProblemType
	// Cause is the error behind a failure of ours, nil for none. No client
	// sees its text.
	Cause error
}

// StatusClientGone is the Status of an exchange whose client had gone before there
// was an answer, or before the answer was written: it closed the connection, or did not
// read in time. No client ever sees it.
const StatusClientGone = 499

// requestIDHeader carries the id of a request in its answer. The id is always
// ours: one that came from outside could be anything.
const requestIDHeader = "X-Request-Id"

func newRequestID() string {
	var id [8]byte
	binary.BigEndian.PutUint64(id[:], rand.Uint64())
	return hex.EncodeToString(id[:])
}

// recorder is a ResponseWriter that remembers what was answered. It also has what
// writing an answer takes to know of its request.
type recorder struct {
	http.ResponseWriter
	h        *handler
	request  *http.Request
	start    time.Time
	compress bool // whether the answer may be compressed
	id       string
	status   int
	bytes    int64
	problem  *api.Problem
	failed   bool // the answer could not be written
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	w.failed = w.failed || err != nil
	return n, err
}

// Unwrap is for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// recorderOf finds the recorder beneath what other handlers have put around it.
func recorderOf(w http.ResponseWriter) *recorder {
	for {
		switch at := w.(type) {
		case *recorder:
			return at
		case interface{ Unwrap() http.ResponseWriter }:
			w = at.Unwrap()
		default:
			return nil
		}
	}
}

// record gives every request its id, turns a panic into an internal error, and
// tells the observer how it ended.
func (h *handler) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{ResponseWriter: w, h: h, request: r, start: time.Now(), id: newRequestID()}
		w.Header()[requestIDHeader] = []string{rec.id}
		aborted := false
		defer func() {
			if h.observe != nil {
				h.observe(rec.exchange(r))
			}
			if aborted {
				panic(http.ErrAbortHandler)
			}
		}()
		defer func() {
			fault := recover()
			switch {
			case fault == nil:
			case fault == http.ErrAbortHandler:
				aborted = true
			default:
				p := api.ProblemOf(&PanicError{Value: fault, Stack: debug.Stack()})
				if rec.status != 0 {
					// The answer has begun: it can only be cut short, so
					// that the client sees that it is not whole.
					rec.problem, aborted = p, true
					return
				}
				writeProblem(rec, p)
			}
		}()
		next.ServeHTTP(rec, r)
	})
}

func (w *recorder) exchange(r *http.Request) Exchange {
	e := Exchange{
		Request:   r,
		Route:     "none",
		Status:    w.status,
		Bytes:     w.bytes,
		Duration:  time.Since(w.start),
		RequestID: w.id,
	}
	if e.Status == 0 {
		e.Status = http.StatusOK // what net/http sends for a handler that wrote nothing
	}
	if w.failed {
		e.Status = StatusClientGone
	}
	if w.problem != nil {
		e.Problem, e.Cause = w.problem.Kind(), w.problem.Cause()
	}
	if pattern := r.Pattern; pattern != "" && e.Problem != api.NotFound && e.Problem != api.MethodNotAllowed {
		e.Route = pattern
	}
	return e
}

// PanicError is the cause of an internal error that was a panic.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Stack returns the stack of the panic behind an error, or nil.
func Stack(err error) []byte {
	var p *PanicError
	if errors.As(err, &p) {
		return p.Stack
	}
	return nil
}
