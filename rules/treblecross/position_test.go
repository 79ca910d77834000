package treblecross

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"solved/rules"
	"solved/rules/strip"
)

// canonicalRules holds the values of heaps for all tests.
var canonicalRules = Rulesets()[0]

func parse(t interface {
	Helper()
	Fatal(...any)
}, text string) Position {
	t.Helper()
	p, err := canonicalRules.ParsePosition(text)
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
	if about.Name != "treblecross" || about.Tag.String() != "0x54424303" || about.Game != "Treblecross" || about.Title == "" || about.Summary == "" ||
		!strings.Contains(about.Bounds, "3 to 10000 cells") || !strings.Contains(about.Bounds, "empty strips of up to 48 cells") {
		t.Errorf("%+v", about)
	}
	if start := all[0].Start().String(); start != "12" {
		t.Errorf("starts from %s", start)
	}
}

func TestExamples(t *testing.T) {
	want := map[string]Worth{
		"start":        {rules.Loss, 0, true},
		"middle":       {rules.Loss, 0, true},
		"two-heaps":    {rules.Win, 1 ^ 3, true},
		"complete":     {Value: rules.Win},
		"no-safe-cell": {rules.Loss, 0, true},
		"longest":      {rules.Win, 206, true},
		"over":         {Value: rules.Loss},
	}
	for _, e := range canonicalRules.Examples() {
		if worth := parse(t, e.Position.String()).Worth(); worth != want[e.Name] || e.Summary == "" {
			t.Errorf("%s: %+v, want %+v", e.Name, worth, want[e.Name])
		}
		delete(want, e.Name)
	}
	if len(want) > 0 {
		t.Errorf("no example %v", want)
	}
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		text   string
		offset int    // of the fault in a malformed text, or -1
		reason string // of an illegal one
	}{
		{"3", -1, ""},
		{"12", -1, ""},
		{"4X5", -1, ""},
		{"XX1", -1, ""},
		{"X1X", -1, ""},
		{"XXX", -1, ""},
		{"10000", -1, ""},
		{"9999X", -1, ""},
		{"2XXX1XX", -1, ""},
		{"XXXX", -1, ""},
		{"XXXXX7", -1, ""},
		{"", 0, ""},
		{"00", 1, ""},
		{"X0X", 1, ""},
		{"4x5", 1, ""},
		{"4,5", 1, ""},
		{"-4", 0, ""},
		{"4X٣", 2, ""},
		{"10001", 4, ""},
		{"10000X", 5, ""},
		{"99999999999999999999", 4, ""},
		{"0", -1, ReasonShort},
		{"2", -1, ReasonShort},
		{"1X", -1, ReasonShort},
		{"XX", -1, ReasonShort},
		{"XXXXXX", -1, ReasonAfterLine},
		{"3XXXXXXXX", -1, ReasonAfterLine},
		{"XXX1XXX", -1, ReasonAfterLine},
		{"4XXXX2X1XXXXX", -1, ReasonAfterLine},
		{"XXXXXXx", 6, ""}, // malformed before illegal
	} {
		p, err := canonicalRules.Parse(test.text)
		var malformed *rules.MalformedPositionError
		var illegal *rules.IllegalPositionError
		switch {
		case errors.As(err, &malformed):
			if malformed.Offset != test.offset || malformed.Position != test.text || malformed.Detail == "" {
				t.Errorf("%q: %v, want offset %d", test.text, err, test.offset)
			}
		case errors.As(err, &illegal):
			if illegal.Reason != test.reason || test.offset >= 0 || illegal.Position != test.text || illegal.Detail == "" {
				t.Errorf("%q: %v, want offset %d, reason %q", test.text, err, test.offset, test.reason)
			}
		case err != nil:
			t.Errorf("%q: %v is not one of the errors of positions", test.text, err)
		case test.offset >= 0 || test.reason != "":
			t.Errorf("%q is read as %s, want offset %d, reason %q", test.text, p, test.offset, test.reason)
		case p.String() != test.text:
			t.Errorf("%q prints as %q", test.text, p)
		}
	}
}

