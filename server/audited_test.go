package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"solved/rules"
	"solved/rules/tictactoe"
	"solved/server/cli"
	"solved/tablebase"
)

// changed is tic-tac-toe's table with another code in one place.
type changed struct {
	tablebase.Source
	index uint64
	code  rules.Code
}

func (c changed) Codes(section rules.Section, lo uint64, dst []rules.Code) error {
	err := c.Source.Codes(section, lo, dst)
	if section == rules.Main && lo <= c.index && c.index-lo < uint64(len(dst)) {
		dst[c.index-lo] = c.code
	}
	return err
}

// TestAuditMarks audits files of tic-tac-toe with one wrong entry, by the command: each
// is named, by the whole audit and by a sample, which takes nearly all positions.
func TestAuditMarks(t *testing.T) {
	r := tictactoe.Rules{}
	rs, solution := r.Ruleset(), tictactoe.Solve()
	audit := func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		code := cli.Run(t.Context(), allGames(), append([]string{"audit"}, args...), nil, strings.NewReader(""), &out, &errs)
		return code, out.String(), errs.String()
	}
	planted := 0
	for index := uint64(0); index < tictactoe.Positions; index += 397 {
		p, _ := tictactoe.FromIndex(index)
		right := solution.Entry(p)
		wrong := rules.Entry{Value: rules.Draw}
		if right == wrong {
			wrong = rules.Entry{Value: rules.Win, Distance: 5}
		}
		path := filepath.Join(t.TempDir(), "wrong.ttb")
		if err := tablebase.Create(path, func(w io.Writer) error {
			_, err := tablebase.Write(t.Context(), w, rs, changed{solution, index, wrong.Code()}, 1, nil)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("main %d, %s: the table has a ", index, p)
		for _, args := range [][]string{{}, {"--sample", "60000"}} {
			code, out, errs := audit(append(args, "--violations", "100", path)...)
			if code != cli.ExitDamaged || !strings.Contains(out, want) || !strings.Contains(errs, "not follow from what its moves lead to") {
				t.Errorf("%v, %s for %s of %s: exit code %d, %q, %q", args, wrong, right, p, code, out, errs)
			}
		}
		planted++
	}
	if planted != 14 {
		t.Errorf("%d entries planted", planted)
	}
}
