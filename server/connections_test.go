package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"solved/api"
)

// startServing starts a server with a configuration, and returns its address.
func startServing(t *testing.T, how config) string {
	t.Helper()
	address, _ := startDrawing(t, how)
	return address
}

// startDrawing is startServing from tables of draws, with the service.
func startDrawing(t *testing.T, how config) (string, *service) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := quietService(t)
	s.how = how
	for _, p := range s.probers {
		p.table.Store(&loadedTable{entries: drawnEntries{}, state: api.StateReady})
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String(), s
}

// dial sends text on a connection of its own and leaves it open.
func dial(t *testing.T, address, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

const aliveRequest = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"

// answered reads one answer, and returns its status.
func answered(c net.Conn) (int, error) {
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

// TestConnectionLimit checks that a connection over the limit is answered when,
// and not before, another is closed.
func TestConnectionLimit(t *testing.T) {
	how := standard()
	how.maxConnections = 2
	address := startServing(t, how)
	first, second := dial(t, address, aliveRequest), dial(t, address, aliveRequest)
	for _, c := range []net.Conn{first, second} {
		if status, err := answered(c); status != 200 {
			t.Fatalf("within the limit: %d, %v", status, err)
		}
	}
	third := dial(t, address, aliveRequest)
	if err := third.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if status, err := answered(third); err == nil {
		t.Fatalf("over the limit: %d", status)
	}
	first.Close()
	if err := third.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if status, err := answered(third); status != 200 {
		t.Errorf("with room again: %d, %v", status, err)
	}
}

// TestConnectionLimitAndShutdown checks that a listener that waits for room can
// be closed.
func TestConnectionLimitAndShutdown(t *testing.T) {
	how := standard()
	how.maxConnections = 1
	how.shutdownTimeout = 50 * time.Millisecond
	address := startServing(t, how) // its cleanup fails if it does not end
	if status, err := answered(dial(t, address, aliveRequest)); status != 200 {
		t.Fatalf("%d, %v", status, err)
	}
}

// TestHeaderLimit checks that a header over the limit is refused, and that the
// client, which is still sending, sees it.
func TestHeaderLimit(t *testing.T) {
	how := standard()
	how.maxHeaderBytes = 1024 // net/http allows 4096 more
	address := startServing(t, how)
	header := "GET /livez HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n"
	if status, err := answered(dial(t, address, header)); status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("%d, %v", status, err)
	}
	if status, err := answered(dial(t, address, aliveRequest)); status != 200 {
		t.Errorf("a short header: %d, %v", status, err)
	}
}

// TestTimeouts checks that a client that is slow in any phase is cut off.
func TestTimeouts(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(*config)
		sent string
		want int // the status that must be answered before the end, 0 for none
	}{
		"header":  {func(c *config) { c.readHeaderTimeout = 20 * time.Millisecond }, "GET /livez HTTP/1.1\r\nHost:", 0},
		"idle":    {func(c *config) { c.idleTimeout = 20 * time.Millisecond }, aliveRequest, 200},
		"nothing": {func(c *config) { c.readHeaderTimeout = 20 * time.Millisecond }, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			how := standard()
			how.readHeaderTimeout, how.readTimeout, how.writeTimeout, how.idleTimeout = time.Hour, time.Hour, time.Hour, time.Hour
			c.set(&how)
			client := dial(t, startServing(t, how), c.sent)
			if c.want != 0 {
				if status, err := answered(client); status != c.want {
					t.Fatalf("%d, %v", status, err)
				}
			}
			// The connection ends, well or by a reset, before our own patience does.
			if _, err := io.Copy(io.Discard, client); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("not cut off: %v", err)
			}
		})
	}
}

// TestReadTimeout checks that a body that does not arrive is given up.
func TestReadTimeout(t *testing.T) {
	how := standard()
	how.readTimeout = 50 * time.Millisecond
	client := dial(t, startServing(t, how), "POST /v1/tic-tac-chec/probe HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	if status, err := answered(client); err == nil && status != http.StatusBadRequest {
		t.Errorf("answered %d", status)
	}
	if _, err := io.Copy(io.Discard, client); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("not cut off")
	}
}

// TestWriteTimeout checks that a client that does not take its answer is given up.
func TestWriteTimeout(t *testing.T) {
	how := standard()
	how.writeTimeout = 200 * time.Millisecond
	address, s := startDrawing(t, how)
	body := `{"moves":true,"positions":["opening:0"` + strings.Repeat(`,"opening:0"`, 999) + `]}` // an answer of some 15 MB
	client := dial(t, address, fmt.Sprintf("POST /v1/tic-tac-chec/probe HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	for deadline := time.Now().Add(time.Minute); testutil.ToFloat64(s.metrics.inFlight) > 0 || testutil.CollectAndCount(s.metrics.requests) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("still being written after a minute")
		}
	}
	if status, err := answered(client); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("answered %d, %v; want an answer cut short", status, err)
	}
}
