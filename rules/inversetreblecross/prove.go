package inversetreblecross

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"
	"strings"

	"solved/rules"
)

// Certificate says how far each part of a certificate is checked.
type Certificate struct {
	// Plain is the number of cells up to which the published tables, and Rows that up to
	// which the relations for odd numbers of marks in a row, are held against a [Sweep] of
	// all positions; at most 30, and every further cell doubles the work.
	Plain, Rows int
	// Reduced is the number of cells up to which the four reductions are held against a
	// [Reference]; at most 25, and every further cell doubles the work.
	Reduced int
	// Searched is the number of cells up to which the search is held against the theorem.
	Searched int
	// Theorem is the number n of cells, 60 or more, up to which the theorem's claims are
	// derived, and Played that up to which its strategy is played against every reply.
	Theorem, Played uint64
	// Marked is the greatest a + b, 32 or more, for which [aXb] is searched, and Rings
	// the number of cells of the longest ring.
	Marked, Rings int
}

// FullCertificate is the certificate as far as it is checked for users: all rulesets together take
// about a minute of one core. The ring of 48 cells alone would take as long again.
func FullCertificate() Certificate {
	return Certificate{
		Plain: 27, Rows: 28, Reduced: 20, Searched: 42, Theorem: 1000, Played: 50, Marked: 42, Rings: 47,
	}
}

// Prove checks the certificate of the ruleset, the [FullCertificate], from the rules alone. It
// needs no solver. Its error is the context's.
func (r *Rules) Prove(ctx context.Context, p rules.Proof) error {
	return FullCertificate().Prove(ctx, r, p)
}

// unbounded is a number of look-ups that no search of a certificate uses up.
const unbounded = math.MaxInt

// certifying returns a search for a certificate, which has 100 MB to remember in.
func certifying(ctx context.Context, row, budget int) *search {
	s := newSearch(ctx, row, budget)
	s.memory = newMemory(1 << 22)
	return s
}

// Prove checks the certificate of a ruleset and reports each claim. For three in a row on
// a strip that is both published tables, the reductions, the theorem and its strategy,
// and the conjectures about one mark; for longer rows the published values, and for
// odd ones the conjectures about them; and for the ring its values. The published
// values for two in a row, for which there is no ruleset, are checked with those for
// three. Its error is the context's.
func (c Certificate) Prove(ctx context.Context, r *Rules, p rules.Proof) error {
	tables, err := readPublished()
	if err != nil {
		return err
	}
	if r.ring {
		return c.proveRings(ctx, p.Report)
	}
	if r.row == MinRow {
		if err := c.proveEmpty(ctx, p.Report, MinRow-1, tables); err != nil {
			return err
		}
	}
	if err := c.proveEmpty(ctx, p.Report, r.row, tables); err != nil {
		return err
	}
	if r.row == MinRow {
		for _, check := range []func(context.Context, func(rules.Claim), published) error{
			c.proveMarked, c.proveReductions, c.proveTheorem, c.proveStrategy, c.provePeriods,
		} {
			if err := check(ctx, p.Report, tables); err != nil {
				return err
			}
		}
	}
	if r.row%2 == 1 {
		return c.proveOddRow(ctx, p.Report, r.row)
	}
	return nil
}

// proveEmpty holds the published values of the empty strip against search and sweep.
func (c Certificate) proveEmpty(ctx context.Context, report func(rules.Claim), row int, tables published) error {
	want := tables.EmptyStrip[row]
	s := certifying(ctx, row, unbounded)
	s.plain = true
	var swept []int
	count, longest, wrong := 0, 0, "none"
	for n := range min(c.Plain+1, len(want)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		sweep := NewSweep(row, n)
		value, _ := sweep.Value(0)
		swept = append(swept, value)
		if row == MinRow-1 || n < valuedEmpty || n > valuedStrip {
			continue
		}
		longest = n
		for marks := range fewMarks(n, n-valuedEmpty) {
			want, ok := sweep.Value(marks)
			if !ok {
				continue // too many in a row
			}
			found, has := s.fromFile(marks, n, false)
			if !has {
				continue
			}
			count++
			if found != want && wrong == "none" {
				wrong = fmt.Sprintf("%s is %d, in the file %d", textOf(marks, n), want, found)
			}
		}
	}
	report(rules.Claimed(fmt.Sprintf("the published values of the empty strip, %d in a row forbidden, 0 to %d cells, "+
		"by brute force over all positions", row, len(swept)-1), want[:len(swept)], swept))
	if s.err != nil {
		return s.err
	}
	if row >= MinRow {
		report(rules.Claimed(fmt.Sprintf("exceptions to the file of values, %d in a row forbidden, of the %d positions of up to %d cells "+
			"with a part of %d empty cells or more, by brute force", row, count, longest, valuedEmpty), "none", wrong))
	}
	var searched []int
	for n := range swept {
		searched = append(searched, int(s.value(0, n, false)))
	}
	if s.err != nil {
		return s.err
	}
	report(rules.Claimed(fmt.Sprintf("the published values by search, 0 to %d cells", len(searched)-1), want[:len(searched)], searched))
	return nil
}

