package notakto

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"solved/rules"
)

func parse(t interface {
	Helper()
	Fatal(...any)
}, text string) Position {
	t.Helper()
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAbout(t *testing.T) {
	all := Rulesets()
	if len(all) != 1 {
		t.Fatalf("%d rulesets", len(all))
	}
	about := all[0].About()
	if about.Name != "notakto" || about.Tag.String() != "0x4e544b01" || about.Game != "Notakto" || about.Title == "" || about.Summary == "" || about.Bounds == "" {
		t.Errorf("%+v", about)
	}
	if start := all[0].Start().String(); start != ".../.../...,.../.../...,.../.../..." {
		t.Errorf("starts from %s", start)
	}
}

func TestExamples(t *testing.T) {
	want := map[string]struct {
		value   rules.Value
		element string
	}{
		"start": {rules.Win, "ac²"}, "one-board": {rules.Win, "c"}, "two-boards": {rules.Loss, "c²"}, "centre": {rules.Loss, "c²"},
		"last-board": {rules.Loss, "a"}, "many-boards": {rules.Loss, "c²"}, "over": {rules.Win, "1"},
	}
	for _, e := range Examples() {
		w := want[e.Name]
		if p := parse(t, e.Position.String()); p.Value() != w.value || p.Element().String() != w.element || e.Summary == "" {
			t.Errorf("%s: %s, %s; want %v", e.Name, p.Value(), p.Element(), w)
		}
		delete(want, e.Name)
	}
	if len(want) > 0 {
		t.Errorf("no example %v", want)
	}
	// What the summary of the one board says: only the centre wins.
	answer, err := Empty(1).Answer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range answer.Moves {
		if won := m.Element.Value() == rules.Loss; won != (m.Move.String() == "1:b2") {
			t.Errorf("%s wins: %t", m.Move, won)
		}
	}
}

// Symmetric boards have one shape, and so one element; the eight symmetries keep lines.
func TestShapes(t *testing.T) {
	trees := gameTrees()
	seen := map[Board]bool{}
	for b := range Board(markings) {
		c := b.canonical()
		seen[c] = true
		if b.Dead() != c.Dead() || b.legal() != c.legal() || trees.of[b] != trees.of[c] || b.Dead() != (trees.of[b] == dead) {
			t.Errorf("%03o and %03o differ", b, c)
		}
	}
	if len(seen) != 102 {
		t.Errorf("%d boards apart from symmetry, want 102", len(seen))
	}
	for tree, options := range trees.options {
		for _, option := range options {
			if int(option) >= tree {
				t.Errorf("shape %d comes before its option %d", tree, option)
			}
		}
	}
}

// Boards are legal exactly when marks one by one reach them.
func TestLegalBoards(t *testing.T) {
	reached := map[Board]bool{}
	var walk func(p Position)
	walk = func(p Position) {
		if reached[p.boards[0]] {
			return
		}
		reached[p.boards[0]] = true
		for m := range p.Legal() {
			walk(p.After(m))
		}
	}
	walk(Empty(1))
	for b := range Board(markings) {
		if b.legal() != reached[b] {
			t.Errorf("%s: legal %t, reached %t", Position{[]Board{b}}, b.legal(), reached[b])
		}
	}
}

// randomPosition draws legal boards, one to the given number.
func randomPosition(t *rapid.T, most int) Position {
	legal := make([]Board, 0, markings)
	for b := range Board(markings) {
		if b.legal() {
			legal = append(legal, b)
		}
	}
	return Position{rapid.SliceOfN(rapid.SampledFrom(legal), 1, most).Draw(t, "boards")}
}

// The laws of an answer, for many boards: its moves are the legal ones, their elements those of
// the positions after them, and a position is lost exactly when it has moves and none wins.
func TestAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomPosition(t, 130)
		answer, err := p.Answer(context.Background())
		if err != nil || answer.Value != p.Value() || answer.Element != p.Element() || answer.Complete != (p.NumMoves() <= rules.MaxLegal) {
			t.Fatalf("%s: %+v, %v", p, answer, err)
		}
		var moves, winning []Move
		for m := range p.Legal() {
			moves = append(moves, m)
			if p.After(m).Value() == rules.Loss {
				winning = append(winning, m)
			}
		}
		if (answer.Value == rules.Loss) != (len(moves) > 0 && len(winning) == 0) || uint64(len(moves)) != p.NumMoves() {
			t.Fatalf("%s is a %s with %d of %d moves winning", p, answer.Value, len(winning), len(moves))
		}
		want := moves
		if !answer.Complete {
			want = winning[:min(MaxWinning, len(winning))]
		}
		check(t, p, answer, want)
		// With room for three moves, the first three that win are listed.
		if answer, err = p.answer(context.Background(), 3, 3); err != nil || len(moves) > 3 == answer.Complete {
			t.Fatalf("%s: %+v, %v", p, answer, err)
		}
		if want = moves; len(moves) > 3 {
			want = winning[:min(3, len(winning))]
		}
		check(t, p, answer, want)
	})
}

