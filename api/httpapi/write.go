package httpapi

import (
	"net/http"
	"strconv"
	"sync"

	"solved/api"
)

// The media types of answers.
const (
	contentJSON    = "application/json"
	contentProblem = "application/problem+json"
)

// buffers holds buffers for bodies. One that has grown beyond smallAnswer is left to the
// collector: it would be as large in the hands of the next client, which may read slowly.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// written is an answer that is ready to be written. It holds memory until it is.
type written struct {
	status   int
	content  string
	encoding string // empty for none
	plain    int    // the size of the body before it was compressed
	body     [][]byte
	buffer   *[]byte // of buffers; nil if the body is not in one
	reserved reservation
}

// prepare makes an answer of a value: its JSON, compressed if the client wants that. It
// fails with an Overloaded problem when there is no memory for a large one.
func prepare(w http.ResponseWriter, status int, content string, v any) (*written, error) {
	rec := recorderOf(w)
	a := &written{status: status, content: content, reserved: reservation{of: rec.h.answers}}
	buffer := buffers.Get().(*[]byte)
	text := append(api.AppendJSON((*buffer)[:0], v), '\n')
	a.body, a.plain = [][]byte{text}, len(text)
	if cap(text) <= smallAnswer {
		*buffer, a.buffer = text, buffer
	} else {
		buffers.Put(buffer)
		if !a.reserved.grow(int64(cap(text))) {
			return nil, noMemory()
		}
	}
	a.encode(w)
	return a, nil
}

// encode compresses the body if the client wants that.
func (a *written) encode(w http.ResponseWriter) {
	rec := recorderOf(w)
	if !rec.compress || len(rec.request.Header["Accept-Encoding"]) == 0 || a.size() < minCompressed {
		return
	}
	form, encoding := rec.h.encoder.encode(rec.request, a.content, a.body)
	if encoding == "" {
		return
	}
	a.body, a.encoding = form, encoding
	a.free(int64(a.size() + largestPiece))
}

// free lets go of the body as it was before it was compressed.
func (a *written) free(remains int64) {
	if a.buffer != nil {
		buffers.Put(a.buffer)
		a.buffer = nil
	}
	a.reserved.shrink(remains)
}

func (a *written) size() (n int) {
	for _, text := range a.body {
		n += len(text)
	}
	return n
}

// write writes the answer whole, and with its length, so that no answer is ever half of
// one, and frees its memory. A client may take its time over that.
func (a *written) write(w http.ResponseWriter) {
	defer a.free(0)
	header := w.Header()
	// By their canonical names: Set would have to work them out.
	header["Content-Type"] = []string{a.content}
	header["Content-Length"] = []string{strconv.Itoa(a.size())}
	if a.encoding != "" {
		header["Content-Encoding"] = []string{a.encoding}
	}
	w.WriteHeader(a.status)
	for _, text := range a.body {
		if _, err := w.Write(text); err != nil {
			return // the client has gone, which the recorder notes
		}
	}
}

// writeJSON answers with a value that is not large.
func writeJSON(w http.ResponseWriter, status int, content string, v any) {
	a, err := prepare(w, status, content, v)
	if err != nil {
		writeProblem(w, api.ProblemOf(err))
		return
	}
	a.write(w)
}

// writeProblem answers with a failure and remembers it for the observer.
func writeProblem(w http.ResponseWriter, p *api.Problem) {
	rec := recorderOf(w)
	if p.Kind() == api.Internal {
		p.RequestID = &rec.id
	}
	a, err := prepare(w, p.Status, contentProblem, p)
	if err != nil { // it repeats what the client has sent, at length
		p = api.ProblemOf(err)
		if a, err = prepare(w, p.Status, contentProblem, p); err != nil {
			panic(err) // a short one takes no memory that would have to be there
		}
	}
	rec.problem = p
	header := w.Header()
	for _, name := range [...]string{"Rules-Tag", "ETag"} {
		header.Del(name) // of the answer that was about to be given
	}
	header.Set("Cache-Control", "no-store")
	if seconds := p.RetryAfter(); seconds > 0 {
		header.Set("Retry-After", strconv.Itoa(seconds))
	}
	a.write(w)
}