// fewMarks yields the sets of up to so many of a number of cells.
func fewMarks(cells, most int) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for n := range most + 1 {
			// The next greater set with as many marks (Gosper): the lowest run of marks gives
			// one up, and the others go down.
			for marks := uint64(1)<<n - 1; marks>>cells == 0; {
				if !yield(marks) {
					return
				}
				if n == 0 {
					break
				}
				low := marks & -marks
				up := marks + low
				marks = up | (marks^up)/low>>2
			}
		}
	}
}

// textOf writes cells as a position string.
func textOf(marks uint64, length int) string {
	p := (&Rules{row: MinRow}).Empty(uint64(length))
	for ; marks != 0; marks &= marks - 1 {
		next, ok := p.Mark(uint64(bits.TrailingZeros64(marks)) + 1)
		if !ok {
			break
		}
		p = next
	}
	return p.String()
}

// fromFile returns the value of cells with the file, if that has a part of theirs; the
// other parts are searched.
func (s *search) fromFile(marks uint64, length int, ring bool) (value int, has bool) {
	x := s.begin(marks, length, ring)
	sum := uint8(x.free & 1)
	for _, g := range x.list[:x.count] {
		if inFile(s.row, g, s.short) {
			sum ^= fileValue(s.row, g)
			has = true
		} else {
			sum ^= s.part(g)
		}
	}
	return int(sum), has
}

// proveMarked holds the published values of [aXb] against search and sweep.
func (c Certificate) proveMarked(ctx context.Context, report func(rules.Claim), tables published) error {
	s := certifying(ctx, MinRow, unbounded)
	s.plain = true
	sweeps := make(map[int]*Sweep)
	for _, way := range []struct {
		by    string
		most  int // cells
		value func(marks uint64, length int) int
	}{
		{"brute force over all positions", c.Plain, func(marks uint64, length int) int {
			if sweeps[length] == nil {
				sweeps[length] = NewSweep(MinRow, length)
			}
			value, _ := sweeps[length].Value(marks)
			return value
		}},
		{"search", maxPiece, func(marks uint64, length int) int { return int(s.value(marks, length, false)) }},
	} {
		count, longest, wrong := 0, 0, "none"
		for a, line := range tables.SingleMark {
			for b, want := range line {
				length := a + b + 1
				if length > way.most {
					continue
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				count++
				longest = max(longest, length)
				if found := way.value(1<<a, length); s.err == nil && found != want && wrong == "none" {
					wrong = fmt.Sprintf("[%dX%d] is %d, published as %d", a, b, found, want)
				}
			}
		}
		if s.err != nil {
			return s.err
		}
		report(rules.Claimed(fmt.Sprintf("exceptions to the published values of [aXb], a ≤ 11, b ≤ 15, "+
			"of the %d of up to %d cells, by %s", count, longest, way.by), "none", wrong))
	}
	return s.err
}

// proveReductions holds the four reductions against the plain reference: all
// positions w, and all pairs of positions w and v, with which they make a position of up
// to c.Reduced cells.
func (c Certificate) proveReductions(ctx context.Context, report func(rules.Claim), _ published) error {
	references := make([]*Reference, c.Reduced+1)
	for n := range references {
		if err := ctx.Err(); err != nil {
			return err
		}
		references[n] = NewReference(MinRow, n, false)
	}
	for _, reduction := range []struct {
		text        string
		before      bool   // there is a w before the middle, and a v after it; else only what is after it
		middle      string // '1' for an empty cell
		left, right string // what of the middle stays with w and with v
	}{
		{"[X1Xw] = [Xw]", false, "X1X", "", "X"},
		{"[wX1Xv] = [wX] ⊕ [Xv]", true, "X1X", "X", "X"},
		{"[XX1w] = [w]", false, "XX1", "", ""},
		{"[w1XX1v] = [w] ⊕ [v]", true, "1XX1", "", ""},
	} {
		count, wrong := 0, "none"
		middle := marksOf(reduction.middle)
		for w := 0; w+len(reduction.middle) <= c.Reduced && (w == 0 || reduction.before); w++ {
			for v := 0; w+len(reduction.middle)+v <= c.Reduced; v++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				whole := references[w+len(reduction.middle)+v]
				left, right := references[w+len(reduction.left)], references[len(reduction.right)+v]
				for before := range uint64(1) << w {
					for after := range uint64(1) << v {
						value, ok := whole.Value(before | middle<<w | after<<(w+len(reduction.middle)))
						if !ok {
							continue
						}
						a, okLeft := left.Value(before | marksOf(reduction.left)<<w)
						b, okRight := right.Value(marksOf(reduction.right) | after<<len(reduction.right))
						count++
						if (!okLeft || !okRight || value != a^b) && wrong == "none" {
							wrong = fmt.Sprintf("w = %b of %d cells, v = %b of %d cells", before, w, after, v)
						}
					}
				}
			}
		}
		report(rules.Claimed(fmt.Sprintf("exceptions to %s, of the %d cases of up to %d cells, by brute force",
			reduction.text, count, c.Reduced), "none", wrong))
	}
	return nil
}