// check compares the moves of an answer, and the worth of the positions after them.
func check(t *rapid.T, p Position, answer Answer, want []Move) {
	t.Helper()
	var listed []Move
	for _, m := range answer.Moves {
		listed = append(listed, m.Move)
		after := p.After(m.Move)
		if after.Element() != m.Element || m.Terminal != (after.Result() == rules.Win) {
			t.Fatalf("%s, %s: %+v", p, m.Move, m)
		}
	}
	if !slices.Equal(listed, want) {
		t.Fatalf("%s: listed %v, want %v", p, listed, want)
	}
}

func TestAnswerStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Empty(3).Answer(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
}

// The greatest position has a value, and no distance.
func TestManyBoards(t *testing.T) {
	for n := 1; n <= MaxBoards; n++ {
		// As c⁴ = c² and c³ = ac², an even number of empty boards has the lost element c², an odd one c or ac².
		want := []rules.Value{rules.Loss, rules.Win}[n%2]
		if got := Empty(n).Value(); got != want {
			t.Errorf("%d empty boards are a %s", n, got)
		}
		if _, ok := NewDistances(Empty(n)); ok != (n <= MaxDistanceBoards) {
			t.Errorf("%d empty boards have a distance: %t", n, ok)
		}
	}
}

// Every sum of at most MaxDistanceBoards shapes keeps the laws of distances. One Distances
// expands each sum once here, so its look-ups bound those of every single question.
func TestDistances(t *testing.T) {
	first := map[shape]Board{}
	for b := range Board(markings) {
		if tree := gameTrees().of[b]; tree != dead {
			if _, ok := first[tree]; !ok {
				first[tree] = b
			}
		}
	}
	d, ok := NewDistances(Empty(MaxDistanceBoards))
	if !ok {
		t.Fatal("refused")
	}
	sums := 0
	var each func(p Position, from shape)
	each = func(p Position, from shape) {
		sums++
		if plies := d.Of(p); (plies%2 == 0) != (p.Value() == rules.Win) {
			t.Fatalf("%s is a %s in %d", p, p.Value(), plies)
		}
		if len(p.boards) == MaxDistanceBoards {
			return
		}
		for tree := from; int(tree) < len(gameTrees().options); tree++ {
			each(Position{append(slices.Clone(p.boards), first[tree])}, tree)
		}
	}
	each(Position{}, 1)
	if sums != 26334 { // 22 choose 5
		t.Errorf("%d sums", sums)
	}
	if d.LookUps() > MaxDistanceLookUps {
		t.Errorf("%d look-ups, more than %d", d.LookUps(), MaxDistanceLookUps)
	}
	t.Logf("%d look-ups", d.LookUps())
}

// Dead boards and the order of boards do not count.
func TestDistanceOfOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomPosition(t, MaxDistanceBoards)
		other := Position{rapid.Permutation(append(p.Boards(), 0o007, 0o124)).Draw(t, "order")}
		d, _ := NewDistances(p)
		e, ok := NewDistances(other)
		if !ok || d.Of(p) != e.Of(other) || p.Element() != other.Element() {
			t.Fatalf("%s: %s, %s: %s", p, p.Element(), other, other.Element())
		}
	})
}

func BenchmarkDistances(b *testing.B) {
	p := Empty(MaxDistanceBoards)
	for b.Loop() {
		d, _ := NewDistances(p)
		for m := range p.Legal() {
			d.Of(p.After(m))
		}
		b.ReportMetric(float64(d.LookUps()), "look-ups")
	}
}

func BenchmarkQuotient(b *testing.B) {
	for b.Loop() {
		o := &outcomes{known: map[string]bool{}}
		o.reduce(gameTrees())
		o.quotient(gameTrees())
	}
}
