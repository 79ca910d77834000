package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// process is a running server: the real binary, in a process of its own.
type process struct {
	command *exec.Cmd
	address string
	ops     string // the operator's address, empty for none
	log     string // the path of its log, of JSON lines
	// asking is for questions about the process itself, on a connection of its own.
	asking *http.Client
}

// startServer starts the real binary as a server that is ready and listens on a
// port of the system's choice.
func startServer(t *testing.T, flags ...string) *process {
	t.Helper()
	return startCommand(t, exec.Command("solved", append([]string{"serve", "--listen", "127.0.0.1:0", "--log-format", "json"}, flags...)...))
}

// startCommand starts a command that becomes a server, which listens on a port of the
// system's choice and logs JSON, and waits until it is ready.
func startCommand(t *testing.T, command *exec.Cmd) *process {
	t.Helper()
	p := &process{command: command, log: filepath.Join(t.TempDir(), "log"), asking: &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}}
	log, err := os.Create(p.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	p.command.Stderr = log
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.asking.CloseIdleConnections()
		p.command.Process.Kill()
		p.command.Wait()
	})
	listening := regexp.MustCompile(`"msg":"listening","address":"([^"]+)"`)
	opsListening := regexp.MustCompile(`"ops_address":"([^"]+)"`)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the server is not ready after a minute: %s", p.logged(t))
		}
		if p.address == "" {
			if m := listening.FindSubmatch(p.logged(t)); m != nil {
				p.address = string(m[1])
				if m := opsListening.FindSubmatch(p.logged(t)); m != nil {
					p.ops = string(m[1])
				}
			}
			continue
		}
		response, err := p.asking.Get(p.url("/readyz"))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return p
		}
	}
}

func (p *process) url(target string) string { return "http://" + p.address + target }

// opsURL is a target for the operator.
func (p *process) opsURL(target string) string {
	if p.ops != "" {
		return "http://" + p.ops + target
	}
	return p.url(target)
}

func (p *process) logged(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile(p.log)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// figures are some of a process's metrics.
type figures struct {
	resident, files, goroutines float64
	// failures are the answers with a status of 500 and more, and problems those
	// that are our fault.
	failures, problems float64
}

func (f figures) String() string {
	return fmt.Sprintf("%.0f MiB resident, %.0f files, %.0f goroutines", f.resident/(1<<20), f.files, f.goroutines)
}

var failureLine = regexp.MustCompile(`^solved_http_requests_total\{.*status="5\d\d".*\}$`)

// figures asks a process for its metrics.
func (p *process) figures() (f figures, err error) {
	response, err := p.asking.Get(p.url("/metrics"))
	if err != nil {
		return f, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return f, fmt.Errorf("/metrics answers %s", response.Status)
	}
	seen := 0
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), " ")
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			continue // a comment, or a name with a space in it
		}
		switch {
		case name == "process_resident_memory_bytes":
			f.resident = value
			seen++
		case name == "process_open_fds":
			f.files = value
			seen++
		case name == "go_goroutines":
			f.goroutines = value
			seen++
		case failureLine.MatchString(name):
			f.failures += value
		case name == `solved_problems_total{type="internal"}`:
			f.problems += value
		}
	}
	if err := lines.Err(); err != nil {
		return f, err
	}
	if seen != 3 {
		return f, fmt.Errorf("/metrics has %d of 3 figures", seen)
	}
	return f, nil
}

// settles waits until a process has no more files than before, and no more
// goroutines but for a few of its own that come and go.
func (p *process) settles(t *testing.T, before figures) figures {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		now, err := p.figures()
		if err != nil {
			t.Fatal(err)
		}
		if now.files <= before.files && now.goroutines <= before.goroutines+10 {
			return now
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server has %s after two minutes; before, it had %s", now, before)
		}
	}
}

// complaints returns what the log has of errors, panics, races and failures of ours.
func (p *process) complaints(t testing.TB) (all []string) {
	t.Helper()
	for line := range bytes.Lines(p.logged(t)) {
		var entry struct {
			Level, Msg, Stack string
			Status            int
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			all = append(all, string(line)) // not a line of the log at all
			continue
		}
		if entry.Level == "ERROR" || entry.Status >= 500 || entry.Stack != "" || strings.Contains(entry.Msg, "panic") || strings.Contains(entry.Msg, "superfluous") {
			all = append(all, string(line))
		}
		if len(all) == 10 {
			break
		}
	}
	return all
}
