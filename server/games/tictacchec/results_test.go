package tictacchec_test

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"solved/rules"
	"solved/rules/tictacchec"
	tictacchecgame "solved/server/games/tictacchec"
	"solved/server/games/tictacchec/tictacchectest"
)

// TestResults holds the figures of RESULTS.md against the embedded kernels: the
// digests of the tables that they are equal to, and the number of wins and losses.
func TestResults(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "rules", "tictacchec", "RESULTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	seen := 0
	for _, r := range tictacchec.Rulesets() {
		k, err := tictacchecgame.Game{Rules: r}.Kernel()
		if err != nil {
			t.Fatal(err)
		}
		name := "| `" + k.Ruleset.Name + "` |"
		digest := fmt.Sprintf("| %s | `%016x` | `%s` |", tictacchectest.Grouped(uint64(k.Equal.Bytes)), k.Equal.CRC64, hex.EncodeToString(k.Equal.SHA256[:]))
		for i, line := range lines {
			switch {
			case !strings.HasPrefix(line, name):
			case strings.Contains(line, "`.ttb`"):
				seen++
				if !strings.HasSuffix(line, digest) {
					t.Errorf("%q does not end in %q", line, digest)
				}
			case strings.Contains(line, "| main |"):
				for section, line := range []string{line, lines[i+1]} {
					seen++
					fields := strings.Split(line, "|")
					var wins, losses, draws uint64
					for j, to := range []*uint64{&wins, &losses, &draws} {
						if _, err := fmt.Sscan(strings.ReplaceAll(fields[3+j], ",", ""), to); err != nil {
							t.Fatalf("%q: %v", line, err)
						}
					}
					if wins+losses != k.Equal.Decisive[section] || wins+losses+draws != k.Ruleset.Positions[section] {
						t.Errorf("%q: %d wins and losses of %d positions, want %d of %d", line,
							wins+losses, wins+losses+draws, k.Equal.Decisive[section], k.Ruleset.Positions[rules.Section(section)])
					}
				}
			}
		}
	}
	if seen != 9 {
		t.Errorf("saw %d lines, want three for each of three rulesets", seen)
	}
}
