package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"
)

// attack is what the attacker does: clients send requests without pause. A list of
// attacks, which all go on at the same time, is passed as JSON on the attacker's standard
// input.
type attack struct {
	Address string
	From    string // IP address that the clients connect from; empty for any
	Clients int
	// Requests are sent in this order. Each client begins at another one.
	Requests []attackRequest
	// Manner is one of the manner constants.
	Manner string
	// Last is how long clients begin new requests, after the first one each. Requests
	// that were sent by then are waited for.
	Last time.Duration
	// Fresh makes a client open a connection for each request.
	Fresh bool
	// Checked makes the clients hold the answers to their form. This costs much more
	// processor time than the rest.
	Checked bool
}

// The manners of clients.
const (
	readAll     = "read all"     // read each answer, then ask again
	readNothing = "read nothing" // read the status of the first answer and nothing else
	sendNoEnd   = "send no end"  // send all but the last byte of the request, then wait
)

// attackRequest is a whole request in HTTP/1.1.
type attackRequest struct {
	Text []byte
	// Results is how many results an answer of status 200 has, 0 if it is no batch.
	Results int
}

// attackReport is what came of attacks. The attacker prints it as JSON.
type attackReport struct {
	Sent     int         // requests
	Statuses map[int]int // of answers, by status
	// Lost is how many requests ended without a status, Again how many could not be
	// sent as the server had closed the connection before, and Refused how many
	// connections could not be opened.
	Lost, Again, Refused int
	Longest              time.Duration // from sending a request to its answer's end
	Bytes                int64         // of answers' bodies as sent
	// Faults are answers that are not in form, or whose body did not come whole, the
	// first few of them, and FaultCount is how many there are.
	Faults     []string
	FaultCount int
}

// attackPatience is how long a client waits for an answer. It is longer than any
// deadline of the server.
const attackPatience = 90 * time.Second

// soon is less than what a server does with a request takes that gets no status in the end.
const soon = time.Second

// attackerMain is the load generator, a program of its own: it runs at a lower priority
// than the server, so that its processor time is not taken from the server.
func attackerMain() {
	var attacks []attack
	if err := json.NewDecoder(os.Stdin).Decode(&attacks); err != nil {
		fmt.Fprintln(os.Stderr, "the attacks do not parse:", err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(runAttacks(attacks)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// runAttacks attacks, and returns when every client is done.
func runAttacks(attacks []attack) *attackReport {
	report := &attackReport{Statuses: map[int]int{}}
	var mutex sync.Mutex
	var all sync.WaitGroup
	start := time.Now()
	for _, a := range attacks {
		for i := range a.Clients {
			all.Go(func() {
				c := &attackClient{attack: &a, report: attackReport{Statuses: map[int]int{}}}
				c.run(i, start.Add(a.Last))
				mutex.Lock()
				defer mutex.Unlock()
				report.Add(&c.report)
			})
		}
	}
	all.Wait()
	return report
}

// Add adds what another client, or another attacker, has seen.
func (r *attackReport) Add(more *attackReport) {
	for status, n := range more.Statuses {
		r.Statuses[status] += n
	}
	r.Sent += more.Sent
	r.Lost += more.Lost
	r.Again += more.Again
	r.Refused += more.Refused
	r.Longest = max(r.Longest, more.Longest)
	r.Bytes += more.Bytes
	r.FaultCount += more.FaultCount
	r.Faults = append(r.Faults, more.Faults...)
	r.Faults = r.Faults[:min(len(r.Faults), 10)]
}

func (r *attackReport) fault(format string, args ...any) {
	r.FaultCount++
	if len(r.Faults) < 10 {
		r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
	}
}

func (r *attackReport) String() string {
	return fmt.Sprintf("%d requests, statuses %v, %d without a status, %d not sent, %d connections refused, %d faults, %d MB of answers, longest %s",
		r.Sent, r.Statuses, r.Lost, r.Again, r.Refused, r.FaultCount, r.Bytes/1_000_000, r.Longest.Round(time.Millisecond))
}

// attackClient is one client of an attack.
type attackClient struct {
	*attack
	report     attackReport
	connection net.Conn // nil for none
	reader     *bufio.Reader
}

func (c *attackClient) run(first int, end time.Time) {
	defer c.Close()
	for i := first; i == first || time.Now().Before(end); i++ {
		if c.connection == nil && !c.dial() {
			continue
		}
		request := c.Requests[i%len(c.Requests)]
		c.report.Sent++
		start := time.Now()
		switch c.Manner {
		case readAll:
			c.ask(request)
		case readNothing:
			c.Hold(request.Text, end)
		case sendNoEnd:
			c.Hold(request.Text[:len(request.Text)-1], end)
		}
		c.report.Longest = max(c.report.Longest, time.Since(start))
		if c.Fresh {
			c.Close()
		}
	}
}

// dial opens a connection.
func (c *attackClient) dial() bool {
	dialer := net.Dialer{Timeout: attackPatience}
	if c.From != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(c.From)}
	}
	connection, err := dialer.Dial("tcp", c.Address)
	if err != nil {
		c.report.Refused++
		return false
	}
	if c.Manner == readNothing {
		connection.(*net.TCPConn).SetReadBuffer(4096)
	}
	c.connection = connection
	c.reader = bufio.NewReader(connection)
	return true
}

func (c *attackClient) Close() {
	if c.connection != nil {
		c.connection.Close()
		c.connection = nil
	}
}

// send sends a text. The server may refuse the request before it has read all of it,
// so the error shows when the answer is read.
func (c *attackClient) send(text []byte) {
	c.connection.SetDeadline(time.Now().Add(attackPatience))
	c.connection.Write(text)
}

// ask sends a request and reads the answer.
func (c *attackClient) ask(request attackRequest) {
	c.send(request.Text)
	sent := time.Now()
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		// A server may close a connection on which no request is on its way: one that
		// is idle, or on which the first request comes late, as the attacker may be
		// without processor time. Clients send such a request again: it is not lost.
		if time.Since(sent) < soon {
			c.report.Again++
		} else {
			c.report.Lost++
			c.report.fault("no status after %s: %v", time.Since(sent).Round(time.Millisecond), err)
		}
		c.Close()
		return
	}
	c.report.Statuses[response.StatusCode]++
	body := &counter{Reader: response.Body}
	if c.Checked {
		err = checkAnswer(response, body, request.Results)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, body)
	}
	c.report.Bytes += body.n
	if err != nil {
		c.report.fault("%s after %d bytes: %v", response.Status, body.n, err)
		c.Close()
		return
	}
	if response.Close {
		c.Close()
	}
}

