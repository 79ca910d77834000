// Command notices writes THIRD_PARTY.md: the licences of the modules whose code is linked
// into the program, on every system that it is built for.
//
//	go run ./scripts/notices >THIRD_PARTY.md
//
// The modules are those that `go list` finds behind ./server, and the licences are the
// files that the modules themselves carry. A test holds the page against both.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

func main() {
	page, err := notices("./server")
	if err == nil {
		_, err = os.Stdout.WriteString(page)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// systems are those that CI builds the program for. Some modules are linked on one only.
var systems = []string{"darwin", "linux", "windows"}

// linkedPackage is a package as `go list -json` describes it.
type linkedPackage struct {
	Dir      string
	Standard bool
	Module   *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// linkedPackages lists the packages behind a command on a system, but for this module's own
// and the standard library's.
func linkedPackages(command, system string) ([]linkedPackage, error) {
	list := exec.Command("go", "list", "-deps", "-json=Dir,Standard,Module", command)
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	var errs bytes.Buffer
	list.Stderr = &errs
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s: %w: %s", system, err, errs.String())
	}
	var linked []linkedPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p linkedPackage
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return linked, nil
		case err != nil:
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		case !p.Standard && p.Module != nil && !p.Module.Main:
			linked = append(linked, p)
		}
	}
}

// licenceName matches the names of files that carry a licence or a notice.
var licenceName = regexp.MustCompile(`^(?i:(un)?licen[cs]e|copying|notice|patents)(?i:[-._].*)?$`)

// notChosen matches a licence that a module offers as an alternative to another: FreeType
// offers its own licence or the GPL, and the program takes the first.
var notChosen = regexp.MustCompile(`/freetype@[^/]*/licenses/gpl\.txt$`)

// licenceFiles lists the licence files of a folder, in order, and those in its folder
// "licenses".
func licenceFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "licenses", "*.txt"))
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(file string) bool { return notChosen.MatchString(filepath.ToSlash(file)) })
	for _, e := range entries {
		if e.Type().IsRegular() && licenceName.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go" {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, nil
}

// licence is one text, and the files of modules that carry it.
type licence struct {
	text string
	from []string // "module version, file"
}

// notices returns the page for a command.
func notices(command string) (string, error) {
	licences := map[string]*licence{} // by text, white space aside
	add := func(from, file string) error {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		key := strings.Join(strings.Fields(string(text)), " ")
		l := licences[key]
		if l == nil {
			l = &licence{text: string(text)}
			licences[key] = l
		}
		if !slices.Contains(l.from, from) {
			l.from = append(l.from, from)
		}
		return nil
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	if err := add("the Go standard library, LICENSE", filepath.Join(strings.TrimSpace(string(root)), "LICENSE")); err != nil {
		return "", err
	}
	for _, system := range systems {
		linked, err := linkedPackages(command, system)
		if err != nil {
			return "", err
		}
		for _, p := range linked {
			found, err := addPackage(p, add)
			if err != nil {
				return "", err
			}
			if !found {
				return "", fmt.Errorf("%s %s has no licence file; its code must not be linked", p.Module.Path, p.Module.Version)
			}
		}
	}
	return page(licences), nil
}

// addPackage adds the licence files from a package's folder up to its module's.
func addPackage(p linkedPackage, add func(from, file string) error) (found bool, err error) {
	for dir := p.Dir; ; dir = filepath.Dir(dir) {
		files, err := licenceFiles(dir)
		if err != nil {
			return false, err
		}
		for _, file := range files {
			name, err := filepath.Rel(p.Module.Dir, file)
			if err != nil {
				return false, err
			}
			if err := add(fmt.Sprintf("%s %s, %s", p.Module.Path, p.Module.Version, filepath.ToSlash(name)), file); err != nil {
				return false, err
			}
			found = true
		}
		if dir == p.Module.Dir || len(dir) <= len(p.Module.Dir) {
			return found, nil
		}
	}
}

// page writes the licences as Markdown, in the order of the first module that has each.
func page(licences map[string]*licence) string {
	all := make([]*licence, 0, len(licences))
	for _, l := range licences {
		slices.Sort(l.from)
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *licence) int { return strings.Compare(a.from[0], b.from[0]) })
	var b strings.Builder
	b.WriteString(`# Third-party notices

The program contains code of other authors, under the licences below. This page is generated:
` + "`go run ./scripts/notices >THIRD_PARTY.md`" + ` writes it, and a test holds it against the modules that are linked.
`)
	for _, l := range all {
		fmt.Fprintf(&b, "\n## %s\n\n", kind(l.text))
		for _, from := range l.from {
			fmt.Fprintf(&b, "- %s\n", from)
		}
		b.WriteString("\n")
		for line := range strings.Lines(strings.Trim(l.text, "\r\n")) {
			b.WriteString(strings.TrimRight("    "+strings.Trim(line, "\f\r\n"), " \t") + "\n")
		}
	}
	return b.String()
}

// kind is the SPDX identifier of a licence's text.
func kind(text string) string {
	var ids []string
	for _, m := range licensecheck.Scan([]byte(text)).Match {
		if !m.IsURL && !slices.Contains(ids, m.ID) {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return "Notice"
	}
	return strings.Join(ids, ", ")
}
