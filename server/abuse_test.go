package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"solved/api"
)

// scale is how much abuse the tests make.
type scale struct {
	full        bool
	connections int           // slow ones, at a time
	timeout     time.Duration // of the server, for each phase of a request
	malformed   int           // requests
}

// abuse returns the scale: a small one, or the full one if the environment has
// ABUSE=full. (A variable SOLVED_… would be the server's.)
func abuse(t *testing.T) scale {
	switch text := os.Getenv("ABUSE"); text {
	case "":
		return scale{connections: 500, timeout: 3 * time.Second, malformed: 6_000}
	case "full":
		return scale{full: true, connections: 10_000, timeout: time.Minute, malformed: 200_000}
	default:
		t.Fatalf("ABUSE is full or not set, not %q", text)
		return scale{}
	}
}

// sane are questions whose answers are known from when nothing was wrong.
type sane struct {
	p       *process
	targets []string
	want    [][]byte
}

func saneQuestions(t *testing.T, p *process) *sane {
	s := &sane{p: p}
	for _, position := range randomMain(50) {
		s.targets = append(s.targets, "/v1/tic-tac-chec/probe?position="+url.QueryEscape(position.String()))
	}
	s.targets = append(s.targets, "/v1/rules", "/v1/tic-tac-chec-outbound/line", "/v1/tic-tac-chec-toward-opponent/best")
	for _, target := range s.targets {
		body, err := s.ask(p.asking, target)
		if err != nil {
			t.Fatal(err)
		}
		s.want = append(s.want, body)
	}
	return s
}

func (s *sane) ask(client *http.Client, target string) ([]byte, error) {
	response, err := client.Get(s.p.url(target))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s: %s", target, response.Status, body)
	}
	return body, err
}

// Check asks every question once.
func (s *sane) Check(t *testing.T) {
	t.Helper()
	for i, target := range s.targets {
		body, err := s.ask(s.p.asking, target)
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(body, s.want[i]) {
			t.Errorf("%s answers %s, and before it was %s", target, body, s.want[i])
		}
	}
}

