package deploy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// program is what the tests know of the real program: built by the Dockerfile's
// own command, and asked for its flags.
type program struct {
	path string
	// values are what checkValues has asked the program already, and its answers.
	values sync.Map
	// flags are those of each command, "serve" for one, without the dashes.
	flags map[string]map[string]flag
}

// flag is one line of what --help says.
type flag struct {
	takesValue   bool
	defaultValue string
}

var folder string // holds what the tests build; removed in the end

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "solved-deploy"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// built builds the program once, as the image's builder does, and reads its
// flags.
var built = sync.OnceValues(func() (*program, error) {
	path := filepath.Join(folder, "solved")
	text, err := os.ReadFile("../Dockerfile")
	if err != nil {
		return nil, err
	}
	d, err := parseDockerfile(text)
	if err != nil {
		return nil, err
	}
	command, err := d.buildCommand()
	if err != nil {
		return nil, err
	}
	if strings.Count(command, builtAt) != 1 {
		return nil, fmt.Errorf("the build command does not write %s once: %s", builtAt, command)
	}
	build := exec.Command("sh", "-c", strings.Replace(command, builtAt, path, 1))
	build.Dir = ".."
	build.Env = append(os.Environ(), "TARGETOS="+runtime.GOOS, "TARGETARCH="+runtime.GOARCH)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", command, err, out)
	}
	p := &program{path: path, flags: map[string]map[string]flag{}}
	for _, name := range []string{"serve", "health", "expand", "verify", "info", "man", "completion"} {
		if p.flags[name], err = p.help(name); err != nil {
			return nil, err
		}
	}
	return p, nil
})

func theProgram(t *testing.T) *program {
	t.Helper()
	p, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run runs the program and returns its exit code and what it wrote.
func (p *program) run(args ...string) (code int, output string, err error) {
	return p.runIn([]string{}, args...) // nothing of this machine's environment
}

// runIn does so in an environment, for at most a minute.
func (p *program) runIn(environment []string, args ...string) (code int, output string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, p.path, args...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	c.Env = environment
	err = c.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return failed.ExitCode(), out.String(), nil
	}
	return 0, out.String(), err
}

var (
	flagLine    = regexp.MustCompile(`^ +(?:-\w, |    )--([a-z-]+)( [a-z]+)?   +\S`)
	defaultTail = regexp.MustCompile(` \(default ([^)]*)\)$`)
)

// help reads a command's flags from its help.
func (p *program) help(command string) (map[string]flag, error) {
	code, out, err := p.run(command, "--help")
	if err != nil || code != 0 {
		return nil, fmt.Errorf("%s --help: exit code %d, %v: %s", command, code, err, out)
	}
	if !strings.Contains(out, "solved "+command) {
		return nil, fmt.Errorf("%s is no command of the program: %s", command, out)
	}
	flags := map[string]flag{}
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		found := flagLine.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		f := flag{takesValue: found[2] != ""}
		if tail := defaultTail.FindStringSubmatch(line); tail != nil {
			f.defaultValue = tail[1]
		}
		flags[found[1]] = f
	}
	if len(flags) == 0 {
		return nil, fmt.Errorf("%s --help names no flag: %s", command, out)
	}
	return flags, nil
}

// checkArguments complains of arguments that the program would not take: a
// command it does not have or flags that are not that command's.
func (p *program) checkArguments(args []string) (complaints []string) {
	if len(args) == 0 {
		return []string{"no command for the program"}
	}
	known, ok := p.flags[args[0]]
	if !ok {
		return []string{fmt.Sprintf("%q is no command of the program that is used here", args[0])}
	}
	short := map[string]string{"-o": "--output", "-h": "--help"}
	for i := 1; i < len(args); i++ {
		name, _, withValue := strings.Cut(args[i], "=")
		if !strings.HasPrefix(name, "-") {
			continue
		}
		if long, ok := short[name]; ok {
			name = long
		}
		f, ok := known[strings.TrimPrefix(name, "--")]
		switch {
		case !ok || !strings.HasPrefix(name, "--"):
			complaints = append(complaints, fmt.Sprintf("solved %s has no flag %s", args[0], name))
		case f.takesValue && !withValue:
			if i++; i == len(args) {
				complaints = append(complaints, fmt.Sprintf("solved %s: %s is without its value", args[0], name))
			}
		}
	}
	return complaints
}

// checkVariable complains of an environment variable that the program would
// refuse.
func (p *program) checkVariable(name string) (complaints []string) {
	if !strings.HasPrefix(name, "SOLVED_") {
		return nil
	}
	f := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, "SOLVED_"), "_", "-"))
	if _, ok := p.flags["serve"][f]; !ok || f == "help" || name != strings.ToUpper(name) {
		return []string{fmt.Sprintf("%s is no variable of the program", name)}
	}
	return nil
}

// checkValues complains of arguments and variables of serve whose values the program
// refuses. It starts the program with a table that is not there: settings are read
// before tables, so the program ends with the code for wrong usage, or with another.
func (p *program) checkValues(args []string, environment map[string]string) []string {
	const missing = "/nowhere/missing.ttb"
	var variables []string
	for _, name := range slices.Sorted(maps.Keys(environment)) {
		variables = append(variables, name+"="+environment[name])
	}
	key := fmt.Sprint(args, variables)
	if known, ok := p.values.Load(key); ok {
		return known.([]string)
	}
	usage, _, err := p.run("serve", "--no-such-flag")
	if err != nil {
		return []string{err.Error()}
	}
	code, output, err := p.runIn(append([]string{}, variables...), append(slices.Clone(args), "--table", missing)...)
	var complaints []string
	switch {
	case err != nil:
		complaints = []string{err.Error()}
	case code == usage:
		complaints = []string{"the program refuses the settings: " + strings.TrimSpace(output)}
	case code == 0 || !strings.Contains(output, missing):
		complaints = []string{fmt.Sprintf("the program does not read settings before tables any more: %d, %s", code, output)}
	}
	p.values.Store(key, complaints)
	return complaints
}

