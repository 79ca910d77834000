package main

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"solved/server/cli"
)

// TestMemoryFigures holds each figure of memory that a document or a command's help
// names against the one that BENCHMARKS.md measured: the measured one, rounded up to
// half a gigabyte.
func TestMemoryFigures(t *testing.T) {
	benchmarks := readFile(t, "../BENCHMARKS.md")
	measured := func(command string) string {
		row := regexp.MustCompile("(?m)^\\|.* ([0-9.]+) GB resident .*`/usr/bin/time -v " + regexp.QuoteMeta(command) + "` \\|$").FindStringSubmatch(benchmarks)
		if row == nil {
			t.Fatalf("BENCHMARKS.md does not say how much memory %s takes", command)
		}
		f, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.FormatFloat(math.Ceil(2*f)/2, 'f', -1, 64) + " GB"
	}
	long := func(c *cobra.Command) string { return strings.ReplaceAll(c.Long, "\n", " ") }
	solve, expand := measured("solved solve tic-tac-chec -o T.ttb"), measured("solved expand tic-tac-chec -o T.ttb")
	for _, c := range []struct{ where, text, want string }{
		{"solve --help", long(cli.SolveCommand(allGames())), "takes " + solve + " of memory"},
		{"expand --help", long(cli.ExpandCommand(allGames())), "takes " + expand + " of memory"},
		{"serve --help", long(cli.ServeCommand(allGames(), nil)), "each in " + expand + " of memory"},
		{"deploy/README.md", strings.ReplaceAll(readFile(t, "../deploy/README.md"), "\n", " "), "and " + expand + " of memory meanwhile"},
		{"deploy/OPERATING.md", strings.ReplaceAll(readFile(t, "../deploy/OPERATING.md"), "\n", " "), expand + " of memory and 463 MiB of disk"},
		{"audit --help", long(cli.AuditCommand(allGames())), measured("solved audit T.ttb") + " of memory"},
		{"report --help", long(cli.ReportCommand(allGames())), measured("solved report O.ttb -o report") + " of memory"},
		{"report --help", long(cli.ReportCommand(allGames())), "With --compare it takes " + measured("solved report T.ttb --compare O.ttb --compare W.ttb -o report")},
		{"reach --help", long(cli.ReachCommand(allGames())), measured("solved reach tic-tac-chec") + " of memory"},
		{"README.md", readFile(t, "../README.md"), "Solving needs " + solve + " of memory"},
		{"deploy/README.md", strings.ReplaceAll(readFile(t, "../deploy/README.md"), "\n", " "), "takes some minutes and " + expand + " of memory"},
		{"fill.yaml", readFile(t, "../deploy/kubernetes/overlays/table/fill.yaml"), expand + " of memory"},
	} {
		if !strings.Contains(c.text, c.want) {
			t.Errorf("%s does not say %q", c.where, c.want)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
