package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"solved/server/listener"
)

// countedConn counts how often something is sent.
type countedConn struct {
	net.Conn
	sent *atomic.Int64
}

func (c countedConn) Write(b []byte) (int, error) {
	c.sent.Add(1)
	return c.Conn.Write(b)
}

// countedListener counts it on all its connections.
type countedListener struct {
	net.Listener
	sent atomic.Int64
}

func (l *countedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return countedConn{c, &l.sent}, nil
}

// TestAnswersInOnePiece checks that net/http sends answers that fit all at once, whether
// the connection goes on after one or not. It watches for the client's going all the
// while, and where that begins just between two pieces, the first is sent: rarely.
func TestAnswersInOnePiece(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	counted := &countedListener{Listener: inner}
	text := strings.Repeat("0123456789", 1_000)
	server := &http.Server{WriteTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/close" {
			w.Header().Set("Connection", "close")
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		io.WriteString(w, text)
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener.Limit(counted, listener.Bounds{}, nil)) }()
	defer func() {
		server.Close()
		<-served
	}()
	client := dial(t, inner.Addr().String(), "")
	answers := bufio.NewReader(client)
	paths := append(slices.Repeat([]string{"/"}, 59), "/close")
	for _, path := range paths {
		fmt.Fprintf(client, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path)
		response, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || string(body) != text {
			t.Fatalf("%s: %d bytes, %v", path, len(body), err)
		}
	}
	// By itself net/http takes three for each.
	if sent := int(counted.sent.Load()); sent < len(paths) || sent > len(paths)*3/2 {
		t.Errorf("%d answers were sent in %d pieces", len(paths), sent)
	}
}

// TestContinue checks that a client that waits to be told to go on is told.
func TestContinue(t *testing.T) {
	address := startServing(t, standard())
	body := `{"positions":["opening:0"]}`
	client := dial(t, address, fmt.Sprintf("POST /v1/tic-tac-chec/probe HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(body)))
	answers := bufio.NewReader(client)
	if line, err := answers.ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if line, err := answers.ReadString('\n'); err != nil || line != "\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
	io.WriteString(client, body)
	if response, err := http.ReadResponse(answers, nil); err != nil || response.StatusCode != 200 {
		t.Errorf("%v, %v", response, err)
	}
}

// tcpPair returns the two ends of a connection, the first of them ours.
func tcpPair(t interface {
	Fatal(...any)
	Cleanup(func())
}) (*listener.Connection, net.Conn) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := listener.Limit(inner, listener.Bounds{Most: 1}, nil)
	other, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		other.Close()
		l.Close()
	})
	return c.(*listener.Connection), other
}

// TestConnectionLosesNothing writes and turns to other things in any order: the other
// side receives all that was written, in that order, and what was written before we
// wait for it is there before it has to say anything.
func TestConnectionLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, other := tcpPair(t)
		received := make(chan []byte, 1)
		go func() {
			all, _ := io.ReadAll(other)
			received <- all
		}()
		var want []byte
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				if err := c.SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
					t.Fatal(err)
				}
			case 1:
				c.SetReadDeadline(time.Unix(1, 0))
				if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatal(err)
				}
			default:
				size := rapid.OneOf(rapid.IntRange(0, 100), rapid.IntRange(listener.HeldRoom-2, listener.HeldRoom+2), rapid.IntRange(0, 4*listener.HeldRoom)).Draw(t, "size")
				piece := bytes.Repeat([]byte{byte(len(want))}, size)
				if n, err := c.Write(piece); n != size || err != nil {
					t.Fatal(n, err)
				}
				want = append(want, piece...)
				clear(piece) // it is the caller's again
			}
			if c.Held != nil && len(*c.Held) > listener.HeldRoom {
				t.Fatalf("%d bytes are held back", len(*c.Held))
			}
		}
		end := c.CloseWrite
		if rapid.Bool().Draw(t, "whole") {
			end = c.Close
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		if got := <-received; !bytes.Equal(got, want) {
			t.Fatalf("%d bytes were received, not the %d written", len(got), len(want))
		}
		if c.Held != nil {
			t.Fatal("something is still held back")
		}
	})
}

// TestCloseEndsWriting checks that a connection whose client reads nothing is closed
// at once, though somebody writes to it, and that the writer is told, and whoever
// tries it later.
func TestCloseEndsWriting(t *testing.T) {
	c, _ := tcpPair(t)
	wrote, begun := make(chan error, 1), make(chan struct{})
	go func() {
		piece := make([]byte, 1<<20)
		close(begun)
		for {
			if _, err := c.Write(piece); err != nil {
				wrote <- err
				return
			}
		}
	}()
	<-begun
	time.Sleep(10 * time.Millisecond) // most often it waits for the client by now, and need not
	start := time.Now()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-wrote; !errors.Is(err, net.ErrClosed) {
		t.Errorf("the writer is told %v", err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("closing took %v", took)
	}
	// What is held back after that is lost, and it is said so.
	if _, err := io.WriteString(c, "x"); err != nil {
		t.Errorf("a small piece is refused at once: %v", err)
	}
	if err := c.SetWriteDeadline(time.Time{}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("sending it ends in %v", err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("reading ends in %v", err)
	}
	if _, err := io.WriteString(c, "y"); !errors.Is(err, net.ErrClosed) {
		t.Errorf("another piece ends in %v", err)
	}
}
