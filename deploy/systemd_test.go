package deploy

import (
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-systemd/v22/unit"
	"k8s.io/apimachinery/pkg/api/resource"
)

// A service is a unit file: the values of each SECTION.DIRECTIVE, in order.
type service map[string][]string

// readService parses a unit file, and complains of directives that are not known;
// systemd itself would only warn of them.
func readService(text string, known map[string]bool) (s service, complaints []string) {
	options, err := unit.DeserializeOptions(strings.NewReader(text))
	if err != nil {
		return nil, []string{err.Error()}
	}
	s = service{}
	for _, o := range options {
		directive := o.Section + "." + o.Name
		if !known[directive] {
			complaints = append(complaints, fmt.Sprintf("systemd knows no %s= in section %s", o.Name, o.Section))
		}
		s[directive] = append(s[directive], o.Value)
	}
	return s, complaints
}

// one is the value of a directive that is given once.
func (s service) one(directive string) string {
	if len(s[directive]) != 1 {
		return fmt.Sprintf("given %d times", len(s[directive]))
	}
	return s[directive][0]
}

// duration is a directive's time, in units that Go has too.
func (s service) duration(directive string) (time.Duration, error) {
	d, err := time.ParseDuration(s.one(directive))
	if err != nil {
		err = fmt.Errorf("%s: %w", directive, err)
	}
	return d, err
}

// arguments are the command line of a service less the program itself.
func (s service) arguments() []string {
	words := strings.Fields(s.one("Service.ExecStart"))
	if len(words) == 0 || words[0] != "/usr/local/bin/solved" {
		return []string{"ExecStart does not start the program"}
	}
	return words[1:]
}

// locked is what takes from a service all that the program does not need.
var locked = map[string]string{
	"User":                    "solved",
	"NoNewPrivileges":         "yes",
	"CapabilityBoundingSet":   "",
	"AmbientCapabilities":     "",
	"ProtectSystem":           "strict",
	"ProtectHome":             "yes",
	"PrivateTmp":              "yes",
	"PrivateDevices":          "yes",
	"PrivateUsers":            "yes",
	"ProtectProc":             "invisible",
	"ProtectClock":            "yes",
	"ProtectHostname":         "yes",
	"ProtectKernelTunables":   "yes",
	"ProtectKernelModules":    "yes",
	"ProtectKernelLogs":       "yes",
	"ProtectControlGroups":    "yes",
	"RestrictNamespaces":      "yes",
	"RestrictRealtime":        "yes",
	"RestrictSUIDSGID":        "yes",
	"LockPersonality":         "yes",
	"MemoryDenyWriteExecute":  "yes",
	"SystemCallArchitectures": "native",
}

// checkService complains of what is wrong with any of the services.
func checkService(text string, known map[string]bool, p *program) (s service, complaints []string) {
	s, complaints = readService(text, known)
	for directive, want := range locked {
		if got := s.one("Service." + directive); got != want {
			complaints = append(complaints, fmt.Sprintf("%s is %q, not %q", directive, got, want))
		}
	}
	if got := s["Service.SystemCallFilter"]; !slices.Equal(got, []string{"@system-service", "~@privileged @resources", "setpriority ioprio_set"}) {
		complaints = append(complaints, fmt.Sprintf("SystemCallFilter is %q", got))
	}
	for _, c := range p.checkArguments(s.arguments()) {
		complaints = append(complaints, "ExecStart: "+c)
	}
	document, ok := strings.CutPrefix(s.one("Unit.Documentation"), "file:/usr/share/doc/solved/")
	if _, err := os.Stat(document); !ok || err != nil {
		complaints = append(complaints, fmt.Sprintf("Documentation: there is no %s: %v", document, err))
	}
	return s, complaints
}

// makingBytes is how much memory the program wants to be left before it makes a table.
const makingBytes = 2_200_000_000

