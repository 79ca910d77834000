package inversetreblecross

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"solved/rules"
)

// positionsOf calls f with every position of a length, as text and as marks.
func positionsOf(t *testing.T, r *Rules, length int, f func(p Position, marks uint64)) {
	t.Helper()
	for marks := range uint64(1) << length {
		want := plainOf(r.row, r.ring, length, marks)
		if !want.hasRow() {
			f(mustParse(t, r, want.String()), marks)
		}
	}
}

// TestAnswers holds values, those of all moves, and distances against the reference and
// a plain count, for every position of up to 11 cells.
func TestAnswers(t *testing.T) {
	seen := 0
	for _, r := range Rulesets() {
		for length := range 12 {
			reference := NewReference(r.row, length, r.ring)
			plies := plainDistances(r.row, length, r.ring)
			distances, ok := NewDistances(r.Empty(uint64(length)))
			if !ok {
				t.Fatalf("no distances for %d cells", length)
			}
			positionsOf(t, r, length, func(p Position, marks uint64) {
				seen++
				answer, err := p.Answer(t.Context(), DefaultBudget)
				if err != nil {
					t.Fatalf("%s %s: %v", r.About().Name, p, err)
				}
				alone, err := p.Grundy(t.Context(), DefaultBudget)
				value, source := alone.Grundy, alone.Source
				want, _ := reference.Value(marks)
				if err != nil || answer.Grundy != want || value != want || source != answer.Source || !answer.Complete {
					t.Fatalf("%s %s: %d and %+v, %v, want %d", r.About().Name, p, value, answer, err, want)
				}
				if closed := p.IsEmpty() && r.row == MinRow && !r.ring; closed != (source == ClosedForm) {
					t.Fatalf("%s %s comes from %s", r.About().Name, p, source)
				}
				cells := slices.Collect(p.Cells())
				if len(cells) != len(answer.Moves) {
					t.Fatalf("%s %s: %d moves, want %d", r.About().Name, p, len(answer.Moves), len(cells))
				}
				for i, move := range answer.Moves {
					want, _ := reference.Value(marks | 1<<(move.Cell-1))
					if move.Cell != cells[i] || move.Grundy != want {
						t.Fatalf("%s %s: %+v, want %d of value %d", r.About().Name, p, move, cells[i], want)
					}
				}
				if got := distances.Of(p); got != plies[marks] || (got%2 == 1) != (want != 0) {
					t.Fatalf("%s %s ends in %d plies, want %d", r.About().Name, p, got, plies[marks])
				}
			})
		}
	}
	if seen < 20000 {
		t.Errorf("saw only %d positions", seen)
	}
}

// plainDistances counts plies to the end by the rules as they are said.
func plainDistances(row, length int, ring bool) []int {
	plies := make([]int, 1<<length)
	for marks := len(plies) - 1; marks >= 0; marks-- {
		p := plainOf(row, ring, length, uint64(marks))
		var wins, losses []int
		for cell := 1; cell <= length; cell++ {
			if _, ok := p.play(cell); ok {
				if d := plies[marks|1<<(cell-1)]; d%2 == 0 {
					wins = append(wins, d+1)
				} else {
					losses = append(losses, d+1)
				}
			}
		}
		if len(wins) > 0 {
			plies[marks] = slices.Min(wins)
		} else if len(losses) > 0 {
			plies[marks] = slices.Max(losses)
		}
	}
	return plies
}

// TestSearchByReference holds the search, with and without the closed form and for
// losses alone, against all positions of 15 cells and of 14 on a ring.
func TestSearchByReference(t *testing.T) {
	for _, test := range []struct {
		row, length int
		ring        bool
	}{{3, 15, false}, {4, 13, false}, {7, 12, false}, {3, 14, true}, {4, 12, true}} {
		reference := NewReference(test.row, test.length, test.ring)
		s := newSearch(t.Context(), test.row, unbounded)
		plainly := newSearch(t.Context(), test.row, unbounded)
		plainly.plain = true
		losses := newSearch(t.Context(), test.row, unbounded)
		for marks := range uint64(1) << test.length {
			want, ok := reference.Value(marks)
			if !ok {
				continue
			}
			a := s.value(marks, test.length, test.ring)
			b := plainly.value(marks, test.length, test.ring)
			lost := losses.lost(marks, test.length, test.ring)
			if int(a) != want || int(b) != want || lost != (want == 0) {
				t.Fatalf("%+v: %b has the value %d, %d without the closed form, lost %v; want %d", test, marks, a, b, lost, want)
			}
		}
	}
}