func TestDiagram(t *testing.T) {
	for text, want := range map[string]string{
		"12":     "............\n1       10\nstrip of 12 cells\n",
		"4X5":    "..xxXxx...\n1       10\nstrip of 10 cells; x: after a mark there, the other side completes three in a row\n",
		"3X1X4":  "..." + "X!X....\n1       10\nstrip of 10 cells; !: a mark there completes three in a row\n",
		"2XX2X":  ".!XX!.X\n1\nstrip of 7 cells; !: a mark there completes three in a row\n",
		"1XXX2":  ".XXX..\n1\nstrip of 6 cells; three in a row, the game is over\n",
		"100X":   "100X\nstrip of 101 cells\n",
		"99XXXX": "99XXXX\nstrip of 103 cells; three in a row, the game is over\n",
	} {
		if got := parse(t, text).Diagram(); got != want {
			t.Errorf("%s is drawn as\n%swant\n%s", text, got, want)
		}
	}
}

func TestPlayErrors(t *testing.T) {
	for _, test := range []struct {
		position, move string
		offset         int // of a malformed move, or -1
		detail         string
	}{
		{"12", "", 0, "number of a cell"},
		{"12", "0", 0, "number of a cell"},
		{"12", "01", 0, "number of a cell"},
		{"12", "1 ", 1, "a digit"},
		{"12", "13", -1, "the last is 12"},
		{"12", "99999999999999999999999999", -1, "the last is 12"},
		{"4X5", "5", -1, "cell 5 is marked"},
		{"XXX1", "4", -1, "the game is over"},
		{"XXX1", "9", -1, "the game is over"},
	} {
		p := parse(t, test.position)
		_, _, err := p.Play(test.move)
		var malformed *rules.MalformedMoveError
		var illegal *rules.IllegalMoveError
		switch {
		case errors.As(err, &malformed):
			if malformed.Offset != test.offset || malformed.Ply != 1 || malformed.Move != test.move ||
				!strings.Contains(malformed.Detail, test.detail) {
				t.Errorf("%s %q: %v", test.position, test.move, err)
			}
		case errors.As(err, &illegal):
			if test.offset >= 0 || illegal.Ply != 1 || illegal.Move != test.move || !strings.Contains(illegal.Detail, test.detail) ||
				!slices.Equal(illegal.Legal, slices.Collect(p.Moves())) {
				t.Errorf("%s %q: %v", test.position, test.move, err)
			}
		default:
			t.Errorf("%s %q: %v", test.position, test.move, err)
		}
	}
	_, _, err := canonicalRules.Empty(MaxLength).Play("10001")
	var illegal *rules.IllegalMoveError
	if !errors.As(err, &illegal) || len(illegal.Legal) != rules.MaxLegal {
		t.Errorf("%v", err)
	}
}

// Play reaches the position that the text with one more mark names, and no move is left after a line.
func TestPlay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := canonicalRules.Empty(rapid.Uint64Range(MinLength, 30).Draw(t, "cells"))
		for p.Result() == rules.Unknown {
			moves := slices.Collect(p.Moves())
			if uint64(len(moves)) != p.NumMoves() || len(moves) == 0 {
				t.Fatalf("%s: %d moves, counted as %d", p, len(moves), p.NumMoves())
			}
			move := rapid.SampledFrom(moves).Draw(t, "move")
			next, passes, err := p.Play(move)
			if err != nil || !passes {
				t.Fatalf("%s, %s: %v", p, move, err)
			}
			marked := p.Marked()
			cell, _ := strconv.Atoi(move)
			marked[cell-1] = true
			if p = parse(t, next.String()); !slices.Equal(p.Marked(), marked) {
				t.Fatalf("%s leads to %s", move, p)
			}
		}
		if p.NumMoves() != 0 || len(slices.Collect(p.Moves())) != 0 || len(p.Answer().Moves) != 0 || !strings.Contains(p.String(), "XXX") {
			t.Fatalf("%s is over", p)
		}
	})
}

// randomPosition draws a position of up to so many cells: mostly a quiet one, sometimes with one
// or two moves more.
func randomPosition(t *rapid.T, most uint64) Position {
	p := canonicalRules.Empty(rapid.Uint64Range(MinLength, most).Draw(t, "cells"))
	runs := []uint64{rapid.Uint64Range(0, p.Length()-1).Draw(t, "gap")}
	for rest := p.Length() - 1 - runs[0]; ; {
		if rest < 4 || rapid.IntRange(0, 9).Draw(t, "end") == 0 {
			runs = append(runs, 1, rest)
			break
		}
		gap := rapid.Uint64Range(2, min(rest-1, 40)).Draw(t, "gap")
		runs = append(runs, 1, gap)
		rest -= gap + 1
	}
	p.strip = strip.OfRuns(runs...)
	for range max(0, rapid.IntRange(-5, 2).Draw(t, "moves more")) {
		cell := rapid.Uint64Range(1, p.Length()).Draw(t, "cell")
		if next, ok := p.Mark(cell); ok {
			p = next
		}
	}
	return parse(t, p.String())
}

