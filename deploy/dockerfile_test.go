package deploy

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

const (
	// builtAt is where the Dockerfile's builder leaves the program.
	builtAt = "/out/solved"
	// publishedDigest is that of the published table (rules/tictacchec/RESULTS.md).
	publishedDigest = "f80c1899e57941a2251ffa554645ad06e66d4e5fbd349b6d2b949efd2c526c53"
)

// dockerfile is a Dockerfile, parsed by the parser of the builder.
type dockerfile struct{ stages []instructions.Stage }

func parseDockerfile(text []byte) (*dockerfile, error) {
	parsed, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	stages, _, err := instructions.Parse(parsed.AST, nil)
	if err != nil {
		return nil, err
	}
	if len(parsed.Warnings) > 0 {
		return nil, fmt.Errorf("line %v: %s", parsed.Warnings[0].Location, parsed.Warnings[0].Short)
	}
	return &dockerfile{stages}, nil
}

// buildCommand is the command that builds the program.
func (d *dockerfile) buildCommand() (string, error) {
	var found []string
	for _, stage := range d.stages {
		for _, c := range stage.Commands {
			if run, ok := c.(*instructions.RunCommand); ok {
				if line := strings.Join(run.CmdLine, " "); strings.Contains(line, "go build") {
					found = append(found, line)
				}
			}
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%d commands build the program, not one", len(found))
	}
	return found[0], nil
}

// image is what a stage and those it is built upon make of an image.
type image struct {
	base        string // of the first of them
	user        string
	entrypoint  []string
	command     []string
	health      []string
	ports       []string
	stopSignal  string
	environment map[string]string
	labels      map[string]string
	files       map[string]string // by destination: stage and source
	runs        int               // commands run in the image itself
}

// image resolves a stage by its name, or the last one for "".
func (d *dockerfile) image(name string) (*image, error) {
	index := len(d.stages) - 1
	if name != "" {
		index = slices.IndexFunc(d.stages, func(s instructions.Stage) bool { return s.Name == name })
	}
	if index < 0 {
		return nil, fmt.Errorf("there is no stage %q", name)
	}
	return d.resolve(index)
}

func (d *dockerfile) resolve(index int) (*image, error) {
	stage := d.stages[index]
	m := &image{base: stage.BaseName, environment: map[string]string{}, labels: map[string]string{}, files: map[string]string{}}
	for i := range index {
		if d.stages[i].Name == stage.BaseName {
			var err error
			if m, err = d.resolve(i); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range stage.Commands {
		switch c := c.(type) {
		case *instructions.UserCommand:
			m.user = c.User
		case *instructions.EntrypointCommand:
			m.entrypoint = c.CmdLine
			if c.PrependShell {
				return nil, fmt.Errorf("%s: by a shell", c)
			}
		case *instructions.CmdCommand:
			m.command = c.CmdLine
			if c.PrependShell {
				return nil, fmt.Errorf("%s: by a shell", c)
			}
		case *instructions.HealthCheckCommand:
			m.health = c.Health.Test
		case *instructions.ExposeCommand:
			m.ports = append(m.ports, c.Ports...)
		case *instructions.StopSignalCommand:
			m.stopSignal = c.Signal
		case *instructions.EnvCommand:
			for _, pair := range c.Env {
				m.environment[pair.Key] = pair.Value
			}
		case *instructions.LabelCommand:
			for _, pair := range c.Labels {
				m.labels[strings.Trim(pair.Key, `"`)] = pair.Value
			}
		case *instructions.CopyCommand:
			if len(c.SourcePaths) != 1 {
				return nil, fmt.Errorf("%s: more than one source", c)
			}
			m.files[c.DestPath] = c.From + ":" + c.SourcePaths[0]
		case *instructions.RunCommand:
			m.runs++
		case *instructions.ArgCommand:
		default:
			return nil, fmt.Errorf("the checks do not know the instruction %s", c.Name())
		}
	}
	return m, nil
}

// checkDockerfile complains of what is wrong with the images that a Dockerfile
// makes.
func checkDockerfile(text string, p *program) (complaints []string) {
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	d, err := parseDockerfile([]byte(text))
	if err != nil {
		return []string{err.Error()}
	}
	for _, target := range []string{"", "plain", "table"} {
		m, err := d.image(target)
		if err != nil {
			complain("target %q: %v", target, err)
			continue
		}
		if m.base != "scratch" {
			complain("target %q is built on %s, not on nothing", target, m.base)
		}
		if m.runs > 0 {
			complain("target %q runs commands in the image, which has no shell", target)
		}
		if m.user != "65532:65532" {
			complain("target %q runs as user %q", target, m.user)
		}
		if len(m.entrypoint) != 1 || m.files[m.entrypoint[0]] != "build:"+builtAt {
			complain("target %q starts %q, which is not the program that was built", target, m.entrypoint)
		}
		for _, c := range p.checkArguments(m.command) {
			complain("target %q: %s", target, c)
		}
		if len(m.health) < 3 || m.health[0] != "CMD" || m.health[1] != strings.Join(m.entrypoint, " ") || m.health[2] != "health" {
			complain("target %q: the health check is %q", target, m.health)
		} else {
			for _, c := range p.checkArguments(m.health[2:]) {
				complain("target %q: health check: %s", target, c)
			}
		}
		if listen := p.setting("listen", m.command, m.environment); len(m.ports) != 1 || listen != ":"+m.ports[0] {
			complain("target %q exposes %q, and the program listens on %s", target, m.ports, listen)
		}
		if m.stopSignal != "SIGTERM" {
			complain("target %q: the stop signal is %q", target, m.stopSignal)
		}
		if m.files["/etc/ssl/certs/ca-certificates.crt"] == "" {
			complain("target %q has no certificates", target)
		}
		if m.files["/THIRD_PARTY.md"] != "build:/src/THIRD_PARTY.md" {
			complain("target %q has no licences of third parties", target)
		}
		for _, label := range []string{"title", "description", "version", "revision"} {
			if m.labels["org.opencontainers.image."+label] == "" {
				complain("target %q has no label %s", target, label)
			}
		}
		for name := range m.environment {
			complaints = append(complaints, p.checkVariable(name)...)
		}
		table := p.setting("table", m.command, m.environment)
		switch {
		case target != "table" && (table != "" || len(m.files) != 3):
			complain("target %q holds %q and serves %q, not only the program", target, m.files, table)
		case target == "table" && (table == "" || m.files[table] != "expand:"+table):
			complain("target %q serves %q, which is not the table that was made", target, table)
		}
	}
	i := slices.IndexFunc(d.stages, func(s instructions.Stage) bool { return s.Name == "expand" })
	if i < 0 {
		complain("there is no stage that makes the table")
		return complaints
	}
	made := regexp.MustCompile(`go run \./server (expand \S+ -o (\S+)) && echo "([0-9a-f]{64})  (\S+)" \| sha256sum -c -$`)
	var runs []string
	for _, c := range d.stages[i].Commands {
		if run, ok := c.(*instructions.RunCommand); ok {
			runs = append(runs, strings.Join(strings.Fields(strings.Join(run.CmdLine, " ")), " "))
		}
	}
	// Fields takes one of the two spaces that sha256sum wants: put it back.
	line := strings.Replace(strings.Join(runs, "; "), ` /tables/tic-tac-chec.ttb" |`, `  /tables/tic-tac-chec.ttb" |`, 1)
	found := made.FindStringSubmatch(line)
	switch {
	case found == nil:
		complain("the table is not made and then checked: %s", line)
	case found[2] != found[4]:
		complain("%s is made, but %s is checked", found[2], found[4])
	case found[3] != publishedDigest:
		complain("the digest is %s, not the published one", found[3])
	default:
		complaints = append(complaints, p.checkArguments(strings.Fields(found[1]))...)
	}
	return complaints
}

func TestDockerfile(t *testing.T) {
	p := theProgram(t)
	text, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	notice(t, string(text), []mutation{
		{"unknown instruction", "EXPOSE", "EXPOSED", "unknown instruction"},
		{"unknown option", "--start-interval", "--starting-interval", "unknown flag"},
		{"other base", "FROM scratch", "FROM debian:12", "not on nothing"},
		{"root", "USER 65532:65532", "USER root", "runs as user"},
		{"shell", `CMD ["serve"]`, `CMD serve`, "by a shell"},
		{"command", `CMD ["serve"]`, `CMD ["start"]`, "no command of the program"},
		{"flag", `CMD ["serve"]`, `CMD ["serve", "--port=1"]`, "no flag --port"},
		{"health", `"health"]`, `"healthy"]`, "health check is"},
		{"port", "EXPOSE 8080", "EXPOSE 80", "exposes"},
		{"address", "ENV SOLVED_LISTEN=:8080\n", "", "exposes"},
		{"signal", "STOPSIGNAL SIGTERM", "STOPSIGNAL SIGKILL", "stop signal"},
		{"program", "/out/solved /solved", "/out/solved /bin/solved", "not the program that was built"},
		{"certificates", "ca-certificates.crt /etc/ssl", "ca-certificates.crt /ssl", "no certificates"},
		{"licences", "/src/THIRD_PARTY.md /THIRD_PARTY.md", "/src/README.md /THIRD_PARTY.md", "no licences of third parties"},
		{"label", "image.version=", "image.versions=", "no label version"},
		{"variable", "ENV SOLVED_TABLE=", "ENV SOLVED_TABEL=", "no variable"},
		{"table", "ENV SOLVED_TABLE=/tables/", "ENV SOLVED_TABLE=/table/", "not the table that was made"},
		{"digest", publishedDigest, strings.Repeat("0", 64), "not the published one"},
		{"unchecked", "sha256sum -c -", "cat", "not made and then checked"},
		{"default", "FROM program AS plain", "FROM table AS plain", "not only the program"},
		{"run", "STOPSIGNAL", "RUN true\nSTOPSIGNAL", "no shell"},
	}, func(text string) []string { return checkDockerfile(text, p) })

	results, err := os.ReadFile("../rules/tictacchec/RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(results), publishedDigest) {
		t.Errorf("%s is not in the published results", publishedDigest)
	}
}

// An image of nothing but the program has no loader and no library for it.
func TestProgramIsStatic(t *testing.T) {
	p := theProgram(t)
	f, err := elf.Open(p.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if c := linked(f); c != "" {
		t.Error("the program has", c)
	}
	if f.Section(".symtab") != nil || f.Section(".debug_info") != nil {
		t.Error("the program is not stripped")
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	dynamic, err := elf.Open(sh)
	if err != nil {
		t.Fatal(err)
	}
	defer dynamic.Close()
	if linked(dynamic) == "" {
		t.Errorf("%s counts as static, so the check cannot fail", sh)
	}
}

// linked names what a program has that only the dynamic loader can serve.
func linked(f *elf.File) string {
	for _, part := range f.Progs {
		if part.Type == elf.PT_INTERP || part.Type == elf.PT_DYNAMIC {
			return part.Type.String()
		}
	}
	return ""
}

func TestProgramRuns(t *testing.T) {
	p := theProgram(t)
	// Port 1 of this machine: nobody answers.
	if code, out, err := p.run("health", "http://127.0.0.1:1/readyz"); code != 1 || err != nil {
		t.Errorf("health without a server: exit code %d, %v: %s", code, err, out)
	}
	if code, out, err := p.run("health", "--timeout", "0"); code != 64 || err != nil {
		t.Errorf("health with a timeout of nothing: exit code %d, %v: %s", code, err, out)
	}
	// From the embedded tables.
	code, out, err := p.run("probe", "tic-tac-chec", "4/4/4/4 w -- o")
	if code != 0 || err != nil || !strings.Contains(out, "Draw") {
		t.Errorf("probe: exit code %d, %v: %s", code, err, out)
	}
}

// A tracked file that the build does not see would make the go command stamp the
// version as changed, or break the build.
func TestIgnoredByDocker(t *testing.T) {
	text, err := os.ReadFile("../.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("git", "-C", "..", "ls-files")
	list.Env = append(os.Environ(), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
	tracked, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(tracked), "go.mod\n") {
		t.Fatalf("git knows no go.mod: %s", tracked)
	}
	notice(t, string(text), []mutation{
		{"tracked", "!tablebase/testdata/*", "", "tablebase/testdata/small.ttb is not sent"},
		{"table", "**/*.ttb", "", "table.ttb is sent"},
	}, func(text string) (complaints []string) {
		patterns, err := ignorefile.ReadAll(strings.NewReader(text))
		if err != nil {
			return []string{err.Error()}
		}
		ignored, err := patternmatcher.New(patterns)
		if err != nil {
			return []string{err.Error()}
		}
		for _, file := range append(strings.Fields(string(tracked)), ".git/HEAD") {
			if out, err := ignored.MatchesOrParentMatches(file); out || err != nil {
				complaints = append(complaints, fmt.Sprintf("%s is not sent to the builder: %v", file, err))
			}
		}
		for _, file := range []string{"table.ttb", "some/where/table.tb.zst", "solved", "server/server.test"} {
			if out, err := ignored.MatchesOrParentMatches(file); !out || err != nil {
				complaints = append(complaints, fmt.Sprintf("%s is sent to the builder: %v", file, err))
			}
		}
		return complaints
	})
}
