package main

import (
	"bytes"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// mayImport is the import rule: which packages of this module each of them may depend on,
// directly or not. Imports run one way: main, cli, service, game, tables, and beneath them api,
// tablebase and rules. Only main depends on the games of server/games. A path that ends in /* stands for
// each package in the folder that has no line of its own, so that a new game needs none; in a list,
// rules/<game> is the package of rules with the game's name.
var mayImport = map[string][]string{
	"solved/rules":                   {},
	"solved/rules/*":                 {"solved/rules", "solved/rules/strip"},
	"solved/tablebase":               {"solved/rules"},
	"solved/tablebase/*":             {"solved/rules", "solved/tablebase"},
	"solved/api":                     {"solved/rules"},
	"solved/api/apitest":             {},
	"solved/api/*":                   {"solved/api", "solved/rules"},
	"solved/server":                  {"*"},
	"solved/server/cli":              append(serving, "solved/api/httpapi", "solved/server/flags", "solved/server/game", "solved/server/listener", "solved/server/service"),
	"solved/server/service":          append(serving, "solved/api/httpapi", "solved/server/flags", "solved/server/game", "solved/server/listener"),
	"solved/server/game":             serving,
	"solved/server/game/*":           append(serving, "solved/server/game"),
	"solved/server/games/*":          append(serving, "solved/server/game", "solved/server/game/impartial", "solved/rules/strip", "rules/<game>"),
	"solved/server/games/tictacchec": append(serving, "solved/server/game", "solved/server/games/tictacchec/report", "solved/tablebase/kernel", "solved/tablebase/reach", "solved/tablebase/retrograde", "rules/<game>"),
	"solved/server/games/tictacchec/tictacchectest": append(serving, "solved/rules/tictacchec", "solved/server/game", "solved/server/games/tictacchec", "solved/server/games/tictacchec/report",
		"solved/tablebase/kernel", "solved/tablebase/reach", "solved/tablebase/retrograde"),
	"solved/server/games/tictacchec/report": {"solved/rules", "solved/rules/tictacchec", "solved/tablebase"},
	"solved/server/tables":                  {"solved/api", "solved/rules", "solved/tablebase", "solved/tablebase/probability"},
	"solved/server/listener":                {"solved/api", "solved/rules", "solved/server/flags"},
	"solved/server/flags":                   {},
	"solved/scripts/*":                      {},
}

// serving is what the packages above tables all depend on.
var serving = []string{"solved/api", "solved/rules", "solved/tablebase", "solved/tablebase/audit", "solved/tablebase/probability", "solved/server/tables"}

// withoutHTTP are the packages that must not depend on net/http, directly or not, so that a
// program can answer without a socket.
var withoutHTTP = []string{"solved/api", "solved/rules", "solved/tablebase", "solved/server/tables", "solved/server/game", "solved/server/game/impartial"}

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
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name := fields[0]
		rule := name
		if _, ok := mayImport[rule]; !ok {
			rule = path.Dir(name) + "/*"
		}
		allowed, ok := mayImport[rule]
		if !ok {
			t.Errorf("the import rule does not name %s", name)
			continue
		}
		seen[rule] = true
		if slices.Contains(allowed, "rules/<game>") {
			allowed = append(slices.Clone(allowed), "solved/rules/"+path.Base(name))
		}
		for _, dep := range fields[1:] {
			if dep == "net/http" && slices.Contains(withoutHTTP, name) {
				t.Errorf("%s depends on net/http", name)
			}
			if strings.HasPrefix(dep, "solved/") && !slices.Contains(allowed, dep) && !slices.Contains(allowed, "*") {
				t.Errorf("%s depends on %s", name, dep)
			}
		}
	}
	for rule := range mayImport {
		if !seen[rule] {
			t.Errorf("the import rule names %s, of which there is no package", rule)
		}
	}
}