// checkServing complains of what is wrong with the service that serves, given the
// settings of its environment file.
func checkServing(text string, known map[string]bool, p *program, settings map[string]string) []string {
	s, complaints := checkService(text, known, p)
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	args := s.arguments()
	if args[0] != "serve" {
		complain("ExecStart does not serve: %q", args)
	}
	if got := s.one("Service.ExecReload"); got != "/bin/kill -HUP $MAINPID" {
		complain("ExecReload is %q", got)
	}
	// What makes the process disappear from the time of its start, a metric.
	if _, ok := s["Service.ProcSubset"]; ok {
		complain("ProcSubset hides /proc/stat")
	}
	most, err := p.ending(args, settings)
	if err != nil {
		complain("%v", err)
	}
	if stop, err := s.duration("Service.TimeoutStopSec"); err != nil || stop <= most {
		complain("TimeoutStopSec is %s, and the program may take %s: %v", stop, most, err)
	}
	connections, err := strconv.Atoi(p.setting("max-connections", args, settings))
	if err != nil {
		complain("%v", err)
	}
	if files, err := strconv.Atoi(s.one("Service.LimitNOFILE")); err != nil || files < connections+1024 {
		complain("LimitNOFILE is too low for %d connections", connections)
	}
	// The settings win over the unit, and the unit over the program's default.
	addresses := map[string]string{}
	for _, assignment := range s["Service.Environment"] {
		name, value, _ := strings.Cut(assignment, "=")
		addresses[name] = value
	}
	maps.Copy(addresses, settings)
	if addresses["SOLVED_LISTEN"] == "" {
		complain("SOLVED_LISTEN is not set: only this machine would reach the program")
	}
	var ports []string
	for _, name := range []string{"listen", "ops-listen"} {
		if _, port, err := net.SplitHostPort(p.setting(name, args, addresses)); err != nil {
			complain("--%s: %v", name, err)
		} else {
			ports = append(ports, "tcp:"+port)
		}
	}
	if allowed := s["Service.SocketBindAllow"]; !slices.Equal(allowed, ports) || s.one("Service.SocketBindDeny") != "any" {
		complain("the program listens on %q, and may bind to %q", ports, allowed)
	}
	if dir := "/var/lib/" + s.one("Service.StateDirectory"); settings["SOLVED_TABLES"] != dir {
		complain("tables are made in %s, and %s may be written", settings["SOLVED_TABLES"], dir)
	}
	if got := s.one("Service.OOMPolicy"); got != "continue" {
		complain("OOMPolicy is %s: what makes tables would end the server with it", got)
	}
	var heap string
	for _, assignment := range s["Service.Environment"] {
		name, value, _ := strings.Cut(assignment, "=")
		complaints = append(complaints, p.checkVariable(name)...)
		if name == "GOMEMLIMIT" {
			heap = strings.TrimSuffix(value, "B")
		}
	}
	// Both count in powers of two, as quantities with an i do.
	program, err := resource.ParseQuantity(heap)
	if err != nil {
		complain("GOMEMLIMIT: %v", err)
	}
	high, err := resource.ParseQuantity(s.one("Service.MemoryHigh") + "i")
	if err != nil || high.Value() < program.Value()+makingBytes {
		complain("MemoryHigh is too low for GOMEMLIMIT and making a table: %v", err)
	}
	if program.Value() < makingBytes {
		complain("no table is made with a GOMEMLIMIT of %s", heap)
	}
	if most, err := resource.ParseQuantity(s.one("Service.MemoryMax") + "i"); err != nil || most.Value() <= high.Value() {
		complain("MemoryMax is not above MemoryHigh: %v", err)
	}
	if !strings.HasSuffix(s.one("Service.EnvironmentFile"), "/etc/solved/solved.env") {
		complain("the settings are read from %s", s.one("Service.EnvironmentFile"))
	}
	return complaints
}

