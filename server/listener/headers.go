package listener

import (
	"bytes"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"solved/api"
)

const (
	// FreeHeader is how much of a header each connection may read in any case, in bytes:
	// as much as net/http reads at a time.
	FreeHeader = 4 << 10
	// HeaderInMemory is how many bytes of memory a byte of a header takes at worst, as
	// lines that are a name of two letters each.
	HeaderInMemory = 16
	// HeaderMemory is what longer headers may take at a time, all together, in bytes.
	HeaderMemory = 32 << 20
	// refusalTime is how long a client that is still sending has to read why it is refused
	// before its connection is closed, as net/http has it for its own refusals.
	refusalTime = 500 * time.Millisecond
)

// headerBudget is the memory that long headers share.
type headerBudget struct{ Free atomic.Int64 }

func NewHeaderBudget() *headerBudget {
	b := new(headerBudget)
	b.Free.Store(HeaderMemory)
	return b
}

// HeaderUse is what the header of a connection's request takes of that. net/http reads a
// header before any handler can bound it.
type HeaderUse struct {
	Of    *headerBudget // nil for no bound
	whole atomic.Bool   // it has been read
	size  atomic.Int64
	taken atomic.Int64
}

// Read notes that so many bytes were read, and says whether there is memory for them.
func (h *HeaderUse) Read(n int) bool {
	if h.Of == nil || h.whole.Load() {
		return true
	}
	more := (h.size.Add(int64(n))-FreeHeader)*HeaderInMemory - h.taken.Load()
	if more <= 0 {
		return true
	}
	if h.Of.Free.Add(-more) < 0 {
		h.Of.Free.Add(more)
		return false
	}
	h.taken.Add(more)
	return true
}

// End notes that the header has been read: what comes next is the body.
func (h *HeaderUse) End() { h.whole.Store(true) }

// Release gives the memory back when the request is over. Another header comes next.
func (h *HeaderUse) Release() {
	h.whole.Store(false)
	h.size.Store(0)
	if n := h.taken.Swap(0); n > 0 {
		h.Of.Free.Add(n)
	}
}

// HeaderRefusal is the whole answer to a request whose header there is no memory for.
var HeaderRefusal = func() []byte {
	var body, answer bytes.Buffer
	problem := api.OverloadedProblem("The headers of requests take as much memory as there is for them. Try again in a moment, or with a shorter one.")
	if err := api.WriteJSON(&body, problem); err != nil {
		panic(err) // to memory
	}
	fmt.Fprintf(&answer, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nContent-Length: %d\r\n"+
		"Retry-After: 1\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n", body.Len())
	return append(answer.Bytes(), body.Bytes()...)
}()

// refuseHeader answers a request whose header cannot be read on, as far as the client
// takes the answer.
func refuseHeader(c net.Conn) {
	_ = c.SetWriteDeadline(time.Now().Add(refusalTime))
	_, _ = c.Write(HeaderRefusal)
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	time.Sleep(refusalTime)
}