// marksOf returns the marked cells of a text of X and 1.
func marksOf(text string) uint64 {
	marks := uint64(0)
	for i := range len(text) {
		if text[i] == 'X' {
			marks |= 1 << i
		}
	}
	return marks
}

// proveTheorem derives the theorem's claims, each from those about smaller pieces.
//
// The checks prove the claims for every n, not only for those that are gone through.
// A move in a piece with n empty cells in a row leaves c and d of them on its two
// sides, and what is then looked at are pieces whose runs are these, up to three cells
// shorter. Their claimed values depend on c and d modulo 10 alone once they have more
// than smallest cells, and all replies near the move exist once c and d are 2 or more. So
// a check with c or d of more than 26 is the same as with 10 fewer, and those up to
// n = 60 are all that there are.
func (c Certificate) proveTheorem(ctx context.Context, report func(rules.Claim), _ published) error {
	t := newTheory()
	for f := range families {
		count, wrong := 0, "none"
		var residues, values []string
		for n, value := range t.claims[f] {
			if value != unclaimed {
				residues = append(residues, fmt.Sprint(n))
				values = append(values, fmt.Sprint(value))
			}
		}
		for n := range c.Theorem + 1 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if t.claims[f][n%10] == unclaimed {
				continue
			}
			count++
			p := positionOf(&Rules{row: MinRow}, f.runs(n))
			var err error
			if length := p.Length(); length > smallest {
				err = t.check(f, n)
			} else if value, ok := t.small[length].Value(piece{runs: p.allRuns()}.bits()); !ok || uint8(value) != t.claims[f][n%10] {
				err = fmt.Errorf("%s has the value %d by brute force", p, value)
			}
			if err != nil && wrong == "none" {
				wrong = err.Error()
			}
		}
		report(rules.Claimed(fmt.Sprintf("exceptions to %s = %s for n ≡ %s modulo 10, of the %d with n ≤ %d, "+
			"each derived from smaller ones; past n = 60 the checks repeat, so this is for every n",
			f, strings.Join(values, ", "), strings.Join(residues, ", "), count, c.Theorem), "none", wrong))
	}
	wrong := "none"
	for n := range c.Theorem + 1 {
		cell, ok := WinningReply(n)
		if ok != (EmptyStrip(n) != 0) || EmptyStrip(n) != t.claims[emptyStrip][n%10] {
			wrong = fmt.Sprintf("%d cells", n)
		}
		if ok {
			after, legal := (&Rules{row: MinRow}).Empty(n).Mark(cell)
			if !legal {
				wrong = fmt.Sprintf("%d cells, where %d cannot be marked", n, cell)
			} else if v, ok := t.sum(after.pieces()); !ok || v != 0 {
				wrong = fmt.Sprintf("%d cells, where marking cell %d is not known to win", n, cell)
			}
		}
	}
	report(rules.Claimed(fmt.Sprintf("empty strips of up to %d cells where marking cell 3 (n ≡ 5, 8) or cell 1 (n ≡ 1, 4, 7) "+
		"does not win", c.Theorem), "none", wrong))

	s := certifying(ctx, MinRow, unbounded)
	s.plain = true
	var want, found []int
	for n := range c.Searched + 1 {
		want = append(want, int(EmptyStrip(uint64(n))))
		found = append(found, int(s.value(0, n, false)))
	}
	if s.err != nil {
		return s.err
	}
	report(rules.Claimed(fmt.Sprintf("the theorem's values of the empty strip, 0 to %d cells, by search", c.Searched), want, found))
	return nil
}

