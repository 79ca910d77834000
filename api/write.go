package api

import (
	"bytes"
	"encoding/json"
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
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const keptBuffer = 1 << 20

// WriteJSON writes a value of this package as the body of an answer: one line
// of JSON, ended by a newline.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// writeJSON answers with a body. It is written whole, in one piece and with
// its length, so that no answer is ever half of one.
func writeJSON(w http.ResponseWriter, status int, content string, v any) {
	buf := buffers.Get().(*bytes.Buffer)
	defer func() {
		if buf.Cap() <= keptBuffer {
			buf.Reset()
			buffers.Put(buf)
		}
	}()
	if err := WriteJSON(buf, v); err != nil {
		panic(err) // a type of ours that cannot be encoded; becomes an internal error
	}
	header := w.Header()
	header.Set("Content-Type", content)
	header.Set("Content-Length", strconv.Itoa(buf.Len()))
	w.WriteHeader(status)
	w.Write(buf.Bytes()) // an error means that the client has gone
}

// retryAfter is what a client is told to wait when a table is not available.
const retryAfterSeconds = 1

// writeProblem answers with a failure and remembers it for the observer.
func writeProblem(w http.ResponseWriter, p *Problem) {
	header := w.Header()
	if rec, ok := w.(*recorder); ok {
		rec.problem = p
		if p.kind == Internal {
			p.RequestID = &rec.id
		}
	}
	for _, name := range [...]string{"Rules-Tag", "ETag", "Vary"} {
		header.Del(name) // of the answer that was about to be given
	}
	header.Set("Cache-Control", "no-store")
	if p.allow != "" {
		header.Set("Allow", p.allow)
	}
	if p.kind == TableUnavailable {
		header.Set("Retry-After", strconv.Itoa(retryAfterSeconds))
	}
	writeJSON(w, p.Status, contentProblem, p)
}
