package api

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// minCompressed is the size, in bytes, from which a body is compressed for a
// client that accepts it: about two packets, so that it saves at least one.
const minCompressed = 2 << 10

// compressed compresses the answers of a handler, by zstd or gzip as the client
// prefers, at the levels that cost least. It adds Vary: Accept-Encoding to all of
// them. Entity tags are weak, and stay as they are.
func compressed(next http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressed), gzhttp.CompressionLevel(1))
	if err != nil {
		panic(err) // the options are constants
	}
	compressing := wrap(next)
	return func(w http.ResponseWriter, r *http.Request) {
		if len(r.Header["Accept-Encoding"]) > 0 {
			compressing(w, r)
			return
		}
		// Nothing is going to be compressed, so nothing need stand in between.
		header := w.Header()
		header["Vary"] = append(header["Vary"], "Accept-Encoding")
		next.ServeHTTP(w, r)
	}
}
