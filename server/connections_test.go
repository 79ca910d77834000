package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"solved/api"
	"solved/server/games/tictacchec/tictacchectest"
	"solved/server/listener"
	"solved/server/service"
	"solved/server/tables"
)

// startServing starts a server with a configuration, and returns its address.
func startServing(t *testing.T, how service.Config) string {
	t.Helper()
	address, _ := startDrawing(t, how)
	return address
}

// startDrawing is startServing from tables of draws, with the service.
func startDrawing(t *testing.T, how service.Config) (string, *service.Service) {
	t.Helper()
	return startWith(t, how, nil)
}

// startWith is startDrawing with a listener for the operator, nil for none.
func startWith(t *testing.T, how service.Config, ops net.Listener) (string, *service.Service) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := quietService(t)
	s.How, s.Ops = how, ops
	for _, p := range s.Probers {
		p.Slot().Table.Store(&tables.Loaded{Contents: tictacchectest.Table{EntryReader: tictacchectest.DrawnEntries{}}, State: api.StateReady})
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
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

// busyRequest is the beginning of a request, its whole header, and restOfRequest its end.
const (
	busyRequest   = "POST /v1/tic-tac-chec/probe HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 27\r\n\r\n{"
	restOfRequest = "\"positions\":[\"opening:0\"]}"
)

// active waits until so many connections of a service are busy.
func active(t *testing.T, s *service.Service, want int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		got := 0
		if l := s.Listener.Load(); l != nil {
			open, idle := l.Count()
			got = open - idle
		}
		if got == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d connections are busy after a minute, want %d", got, want)
		}
	}
}

// TestConnectionLimit checks that a connection over the limit is answered when,
// and not before, another is closed or has nothing to do.
func TestConnectionLimit(t *testing.T) {
	for _, closes := range []bool{true, false} {
		how := standard()
		how.MaxConnections = 2
		address, s := startDrawing(t, how)
		first, second := dial(t, address, busyRequest), dial(t, address, busyRequest)
		active(t, s, 2)
		third := dial(t, address, aliveRequest)
		if err := third.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if status, err := answered(third); err == nil {
			t.Fatalf("over the limit: %d", status)
		}
		if closes {
			first.Close()
		} else {
			io.WriteString(first, restOfRequest)
			if status, err := answered(first); status != 200 {
				t.Fatalf("within the limit: %d, %v", status, err)
			}
		}
		if err := third.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if status, err := answered(third); status != 200 {
			t.Errorf("with room again: %d, %v", status, err)
		}
		io.WriteString(second, restOfRequest)
		if status, err := answered(second); status != 200 {
			t.Errorf("a busy one: %d, %v", status, err)
		}
	}
}

// endedByServer checks that the server closes a connection.
func endedByServer(t *testing.T, c net.Conn) {
	t.Helper()
	if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection is not closed: %d, %v", n, err)
	}
}

// TestIdleConnectionsGiveWay checks that connections that wait for a request, their
// first or another, are closed for new ones, the longest waiting first.
func TestIdleConnectionsGiveWay(t *testing.T) {
	how := standard()
	how.MaxConnections = 3
	address, s := startDrawing(t, how)
	silent := dial(t, address, "")
	busy := dial(t, address, busyRequest)
	active(t, s, 1)
	idle := dial(t, address, aliveRequest)
	if status, err := answered(idle); status != 200 {
		t.Fatalf("%d, %v", status, err)
	}
	active(t, s, 1)
	for i, oldest := range []net.Conn{silent, idle} {
		if status, err := answered(dial(t, address, aliveRequest)); status != 200 {
			t.Errorf("new connection %d: %d, %v", i, status, err)
		}
		endedByServer(t, oldest)
		active(t, s, 1)
	}
	io.WriteString(busy, restOfRequest)
	if status, err := answered(busy); status != 200 {
		t.Errorf("the busy one: %d, %v", status, err)
	}
	if got := testutil.ToFloat64(s.Metrics.Ended.WithLabelValues(listener.EndedForRoom)); got != 2 {
		t.Errorf("%v are counted", got)
	}
}

