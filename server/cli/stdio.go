package cli

import (
	"context"
	"io"
)

// checkedWriter remembers the first error of a writer, so that output which is lost
// is told at the end, whether or not the code that wrote it has looked.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(b []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	var n int
	n, c.err = c.w.Write(b)
	return n, c.err
}

// interruptibleReader reads until a context ends, even if the reader beneath waits
// for input at that time. What that may still read is lost. It is not safe for
// concurrent use.
type interruptibleReader struct {
	ctx context.Context
	r   io.Reader
}

// Read returns the cause of the context's end as soon as it has ended.
func (i *interruptibleReader) Read(b []byte) (int, error) {
	if err := context.Cause(i.ctx); err != nil {
		return 0, err
	}
	type result struct {
		bytes []byte
		err   error
	}
	done := make(chan result, 1)
	room := make([]byte, len(b)) // not b, which is the caller's again after an interruption
	go func() {
		n, err := i.r.Read(room)
		done <- result{room[:n], err}
	}()
	select {
	case <-i.ctx.Done():
		return 0, context.Cause(i.ctx)
	case r := <-done:
		return copy(b, r.bytes), r.err
	}
}
