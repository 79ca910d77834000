package deploy

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
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
