package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"solved/api"
	"solved/rules"
	"solved/rules/tictacchec"
	"solved/server/cli"
	tictacchecgame "solved/server/games/tictacchec"
	"solved/server/games/tictacchec/report"
	"solved/server/games/tictacchec/tictacchectest"
)

// reportDirs are where the reports in the documentation are.
var reportDirs = map[string]string{
	tictacchec.CanonicalName:      "canonical",
	tictacchec.OutboundName:       "outbound",
	tictacchec.TowardOpponentName: "toward-opponent",
}

// TestReports holds the reports in the documentation against what the program would
// write, with the embedded tables: the table they are of, their text and plots, which
// follow from the JSON, and their lines. With tables in the directory that SOLVED_TABLES
// names (see TestKernelAnswers), reports are made of these, by the command itself, and
// must agree in all that a quick report has.
func TestReports(t *testing.T) {
	results, err := os.ReadFile(filepath.Join("..", "rules", "tictacchec", "RESULTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	for column, r := range tictacchec.Rulesets() {
		t.Run(r.Ruleset().Name, func(t *testing.T) {
			dir := filepath.Join("..", "rules", "tictacchec", "reports", reportDirs[r.Ruleset().Name])
			published := checkReport(t, r, dir)
			checkResults(t, results, column, published)
			if tictacchectest.SolvedTable(t, r) == nil {
				return
			}
			made := t.TempDir()
			path := filepath.Join(os.Getenv(tictacchectest.TablesDir), r.Ruleset().Name+".ttb")
			var out, errs strings.Builder
			if code := cli.Run(context.Background(), allGames(), []string{"report", "--quick", path, "-o", made}, nil, strings.NewReader(""), &out, &errs); code != cli.ExitFine {
				t.Fatalf("exit code %d: %s", code, errs.String())
			}
			again := checkReport(t, r, made)
			for what, pair := range map[string][2]any{
				"main phase": {again.Main, published.Main},
				"opening":    {again.Opening, published.Opening},
				"plies":      {again.Plies, published.Plies},
				"threats":    {again.Threats.Counts, published.Threats.Counts},
				"lasso":      {again.Lasso, published.Lasso},
				"start":      {again.Start, published.Start},
			} {
				if d := cmp.Diff(pair[0], pair[1]); d != "" {
					t.Errorf("%s: %s", what, d)
				}
			}
		})
	}
}

// checkResults holds RESULTS.md against a report: the moves that the audit went over, and
// the table of figures, of which the ruleset has a column.
func checkResults(t *testing.T, results []byte, column int, r *report.Report) {
	if row := fmt.Sprintf("| `%s` | %s |", r.Rules.Name, tictacchectest.Grouped(r.Choices.Moves)); !bytes.Contains(results, []byte(row)) {
		t.Errorf("RESULTS.md has no row %s, though the audit goes over as many moves", row)
	}
	later := uint64(0)
	for _, n := range r.Choices.WinsInOneAll[2:] {
		later += n
	}
	for label, n := range map[string]uint64{
		"under a live threat":                         r.Threats.All(),
		"of them won":                                 r.Threats.Wins,
		"of them lost":                                r.Threats.Losses,
		"of them drawn":                               r.Threats.Draws,
		"lost in 2 under a threat":                    r.Threats.LossesInTwo,
		"lost in 2 without one: zugzwang":             r.Threats.Zugzwangs,
		"moves from drawn positions":                  r.Choices.MovesInDraws,
		"of them drawing":                             r.Choices.DrawingMoves,
		"draws of which every move draws":             r.Choices.AllDraw,
		"draws of which one move draws":               r.Choices.OneDraws,
		"wins in 1 with another move that wins later": later,
		"that no game can reach":                      r.Main.All() - r.Reachable.All(),
	} {
		_, row, ok := bytes.Cut(results, []byte("\n| "+label+" | "))
		row, _, _ = bytes.Cut(row, []byte(" |\n"))
		if cells := strings.Split(string(row), " | "); !ok || len(cells) != len(reportDirs) || cells[column] != tictacchectest.Grouped(n) {
			t.Errorf("RESULTS.md has %q for %s, want %s", row, label, tictacchectest.Grouped(n))
		}
	}
}

// checkReport holds a report against the embedded table and against its own JSON.
func checkReport(t *testing.T, r *tictacchec.Rules, dir string) *report.Report {
	data, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var found report.Report
	if err := json.Unmarshal(data, &found); err != nil {
		t.Fatal(err)
	}
	if found.Rules.Tag != r.Ruleset().Tag.String() || len(found.Differing()) > 0 {
		t.Errorf("%s: %+v, %+v", dir, found.Rules, found.Differing())
	}
	k, err := tictacchecgame.Game{Rules: r}.Kernel()
	if err != nil {
		t.Fatal(err)
	}
	if sha := hex.EncodeToString(k.Equal.SHA256[:]); found.Digest.SHA256 != sha {
		t.Errorf("%s is of a table with the SHA-256 %s, want %s", dir, found.Digest.SHA256, sha)
	}
	for section, c := range []report.Census{found.Main, found.Opening} {
		if c.Wins+c.Losses != k.Equal.Decisive[section] || c.All() != r.Ruleset().Positions[section] {
			t.Errorf("%s: %+v of %s", dir, c.Counts, rules.Section(section))
		}
	}
	written := t.TempDir()
	names, err := found.Write(written)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		want, err := os.ReadFile(filepath.Join(written, name))
		if err != nil {
			t.Fatal(err)
		}
		if have, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not what follows from report.json: make the report again (%v)", filepath.Join(dir, name), err)
		}
	}
	lines := []*report.Line{found.Lasso}
	for _, e := range found.Longest {
		lines = append(lines, e.Line)
	}
	if len(lines) < 5 {
		t.Errorf("%s: %d lines", dir, len(lines))
	}
	prober := tictacchectest.EmbeddedProber(t, r.Ruleset().Name)
	for _, l := range lines {
		want, err := tictacchectest.Line(prober, api.Question{Position: &l.Position}, 100)
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Line) != len(l.Steps) || (want.CycleStart != nil) != (l.End == "cycle") || want.CycleStart != nil && *want.CycleStart != l.Prefix {
			t.Errorf("%s, from %s: %d plies, %s, want %d, %s", dir, l.Position, len(l.Steps), l.End, len(want.Line), want.End)
			continue
		}
		for i, s := range l.Steps {
			if w := want.Line[i]; s.Move != w.Move || s.Result != w.Position || s.Key != w.Key {
				t.Errorf("%s, from %s, ply %d: %+v, want %+v", dir, l.Position, i+1, s, w)
				break
			}
		}
	}
	return &found
}