// watch lets some sane clients ask, and looks at the process, until the context
// ends. It returns the most of each figure, and the times that answers took, in
// order.
func (s *sane) watch(ctx context.Context, t *testing.T) (most figures, took []time.Duration) {
	var all sync.WaitGroup
	var mutex sync.Mutex
	for range 4 {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
			defer client.CloseIdleConnections()
			for i := 0; ctx.Err() == nil; i = (i + 1) % len(s.targets) {
				if i%10 == 0 {
					client.CloseIdleConnections() // newcomers are answered, too
				}
				start := time.Now()
				body, err := s.ask(client, s.targets[i])
				duration := time.Since(start)
				if err != nil || !bytes.Equal(body, s.want[i]) {
					t.Errorf("a sane client got %s, %v after %s", body, err, duration)
					return
				}
				mutex.Lock()
				took = append(took, duration)
				mutex.Unlock()
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	for ctx.Err() == nil {
		now, err := s.p.figures()
		if err != nil {
			t.Error(err)
			break
		}
		most.resident = max(most.resident, now.resident)
		most.files = max(most.files, now.files)
		most.goroutines = max(most.goroutines, now.goroutines)
		time.Sleep(50 * time.Millisecond)
	}
	all.Wait()
	slices.Sort(took)
	return most, took
}

// percentiles tells of durations in order.
func percentiles(took []time.Duration) string {
	if len(took) == 0 {
		return "none"
	}
	at := func(share float64) time.Duration {
		return took[int(share*float64(len(took)-1))].Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("%d, p50 %s, p99 %s, longest %s", len(took), at(0.5), at(0.99), at(1))
}

// slowClient is a way to hold a connection for as long as it goes. It returns when
// the server has ended the connection, with what it has sent.
type slowClient struct {
	name string
	hold func(net.Conn) (answer []byte, err error)
	// status is how what the server has sent begins, empty for nothing at all.
	status string
}

const slowQuestion = "/v1/tic-tac-chec/probe?position=Pb2/n1R1/2rp/N3_w_dd_m"

// drip sends a text at once, and then another one byte by byte for ever, until the
// connection ends.
func drip(first, then string) func(net.Conn) ([]byte, error) {
	return func(c net.Conn) ([]byte, error) {
		if _, err := io.WriteString(c, first); err != nil {
			return nil, err
		}
		var answer []byte
		buffer := make([]byte, 4096)
		for i := 0; ; i++ {
			c.SetReadDeadline(time.Now().Add(time.Second))
			n, err := c.Read(buffer)
			answer = append(answer, buffer[:n]...)
			if err == nil {
				continue
			}
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				return answer, ended(err)
			}
			if then != "" {
				// An error shows when the rest has been read.
				io.WriteString(c, then[i%len(then):][:1])
			}
		}
	}
}

// ended is nil for the errors by which a connection shows that the other side has
// ended it.
func ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// slowClients are the ways. Those that read slowly are apart, in readSlowly.
func slowClients() []slowClient {
	header := "GET " + slowQuestion + " HTTP/1.1\r\nHost: solved\r\n"
	post := "POST /v1/tic-tac-chec/probe HTTP/1.1\r\nHost: solved\r\nContent-Type: application/json\r\n"
	return []slowClient{
		{"says nothing", drip("", ""), ""},
		{"sends a header byte by byte", drip(header, "X-Slow: yes\r\n"), ""},
		{"sends a request line byte by byte", drip("G", "ET /"+strings.Repeat("a", 1000)), ""},
		{"sends a body byte by byte", drip(post+"Content-Length: 2000\r\n\r\n", `{"positions":["`+strings.Repeat("4/", 1000)), "HTTP/1.1 400 "},
		{"sends a chunk byte by byte", drip(post+"Transfer-Encoding: chunked\r\n\r\n7d0\r\n", `{"positions":["`+strings.Repeat("4/", 1000)), "HTTP/1.1 400 "},
		{"announces a body and sends none", drip(post+"Content-Length: 2000\r\n\r\n", ""), "HTTP/1.1 400 "},
		{"asks once and is idle", drip(header+"\r\n", ""), "HTTP/1.1 200 "},
		{"half closes within a header", func(c net.Conn) ([]byte, error) {
			if _, err := io.WriteString(c, header); err != nil {
				return nil, err
			}
			if err := c.(*net.TCPConn).CloseWrite(); err != nil {
				return nil, err
			}
			answer, err := io.ReadAll(c)
			return answer, ended(err)
		}, ""},
	}
}

// slowReading is what a client asks for that then reads hardly any of it: more
// than the buffers in between hold.
var slowReading = strings.Repeat("GET "+slowQuestion+" HTTP/1.1\r\nHost: solved\r\n\r\n", 100)

// TestAbuseSlow holds thousands of connections that are slow in each phase of a
// request: the server ends them all, answers everybody else meanwhile, and is
// afterwards as it was before.
func TestAbuseSlow(t *testing.T) {
	much := abuse(t)
	timeout := much.timeout.String()
	p := startServer(t, "--max-connections-per-client", "0", "--read-header-timeout", timeout, "--read-timeout", timeout, "--write-timeout", timeout, "--idle-timeout", timeout)
	sane := saneQuestions(t, p)
	before, err := p.figures()
	if err != nil {
		t.Fatal(err)
	}

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var watching sync.WaitGroup
	var most figures
	var took []time.Duration
	watching.Go(func() { most, took = sane.watch(ctx, t) })

	ways := slowClients()
	// One way in nine does not last, and the others alone are to be as many as asked.
	connections := much.connections * (len(ways) + 1) / len(ways)

	dial := func() net.Conn {
		c, err := net.Dial("tcp", p.address)
		if err != nil {
			t.Errorf("%v; the hard limit of open files must be well above %d", err, connections)
			return nil
		}
		return c
	}
	start := time.Now()
	endings := make([]atomic.Int64, len(ways)+1)
	var opened, finished atomic.Int64
	var slow, readers sync.WaitGroup
	over := make(chan struct{})
	for i := range connections {
		if i%250 == 0 {
			// The system holds a few thousand connections that wait to be accepted,
			// and makes further ones, of whomever, try again after seconds.
			for !t.Failed() {
				now, err := p.figures()
				if err != nil {
					t.Fatal(err)
				}
				if opened.Load() == int64(i) && now.files >= before.files+float64(opened.Load()-finished.Load()) {
					break
				}
				if time.Since(start) > much.timeout {
					t.Fatalf("in the %s after which the first are ended, only %d of %d connections were opened", timeout, i, connections)
				}
				time.Sleep(5 * time.Millisecond)
			}
		}
		way := i % (len(ways) + 1)
		if way == len(ways) {
			readers.Go(func() {
				c := dial()
				if c == nil {
					return
				}
				defer c.Close()
				opened.Add(1)
				if err := readSlowly(c, over); err != nil {
					t.Errorf("a client that reads slowly: %v", err)
					return
				}
				endings[way].Add(1)
			})
			continue
		}
		slow.Go(func() {
			c := dial()
			if c == nil {
				return
			}
			defer c.Close()
			opened.Add(1)
			answer, err := ways[way].hold(c)
			finished.Add(1)
			if err != nil {
				t.Errorf("a client that %s: %v", ways[way].name, err)
				return
			}
			endings[way].Add(1)
			// Being cut off before the answer comes is all right as well.
			if !bytes.HasPrefix(answer, []byte(ways[way].status)) && len(answer) > 0 {
				t.Errorf("a client that %s got %q", ways[way].name, answer)
			}
		})
	}
	for opened.Load() < int64(connections) && !t.Failed() {
		time.Sleep(time.Millisecond)
	}
	t.Logf("%d connections opened in %s", opened.Load(), time.Since(start).Round(time.Millisecond))
	slow.Wait()
	t.Logf("those that are slow in asking ended after %s", time.Since(start).Round(time.Millisecond))

	// Whoever reads slowly does not see the end before the buffers in between are
	// empty, but the server's files show it.
	stop()
	watching.Wait()
	after := p.settles(t, before)
	t.Logf("all ended after %s", time.Since(start).Round(time.Millisecond))
	close(over)
	readers.Wait()
	for way := range endings {
		share := (connections - way + len(ways)) / (len(ways) + 1)
		if n := endings[way].Load(); n != int64(share) {
			t.Errorf("way %d: %d of %d connections ended", way, n, share)
		}
	}
	t.Logf("before: %s", before)
	t.Logf("at most: %s", most)
	t.Logf("after: %s", after)
	t.Logf("answers to others: %s", percentiles(took))
	if most.files < float64(much.connections) {
		t.Errorf("at most %.0f files were open at a time", most.files)
	}
	if bound := before.resident + 64<<20 + float64(much.connections)*(128<<10); most.resident > bound {
		t.Errorf("%.0f MiB were resident, more than %.0f", most.resident/(1<<20), bound/(1<<20))
	}
	if after.failures > before.failures {
		t.Errorf("%.0f answers are failures of ours", after.failures-before.failures)
	}
	if len(took) == 0 {
		t.Error("no sane client was answered")
	}
	sane.Check(t)
	for _, line := range p.complaints(t) {
		t.Errorf("logged %s", line)
	}
}

// readSlowly asks for much and reads a byte now and then, until the server is known
// to have ended the connection.
func readSlowly(c net.Conn, over <-chan struct{}) error {
	if err := c.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		return err
	}
	if _, err := io.WriteString(c, slowReading); err != nil {
		return err
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			var b [1]byte
			if _, err := c.Read(b[:]); err != nil {
				return ended(err)
			}
		case <-over:
			return nil
		}
	}
}

