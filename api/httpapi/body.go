package httpapi

import (
	"errors"
	"io"
	"net/http"
	"time"

	"solved/api"
)

// bodyTimeout is how long the rest of a body may take once its first smallBody bytes
// have come: from then on it takes memory that others may wait for.
const bodyTimeout = 3 * time.Second

// readBody reads a body of at most MaxBody bytes. What it takes of memory beyond
// smallBody is reserved; the caller gives that back.
func (h *handler) readBody(w http.ResponseWriter, r *http.Request, reserved *reservation) ([]byte, error) {
	if r.ContentLength > api.MaxBody {
		return nil, bodyTooLarge()
	}
	whole := api.MaxBody + 1 // one more shows the end
	if r.ContentLength >= 0 {
		whole = int(r.ContentLength) + 1
	}
	in := http.MaxBytesReader(w, r.Body, api.MaxBody)
	var body []byte
	for {
		if len(body) == cap(body) {
			// In steps: a client that says much and sends little takes little.
			size := min(whole, smallBody)
			switch {
			case len(body) == 0:
				size = min(whole, firstPiece)
			case len(body) >= smallBody:
				size = whole
				if err := reserved.wait(r.Context(), int64(size)); err != nil {
					return nil, err
				}
				// A writer of tests has no deadlines, and nobody is slow there.
				_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
			}
			body = append(make([]byte, 0, size), body...)
		}
		n, err := in.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		var large *http.MaxBytesError
		switch {
		case err == nil:
		case err == io.EOF:
			return body, nil
		case errors.As(err, &large):
			return nil, bodyTooLarge()
		default:
			return nil, api.NewProblem(api.BadBody, "The body did not arrive whole.")
		}
	}
}

func bodyTooLarge() *api.Problem {
	return api.BatchTooLargeProblem(api.MaxBody, "The body has more than %d bytes.", api.MaxBody)
}
