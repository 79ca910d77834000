package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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

// printable writes a text so that a terminal shows it and does nothing else: control
// characters, marks that turn the direction of writing, and what is no UTF-8 are
// escaped as in Go.
func printable(s string) string {
	if !strings.ContainsFunc(s, unprintable) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case unprintable(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// fileName is the name of a file as it is printed: quoted, if a terminal would not
// show it as it is.
func fileName(path string) string {
	if shown := printable(path); shown != path {
		return strconv.Quote(path)
	}
	return path
}
