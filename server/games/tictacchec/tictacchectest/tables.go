package tictacchectest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"solved/rules/tictacchec"
	"solved/tablebase"
)

// TablesDir names an environment variable with a directory of tables, each
// called RULES.ttb. They are too large for the repository, and made by solving.
const TablesDir = "SOLVED_TABLES"

// SolvedTable maps a ruleset's table and verifies it; nil if there is none.
func SolvedTable(t *testing.T, r *tictacchec.Rules) *tablebase.Table {
	dir := os.Getenv(TablesDir)
	if dir == "" {
		return nil
	}
	table, err := tablebase.Open(filepath.Join(dir, r.Ruleset().Name+".ttb"), tablebase.Mapped, r.Ruleset())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	if _, err := table.Verify(t.Context(), runtime.GOMAXPROCS(0)); err != nil {
		t.Fatal(err)
	}
	return table
}

// Grouped writes a number with commas between groups of three digits.
func Grouped(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