// TestPieces cuts positions the two ways that there are, as runs and as bits.
func TestPieces(t *testing.T) {
	for _, test := range []struct{ rules, position, want string }{
		{"inverse-treblecross", "4XX5", "3 4"},
		{"inverse-treblecross", "4X1X5", "X4 X5"},
		{"inverse-treblecross", "5X4", "4X5"},
		{"inverse-treblecross", "X1X", ""},
		{"inverse-treblecross", "2XX1XX2", "1 1"},
		{"inverse-treblecross", "1000000X1X3", "X1000000 X3"},
		{"inverse-treblecross-4", "4XX1X5", "XX4 X5"},
		{"inverse-treblecross-ring", "X4X", "2"},
		{"inverse-treblecross-ring", "3XX4", "5"},
		{"inverse-treblecross-ring", "1X5X", "X5X"},
		{"inverse-treblecross-ring", "5X5", "5X5"},
	} {
		var got []string
		for _, p := range mustParse(t, named(t, test.rules), test.position).pieces() {
			got = append(got, string(p.appendKey(nil)))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s %s: pieces %q, want %s", test.rules, test.position, got, test.want)
		}
	}
}

// TestBudget holds what DefaultBudget promises.
func TestBudget(t *testing.T) {
	canonical := named(t, "inverse-treblecross")
	for n := uint64(0); n <= answeredStrip; n++ {
		answer, err := canonical.Empty(n).Answer(t.Context(), DefaultBudget)
		if err != nil || !answer.Complete || uint64(len(answer.Moves)) != n {
			t.Fatalf("%d cells: %d moves, %v", n, len(answer.Moves), err)
		}
		reply, ok := WinningReply(n)
		seen := 0
		for _, move := range answer.Moves {
			if move.Grundy == 0 {
				seen++
			}
			if ok && move.Cell == reply && move.Grundy != 0 {
				t.Errorf("%d cells: cell %d does not win", n, reply)
			}
		}
		if (seen > 0) != ok || ok != (answer.Grundy != 0) {
			t.Errorf("%d cells: %d winning moves, reply %v, value %d", n, seen, ok, answer.Grundy)
		}
	}
	for _, r := range Rulesets() {
		for n := uint64(0); n <= 16; n++ {
			if _, err := r.Empty(n).Answer(t.Context(), DefaultBudget); err != nil {
				t.Errorf("%s: %v", r.About().Name, err)
			}
		}
	}
}

