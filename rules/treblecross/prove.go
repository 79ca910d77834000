package treblecross

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"solved/rules"
)

// proved is the number of cells up to which all positions are held against the plain reference.
const proved = 16

// Prove holds every position of up to 16 cells against the plain [Reference], and each value of
// a heap against its definition. It needs no solver. Its error is the context's.
func (r *Rules) Prove(ctx context.Context, p rules.Proof) error {
	if err := r.provePositions(ctx, p.Report, proved); err != nil {
		return err
	}
	return r.proveHeaps(ctx, p.Report)
}

// exceptions is the first exception to a claim, or that there is none.
type exceptions struct{ first string }

func (e *exceptions) note(format string, args ...any) {
	if e.first == "" {
		e.first = fmt.Sprintf(format, args...)
	}
}

func (e *exceptions) String() string {
	if e.first == "" {
		return "none"
	}
	return e.first
}

// provePositions holds all strips of up to so many cells against the reference.
func (r *Rules) provePositions(ctx context.Context, report func(rules.Claim), most int) error {
	var phases [over + 1]int
	var legal, values, grundy, distances, moves exceptions
	var empty []int // Grundy numbers of empty strips by brute force
	sets := 0
	for n := MinLength; n <= most; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		reference := NewReference(n)
		empty = append(empty, reference.Worth(0).Grundy)
		known, _ := NewDistances(r.Empty(uint64(n)))
		for marks := range uint64(1) << n {
			sets++
			text := textOf(marks, n)
			p, err := r.ParsePosition(text)
			if (err == nil) != reference.Reached(marks) {
				legal.note("%s: reached by play %t, %v", text, reference.Reached(marks), err)
			}
			if err != nil {
				continue
			}
			phases[p.phase()]++
			want, answer := reference.Worth(marks), p.Answer()
			if answer.Value != want.Value {
				values.note("%s: %s, by brute force %s", text, answer.Value, want.Value)
			}
			if nullable(answer.Worth) != want.Grundy {
				grundy.note("%s: %d, by brute force %d", text, nullable(answer.Worth), want.Grundy)
			}
			if plies := known.Of(p); plies != want.Distance {
				distances.note("%s: %d, by brute force %d", text, plies, want.Distance)
			}
			if got, want := p.listed(answer), reference.listed(marks); got != want {
				moves.note("%s: %s, by brute force %s", text, got, want)
			}
		}
	}
	claim := func(text string, found *exceptions) { report(rules.Claimed(text, "none", found)) }
	of := fmt.Sprintf(", of the strips of %d to %d cells", MinLength, most)
	if most == proved {
		report(rules.Claimed("sets of marks"+of, 131064, sets))
		report(rules.Claimed("positions among them that are over, in which a line can be completed, and that are quiet",
			"55904, 40890, 1864", fmt.Sprintf("%d, %d, %d", phases[over], phases[completable], phases[quiet])))
	}
	claim("exceptions to: a strip is read as a position exactly when play from the empty strip reaches it", &legal)
	claim("exceptions to: the value is that by brute force", &values)
	claim("exceptions to: the Grundy number is that by brute force, without moves after which a line can be completed", &grundy)
	claim("exceptions to: the distance is that by brute force", &distances)
	claim("exceptions to: the moves, with the value and the Grundy number of the position after each, are those by brute force",
		&moves)
	n := min(len(empty), len(publishedStrips))
	report(rules.Claimed(fmt.Sprintf("published Grundy numbers of the empty strips of %d to %d cells, by brute force",
		MinLength, MinLength+n-1), publishedStrips[:n], empty[:n]))
	return nil
}

// publishedStrips are the published Grundy numbers of the empty strips of three cells and more.
var publishedStrips = [...]int{1, 2, 2, 0, 3, 3, 1, 1, 1, 0, 4, 3}

// nullable returns a Grundy number, -1 for none.
func nullable(w Worth) int {
	if !w.HasGrundy {
		return -1
	}
	return int(w.Grundy)
}

// listed writes the moves of an answer about a position, with the positions after them.
func (p Position) listed(a Answer) string {
	var b strings.Builder
	for _, m := range a.Moves {
		after, _ := p.Mark(m.Cell)
		fmt.Fprintf(&b, "%d %s %s %d %t;", m.Cell, after, m.Worth.Value, nullable(m.Worth), m.Over)
	}
	return b.String()
}

// listed writes the moves that the reference finds as those of an answer.
func (r *Reference) listed(marks uint64) string {
	var b strings.Builder
	for cell := range r.length {
		if next := marks | 1<<cell; next != marks && !r.line(marks) {
			after := r.worths[next]
			fmt.Fprintf(&b, "%d %s %s %d %t;", cell+1, textOf(next, r.length), after.Value, after.Grundy, r.line(next))
		}
	}
	return b.String()
}

// textOf writes cells as a position, bit 0 of marks being the first cell.
func textOf(marks uint64, length int) string {
	var b strings.Builder
	run := 0
	end := func() {
		if run > 0 {
			fmt.Fprint(&b, run)
		}
		run = 0
	}
	for cell := range length {
		if marks>>cell&1 == 0 {
			run++
			continue
		}
		end()
		b.WriteByte('X')
	}
	end()
	return b.String()
}

// proveHeaps holds all values of heaps against the definition, and lists those of empty strips.
func (r *Rules) proveHeaps(ctx context.Context, report func(rules.Claim)) error {
	values := r.heaps()
	wrong, err := wrongHeaps(ctx, values)
	if err != nil {
		return err
	}
	report(rules.Claimed(fmt.Sprintf("exceptions to: the value of a heap of 0.007 is the least that no move leads to, "+
		"of the heaps of 0 to %d tokens", maxHeap), "none", wrong))
	strips := values[MinLength+unmarkedEnds:] // by the number of cells less MinLength
	report(rules.Claimed("published Grundy numbers of the empty strips of 3 to 14 cells, as heaps of 5 to 16 tokens",
		publishedStrips, strips[:len(publishedStrips)]))
	greatest := slices.Max(strips)
	report(rules.Claimed(fmt.Sprintf("greatest Grundy number of an empty strip of up to %d cells", MaxLength), "262, of 9913 cells",
		fmt.Sprintf("%d, of %d cells", greatest, MinLength+slices.Index(strips, greatest))))
	var lost []int
	for i, value := range strips {
		if value == 0 {
			lost = append(lost, MinLength+i)
		}
	}
	report(rules.Claimed(fmt.Sprintf("numbers of cells, up to %d, of the empty strips that the side to move loses", MaxLength),
		"[6 12 22 30 32 44 54 64 76 86 98 110 118 130 132 162 170 184 194 202 282 290 302 356 1046 2502 2752 2912 3052 "+
			"3076 7250 7356 7866]", lost))
	return nil
}

// wrongHeaps finds the first value of a heap that is not the least that no move leads to.
func wrongHeaps(ctx context.Context, values []uint16) (*exceptions, error) {
	var wrong exceptions
	for heap, value := range values {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// A move takes three tokens and leaves the others as two heaps of any size.
		var options [1 << 10]bool
		for a := 0; a <= heap-taken; a++ {
			options[values[a]^values[heap-taken-a]] = true
		}
		if mex := slices.Index(options[:], false); int(value) != mex {
			wrong.note("%d tokens: %d, want %d", heap, value, mex)
		}
	}
	return &wrong, nil
}