// readSettings reads an environment file, those settings that are commented out as
// well if all is set.
func readSettings(text string, all bool) map[string]string {
	settings := map[string]string{}
	for line := range strings.Lines(text) {
		if all {
			line = strings.TrimPrefix(line, "# ")
		}
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && strings.HasPrefix(name, "SOLVED_") {
			settings[name] = value
		}
	}
	return settings
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// systemdKnows lists the directives of the systemd that the units are written for.
func systemdKnows(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	for line := range strings.Lines(readText(t, "testdata/systemd-directives.txt")) {
		known[strings.TrimSpace(line)] = true
	}
	if len(known) < 300 {
		t.Fatalf("only %d directives are known", len(known))
	}
	return known
}

func TestSystemd(t *testing.T) {
	p, known := theProgram(t), systemdKnows(t)
	environment := readText(t, "systemd/solved.env")
	settings := readSettings(environment, false)

	serving := readText(t, "systemd/solved.service")
	served, _ := readService(serving, known)
	serve := served.arguments()
	notice(t, serving, []mutation{
		{"directive", "RestartSec=", "RestartSecs=", "knows no RestartSecs"},
		{"unlocked", "PrivateUsers=yes", "PrivateUsers=no", "PrivateUsers is"},
		{"forgotten", "NoNewPrivileges=yes", "", "NoNewPrivileges is"},
		{"system calls", "~@privileged @resources", "~@resources", "SystemCallFilter is"},
		{"start time", "ProtectProc=invisible", "ProtectProc=invisible\nProcSubset=pid", "ProcSubset"},
		{"flag", "--log-format", "--log-fromat", "no flag --log-fromat"},
		{"command", "solved serve", "solved expand", "does not serve"},
		{"reload", "-HUP", "-TERM", "ExecReload is"},
		{"stop", "TimeoutStopSec=45s", "TimeoutStopSec=30s", "may take 35s"},
		{"files", "LimitNOFILE=32768", "LimitNOFILE=8192", "too low"},
		{"port", "SocketBindAllow=tcp:8080", "SocketBindAllow=tcp:80", "may bind"},
		{"another address", "SOLVED_LISTEN=:8080", "SOLVED_LISTEN=:80", "may bind"},
		{"no address", "Environment=SOLVED_LISTEN=:8080\n", "", "only this machine would reach"},
		{"no ops port", "SocketBindAllow=tcp:8081\n", "", "may bind"},
		{"directory", "StateDirectory=solved", "StateDirectory=tables", "/var/lib/tables may be written"},
		{"end of making", "OOMPolicy=continue", "OOMPolicy=stop", "would end the server"},
		{"variable", "Environment=GOMEMLIMIT=2200MiB", "Environment=GOMEMLIMIT=2200MiB\nEnvironment=SOLVED_MEMLIMIT=1", "no variable"},
		{"memory", "MemoryHigh=4608M", "MemoryHigh=4G", "too low for GOMEMLIMIT"},
		{"no making", "GOMEMLIMIT=2200MiB", "GOMEMLIMIT=1400MiB", "no table is made"},
		{"most memory", "MemoryMax=5G", "MemoryMax=4608M", "not above"},
		{"document", "solved/README.md", "solved/HOWTO.md", "no HOWTO.md"},
	}, func(text string) []string { return checkServing(text, known, p, settings) })

	notice(t, environment, []mutation{
		{"variable", "SOLVED_SHUTDOWN_DELAY", "SOLVED_SHUTDOWN_WAIT", "SOLVED_SHUTDOWN_WAIT is no variable"},
		{"commented variable", "# SOLVED_RATE_LIMIT", "# SOLVED_RATE", "SOLVED_RATE is no variable"},
		{"value", "SOLVED_SHUTDOWN_DELAY=5s", "SOLVED_SHUTDOWN_DELAY=5", "refuses the settings"},
		{"commented value", "# SOLVED_TRUSTED_PROXY=10.0.0.0/8", "# SOLVED_TRUSTED_PROXY=10.0.0.0/99", "refuses the settings"},
	}, func(text string) (complaints []string) {
		all := readSettings(text, true)
		if len(all) < 4 {
			complaints = append(complaints, fmt.Sprintf("only %d settings", len(all)))
		}
		for name := range all {
			complaints = append(complaints, p.checkVariable(name)...)
		}
		return append(complaints, p.checkValues(serve, all)...)
	})

	files, err := filepath.Glob("systemd/*.service")
	if err != nil || len(files) != 1 {
		t.Errorf("the checks know one service, and there are %q: %v", files, err)
	}
	if users := readText(t, "systemd/solved.sysusers"); !strings.Contains(users, "\nu "+locked["User"]+" ") {
		t.Errorf("the user %s is not made: %s", locked["User"], users)
	}
}

// TestSystemdExitCodes holds the codes after which systemd does not try again: those
// of a command line that is wrong, which stays wrong.
func TestSystemdExitCodes(t *testing.T) {
	s, _ := readService(readText(t, "systemd/solved.service"), systemdKnows(t))
	code, out, err := theProgram(t).run("serve", "--no-such-flag")
	if err != nil {
		t.Fatal(err)
	}
	if want := s.one("Service.RestartPreventExitStatus"); strconv.Itoa(code) != want {
		t.Errorf("an unknown flag ends the program with %d, and RestartPreventExitStatus is %s: %s", code, want, out)
	}
}