// TestConnectionsOfAClient checks that a client that has as many connections as it may
// have loses its own, an idle one or else the new one, and that proxies may have more.
func TestConnectionsOfAClient(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		how := standard()
		how.MaxPerClient = 2
		if trusted {
			how.Proxies = listener.Proxies{netip.MustParsePrefix("127.0.0.0/8")}
		}
		address, s := startDrawing(t, how)
		first, second := dial(t, address, busyRequest), dial(t, address, busyRequest)
		active(t, s, 2)
		third := dial(t, address, "")
		if trusted {
			io.WriteString(third, aliveRequest)
			if status, err := answered(third); status != 200 {
				t.Errorf("of a proxy: %d, %v", status, err)
			}
			continue
		}
		endedByServer(t, third)
		if got := testutil.ToFloat64(s.Metrics.Ended.WithLabelValues(listener.EndedForClient)); got != 1 {
			t.Errorf("%v are counted", got)
		}
		io.WriteString(first, restOfRequest)
		if status, err := answered(first); status != 200 {
			t.Fatalf("%d, %v", status, err)
		}
		active(t, s, 1)
		if status, err := answered(dial(t, address, aliveRequest)); status != 200 {
			t.Errorf("in place of an idle one: %d, %v", status, err)
		}
		endedByServer(t, first)
		io.WriteString(second, restOfRequest)
		if status, err := answered(second); status != 200 {
			t.Errorf("the busy one: %d, %v", status, err)
		}
	}
}

// TestOpsListener checks that the operator's listener answers at the operator's
// addresses when the other has no room, and that metrics are only there.
func TestOpsListener(t *testing.T) {
	how := standard()
	how.MaxConnections = 1
	ops, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address, s := startWith(t, how, ops)
	busy := dial(t, address, busyRequest)
	active(t, s, 1)
	for path, want := range map[string]int{"/livez": 200, "/readyz": 200, "/metrics": 200, "/v1": 404, "/v1/rules": 404, "/docs": 404} {
		c := dial(t, ops.Addr().String(), "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
		if status, err := answered(c); status != want {
			t.Errorf("%s: %d, %v; want %d", path, status, err, want)
		}
	}
	busy.Close()
	for path, want := range map[string]int{"/livez": 200, "/readyz": 200, "/metrics": 404} {
		if status, err := answered(dial(t, address, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")); status != want {
			t.Errorf("%s at the listener for all: %d, %v; want %d", path, status, err, want)
		}
	}
}

// TestConnectionLimitAndShutdown checks that a listener that waits for room can
// be closed.
func TestConnectionLimitAndShutdown(t *testing.T) {
	how := standard()
	how.MaxConnections = 1
	how.ShutdownTimeout = 50 * time.Millisecond
	address := startServing(t, how) // its cleanup fails if it does not end
	if status, err := answered(dial(t, address, aliveRequest)); status != 200 {
		t.Fatalf("%d, %v", status, err)
	}
}

// TestHeaderLimit checks that a header over the limit is refused, and that the
// client, which is still sending, sees it.
func TestHeaderLimit(t *testing.T) {
	how := standard()
	how.MaxHeaderBytes = 1024 // net/http allows 4096 more
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
		set  func(*service.Config)
		sent string
		want int // the status that must be answered before the end, 0 for none
	}{
		"header":  {func(c *service.Config) { c.ReadHeaderTimeout = 20 * time.Millisecond }, "GET /livez HTTP/1.1\r\nHost:", 0},
		"idle":    {func(c *service.Config) { c.IdleTimeout = 20 * time.Millisecond }, aliveRequest, 200},
		"nothing": {func(c *service.Config) { c.ReadHeaderTimeout = 20 * time.Millisecond }, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			how := standard()
			how.ReadHeaderTimeout, how.ReadTimeout, how.WriteTimeout, how.IdleTimeout = time.Hour, time.Hour, time.Hour, time.Hour
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
	how.ReadTimeout = 50 * time.Millisecond
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
	how.WriteTimeout = 200 * time.Millisecond
	address, s := startDrawing(t, how)
	body := `{"moves":true,"positions":["opening:0"` + strings.Repeat(`,"opening:0"`, 999) + `]}` // an answer of some 15 MB
	client := dial(t, address, fmt.Sprintf("POST /v1/tic-tac-chec/probe HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	for deadline := time.Now().Add(time.Minute); testutil.ToFloat64(s.Metrics.InFlight) > 0 || testutil.CollectAndCount(s.Metrics.Requests) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("still being written after a minute")
		}
	}
	if status, err := answered(client); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("answered %d, %v; want an answer cut short", status, err)
	}
}