// The laws of an answer, for strips of any length: its moves are the legal ones, their worths those
// of the positions after them, and the value and the Grundy number follow from these.
func TestAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomPosition(t, rapid.SampledFrom([]uint64{20, 200, MaxLength}).Draw(t, "most"))
		all := p.answer(math.MaxUint64, 0)
		if !all.Complete || all.Worth != p.Worth() {
			t.Fatalf("%s: %+v, complete %t", p, all.Worth, all.Complete)
		}
		var cells []uint64
		var winning []Valued
		options := map[uint64]bool{}
		for i, m := range all.Moves {
			cells = append(cells, m.Cell)
			// The positions after the moves of a long strip are many: every hundredth is looked at.
			if after, ok := p.Mark(m.Cell); len(all.Moves) < 200 || i%100 == 0 {
				if !ok || after.Worth() != m.Worth || after.Over() != m.Over {
					t.Fatalf("%s, %d: %+v, want %s, %+v", p, m.Cell, m, after, after.Worth())
				}
			}
			if m.Worth.HasGrundy {
				options[m.Worth.Grundy] = true
			}
			if m.Worth.Value == rules.Loss {
				winning = append(winning, m)
			}
			if m.Over && !p.CanComplete() {
				t.Fatalf("%s: cell %d completes a line", p, m.Cell)
			}
		}
		mex := uint64(0)
		for options[mex] {
			mex++
		}
		if all.HasGrundy && mex != all.Grundy || all.HasGrundy == (p.Over() || p.CanComplete()) {
			t.Fatalf("%s: %+v, the moves make %d", p, all.Worth, mex)
		}
		if !slices.Equal(cells, slices.Collect(p.Cells())) || (all.Value == rules.Win) != (len(winning) > 0) {
			t.Fatalf("%s: %s with the moves %v, %d of them winning", p, all.Value, cells, len(winning))
		}
		for most, few := range map[uint64]Answer{rules.MaxLegal: p.Answer(), 3: p.answer(3, MaxWinning)} {
			want := all.Moves
			if p.NumMoves() > most {
				want = winning[:min(MaxWinning, len(winning))]
			}
			same := func(a, b Valued) bool { return a.Cell == b.Cell && a.Worth == b.Worth && a.Over == b.Over }
			if few.Worth != all.Worth || few.Complete != (p.NumMoves() <= most) || !slices.EqualFunc(few.Moves, want, same) {
				t.Fatalf("%s: %d moves, complete %t, want %d", p, len(few.Moves), few.Complete, len(want))
			}
		}
	})
}

// The mirror image of a position has its worth and distance.
func TestMirror(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomPosition(t, 300)
		gaps, marks := p.strip.Runs()
		runs := []uint64{gaps[0]}
		for i, n := range marks {
			runs = append(runs, n, gaps[i+1])
		}
		slices.Reverse(runs)
		mirror := Position{p.rules, strip.OfRuns(runs...)}
		d, ok := NewDistances(p)
		e, same := NewDistances(mirror)
		if p.Worth() != mirror.Worth() || ok != same || ok && d.Of(p) != e.Of(mirror) {
			t.Fatalf("%s: %+v, %s: %+v", p, p.Worth(), mirror, mirror.Worth())
		}
	})
}

// Distances keep their laws wherever they are given: the winner takes the shortest way, the loser
// the longest.
func TestDistances(t *testing.T) {
	given := 0
	rapid.Check(t, func(t *rapid.T) {
		p := randomPosition(t, 60)
		d, ok := NewDistances(p)
		if !ok {
			return
		}
		given++
		plies, answer := d.Of(p), p.Answer()
		fewest, most := math.MaxInt, 0
		for _, m := range answer.Moves {
			next, _ := p.Mark(m.Cell)
			after := d.Of(next)
			if (after%2 == 0) != (m.Worth.Value == rules.Loss) || m.Over != (after == 0) {
				t.Fatalf("%s is a %s in %d", next, m.Worth.Value, after)
			}
			if after%2 == 0 {
				fewest = min(fewest, after+1)
			}
			most = max(most, after+1)
		}
		want := most
		if answer.Value == rules.Win {
			want = fewest
		}
		if plies != want {
			t.Fatalf("%s in %d plies, want %d", p, plies, want)
		}
	})
	if given < 20 {
		t.Errorf("only %d distances", given)
	}
}