// proveStrategy plays the theorem's strategy against every reply.
func (c Certificate) proveStrategy(ctx context.Context, report func(rules.Claim), _ published) error {
	o := newPlayout(newTheory())
	wrong := "none"
	for n := range c.Played + 1 {
		if err := o.strip(ctx, n); err != nil {
			if ctx.Err() != nil {
				return err
			}
			wrong = err.Error()
			break
		}
	}
	report(rules.Claimed(fmt.Sprintf("replies that the theorem's strategy has no answer to, on empty strips of up to %d cells: "+
		"%d positions met, answered %d times near the last mark and %d times elsewhere",
		c.Played, len(o.seen), o.near, o.far), "none", wrong))
	return nil
}

// singleMarks holds [aXb] for a + b up to a bound.
type singleMarks [][]int

// searchMarked finds [aXb] by search.
func searchMarked(ctx context.Context, most int) (singleMarks, error) {
	s := certifying(ctx, MinRow, unbounded)
	s.plain = true
	table := make(singleMarks, most+1)
	for a := range table {
		table[a] = make([]int, most+1-a)
	}
	// The shorter strips first: they are what the longer ones fall into.
	for sum := range most + 1 {
		for a := range sum + 1 {
			table[a][sum-a] = int(s.value(1<<a, sum+1, false))
		}
	}
	return table, s.err
}

// provePeriods checks that [aXb] is periodic in b.
func (c Certificate) provePeriods(ctx context.Context, report func(rules.Claim), _ published) error {
	table, err := searchMarked(ctx, c.Marked)
	if err != nil {
		return err
	}
	const want = "a = 1: b = 0, 1, 4; a = 4: b = 1, 4; a ≡ 1 modulo 5 from 6 on: b = 0"
	for _, shift := range []struct {
		by, flip int
		text     string
	}{
		{10, 0, "[aX(b+10)] ≠ [aXb]"},
		{5, 1, "[aX(b+5)] ≠ [aXb] ⊕ 1"},
	} {
		var found []string
		regular := true // a ≡ 1 modulo 5 from 6 on differ at b = 0 and nowhere else
		for a := range c.Marked - shift.by + 1 {
			line := table[a]
			var at []string
			for b := range len(line) - shift.by {
				if line[b+shift.by] != line[b]^shift.flip {
					at = append(at, fmt.Sprint(b))
				}
			}
			expected := a%5 == 1 && a >= 6
			if expected && slices.Equal(at, []string{"0"}) {
				continue
			}
			if len(at) > 0 || expected {
				regular = regular && !expected
				found = append(found, fmt.Sprintf("a = %d: b = %s", a, strings.Join(at, ", ")))
			}
		}
		if regular {
			found = append(found, "a ≡ 1 modulo 5 from 6 on: b = 0")
		}
		report(rules.Claimed(fmt.Sprintf("where %s, a + b + %d ≤ %d, by search: never from b = 5 on", shift.text, shift.by, c.Marked),
			want, strings.Join(found, "; ")))
	}
	return nil
}

// proveOddRow checks the two relations for an odd number row = 2m + 1 in a row.
func (c Certificate) proveOddRow(ctx context.Context, report func(rules.Claim), row int) error {
	m := (row - 1) / 2
	var values []int // of the empty strip
	how := "by brute force"
	if row == MinRow {
		how = "by the theorem"
		for n := range c.Theorem + 1 {
			values = append(values, int(EmptyStrip(n)))
		}
	} else {
		for n := range c.Rows + 1 {
			if err := ctx.Err(); err != nil {
				return err
			}
			value, _ := NewSweep(row, n).Value(0)
			values = append(values, value)
		}
	}
	for _, relation := range []struct {
		text string
		of   func(a int) int
	}{
		{"[2+3m+a]", func(a int) int { return 2 + 3*m + a }},
		{"[2+5m−a]", func(a int) int { return 2 + 5*m - a }},
	} {
		var tried, wrong []int
		for a := range values {
			n := relation.of(a)
			if n < 0 || n >= len(values) {
				continue
			}
			tried = append(tried, a)
			if values[n] != values[a]^(m&1) {
				wrong = append(wrong, a)
			}
		}
		if len(tried) == 0 {
			continue
		}
		report(rules.Claimed(fmt.Sprintf("a with %s ≠ [a] ⊕ %d, %d in a row forbidden, m = %d, "+
			"of those from %d to %d, strips of up to %d cells, %s",
			relation.text, m&1, row, m, tried[0], tried[len(tried)-1], len(values)-1, how), "[]", wrong))
	}
	return nil
}

