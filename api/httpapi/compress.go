package httpapi

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"runtime"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzhttp/writer"
	"golang.org/x/sync/semaphore"
)

// minCompressed is the size, in bytes, from which a body is compressed for a
// client that accepts it: about two packets, so that it saves at least one.
const minCompressed = 2 << 10

// compressed lets the answers of a handler be compressed, by zstd or gzip as the client
// prefers, and adds Vary: Accept-Encoding to all of them. Entity tags are weak, and stay
// as they are.
func compressed(next http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header["Vary"] = append(header["Vary"], "Accept-Encoding")
		recorderOf(w).compress = true
		next.ServeHTTP(w, r)
	}
}

// encoder makes of a whole body the form that a client accepts. The form is whole before
// the first byte of an answer, so that GET and HEAD tell the same length of it.
type encoder struct {
	wrap func(http.Handler) http.HandlerFunc // negotiates and compresses
	keep bool                                // the forms are ready, and need no copy
	// free bounds how many bodies are compressed at a time: each takes up to a megabyte.
	// None waits for anything else meanwhile.
	free *semaphore.Weighted
}

// newEncoder returns an encoder that compresses at the levels that cost least.
func newEncoder() *encoder {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressed), gzhttp.CompressionLevel(1))
	if err != nil {
		panic(err) // the options are constants
	}
	return &encoder{wrap: wrap, free: semaphore.NewWeighted(int64(2 * runtime.GOMAXPROCS(0)))}
}

// encode returns the form of a body that a client accepts, and its encoding, empty for
// the body as it is.
func (e *encoder) encode(r *http.Request, content string, body [][]byte) (form [][]byte, encoding string) {
	var out chunks
	w := &memoryWriter{Writer: &out, header: http.Header{"Content-Type": {content}}}
	if e.keep {
		w.Writer = (*references)(&out.list)
	} else {
		_ = e.free.Acquire(context.Background(), 1) // that context does not end
		defer e.free.Release(1)
	}
	e.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, text := range body {
			w.Write(text) // to memory, which does not fail
		}
	}))(w, &http.Request{Method: http.MethodGet, Header: r.Header}) // HEAD would get no encoding
	if encoding = w.header.Get("Content-Encoding"); encoding == "" {
		return body, ""
	}
	return out.list, encoding
}

// memoryWriter is a ResponseWriter in memory.
type memoryWriter struct {
	io.Writer
	header http.Header
}

func (m *memoryWriter) Header() http.Header { return m.header }
func (m *memoryWriter) WriteHeader(int)     {}

// references keeps what is written as it is.
type references [][]byte

func (r *references) Write(text []byte) (int, error) {
	*r = append(*r, text)
	return len(text), nil
}

// readyEncoder returns an encoder of one text, which it has compressed beforehand.
func readyEncoder(content string, text []byte) *encoder {
	form := func(encoding string) []byte {
		r := &http.Request{Header: http.Header{"Accept-Encoding": {encoding}}}
		list, _ := newEncoder().encode(r, content, [][]byte{text})
		return bytes.Join(list, nil)
	}
	gzip, zstd := form("gzip"), form("zstd")
	levels := func() (least, most int) { return -1, 9 } // those that are set by default
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressed),
		gzhttp.Implementation(writer.GzipWriterFactory{Levels: levels,
			New: func(w io.Writer, _ int) writer.GzipWriter { return readyForm{w, gzip} }}),
		gzhttp.ZstdImplementation(writer.ZstdWriterFactory{Levels: levels,
			New: func(w io.Writer, _ int) writer.ZstdWriter { return readyForm{w, zstd} }}))
	if err != nil {
		panic(err) // the options are constants
	}
	return &encoder{wrap: wrap, keep: true}
}

// readyForm stands in for a compressor where the outcome is known.
type readyForm struct {
	w    io.Writer
	form []byte
}

func (f readyForm) Write(text []byte) (int, error) { return len(text), nil }
func (f readyForm) Flush() error                   { return nil }
func (f readyForm) Close() error                   { _, err := f.w.Write(f.form); return err }
