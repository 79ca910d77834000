package tictactoe

import (
	"slices"
	"strings"
	"testing"

	"solved/rules"
)

// What each example says about its position is so.
func TestExamples(t *testing.T) {
	solution := Solve()
	draw := rules.Entry{Value: rules.Draw}
	win := func(d uint8) rules.Entry { return rules.Entry{Value: rules.Win, Distance: d} }
	loss := func(d uint8) rules.Entry { return rules.Entry{Value: rules.Loss, Distance: d} }
	want := []struct {
		name, position string
		entry          rules.Entry
		best           string // the moves that keep the value, and win soonest or lose latest
		lines          int
	}{
		{"start", ".../.../...", draw, "a1 b1 c1 a2 b2 c2 a3 b3 c3", 0},
		{"corner", ".../.../X..", draw, "b2", 0},
		{"centre", ".../.X./...", draw, "a1 c1 a3 c3", 0},
		{"trap", "..X/.O./X..", draw, "b1 a2 c2 b3", 0},
		{"fork", "O.X/.O./X..", win(3), "c1", 0},
		{"quiet-fork", ".../.../XO.", win(5), "a2 b2 a3", 0},
		{"longest-loss", ".../X../XO.", loss(4), "a3", 0},
		{"two-lines", "XXX/XOO/XOO", loss(0), "", 2},
		{"full-board", "OOX/XXO/OXX", draw, "", 0},
	}
	examples := Rules{}.Examples()
	if len(examples) != len(want) {
		t.Fatalf("%d examples", len(examples))
	}
	for i, x := range examples {
		w := want[i]
		if x.Name != w.name || x.Position.String() != w.position || !x.Position.legal() || len(x.Position.Lines()) != w.lines {
			t.Errorf("%s: %s, want %s: %s", x.Name, x.Position, w.name, w.position)
		}
		if !strings.HasSuffix(x.Summary, ".") || strings.Count(x.Summary, ". ") > 0 {
			t.Errorf("%s: %q is not one sentence", x.Name, x.Summary)
		}
		entry := solution.Entry(x.Position)
		if entry != w.entry {
			t.Errorf("%s: %s, want %s", x.Name, entry, w.entry)
		}
		best := []string{}
		for s := range x.Position.Free() {
			after := solution.Entry(x.Position.Mark(s))
			if after.Value == entry.Value.Negate() && (entry.Value == rules.Draw || after.Distance+1 == entry.Distance) {
				best = append(best, s.String())
			}
		}
		if !slices.Equal(best, strings.Fields(w.best)) {
			t.Errorf("%s: best moves %v, want %s", x.Name, best, w.best)
		}
	}
	// "As long as any": the longest distances of a win and of a loss.
	longest := map[rules.Value]uint8{}
	for _, p := range numbered.positions {
		e := solution.Entry(p)
		longest[e.Value] = max(longest[e.Value], e.Distance)
	}
	if longest[rules.Win] != 5 || longest[rules.Loss] != 4 {
		t.Errorf("%v", longest)
	}
	// The fork's move makes two threats: O can stop only one.
	for s := range examples[4].Position.Mark(C1).Free() {
		if e := solution.Entry(examples[4].Position.Mark(C1).Mark(s)); e != win(1) {
			t.Errorf("after c1 and %s: %s", s, e)
		}
	}
}
