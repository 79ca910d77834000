package listener

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestLongHeaders sends more long headers at a time than there is memory for: each of
// the clients has an answer, and short ones are answered as ever.
func TestLongHeaders(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Limit(inner, Bounds{Headers: NewHeaderBudget()}, nil)
	server := &http.Server{MaxHeaderBytes: 64 << 10, ConnState: l.State,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, len(r.Header)) })}
	go server.Serve(l)
	defer server.Close()

	var lines strings.Builder
	for i := 0; lines.Len() < 48<<10; i++ {
		fmt.Fprintf(&lines, "%x:\r\n", i)
	}
	begin := func() net.Conn {
		c, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	status := func(c net.Conn) string {
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			return err.Error()
		}
		defer response.Body.Close()
		io.Copy(io.Discard, response.Body)
		return response.Status[:3]
	}
	long := "GET / HTTP/1.1\r\nHost: x\r\n" + lines.String()
	const clients = 100 // of which 43 have room
	var held []net.Conn
	for range clients {
		c := begin()
		defer c.Close()
		if _, err := io.WriteString(c, long); err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	short := begin()
	defer short.Close()
	for range 3 {
		io.WriteString(short, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		if got := status(short); got != "200" {
			t.Errorf("a short header: %s", got)
		}
	}
	statuses := make(map[string]int)
	for _, c := range held {
		io.WriteString(c, "\r\n") // fails where it was refused
		statuses[status(c)]++
	}
	if statuses["200"] < 40 || statuses["503"] < 40 || statuses["200"]+statuses["503"] != clients {
		t.Errorf("answered with %v", statuses)
	}
	for _, c := range held {
		c.Close()
	}
	again := begin()
	defer again.Close()
	io.WriteString(again, long+"\r\n")
	if got := status(again); got != "200" {
		t.Errorf("a long header afterwards: %s", got)
	}
}
