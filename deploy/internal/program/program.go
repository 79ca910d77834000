// Package program builds the program that is deployed, and asks it what it knows, so
// that what the files of this module say of it is held against the program itself.
package program

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds every wait for the program. It is long, as a test machine may be
// busy, and is waited for only when something is wrong.
const patience = 2 * time.Minute

// A Program is the built program.
type Program struct{ path string }

// Build builds the program for a test as the Dockerfile does, from the module that
// holds root, the repository's folder.
func Build(t testing.TB, root string) Program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "solved")
	build := exec.Command("go", "build", "-trimpath", "-o", path, "./server")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return Program{path}
}

// Flag is a flag of a command as its help tells it.
type Flag struct{ Name, Default string }

// Variable is the environment variable of a flag of solved serve.
func (f Flag) Variable() string {
	return "SOLVED_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

var (
	flagLine    = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z0-9-]+)\b(.*)$`)
	flagDefault = regexp.MustCompile(`\(default "?([^")]*)"?\)$`)
)

// Flags returns the flags of a command, by name.
func (p Program) Flags(t testing.TB, command ...string) map[string]Flag {
	t.Helper()
	out, err := exec.Command(p.path, append(command, "--help")...).Output()
	if err != nil {
		t.Fatalf("solved %s --help: %v", strings.Join(command, " "), err)
	}
	flags := make(map[string]Flag)
	for _, m := range flagLine.FindAllStringSubmatch(string(out), -1) {
		f := Flag{Name: m[1]}
		if d := flagDefault.FindStringSubmatch(m[2]); d != nil {
			f.Default = d[1]
		}
		flags[f.Name] = f
	}
	if len(flags) == 0 {
		t.Fatalf("solved %s --help tells no flags:\n%s", strings.Join(command, " "), out)
	}
	return flags
}

// Run runs the program to its end and returns its exit code and what it wrote to
// standard error. Its environment is the one given.
func (p Program) Run(t testing.TB, environ []string, args ...string) (code int, diagnostics string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var text strings.Builder
	c := exec.CommandContext(ctx, p.path, args...)
	c.Env = append([]string{}, environ...) // not nil, which would be ours
	c.Stderr = &text
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("solved %s: %v", strings.Join(args, " "), err)
	}
	return c.ProcessState.ExitCode(), text.String()
}

// Serve starts the program with the arguments and the environment given, on a free
// port of this machine, waits until it is ready, and returns its address,
// http://HOST:PORT. When the test ends it is told to stop, and must end with exit
// code 0.
func (p Program) Serve(t testing.TB, environ []string, args ...string) string {
	t.Helper()
	all := append(append([]string{}, args...), "--listen", "127.0.0.1:0", "--log-format", "json", "--log-level", "info")
	c := exec.Command(p.path, all...)
	c.Env = append([]string{}, environ...)
	log, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	address, lines := make(chan string, 1), new(lockedText)
	read := make(chan struct{})
	go func() {
		defer close(read)
		follow(log, lines, address)
	}()
	t.Cleanup(func() {
		c.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(patience, func() { c.Process.Kill() })
		<-read
		err := c.Wait()
		late.Stop()
		if err != nil {
			t.Errorf("solved %s: %v\n%s", strings.Join(all, " "), err, lines)
		}
	})
	select {
	case a := <-address:
		url := "http://" + a
		waitReady(t, url, lines)
		return url
	case <-read:
		t.Fatalf("solved %s ends without listening:\n%s", strings.Join(all, " "), lines)
	case <-time.After(patience):
		t.Fatalf("solved %s does not listen:\n%s", strings.Join(all, " "), lines)
	}
	panic("not reached")
}

// follow copies a log, and sends the address in it.
func follow(log io.Reader, to *lockedText, address chan<- string) {
	scanner := bufio.NewScanner(log)
	for scanner.Scan() {
		to.add(scanner.Text())
		var line struct{ Msg, Address string }
		if json.Unmarshal(scanner.Bytes(), &line) == nil && line.Msg == "listening" {
			address <- line.Address
		}
	}
}

func waitReady(t testing.TB, url string, log *lockedText) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		response, err := http.Get(url + "/readyz")
		if err != nil {
			continue
		}
		response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return
		}
	}
	t.Fatalf("the program does not get ready:\n%s", log)
}

// lockedText is text that is written and read at the same time.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.WriteString(line + "\n")
}

// String returns the text so far.
func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