// proveRings finds the values of rings.
func (c Certificate) proveRings(ctx context.Context, report func(rules.Claim)) error {
	s := certifying(ctx, MinRow, unbounded)
	s.plain = true
	var found []int
	for n := range c.Rings + 1 {
		value := 1
		if s.lost(0, n, true) {
			value = 0
		}
		found = append(found, value)
		if s.err != nil {
			return s.err
		}
	}
	var plain []int
	count, differs := 0, "none"
	for n := range min(c.Plain, c.Rings, 22) + 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		reference := NewReference(MinRow, n, true)
		value, _ := reference.Value(0)
		plain = append(plain, value)
		for marks := range ringMarks(n) {
			value, has := s.fromFile(marks, n, true)
			if !has {
				continue
			}
			want, _ := reference.Value(marks)
			count++
			if value != want && differs == "none" {
				differs = fmt.Sprintf("%s is %d, in the file %d", textOf(marks, n), want, value)
			}
		}
	}
	report(rules.Claimed(fmt.Sprintf("the values of rings of 0 to %d cells by brute force over all positions, and by search",
		len(plain)-1), plain, found[:len(plain)]))

	report(rules.Claimed(fmt.Sprintf("exceptions to the file of values, of the %d rings of up to %d cells with up to %d marks that it has, "+
		"by brute force", count, len(plain)-1, valuedMarks), "none", differs))
	count, differs = 0, "none"
	for n := range c.Rings + 1 {
		for marks := range ringMarks(n) {
			value, has := s.fromFile(marks, n, true)
			if !has {
				continue
			}
			count++
			if want := s.value(marks, n, true); uint8(value) != want && differs == "none" {
				differs = fmt.Sprintf("%s is %d, in the file %d", textOf(marks, n), want, value)
			}
		}
		if s.err != nil {
			return s.err
		}
	}
	report(rules.Claimed(fmt.Sprintf("the same, of the %d of up to %d cells, by search", count, c.Rings), "none", differs))

	var wrong, at1, at9 []string
	for n, value := range found {
		want := publishedRings[n%10]
		switch {
		case want >= 0 && value != want:
			wrong = append(wrong, fmt.Sprint(n))
		case n%10 == 1:
			at1 = append(at1, fmt.Sprintf("%d: %d", n, value))
		case n%10 == 9:
			at9 = append(at9, fmt.Sprintf("%d: %d", n, value))
		}
	}
	report(rules.Claimed(fmt.Sprintf("exceptions to the published values of rings, 0 for 0, 2, 3, 4, 6, 7, 8 modulo 10 and 1 for 5, "+
		"up to %d cells, by search", c.Rings), "[]", fmt.Sprint(wrong)))
	report(rules.Claimed(fmt.Sprintf("values of rings of 1 modulo 10 cells, left open, up to %d cells, by search", c.Rings),
		ringPattern(c.Rings, 1), strings.Join(at1, ", ")))
	report(rules.Claimed(fmt.Sprintf("values of rings of 9 modulo 10 cells, left open, up to %d cells, by search", c.Rings),
		ringPattern(c.Rings, 9), strings.Join(at9, ", ")))
	return nil
}

// ringPattern is the claim about the rings of the open residues 1 and 9 modulo 10: 1
// for 1, 9, 11, 19, 29 and 39 cells, else 0.
func ringPattern(most, residue int) string {
	var want []string
	for n := residue; n <= most; n += 10 {
		value := 0
		if n == 1 || n == 11 || residue == 9 {
			value = 1
		}
		want = append(want, fmt.Sprintf("%d: %d", n, value))
	}
	return strings.Join(want, ", ")
}
