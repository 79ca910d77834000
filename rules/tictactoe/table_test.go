package tictactoe_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"solved/rules"
	"solved/rules/tictactoe"
	"solved/tablebase"
	"solved/tablebase/audit"
)

// game is the game as a whole audit sees it.
type game struct{ tictactoe.Rules }

func (game) Result(_ rules.Section, index uint64) rules.Value {
	p, _ := tictactoe.FromIndex(index)
	return p.Result()
}

func (game) Spell(_ rules.Section, index uint64) string {
	p, _ := tictactoe.FromIndex(index)
	return p.String()
}

// plainGame is the game as a sample sees it, by the reference rules alone.
type plainGame struct{ reference *tictactoe.Reference }

func (g plainGame) Successors(p audit.Position) (successors []audit.Position, result rules.Value) {
	board := g.reference.At(p.Index)
	for _, move := range board.Moves() {
		successors = append(successors, audit.Position{Section: rules.Main, Index: g.reference.Index(board.Play(move))})
	}
	return successors, board.Result()
}

func (g plainGame) Spell(p audit.Position) string { return g.reference.At(p.Index).String() }

// The table in both formats, by its digests: written, opened in each mode, verified, looked up
// everywhere, and audited in both ways.
func TestTable(t *testing.T) {
	ctx := context.Background()
	rs, solution := tictactoe.Rules{}.Ruleset(), tictactoe.Solve()
	var byteTable bytes.Buffer
	digest, err := tablebase.WriteBytes(ctx, &byteTable, rs, solution, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkDigest(t, ".tb", digest, 5526, "b0b4dacc4805c5f0", "3855741d01462e20ce6c9a63108d913c75aaa99a42470f26c409d8e285bf348c")

	opened := 0
	for _, name := range []string{"t.ttb", "t.ttb.zst"} {
		path := filepath.Join(t.TempDir(), name)
		if err := tablebase.Create(path, func(w io.Writer) error {
			_, err := tablebase.Write(ctx, w, rs, solution, 2, nil)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		for _, mode := range []tablebase.Mode{tablebase.Mapped, tablebase.Memory} {
			table, err := tablebase.Open(path, mode, rs)
			if err != nil {
				t.Fatal(err)
			}
			digest, err := table.Verify(ctx, 2)
			if err != nil {
				t.Fatal(err)
			}
			checkDigest(t, ".ttb", digest, 4101, "6c4d48964b5036fb", "518d72e9822aa41ab76a0b9bae17a3c45786d719dc14cb4205850460e8e48420")
			for index := range uint64(tictactoe.Positions) {
				p, _ := tictactoe.FromIndex(index)
				if entry, err := table.Lookup(rules.Main, index); err != nil || entry != solution.Entry(p) {
					t.Fatalf("%s: %v, %v, want %v", p, entry, err, solution.Entry(p))
				}
			}
			auditTable(t, table)
			if err := table.Close(); err != nil {
				t.Error(err)
			}
			opened++
		}
	}
	if opened != 4 {
		t.Errorf("%d tables opened", opened)
	}
}

func checkDigest(t *testing.T, name string, d tablebase.Digest, size int64, crc, sha string) {
	t.Helper()
	if d.Bytes != size || d.Decisive != [rules.Sections]uint64{4410, 0} ||
		fmt.Sprintf("%016x", d.CRC64) != crc || fmt.Sprintf("%x", d.SHA256) != sha {
		t.Errorf("%s: %s, %d decisive", name, d, d.Decisive)
	}
}

// auditTable audits a table whole and by a sample of everything.
func auditTable(t *testing.T, table *tablebase.Table) {
	t.Helper()
	ctx, rs := context.Background(), table.Ruleset()
	options := audit.Options{Threads: 2, Violations: 10}
	unpacked, err := audit.Unpack(ctx, rs, table, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unpacked.Free()
	report, err := unpacked.Check(ctx, game{}, audit.All(rs), options)
	if err != nil || len(report.Violations) > 0 {
		t.Errorf("%v, %v", report.Violations, err)
	}
	want := audit.Count{Positions: 5478, Edges: 16167, MostMoves: 9, Over: 958, Wins: 2836, Losses: 1574, Draws: 1068}
	if report.Sections != [rules.Sections]audit.Count{want, {}} {
		t.Errorf("%+v", report.Sections)
	}
	report, err = audit.Sample(ctx, rs, table, plainGame{tictactoe.NewReference()}, 60_000, 1, options)
	if err != nil || len(report.Violations) > 0 {
		t.Errorf("%v, %v", report.Violations, err)
	}
	if report.Sections != [rules.Sections]audit.Count{want, {}} {
		t.Errorf("the sample: %+v", report.Sections)
	}
}

// The audit of tic-tac-toe finds whatever is changed: every entry, to every other code.
func TestAuditFinds(t *testing.T) {
	ctx, rs, solution := context.Background(), tictactoe.Rules{}.Ruleset(), tictactoe.Solve()
	right := make([]rules.Code, tictactoe.Positions)
	if err := solution.Codes(rules.Main, 0, right); err != nil {
		t.Fatal(err)
	}
	found := 0
	for index := 0; index < tictactoe.Positions; index += 53 {
		for _, code := range []rules.Code{0, 1, 2, 3, 4, 5, rules.CodeDraw} {
			if code == right[index] {
				continue
			}
			wrong := bytes.Clone(right)
			wrong[index] = code
			table, err := audit.Unpack(ctx, rs, source(wrong), 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			report, err := table.Check(ctx, game{}, audit.All(rs), audit.Options{Threads: 1, Violations: 1})
			table.Free()
			if err != nil || len(report.Violations) == 0 {
				t.Errorf("%d, %d for %d: %v", index, code, right[index], err)
			}
			found++
		}
	}
	if found != 6*104 {
		t.Errorf("%d changes", found)
	}
}

// source is a table of one section in memory.
type source []rules.Code

func (s source) Codes(_ rules.Section, lo uint64, dst []rules.Code) error {
	copy(dst, s[lo:])
	return nil
}

// Codes are given for any range that there is, and for no other.
func TestCodes(t *testing.T) {
	solution := tictactoe.Solve()
	for _, c := range []struct {
		section rules.Section
		lo      uint64
		n       int
		ok      bool
	}{
		{rules.Main, 0, 5478, true}, {rules.Main, 5477, 1, true}, {rules.Main, 5478, 0, true}, {rules.Opening, 0, 0, true},
		{rules.Main, 0, 5479, false}, {rules.Main, 5478, 1, false}, {rules.Main, 1<<64 - 1, 1, false}, {rules.Opening, 0, 1, false},
	} {
		if err := solution.Codes(c.section, c.lo, make([]rules.Code, c.n)); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
