package deploy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
)

var (
	link     = regexp.MustCompile(`\[[^]]*\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notLink  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	mentions = regexp.MustCompile(`\bSOLVED_[A-Z_]*[A-Z]\b`)
	deployed = regexp.MustCompile(`\bdeploy/[\w./*-]*[\w*]`)
)

// anchors are those that a Markdown page's headings have.
func anchors(text string) (all []string) {
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ReplaceAll(notLink.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-"))
	}
	return all
}

// checkDocument complains of links and files in a document that lead nowhere.
func checkDocument(text string) (complaints []string) {
	for _, found := range link.FindAllStringSubmatch(text, -1) {
		file, anchor, _ := strings.Cut(found[1], "#")
		if strings.Contains(file, "://") {
			continue
		}
		target := text
		if file != "" {
			read, err := os.ReadFile(file)
			if err != nil {
				complaints = append(complaints, "the link leads nowhere: "+err.Error())
				continue
			}
			target = string(read)
		}
		if anchor != "" && !slices.Contains(anchors(target), anchor) {
			complaints = append(complaints, fmt.Sprintf("%s has no section #%s", file, anchor))
		}
	}
	for _, name := range deployed.FindAllString(text, -1) {
		if found, err := filepath.Glob("../" + name); err != nil || len(found) == 0 {
			complaints = append(complaints, "there is no "+name)
		}
	}
	return complaints
}

// checkMentioned complains of variables in a document that the program does not know.
func checkMentioned(text string, p *program) (complaints []string) {
	for _, name := range mentions.FindAllString(text, -1) {
		if name == "SOLVED_IMAGE" {
			continue // the composition's own: TestCompose
		}
		complaints = append(complaints, p.checkVariable(name)...)
	}
	return complaints
}

func TestDocuments(t *testing.T) {
	p := theProgram(t)
	names, err := filepath.Glob("*.md")
	if err != nil || len(names) != 4 {
		t.Fatalf("the documents are %q: %v", names, err)
	}
	for _, name := range names {
		var mutations []mutation
		if name == "README.md" {
			mutations = []mutation{
				{"file", "(CAPACITY.md)", "(CAPACITIES.md)", "leads nowhere"},
				{"section", "CAPACITY.md#a-cdn-in-front", "CAPACITY.md#cdn", "no section"},
				{"path", "deploy/systemd/solved.env", "deploy/systemd/solved.conf", "there is no deploy/"},
				{"variable", "SOLVED_TRUSTED_PROXY", "SOLVED_TRUSTED_PROXIES", "no variable"},
			}
		}
		t.Run(name, func(t *testing.T) {
			notice(t, readText(t, name), mutations, func(text string) []string {
				complaints := checkDocument(text)
				if name != "OPERATING.md" { // which names some that are not ours, and has a test of its own
					complaints = append(complaints, checkMentioned(text, p)...)
				}
				return complaints
			})
		})
	}
}

// commands are the lines of a document's indented blocks, where \ continues a line.
func commands(text string) (lines []string) {
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
		if command, ok := strings.CutPrefix(line, "    "); ok && strings.TrimSpace(command) != "" {
			lines = append(lines, strings.TrimSpace(command))
		}
	}
	return lines
}

// TestReadmeInstalls runs the commands by which README.md installs the service for
// systemd, beneath another root, and sees that all is where the units look for it.
func TestReadmeInstalls(t *testing.T) {
	root := t.TempDir()
	installs := 0
	for _, command := range commands(readText(t, "README.md")) {
		command, _, _ = strings.Cut(command, " && ") // what follows makes the user
		if !strings.HasPrefix(command, "install ") {
			continue
		}
		installs++
		for _, to := range []string{" /usr/", " /etc/"} {
			command = strings.ReplaceAll(command, to, " "+root+to[1:])
		}
		c := exec.Command("sh", "-c", command)
		c.Dir = ".."
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", command, err, out)
		}
	}
	units, err := filepath.Glob("systemd/*.service")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"/usr/share/doc/solved/README.md", "/usr/share/doc/solved/OPERATING.md", "/usr/lib/sysusers.d/solved.conf", "/etc/solved/solved.env"}
	for _, unit := range units {
		want = append(want, "/etc/systemd/system/"+filepath.Base(unit))
	}
	for _, file := range want {
		if _, err := os.Stat(filepath.Join(root, file)); err != nil {
			t.Errorf("README.md's commands do not install %s", file)
		}
	}
	if installs < 4 {
		t.Errorf("README.md installs by only %d commands", installs)
	}
}

// checkCommands complains of commands of a document that name what there is not: stages and
// arguments of the Dockerfile, files, folders, units, and settings of the program.
func checkCommands(text string, p *program, d *dockerfile) (complaints []string) {
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	declared := set{}
	for _, stage := range d.stages {
		for _, c := range stage.Commands {
			if arg, ok := c.(*instructions.ArgCommand); ok {
				for _, a := range arg.Args {
					declared[a.Key] = true
				}
			}
		}
	}
	seen := map[string]int{}
	for _, command := range commands(text) {
		words := strings.Fields(command)
		seen[words[0]]++
		for i, word := range words {
			next := ""
			if i+1 < len(words) {
				next = words[i+1]
			}
			switch {
			case word == "--target":
				if _, err := d.image(next); err != nil {
					complain("%s: %v", command, err)
				}
			case word == "--build-arg":
				if name, _, _ := strings.Cut(next, "="); !declared[name] {
					complain("%s: the Dockerfile has no argument %s", command, name)
				}
			case strings.HasPrefix(word, "deploy/") || strings.HasPrefix(word, "./"):
				if found, err := filepath.Glob("../" + word); err != nil || len(found) == 0 {
					complain("%s: there is no %s", command, word)
				}
			case strings.HasSuffix(word, ".service") && !strings.Contains(word, "/"):
				if _, err := os.Stat("systemd/" + word); err != nil {
					complain("%s: %v", command, err)
				}
			case word == "solved" && next != "" && words[0] != "kubectl" && p.flags[strings.TrimSuffix(next, ";")] == nil:
				complain("%s: solved has no command %s that is used here", command, next)
			}
		}
	}
	for _, word := range []string{"docker", "kubectl", "install", "systemctl", "sed"} {
		if seen[word] == 0 {
			complain("no command begins with %s", word)
		}
	}
	return complaints
}

func TestReadmeCommands(t *testing.T) {
	p := theProgram(t)
	d, err := parseDockerfile([]byte(readText(t, "../Dockerfile")))
	if err != nil {
		t.Fatal(err)
	}
	notice(t, readText(t, "README.md"), []mutation{
		{"a stage", "--target table", "--target tables", `no stage "tables"`},
		{"an argument", "--build-arg REVISION=", "--build-arg COMMIT=", "no argument COMMIT"},
		{"a file", "-f deploy/compose/compose.yml", "-f deploy/compose/compose.yaml", "there is no deploy/compose/compose.yaml"},
		{"a unit", "enable --now", "enable --now nothing.service", "nothing.service"},
		{"a command", "until solved health;", "until solved healthy;", "no command healthy;"},
	}, func(text string) []string { return checkCommands(text, p, d) })
}