// setting is what the program would take for a flag, from arguments, from the
// environment or else by default.
func (p *program) setting(name string, args []string, environment map[string]string) string {
	value := p.flags["serve"][name].defaultValue
	if v := environment["SOLVED_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))]; v != "" {
		value = v
	}
	for i, arg := range args {
		if v, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			value = v
		} else if arg == "--"+name && i+1 < len(args) {
			value = args[i+1]
		}
	}
	return value
}

// ending is how long the program may take to end after SIGTERM.
func (p *program) ending(args []string, environment map[string]string) (time.Duration, error) {
	delay, err := time.ParseDuration(p.setting("shutdown-delay", args, environment))
	if err != nil {
		return 0, err
	}
	timeout, err := time.ParseDuration(p.setting("shutdown-timeout", args, environment))
	return delay + timeout, err
}

// answers starts the program and returns the paths that its OpenAPI document
// names, after it has become ready.
func (p *program) answers(t *testing.T) []string {
	t.Helper()
	c := exec.Command(p.path, "serve", "--listen", "127.0.0.1:0", "--log-format", "json")
	c.Env = []string{}
	log, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		defer close(address)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			var line struct{ Msg, Address string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
				address <- line.Address
			}
		}
	}()
	t.Cleanup(func() {
		c.Process.Signal(syscall.SIGTERM)
		<-drained
		if err := c.Wait(); err != nil {
			t.Errorf("after SIGTERM: %v", err)
		}
	})
	at, ok := <-address
	if !ok {
		t.Fatal("the program does not say where it listens")
	}
	get := func(path string) (int, []byte) {
		response, err := http.Get("http://" + at + path)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, body
	}
	for {
		if code, _, err := p.run("health", "http://"+at+"/readyz"); code == 0 && err == nil {
			break
		}
		select {
		case <-drained:
			t.Fatal("the program ended before it was ready")
		case <-time.After(50 * time.Millisecond):
		}
	}
	var document struct{ Paths map[string]any }
	if status, body := get("/openapi.json"); status != 200 || json.Unmarshal(body, &document) != nil {
		t.Fatalf("no OpenAPI document: %d", status)
	}
	paths := slices.Sorted(maps.Keys(document.Paths))
	for _, path := range []string{"/livez", "/readyz", "/metrics", "/docs"} {
		if status, _ := get(path); status != 200 || !slices.Contains(paths, path) {
			t.Fatalf("%s answers %d, and the document names %q", path, status, paths)
		}
	}
	return paths
}

// mutation is a change to a file that a check must notice: a check that cannot
// fail proves nothing.
type mutation struct{ name, old, new, complaint string }

// notice fails the test unless the check has nothing to complain of in the text
// as it is, and complains as expected of each mutation of it.
func notice(t *testing.T, text string, mutations []mutation, check func(text string) []string) {
	t.Helper()
	for _, complaint := range check(text) {
		t.Error(complaint)
	}
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			if !strings.Contains(text, m.old) {
				t.Fatalf("there is no %q to change", m.old)
			}
			complaints := check(strings.Replace(text, m.old, m.new, 1))
			for _, c := range complaints {
				if strings.Contains(c, m.complaint) {
					return
				}
			}
			t.Errorf("no complaint like %q, only %q", m.complaint, complaints)
		})
	}
}

func TestProgramTakes(t *testing.T) {
	p := theProgram(t)
	for value, good := range map[string]bool{"10s": true, "0s": true, "": true, "10": false, "ten": false, "-1s": false} {
		if c := p.checkValues([]string{"serve"}, map[string]string{"SOLVED_SHUTDOWN_DELAY": value}); (c == nil) != good {
			t.Errorf("SOLVED_SHUTDOWN_DELAY=%s: %q", value, c)
		}
	}
	for _, good := range [][]string{
		{"serve"}, {"serve", "--table", "/tables/x.ttb", "--log-format=json"},
		{"expand", "tic-tac-chec", "-o", "x.ttb"}, {"verify", "x.ttb"}, {"health", "--timeout", "1s"},
	} {
		if c := p.checkArguments(good); c != nil {
			t.Errorf("%q: %q", good, c)
		}
	}
	for _, bad := range [][]string{
		{}, {"server"}, {"--table", "x"}, {"serve", "--tabels", "x"}, {"serve", "--table"},
		{"serve", "-table", "x"}, {"verify", "--table", "x"}, {"health", "-o", "x"},
	} {
		if c := p.checkArguments(bad); c == nil {
			t.Errorf("%q: no complaint", bad)
		}
	}
	for name, good := range map[string]bool{
		"SOLVED_TABLE": true, "SOLVED_SHUTDOWN_DELAY": true, "GOMEMLIMIT": true,
		"SOLVED_PORT": false, "SOLVED_HELP": false, "SOLVED_table": false, "SOLVED_": false,
	} {
		if c := p.checkVariable(name); (c == nil) != good {
			t.Errorf("%s: %q", name, c)
		}
	}
}
