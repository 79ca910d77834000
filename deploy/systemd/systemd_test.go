// Package systemd_test holds the units against systemd's own list of directives, and
// against the program that they run.
package systemd_test

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-systemd/v22/unit"

	"solved/deploy/internal/program"
)

// The files, by how many there are to be.
const units = 2

// unitFile is a unit by SECTION.DIRECTIVE. An empty value has cleared those before it.
type unitFile map[string][]string

func (u unitFile) one(t *testing.T, directive string) string {
	t.Helper()
	if len(u[directive]) != 1 {
		t.Fatalf("%s is set %d times, not once", directive, len(u[directive]))
	}
	return u[directive][0]
}

func (u unitFile) duration(t *testing.T, directive string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(strings.ReplaceAll(u.one(t, directive), "min", "m"))
	if err != nil {
		t.Fatalf("%s: %v", directive, err)
	}
	return d
}

// read parses a unit, and refuses directives that systemd would only warn of.
func read(t *testing.T, name string) unitFile {
	t.Helper()
	known := directives(t)
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	options, err := unit.DeserializeOptions(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	u := make(unitFile)
	for _, o := range options {
		directive := o.Section + "." + o.Name
		if !known[directive] {
			t.Errorf("%s: systemd knows no %s= in section [%s]", name, o.Name, o.Section)
		}
		u[directive] = append(u[directive], o.Value)
	}
	return u
}

func directives(t *testing.T) map[string]bool {
	t.Helper()
	known := make(map[string]bool)
	for _, line := range lines(t, "testdata/directives.txt") {
		known[line] = true
	}
	if len(known) < 300 {
		t.Fatalf("only %d directives are listed", len(known))
	}
	return known
}

// lines returns the lines of a file but for comments and empty ones.
func lines(t *testing.T, name string) []string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []string
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		if line := strings.TrimSpace(scanner.Text()); line != "" && line[0] != '#' {
			all = append(all, line)
		}
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestUnits(t *testing.T) {
	names, err := filepath.Glob("*.service")
	if err != nil || len(names) != units {
		t.Fatalf("found %d units, not %d: %v", len(names), units, err)
	}
	for _, name := range names {
		u := read(t, name)
		for directive, want := range map[string]string{
			"Service.NoNewPrivileges":         "yes",
			"Service.CapabilityBoundingSet":   "",
			"Service.AmbientCapabilities":     "",
			"Service.ProtectSystem":           "strict",
			"Service.ProtectHome":             "yes",
			"Service.PrivateTmp":              "yes",
			"Service.PrivateDevices":          "yes",
			"Service.PrivateUsers":            "yes",
			"Service.ProtectProc":             "invisible",
			"Service.ProtectKernelTunables":   "yes",
			"Service.ProtectKernelModules":    "yes",
			"Service.ProtectKernelLogs":       "yes",
			"Service.ProtectControlGroups":    "yes",
			"Service.RestrictNamespaces":      "yes",
			"Service.RestrictSUIDSGID":        "yes",
			"Service.MemoryDenyWriteExecute":  "yes",
			"Service.SystemCallArchitectures": "native",
		} {
			if got := u.one(t, directive); got != want {
				t.Errorf("%s: %s is %q, not %q", name, directive, got, want)
			}
		}
		if filter := u["Service.SystemCallFilter"]; !slices.Equal(filter, []string{"@system-service", "~@privileged @resources"}) {
			t.Errorf("%s: system calls are filtered by %q", name, filter)
		}
		if slices.Contains(u["Service.ProcSubset"], "pid") {
			t.Errorf("%s: with ProcSubset=pid the metric process_start_time_seconds is gone", name)
		}
		user := u.one(t, "Service.User")
		if made := lines(t, "solved.sysusers"); len(made) != 1 || !strings.HasPrefix(made[0], "u "+user+" ") {
			t.Errorf("%s: user %s is not made by solved.sysusers: %q", name, user, made)
		}
		docs, ok := strings.CutPrefix(u.one(t, "Unit.Documentation"), "file:/usr/share/doc/solved/")
		if _, err := os.Stat("../" + docs); !ok || err != nil {
			t.Errorf("%s: there is no documentation %s here: %v", name, docs, err)
		}
	}
}

func TestProgram(t *testing.T) {
	p := program.Build(t, "../..")
	serve, table := read(t, "solved.service"), read(t, "solved-table.service")
	flags := p.Flags(t, "serve")

	// command checks a command line against the program, and returns its arguments.
	command := func(line string, known map[string]program.Flag, want ...string) []string {
		words := strings.Fields(line)
		if len(words) < 1 || words[0] != "/usr/local/bin/solved" {
			t.Fatalf("ExecStart is %q", line)
		}
		words = words[1:]
		if len(words) < len(want) || !slices.Equal(words[:len(want)], want) {
			t.Fatalf("ExecStart is %q, not solved %s", line, strings.Join(want, " "))
		}
		for _, w := range words {
			if name, ok := strings.CutPrefix(w, "--"); ok {
				name, _, _ = strings.Cut(name, "=")
				if _, ok := known[name]; !ok {
					t.Errorf("%q: the program has no flag --%s", line, name)
				}
			}
		}
		return words
	}
	command(serve.one(t, "Service.ExecStart"), flags, "serve")
	making := command(table.one(t, "Service.ExecStart"), p.Flags(t, "expand"), "expand", "tic-tac-chec", "-o")

	if got := serve.one(t, "Service.ExecReload"); got != "/bin/kill -HUP $MAINPID" {
		t.Errorf("ExecReload is %q", got)
	}
	final := serve.one(t, "Service.RestartPreventExitStatus")
	if code, said := p.Run(t, []string{"SOLVED_TABEL=x"}, "serve"); strconv.Itoa(code) != final {
		t.Errorf("an unknown variable ends the program with %d, and RestartPreventExitStatus is %s: %s", code, final, said)
	}

	// The settings, those that are commented out as well.
	settings := make(map[string]string)
	text, err := os.ReadFile("solved.env")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "# "), "=")
		if ok && strings.HasPrefix(name, "SOLVED_") {
			settings[name] = value
		}
	}
	if len(settings) < 4 {
		t.Fatalf("solved.env has only the settings %v", settings)
	}
	made := making[3]
	if settings["SOLVED_TABLE"] != made || table.one(t, "Unit.ConditionPathExists") != "!"+made {
		t.Errorf("the table is made as %s if %s, and served as %s",
			made, table.one(t, "Unit.ConditionPathExists"), settings["SOLVED_TABLE"])
	}
	if filepath.Dir(made) != "/var/lib/"+table.one(t, "Service.StateDirectory") {
		t.Errorf("%s is not in the state directory %s", made, table.one(t, "Service.StateDirectory"))
	}
	var environ []string
	for name, value := range settings {
		if name != "SOLVED_TABLE" { // not on this machine
			environ = append(environ, name+"="+value)
		}
	}
	environ = append(environ, serve["Service.Environment"]...)
	environ = append(environ, "SOLVED_TABLE=")
	// Stopping waits for the delay, which has been looked at by then.
	p.Serve(t, append(environ, "SOLVED_SHUTDOWN_DELAY=0"), "serve")

	delay, err := time.ParseDuration(settings["SOLVED_SHUTDOWN_DELAY"])
	if err != nil {
		t.Fatal(err)
	}
	timeout, err := time.ParseDuration(flags["shutdown-timeout"].Default)
	if err != nil {
		t.Fatal(err)
	}
	if stop := serve.duration(t, "Service.TimeoutStopSec"); stop <= delay+timeout {
		t.Errorf("systemd stops the program after %s, which may need %s", stop, delay+timeout)
	}
	connections, err := strconv.Atoi(flags["max-connections"].Default)
	if err != nil {
		t.Fatal(err)
	}
	files, err := strconv.Atoi(serve.one(t, "Service.LimitNOFILE"))
	if err != nil || files < connections+1024 {
		t.Errorf("%d connections do not fit in %d files: %v", connections, files, err)
	}
	if got, want := serve.one(t, "Service.SocketBindAllow"), "tcp"+flags["listen"].Default; got != want {
		t.Errorf("the program may bind to %s only, and listens on %s", got, want)
	}
	if !slices.Contains(strings.Fields(serve.one(t, "Unit.After")), "solved-table.service") {
		t.Error("the service does not wait for its table")
	}
}