// TestAbuseGreedy lets clients ask for the largest answers there are, megabytes
// each, and read nothing: no more of them are held at a time than there is room for,
// others are answered meanwhile, and large answers are given again afterwards.
func TestAbuseGreedy(t *testing.T) {
	const clients = 64
	p := startServer(t)
	sane := saneQuestions(t, p)
	before, err := p.figures()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var watching sync.WaitGroup
	var most figures
	var took []time.Duration
	watching.Go(func() { most, took = sane.watch(ctx, t) })

	var ask struct {
		Positions []string `json:"positions"`
		Moves     bool     `json:"moves"`
	}
	for _, position := range randomMain(api.MaxBatch) {
		ask.Positions = append(ask.Positions, position.String())
	}
	ask.Moves = true
	body, err := json.Marshal(ask)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var served, refused atomic.Int64
	over := make(chan struct{})
	for range clients {
		all.Go(func() {
			c, err := net.Dial("tcp", p.address)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			if err := c.(*net.TCPConn).SetReadBuffer(4096); err != nil {
				t.Error(err)
				return
			}
			fmt.Fprintf(c, "POST /v1/tic-tac-chec/probe HTTP/1.1\r\nHost: solved\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			status := make([]byte, len("HTTP/1.1 200"))
			if _, err := io.ReadFull(c, status); err != nil {
				t.Errorf("a greedy client got %q, %v", status, err)
				return
			}
			switch string(status) {
			case "HTTP/1.1 200":
				served.Add(1)
			case "HTTP/1.1 503": // overloaded
				refused.Add(1)
				return
			default:
				t.Errorf("a greedy client got %s", status)
			}
			<-over
		})
	}
	for served.Load()+refused.Load() < clients && !t.Failed() {
		time.Sleep(10 * time.Millisecond)
	}
	close(over)
	all.Wait()
	stop()
	watching.Wait()
	after := p.settles(t, before)
	t.Logf("%d clients were answered, %d told to come back", served.Load(), refused.Load())
	t.Logf("before: %s", before)
	t.Logf("at most: %s", most)
	t.Logf("after: %s", after)
	t.Logf("answers to others: %s", percentiles(took))
	if served.Load() == 0 {
		t.Error("no greedy client was answered")
	}
	if after.problems > 0 {
		t.Errorf("%.0f answers are failures of ours", after.problems)
	}
	if bound := before.resident + 512<<20; most.resident > bound {
		t.Errorf("%.0f MiB were resident, more than %.0f", most.resident/(1<<20), bound/(1<<20))
	}
	response, err := p.asking.Post(p.url("/v1/tic-tac-chec/probe"), "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var batch struct {
		Results []struct{ Probe *api.PiecesProbe }
	}
	if err := json.NewDecoder(response.Body).Decode(&batch); err != nil || len(batch.Results) != len(ask.Positions) {
		t.Fatalf("afterwards, a batch of %d has %d answers, %v", len(ask.Positions), len(batch.Results), err)
	}
	for i, r := range batch.Results {
		if r.Probe == nil || r.Probe.Position != ask.Positions[i] || len(r.Probe.Moves) == 0 {
			t.Fatalf("afterwards, position %d of a batch gets %+v", i, r.Probe)
		}
	}
	sane.Check(t)
}

// TestAbuseMalformed sends requests that are broken in every way that a seeded
// generator finds: none is our fault, none brings anything down, and the server
// answers rightly afterwards.
func TestAbuseMalformed(t *testing.T) {
	much := abuse(t)
	p := startServer(t)
	sane := saneQuestions(t, p)
	before, err := p.figures()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var watching sync.WaitGroup
	var most figures
	var took []time.Duration
	watching.Go(func() { most, took = sane.watch(ctx, t) })

	start := time.Now()
	const senders = 32
	var all sync.WaitGroup
	var mutex sync.Mutex
	statuses := map[int]int{}
	for sender := range senders {
		all.Go(func() {
			a := &abuser{t: t, address: p.address, random: rand.New(rand.NewPCG(uint64(sender), 20261130)), statuses: map[int]int{}}
			defer a.Close()
			for n := 0; n < much.malformed/senders && !t.Failed(); n++ {
				if n%4 == 0 {
					a.sendBroken()
				} else {
					a.sendWrong()
				}
			}
			mutex.Lock()
			defer mutex.Unlock()
			for status, n := range a.statuses {
				statuses[status] += n
			}
		})
	}
	all.Wait()
	t.Logf("%d requests and connections in %s", much.malformed/senders*senders, time.Since(start).Round(time.Millisecond))
	stop()
	watching.Wait()
	after := p.settles(t, before)
	t.Logf("statuses: %v", statuses)
	t.Logf("before: %s", before)
	t.Logf("at most: %s", most)
	t.Logf("after: %s", after)
	t.Logf("answers to others: %s", percentiles(took))
	for _, status := range []int{200, 400, 404, 405, 409, 413, 414, 415, 417, 422, 431, 501, 505} {
		if statuses[status] == 0 {
			t.Errorf("no answer has the status %d: the generator has become blunt", status)
		}
	}
	if after.failures > before.failures || after.problems > 0 {
		t.Errorf("%.0f answers are failures of ours", after.failures-before.failures)
	}
	if bound := before.resident + 384<<20; most.resident > bound {
		t.Errorf("%.0f MiB were resident, more than %.0f", most.resident/(1<<20), bound/(1<<20))
	}
	if len(took) == 0 {
		t.Error("no sane client was answered")
	}
	sane.Check(t)
	for _, line := range p.complaints(t) {
		t.Errorf("logged %s", line)
	}
}

// TestAbuseShutdown tells a loaded server to stop. It says that it is not ready
// while it still answers; every request that it got is answered wholly, also those
// of which it had only a part; and its exit code is 0.
func TestAbuseShutdown(t *testing.T) {
	p := startServer(t, "--shutdown-delay", "3s", "--read-timeout", "1m", "--read-header-timeout", "1m")
	sane := saneQuestions(t, p)
	var answered atomic.Int64
	answered.Add(int64(len(sane.targets)))

	// Requests of which the server has the header and half of the body.
	const halves = 32
	body := `{"positions":["Pb2/n1R1/2rp/N3 w dd m","4/4/4/4 w -- o"],"moves":true}`
	var half [halves]net.Conn
	for i := range half {
		c, err := net.Dial("tcp", p.address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, err = fmt.Fprintf(c, "POST /v1/tic-tac-chec/probe HTTP/1.1\r\nHost: solved\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body[:len(body)/2])
		if err != nil {
			t.Fatal(err)
		}
		half[i] = c
	}

	// Clients that keep their connections, and ask on for a while after the server
	// has said that it is not ready, as those behind a load balancer do.
	var unready atomic.Bool
	var all sync.WaitGroup
	var late atomic.Int64
	for range 16 {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
			defer client.CloseIdleConnections()
			more := 20
			for i := 0; more > 0; i = (i + 1) % len(sane.targets) {
				if unready.Load() {
					more--
					late.Add(1)
				}
				got, err := sane.ask(client, sane.targets[i])
				if err != nil || !bytes.Equal(got, sane.want[i]) {
					t.Errorf("a request is lost: %s, %v", got, err)
					return
				}
				answered.Add(1)
			}
		})
	}
	for answered.Load() < 1000 && !t.Failed() {
		time.Sleep(time.Millisecond)
	}
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; {
		response, err := p.asking.Get(p.url("/readyz"))
		if err != nil {
			t.Fatalf("the server ended without having said that it is not ready: %v", err)
		}
		got, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode == http.StatusServiceUnavailable {
			if !bytes.Contains(got, []byte("shutting down")) {
				t.Errorf("not ready: %s", got)
			}
			if !response.Close {
				t.Error("the connection is kept, though the server is about to stop")
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("still ready a minute after SIGTERM")
		}
	}
	unready.Store(true)
	all.Wait()

	// When it takes no connections any more, the other halves.
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("tcp", p.address)
		if err != nil {
			break
		}
		c.Close()
		if time.Now().After(deadline) {
			t.Fatal("still listening a minute after SIGTERM")
		}
	}
	for _, c := range half {
		if _, err := io.WriteString(c, body[len(body)/2:]); err != nil {
			t.Errorf("a request in flight is lost: %v", err)
			continue
		}
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Errorf("a request in flight is lost: %v", err)
			continue
		}
		var batch struct {
			Results []struct{ Probe, Problem any }
		}
		if err := json.NewDecoder(response.Body).Decode(&batch); err != nil || response.StatusCode != http.StatusOK ||
			len(batch.Results) != 2 || batch.Results[0].Probe == nil || batch.Results[1].Probe == nil {
			t.Errorf("a request in flight got %s, %v, %v", response.Status, batch, err)
		}
		answered.Add(1)
	}
	if err := p.command.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	logged := bytes.Count(p.logged(t), []byte(`"status":200,`))
	t.Logf("%d requests answered, %d of them asked after it was not ready, %d when it listened no more", answered.Load(), late.Load(), halves)
	if int64(logged) != answered.Load() {
		t.Errorf("%d requests were answered, and the log has %d", answered.Load(), logged)
	}
	if !bytes.Contains(p.logged(t), []byte(`"msg":"stopped"`)) {
		t.Error("the log does not say that the server has stopped")
	}
	for _, line := range p.complaints(t) {
		t.Errorf("logged %s", line)
	}
}