// Hold sends a text and leaves the answer unread, but for its status if there is one,
// until the attack or the connection ends.
func (c *attackClient) Hold(text []byte, end time.Time) {
	defer c.Close()
	c.connection.SetDeadline(end)
	c.connection.Write(text) // it may not be taken whole
	status := make([]byte, len("HTTP/1.1 200"))
	if _, err := io.ReadFull(c.reader, status); err != nil {
		// A server that refuses a request before it has read all of it closes the connection
		// soon. The reset that follows may overtake the answer (RFC 9112, 9.6) when the attacker
		// had no processor time to read it: a client sends such a request again.
		if errors.Is(err, syscall.ECONNRESET) {
			c.report.Again++
			return
		}
		if c.Manner == readNothing && !errors.Is(err, os.ErrDeadlineExceeded) {
			c.report.Lost++
			c.report.fault("no status: %v", err)
		}
		return
	}
	code := 0
	fmt.Sscanf(string(status), "HTTP/1.1 %d", &code)
	c.report.Statuses[code]++
	if c.Manner == readNothing && code == http.StatusOK {
		time.Sleep(time.Until(end))
	}
}

// counter counts what is read.
type counter struct {
	io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

// checkAnswer holds an answer to its form: the body is one value of JSON where it says
// that it is JSON, and an answer to a batch has so many results, each of them a probe or
// a problem.
func checkAnswer(response *http.Response, body io.Reader, results int) error {
	switch encoding := response.Header.Get("Content-Encoding"); encoding {
	case "":
	case "gzip":
		r, err := gzip.NewReader(body)
		if err != nil {
			return err
		}
		body = r
	case "zstd":
		r, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err != nil {
			return err
		}
		defer r.Close()
		body = r
	default:
		return fmt.Errorf("the encoding is %q", encoding)
	}
	switch response.Header.Get("Content-Type") {
	case "application/json", "application/problem+json":
	default:
		return nil
	}
	in := json.NewDecoder(body)
	if results == 0 || response.StatusCode != http.StatusOK {
		var any json.RawMessage
		if err := in.Decode(&any); err != nil {
			return err
		}
	} else if err := checkBatch(in, results); err != nil {
		return err
	}
	if _, err := in.Token(); err != io.EOF {
		return fmt.Errorf("there is more after the JSON: %v", err)
	}
	return nil
}

// checkBatch reads the answer to a batch, one result at a time.
func checkBatch(in *json.Decoder, results int) error {
	for _, want := range []json.Token{json.Delim('{'), "results", json.Delim('[')} {
		if token, err := in.Token(); err != nil || token != want {
			return fmt.Errorf("%v instead of %v, %w", token, want, err)
		}
	}
	n := 0
	for ; in.More(); n++ {
		var result struct{ Probe, Problem json.RawMessage }
		if err := in.Decode(&result); err != nil {
			return fmt.Errorf("result %d: %w", n, err)
		}
		if (string(result.Probe) == "null") == (string(result.Problem) == "null") {
			return fmt.Errorf("result %d is not either a probe or a problem", n)
		}
	}
	if n != results {
		return fmt.Errorf("%d results for %d positions", n, results)
	}
	for _, want := range []json.Token{json.Delim(']'), json.Delim('}')} {
		if token, err := in.Token(); err != nil || token != want {
			return fmt.Errorf("%v instead of %v, %w", token, want, err)
		}
	}
	return nil
}
