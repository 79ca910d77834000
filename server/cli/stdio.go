package cli

import (
	"context"
	"io"
)

// checkedWriter remembers the first error of a writer, so that the program can report lost output
// at its end even if the code that wrote it ignored the error.
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

// interruptibleReader is a reader whose Read returns when a context ends, even if the inner reader
// waits for input. Bytes that the inner reader then reads are lost. It is not safe for concurrent
// use.
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
	room := make([]byte, len(b)) // not b: after an interruption the caller uses b again
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
