package main

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mayImport is the import rule: which packages of this module each of them may
// depend on, directly or not. Games, tables and contract do not know of one
// another; server ties them together.
var mayImport = map[string][]string{
	"solved/rules":                    {},
	"solved/rules/inverseduocross":    {"solved/rules", "solved/rules/strip"},
	"solved/rules/nim":                {"solved/rules"},
	"solved/rules/notakto":            {"solved/rules"},
	"solved/rules/pig":                {"solved/rules"},
	"solved/rules/rulestest":          {"solved/rules"},
	"solved/rules/strip":              {"solved/rules"},
	"solved/rules/tictacchec":         {"solved/rules"},
	"solved/rules/tictactoe":          {"solved/rules"},
	"solved/rules/treblecross":        {"solved/rules", "solved/rules/strip"},
	"solved/rules/inversetreblecross": {"solved/rules", "solved/rules/strip"},
	"solved/tablebase":                {"solved/rules"},
	"solved/tablebase/audit":          {"solved/rules", "solved/tablebase"},
	"solved/tablebase/kernel":         {"solved/rules", "solved/tablebase"},
	"solved/tablebase/probability":    {"solved/rules", "solved/tablebase"},
	"solved/tablebase/reach":          {},
	"solved/tablebase/retrograde":     {"solved/rules", "solved/tablebase"},
	"solved/api":                      {"solved/rules"},
	"solved/api/apitest":              {},
	"solved/api/client":               {"solved/api", "solved/rules"},
	"solved/api/httpapi":              {"solved/api", "solved/rules"},
	"solved/server":                   {"*"},
	"solved/server/games/tictacchec/report":            {"solved/rules", "solved/rules/tictacchec", "solved/tablebase"},
	"solved/scripts/baseline":         {},
	"solved/scripts/notices":          {},
}

// withoutHTTP are the packages that must not depend on net/http, directly or not, so that a
// program can answer without a socket.
var withoutHTTP = []string{"solved/api", "solved/rules", "solved/tablebase"}

// TestImportRule holds every package of the module against the rule. A package
// that the rule does not name fails it, so that the rule grows with the tree.
func TestImportRule(t *testing.T) {
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, "solved/...")
	var errs bytes.Buffer
	list.Stderr = &errs
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	seen := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name := fields[0]
		allowed, ok := mayImport[name]
		if !ok {
			t.Errorf("the import rule does not name %s", name)
			continue
		}
		seen++
		for _, dep := range fields[1:] {
			if dep == "net/http" && slices.Contains(withoutHTTP, name) {
				t.Errorf("%s depends on net/http", name)
			}
			if strings.HasPrefix(dep, "solved/") && !slices.Contains(allowed, dep) && !slices.Contains(allowed, "*") {
				t.Errorf("%s depends on %s", name, dep)
			}
		}
	}
	if seen != len(mayImport) {
		t.Errorf("saw %d packages, the import rule names %d", seen, len(mayImport))
	}
}