// Distances are given up to the bound and not past it, at any length where a line can be
// completed.
func TestDistanceBound(t *testing.T) {
	for text, want := range map[string]bool{
		"48": true, "49": false, "50X": true, "51X": false, "25X25": true, "25X26": false, "52": false,
		"9997X1X": true, "9997XXX": true, "2X4X4X4X4X4X4X4X4X4X4X4X4X4X4X4X4X2": true,
	} {
		d, ok := NewDistances(parse(t, text))
		if ok != want {
			t.Errorf("%s has a distance: %t", text, ok)
		}
		if p := parse(t, text); p.phase() != quiet && d.Of(p) != map[phase]int{completable: 1, over: 0}[p.phase()] {
			t.Errorf("%s ends in %d", text, d.Of(p))
		}
	}
	if d, _ := NewDistances(parse(t, "2X4X2")); d.Of(parse(t, "2X4X2")) != 2 {
		t.Error("a position without a safe cell does not end in 2")
	}
}

// One Distances works out each sum of heaps within the bound once here, so its look-ups bound
// those of every single question.
func TestDistanceLookUps(t *testing.T) {
	d, _ := NewDistances(canonicalRules.Empty(MinLength))
	sums := 0
	var each func(heaps []byte, from, tokens uint8)
	each = func(heaps []byte, from, tokens uint8) {
		sums++
		d.find(heaps)
		for heap := from; heap <= tokens; heap++ {
			if canonical(heap) == heap {
				each(append(slices.Clone(heaps), heap), heap, tokens-heap)
			}
		}
	}
	each(nil, taken, MaxDistanceTokens)
	if sums != 14_095 || d.LookUps() != 98_469 || d.LookUps() > MaxDistanceLookUps {
		t.Errorf("%d sums and %d look-ups; RESULTS.md says otherwise, or there are more than %d", sums, d.LookUps(), MaxDistanceLookUps)
	}
}

// Many goroutines may ask a Rules that has not computed its values yet.
func TestConcurrent(t *testing.T) {
	r := Rulesets()[0]
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if worth := r.Empty(MaxLength).Worth(); worth.Grundy != 206 {
				t.Errorf("%+v", worth)
			}
		})
	}
	wait.Wait()
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"12", "4X5", "XXX3", "XXXXXX", "X1X", "0", "2", "0X", "10000", "10001", "9999X1", "4x5", "", "\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := canonicalRules.ParsePosition(text)
		if err != nil {
			var malformed *rules.MalformedPositionError
			var illegal *rules.IllegalPositionError
			if !errors.As(err, &malformed) && !errors.As(err, &illegal) {
				t.Fatalf("%q: %v", text, err)
			}
			if malformed != nil && (malformed.Offset < 0 || malformed.Offset > len(text)) {
				t.Fatalf("%q: offset %d", text, malformed.Offset)
			}
			return
		}
		if p.String() != text || p.Length() < MinLength || p.Length() > MaxLength {
			t.Fatalf("%q is read as %s", text, p)
		}
		if p.Diagram() == "" || (p.Result() == rules.Loss) != p.Over() {
			t.Fatalf("%q: %s", text, p.Diagram())
		}
		for _, m := range p.answer(0, 3).Moves {
			after, _ := p.Mark(m.Cell)
			if _, err := canonicalRules.ParsePosition(after.String()); err != nil || after.Worth().Value != rules.Loss {
				t.Fatalf("%q: cell %d leads to %s, %v", text, m.Cell, after, err)
			}
		}
	})
}

func BenchmarkHeapValues(b *testing.B) {
	for b.Loop() {
		heapValues(maxHeap)
	}
}

func BenchmarkAnswer(b *testing.B) {
	p := canonicalRules.Empty(rules.MaxLegal)
	for b.Loop() {
		p.Answer()
	}
}