// TestTooHard asks for more than is searched: the refusal says what it was, and is the
// same each time.
func TestTooHard(t *testing.T) {
	for _, test := range []struct {
		rules, position string
		budget          int
		want            string
	}{
		{"inverse-treblecross", "20X20X20", DefaultBudget,
			`position "20X20X20" is too hard: its value was not found within 300000 look-ups`},
		{"inverse-treblecross", "20X10", 1000, `position "20X10" is too hard: its value was not found within 1000 look-ups`},
		{"inverse-treblecross", "30X34", DefaultBudget,
			`position "30X34" is too hard: 65 neighbouring cells are played on as one game, and at most 64 are searched`},
		{"inverse-treblecross", "XX2000", DefaultBudget, `position "XX2000" is too hard: it has 1999 moves, and at most 1000 are valued`},
		{"inverse-treblecross-4", "65", DefaultBudget,
			`position "65" is too hard: 65 neighbouring cells are played on as one game, and at most 64 are searched`},
		{"inverse-treblecross-4", "9223372036854775807", DefaultBudget,
			`position "9223372036854775807" is too hard: it has 9223372036854775807 moves, and at most 1000 are valued`},
		{"inverse-treblecross-ring", "64", DefaultBudget,
			`position "64" is too hard: its value was not found within 300000 look-ups`},
		{"inverse-treblecross-ring", "65", DefaultBudget,
			`position "65" is too hard: 65 neighbouring cells are played on as one game, and at most 64 are searched`},
	} {
		p := mustParse(t, named(t, test.rules), test.position)
		for range 2 {
			_, err := p.Answer(t.Context(), test.budget)
			var hard *TooHardError
			if !errors.As(err, &hard) || err.Error() != test.want {
				t.Errorf("%s %s: %v, want %s", test.rules, test.position, err, test.want)
			}
		}
	}
	// The value alone of two long empty strips is no trouble.
	p := mustParse(t, named(t, "inverse-treblecross"), "1000000002XX2000000009")
	if answer, err := p.Grundy(t.Context(), DefaultBudget); answer.Grundy != 0 || answer.Source != Searched || err != nil {
		t.Errorf("%s: %+v, %v", p, answer, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := mustParse(t, named(t, "inverse-treblecross"), "20X20").Answer(ctx, unbounded); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, ok := NewDistances(named(t, "inverse-treblecross").Empty(MaxDistanceLength + 1)); ok {
		t.Error("distances past their bound")
	}
}

// TestSearchIsBounded holds the most that a search takes: look-ups, and bytes of memory;
// and that it ends soon after its context does. All are counted the same each time.
func TestSearchIsBounded(t *testing.T) {
	for _, test := range []struct{ rules, position string }{
		{"inverse-treblecross", "20X20X20"},
		{"inverse-treblecross-6", "64"},
		{"inverse-treblecross-10", "31X32"},
		{"inverse-treblecross-13", "31X32"},
		{"inverse-treblecross-ring", "64"},
		{"inverse-treblecross-ring", "40X20"},
	} {
		p := mustParse(t, named(t, test.rules), test.position)
		spent := 0
		for range 2 {
			answer, err := p.Answer(t.Context(), DefaultBudget)
			var hard *TooHardError
			if !errors.As(err, &hard) || hard.LookUps != DefaultBudget || answer.LookUps != hard.LookUps {
				t.Errorf("%s %s: %d look-ups, %+v", test.rules, test.position, answer.LookUps, err)
			}
			if spent = answer.LookUps; spent > DefaultBudget {
				t.Errorf("%s %s: %d look-ups", test.rules, test.position, spent)
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = p.Answer(t.Context(), DefaultBudget)
		runtime.ReadMemStats(&after)
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > MaxSearchBytes {
			t.Errorf("%s %s: %d bytes, want at most %d", test.rules, test.position, bytes, MaxSearchBytes)
		}
		asked := &countdown{Context: t.Context(), left: 5}
		if answer, err := p.Answer(asked, unbounded); !errors.Is(err, context.Canceled) || answer.LookUps > 6*betweenGlances {
			t.Errorf("%s %s: %d look-ups after the context had ended, %v", test.rules, test.position, answer.LookUps, err)
		}
	}
}

// countdown is a context that ends after it has been looked at so many times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestMemory fills a small memory: what it says of a part is what it was given last, or
// nothing.
func TestMemory(t *testing.T) {
	m := newMemory(256)
	given := map[part]known{}
	forgotten := 0
	for i := range uint64(2000) {
		g := part{first: i*i%701 + 1, last: 1 << (i % 40)}
		now := known{reached: i & 0xffff}
		if i%3 == 0 {
			now = known{exact: true, value: uint8(i % 60)}
		}
		m.put(g, now)
		if given[g] = now; m.get(g) != now {
			t.Fatalf("%+v is not remembered", g)
		}
	}
	for g, want := range given {
		switch m.get(g) {
		case want:
		case known{}:
			forgotten++
		default:
			t.Errorf("%+v: %+v, want %+v", g, m.get(g), want)
		}
	}
	if len(m.entries) != 256 || forgotten == 0 || forgotten > len(given)-200 {
		t.Errorf("%d entries, %d of %d forgotten", len(m.entries), forgotten, len(given))
	}
}

// TestIncomplete asks about empty strips whose moves cannot all be valued.
func TestIncomplete(t *testing.T) {
	canonical := named(t, "inverse-treblecross")
	for _, test := range []struct {
		n     uint64
		value int
		cell  uint64 // that wins, or 0
	}{{60, 0, 0}, {61, 1, 1}, {64, 1, 1}, {65, 1, 3}, {67, 1, 1}, {68, 1, 3},
		{1_000_000_005, 1, 3}, {MaxLength, 1, 1}, {MaxLength - 1, 0, 0}} {
		answer, err := canonical.Empty(test.n).Answer(t.Context(), DefaultBudget)
		var cells []uint64
		for _, move := range answer.Moves {
			cells = append(cells, move.Cell)
			if move.Grundy != 0 {
				t.Errorf("%d cells: %+v", test.n, move)
			}
		}
		var want []uint64
		if test.cell > 0 {
			want = []uint64{test.cell}
		}
		if err != nil || answer.Complete || answer.Source != ClosedForm || answer.Grundy != test.value || !slices.Equal(cells, want) {
			t.Errorf("%d cells: %+v, %v, want %+v", test.n, answer, err, test)
		}
	}
}

// reduced is a certificate that takes seconds.
func reduced() Certificate {
	return Certificate{Plain: 22, Rows: 22, Reduced: 16, Searched: 37, Theorem: 200, Played: 34, Marked: 37, Rings: 32}
}

func TestProve(t *testing.T) {
	claims := 0
	report := rules.Proof{Report: func(c rules.Claim) {
		claims++
		if !c.Holds() {
			t.Errorf("%s: want %s, found %s", c.Text, c.Want, c.Found)
		}
		if c.Text == "" || c.Want == "" {
			t.Errorf("%+v says nothing", c)
		}
	}}
	for _, r := range Rulesets() {
		if err := reduced().Prove(t.Context(), r, report); err != nil {
			t.Fatal(err)
		}
	}
	if claims != 69 {
		t.Errorf("%d claims, want 69", claims)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, r := range Rulesets() {
		if err := r.Prove(ctx, report); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", r.About().Name, err)
		}
	}
}

// TestTheoryCanFail makes each claim of the theorem wrong in turn: its derivation, or
// that of another claim that rests on it, must then fail.
func TestTheoryCanFail(t *testing.T) {
	wrong := 0
	for f := range families {
		for residue := range 10 {
			th := newTheory()
			if th.claims[f][residue] == unclaimed {
				continue
			}
			th.claims[f][residue] ^= 1
			wrong++
			failed := false
			for g := range families {
				for n := uint64(15); n < 60 && !failed; n++ {
					failed = th.claims[g][n%10] != unclaimed && th.check(g, n) != nil
				}
			}
			if !failed {
				t.Errorf("%s can have the wrong value for n ≡ %d", f, residue)
			}
		}
	}
	if wrong != 34 {
		t.Errorf("changed %d claims, want 34", wrong)
	}
}

// TestTheoremToSixty derives every claim up to where they are periodic.
func TestTheoremToSixty(t *testing.T) {
	th := newTheory()
	checked := 0
	for f := range families {
		for n := uint64(smallest); n <= 60; n++ {
			if th.claims[f][n%10] == unclaimed || positionOf(&Rules{row: MinRow}, f.runs(n)).Length() <= smallest {
				continue
			}
			checked++
			if err := th.check(f, n); err != nil {
				t.Error(err)
			}
		}
	}
	if checked < 150 {
		t.Errorf("checked only %d claims", checked)
	}
}

// TestFamilies reads the families back from their pieces.
func TestFamilies(t *testing.T) {
	for f := range families {
		for n := uint64(3); n < 20; n++ {
			for _, runs := range [][]uint64{f.runs(n), reversed(f.runs(n))} {
				got, m, ok := familyOf(piece{runs: runs})
				if !ok || got != f || m != n {
					t.Errorf("%s with n = %d is read as %s with %d, %v", f, n, got, m, ok)
				}
			}
		}
	}
	if _, _, ok := familyOf(piece{runs: []uint64{3, 1, 9}}); ok {
		t.Error("[3X9] is in a family")
	}
}

func ExampleWinningReply() {
	cell, _ := WinningReply(1_000_000_005)
	fmt.Println("mark cell", cell)
	_, ok := WinningReply(1_000_000_000)
	fmt.Println("lost:", !ok)
	// Output:
	// mark cell 3
	// lost: true
}

// TestSweep holds the two ways to value all positions against each other.
func TestSweep(t *testing.T) {
	for row := 2; row <= MaxRow; row++ {
		for length := range 16 {
			reference, sweep := NewReference(row, length, false), NewSweep(row, length)
			for marks := range uint64(1) << length {
				want, legal := reference.Value(marks)
				got, ok := sweep.Value(marks)
				if ok != legal || legal && got != want {
					t.Fatalf("%d in a row, %b of %d cells: %d, %v, want %d, %v", row, marks, length, got, ok, want, legal)
				}
			}
		}
	}
}

func BenchmarkSweep22Cells(b *testing.B) {
	for b.Loop() {
		NewSweep(MinRow+2, 22)
	}
}

func BenchmarkReference22Cells(b *testing.B) {
	for b.Loop() {
		NewReference(MinRow+2, 22, false)
	}
}
