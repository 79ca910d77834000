package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"solved/server/service"
)

// logging is a server whose log a test reads.
type logging struct {
	command *exec.Cmd
	log     *os.File // the end to read
	lines   *bufio.Reader
	address string
}

// startLogging starts the real binary as a server, by a shell that runs a line of a
// script before, and reads its log until it listens.
func startLogging(t *testing.T, before string, flags ...string) *logging {
	t.Helper()
	log, end, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer end.Close()
	p := &logging{log: log, lines: bufio.NewReader(log)}
	p.command = exec.Command("sh", append([]string{"-c", before + `; exec "$0" "$@"`, "solved", "serve", "--listen", "127.0.0.1:0", "--log-format", "json"}, flags...)...)
	p.command.Stderr = end
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		log.Close()
		p.command.Process.Kill()
		p.command.Wait()
	})
	for {
		text, err := p.lines.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%v after %q", err, text)
		}
		var line struct{ Msg, Address string }
		if json.Unmarshal(text, &line) == nil && line.Msg == "listening" {
			p.address = line.Address
			return p
		}
	}
}

// get asks for a path with so much more in the query, which is logged.
func (p *logging) get(t *testing.T, path string, more int) string {
	t.Helper()
	client := &http.Client{Timeout: time.Minute}
	response, err := client.Get("http://" + p.address + path + "?x=" + strings.Repeat("x", more))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// ends tells a process to end, and returns how it has ended, which must be within
// a time in which nobody has given up.
func ends(t *testing.T, command *exec.Cmd, signals ...os.Signal) error {
	t.Helper()
	for _, s := range signals {
		if err := command.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(25 * time.Second): // less than --shutdown-timeout
		command.Process.Kill()
		<-ended
		t.Error("it does not end")
		return nil
	}
}

// unignoreHangup has processes that a test starts not ignore SIGHUP, even if the tests
// themselves do, as under nohup.
func unignoreHangup(t *testing.T) {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(caught) })
}

// code is the exit code of a process.
func code(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err == nil {
		return 0
	}
	return exit.ExitCode()
}

// TestLogReaderGone checks that a server goes on when the reader of its log has gone,
// counts the lines that nobody reads, and ends as it should.
func TestLogReaderGone(t *testing.T) {
	for name, before := range map[string]string{"as usual": ":", "ignored at the start": "trap '' PIPE"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startLogging(t, before)
			p.log.Close()
			for deadline := time.Now().Add(time.Minute); ; {
				p.get(t, "/v1/nothing", 0)
				if text := p.get(t, "/metrics", 0); !strings.Contains(text, "\nsolved_log_lines_dropped_total 0\n") {
					break
				}
				if time.Now().After(deadline) {
					t.Fatal("no line of the log has been dropped after a minute")
				}
			}
			if err := ends(t, p.command, syscall.SIGTERM); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLogReaderStalls checks that no request waits for a reader of the log that does
// not read, and neither does the end.
func TestLogReaderStalls(t *testing.T) {
	t.Parallel()
	p := startLogging(t, ":")
	for range 150 { // twice what fits into a pipe
		p.get(t, "/v1/nothing", service.MaxLoggedTarget)
	}
	if err := ends(t, p.command, syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}

// TestShutdownFresh tells a server to end, without a delay, while clients ask on fresh
// connections: each connection that it takes is answered, and then it takes none.
func TestShutdownFresh(t *testing.T) {
	t.Parallel()
	p := startServer(t)
	var asked atomic.Int64
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			for {
				c, err := net.DialTimeout("tcp", p.address, time.Minute)
				if err != nil {
					return // it takes no more
				}
				c.SetDeadline(time.Now().Add(time.Minute))
				if _, err := io.WriteString(c, "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); err != nil {
					t.Errorf("a connection is lost: %v", err)
				} else if status, err := answered(c); err != nil || status != http.StatusOK {
					t.Errorf("a request is lost: %d, %v", status, err)
				}
				c.Close()
				asked.Add(1)
			}
		})
	}
	for asked.Load() < 100 && !t.Failed() {
		time.Sleep(time.Millisecond)
	}
	if err := ends(t, p.command, syscall.SIGTERM); err != nil {
		t.Errorf("%v\n%s", err, p.logged(t))
	}
	all.Wait()
}

// TestSecondSignal checks that a second signal ends a server that waits for its
// requests.
func TestSecondSignal(t *testing.T) {
	for want, signal := range map[int]os.Signal{130: os.Interrupt, 143: syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			p := startServer(t, "--shutdown-delay", "1h")
			if err := p.command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			for !bytes.Contains(p.logged(t), []byte("shutting down")) {
				time.Sleep(time.Millisecond)
			}
			if got := code(t, ends(t, p.command, signal)); got != want {
				t.Errorf("exit code %d, want %d", got, want)
			}
		})
	}
}

// TestPrompt checks that a signal ends a command that waits for input, and that what is
// typed then is not taken.
func TestPrompt(t *testing.T) {
	unignoreHangup(t)
	for _, c := range []struct {
		signal os.Signal
		code   int
		args   []string
		typed  string // answered before the signal comes
		until  string
	}{
		{os.Interrupt, 130, []string{"play", "tic-tac-toe"}, "", "> "},
		{syscall.SIGTERM, 143, []string{"play", "tic-tac-toe"}, "b2\n", "your turn.\n> "},
		{syscall.SIGHUP, 129, []string{"play", "pig"}, "roll\n", "\n> "},
		{syscall.SIGTERM, 143, []string{"probe", "tic-tac-toe", "-"}, "X../.../...\n", "\n"},
	} {
		t.Run(fmt.Sprint(c.args[0], " ", c.signal), func(t *testing.T) {
			t.Parallel()
			command := exec.Command("solved", c.args...)
			in, err := command.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			var complaints bytes.Buffer
			command.Stderr = &complaints
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			io.WriteString(in, c.typed)
			var seen []byte
			for b := make([]byte, 1); !strings.HasSuffix(string(seen), c.until) || c.typed != "" && bytes.Count(seen, []byte("> ")) == 1; {
				if _, err := out.Read(b); err != nil {
					t.Fatalf("%v after %q", err, seen)
				}
				seen = append(seen, b...)
			}
			rest := make(chan string, 1)
			go func() {
				text, _ := io.ReadAll(out)
				rest <- string(text)
			}()
			if err := command.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			text := <-rest // it has ended
			io.WriteString(in, "a1\n")
			if got := code(t, command.Wait()); got != c.code || strings.TrimSpace(text) != "" || complaints.String() != "solved: interrupted\n" {
				t.Errorf("exit code %d, want %d: %q %q", got, c.code, text, &complaints)
			}
		})
	}
}
