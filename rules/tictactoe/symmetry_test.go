package tictactoe

import (
	"testing"

	"solved/rules"
)

// The eight symmetries are a group that takes lines to lines, and values and moves to
// those of the moved position.
func TestSymmetries(t *testing.T) {
	known := map[[Squares]Square]bool{}
	for _, to := range symmetries {
		known[to] = true
	}
	if len(known) != 8 || !known[[Squares]Square{A1, B1, C1, A2, B2, C2, A3, B3, C3}] {
		t.Fatalf("%v", symmetries)
	}
	for _, first := range symmetries {
		for _, l := range lines {
			moved := set(1)<<first[l[0]] | 1<<first[l[1]] | 1<<first[l[2]]
			if !moved.hasLine() {
				t.Errorf("%v takes %v to no line", first, l)
			}
		}
		for _, second := range symmetries {
			var both [Squares]Square
			for s := range both {
				both[s] = second[first[s]]
			}
			if !known[both] {
				t.Errorf("%v and then %v is none of the eight", first, second)
			}
		}
	}
	solution := Solve()
	orbits := map[Position]int{}
	for _, p := range numbered.positions {
		form := canonical(p)
		orbits[form]++
		for i := range symmetries {
			to := &symmetries[i]
			q := p.moved(to)
			if !q.legal() || canonical(q) != form || q.Result() != p.Result() || solution.Entry(q) != solution.Entry(p) {
				t.Fatalf("%s and %s differ", p, q)
			}
			for s := range p.Free() {
				if q.Mark(to[s]) != p.Mark(s).moved(to) {
					t.Fatalf("%s: %s and then moved is not moved and then %s", p, s, to[s])
				}
			}
		}
	}
	for form, n := range orbits {
		if 8%n != 0 || canonical(form) != form {
			t.Errorf("%s stands for %d positions", form, n)
		}
	}
	if len(orbits) != 765 {
		t.Errorf("%d positions apart from symmetry", len(orbits))
	}
	if canonical(Start()) != Start() || Start().Result() != rules.Unknown {
		t.Error(canonical(Start()))
	}
}
