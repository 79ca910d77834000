package api

import (
	"io"
	"net/http"
	"strconv"
	"sync"
)

// The media types of answers.
const (
	contentJSON    = "application/json"
	contentProblem = "application/problem+json"
)

// buffers holds buffers for bodies. One that has grown beyond keptBuffer is
// left to the collector.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const keptBuffer = 1 << 20

// encode appends a value of this package as the body of an answer: one line of
// JSON, ended by a newline.
func encode(b []byte, v any) []byte {
	if a, ok := v.(appender); ok {
		b = a.appendJSON(b)
	} else {
		b = appendAny(b, v)
	}
	return append(b, '\n')
}

// WriteJSON writes a value of this package as the body of an answer: one line
// of JSON, ended by a newline.
func WriteJSON(w io.Writer, v any) error {
	_, err := w.Write(encode(nil, v))
	return err
}

// writeJSON answers with a body. It is written whole, in one piece and with
// its length, so that no answer is ever half of one.
func writeJSON(w http.ResponseWriter, status int, content string, v any) {
	kept := buffers.Get().(*[]byte)
	body := encode((*kept)[:0], v)
	if cap(body) <= keptBuffer {
		defer func() {
			*kept = body
			buffers.Put(kept)
		}()
	}
	writeBody(w, status, content, body)
}

func writeBody(w http.ResponseWriter, status int, content string, body []byte) {
	header := w.Header()
	// By their canonical names: Set would have to work them out.
	header["Content-Type"] = []string{content}
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	w.Write(body) // an error means that the client has gone
}

// writeProblem answers with a failure and remembers it for the observer.
func writeProblem(w http.ResponseWriter, p *Problem) {
	header := w.Header()
	if rec := recorderOf(w); rec != nil {
		rec.problem = p
		if p.Kind() == Internal {
			p.RequestID = &rec.id
		}
	}
	for _, name := range [...]string{"Rules-Tag", "ETag"} {
		header.Del(name) // of the answer that was about to be given
	}
	header.Set("Cache-Control", "no-store")
	if p.allow != "" {
		header.Set("Allow", p.allow)
	}
	if p.retryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(p.retryAfter))
	}
	writeJSON(w, p.Status, contentProblem, p)
}
