package inverseduocross

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"solved/rules"
)

// The octal game that Inverse Duocross is equal to, 0.137. Bit h of digit d says whether a move may
// take d counters from a heap and leave h heaps of the rest.
var dawsonsChess = [...]uint8{0, 1, 3, 7}

// The extent of the certificate.
const (
	// provedStrips is the longest open strip whose value is computed by mex.
	provedStrips = 1000
	// referenceLength is the number of cells up to which all positions are worked out.
	referenceLength = 20
	// searchedStrips is the longest strip whose moves are all held against those that a search looks at.
	searchedStrips = 600
)

// Prove checks the values of open strips and their period, and holds values, moves and distances
// against the plain [Reference]. It needs no solver. Its error is the context's.
func (Rules) Prove(ctx context.Context, p rules.Proof) error {
	claim := func(text string, want, found any) { p.Report(rules.Claimed(text, want, found)) }
	values := valuesByMex(provedStrips)
	heaps := valuesByOctal(dawsonsChess[:], provedStrips)
	claim(fmt.Sprintf("of the %d open strips of 0 to %d cells, those whose value by mex is that of the heap of the octal game 0.137",
		provedStrips+1, provedStrips), provedStrips+1, agreeing(values, heaps))
	proveTheorem(claim, values)
	if err := ctx.Err(); err != nil {
		return err
	}
	claim(fmt.Sprintf("open strips of up to %d cells in which some value of a move is given by none of the first %d cells", searchedStrips, searchedCells),
		"none", listed(missedStrips(values)))
	return proveSmall(ctx, claim)
}

// proveTheorem holds the table of values against those by mex, and these against the condition of
// the octal periodicity theorem.
func proveTheorem(claim func(string, any, any), values []uint8) {
	// The theorem of Guy and Smith: let the last digit of an octal game be the k-th, and let heaps
	// n and n+p have the same value for all n from n0 to 2·n0+p+k-1. Then they have for all n from n0 on.
	digits := len(dawsonsChess) - 1
	needed := 2*settled + period + digits
	var broken, irregular []int
	for n := range values[:needed] {
		if values[n] == values[n+period] {
			continue
		}
		if irregular = append(irregular, n); n >= settled {
			broken = append(broken, n)
		}
	}
	claim(fmt.Sprintf("n from %d to %d with a value other than that of n + %d, by mex; by the octal periodicity theorem, with three digits, "+
		"none means none from %d on", settled, needed-1, period, settled), "none", listed(broken))
	claim(fmt.Sprintf("n from 0 to %d with a value other than that of n + %d", needed-1, period), "14 16 31 34 51", listed(irregular))
	var early []int
	for n := range settled {
		if values[n] != values[n+2*period] {
			early = append(early, n)
		}
	}
	claim("n below 52 with a value other than the period, carried on to smaller numbers, gives", "0 14 16 17 31 34 51", listed(early))
	claim("proper divisors of 34 that are a period of the values from 52 on", "none", listed(shorterPeriods(values)))
	var closed []uint8
	for n := range values {
		closed = append(closed, OpenStrip(uint64(n)))
	}
	claim(fmt.Sprintf("of the %d open strips of 0 to %d cells, those whose value in closed form is that by mex", len(values), len(values)-1),
		len(values), agreeing(values, closed))
	claim("values of the empty strip, 0 to 25 cells", "0 1 1 2 0 3 1 1 0 3 3 2 2 4 0 5 2 2 3 3 0 1 1 3 0 2", listed(values[:26]))
	claim("the greatest value of an open strip, and the shortest with it", "9 85",
		fmt.Sprintf("%d %d", slices.Max(values), slices.Index(values, slices.Max(values))))
}

// valuesByMex returns the values of the open strips of 0 to most cells, each from those of what its
// moves leave.
func valuesByMex(most int) []uint8 {
	values := make([]uint8, most+1)
	for n := range values {
		var options []uint8
		for place := range n {
			// The mark takes its cell and the two next to it.
			left, right := max(place-1, 0), max(n-place-2, 0)
			options = append(options, values[left]^values[right])
		}
		values[n] = mex(options)
	}
	return values
}

// valuesByOctal returns the values of the heaps of 0 to most counters in the octal game of some digits.
func valuesByOctal(digits []uint8, most int) []uint8 {
	values := make([]uint8, most+1)
	for n := range values {
		var options []uint8
		for taken, digit := range digits[:min(len(digits), n+1)] {
			rest := n - taken
			if digit&1 != 0 && rest == 0 {
				options = append(options, 0)
			}
			if digit&2 != 0 && rest > 0 {
				options = append(options, values[rest])
			}
			for one := 1; digit&4 != 0 && one < rest; one++ {
				options = append(options, values[one]^values[rest-one])
			}
		}
		values[n] = mex(options)
	}
	return values
}

// mex returns the least number that is not among some.
func mex(options []uint8) uint8 {
	var seen [256]bool
	for _, o := range options {
		seen[o] = true
	}
	return uint8(slices.Index(seen[:], false))
}

// agreeing counts the places where two lists agree.
func agreeing(a, b []uint8) int {
	count := 0
	for i := range a {
		if a[i] == b[i] {
			count++
		}
	}
	return count
}

// shorterPeriods returns the numbers less than the period that divide it and are a period, too.
func shorterPeriods(values []uint8) []int {
	var shorter []int
	for q := 1; q < period; q++ {
		if period%q == 0 && slices.Equal(values[settled:settled+period], values[settled+q:settled+q+period]) {
			shorter = append(shorter, q)
		}
	}
	return shorter
}

// missedStrips returns the lengths of the open strips whose first cells, as many as a search looks at, do
// not give all values that marks give.
func missedStrips(values []uint8) []int {
	var lengths []int
	for n := range searchedStrips + 1 {
		var first, all [256]bool
		for place := range n {
			value := values[max(place-1, 0)] ^ values[max(n-place-2, 0)]
			all[value] = true
			if place < searchedCells {
				first[value] = true
			}
		}
		if first != all {
			lengths = append(lengths, n)
		}
	}
	return lengths
}

// agreement counts the positions in which the closed forms agree with the reference.
type agreement struct{ positions, values, moves, winning, distances int }

// proveSmall holds the closed forms against the reference at every position of small strips.
func proveSmall(ctx context.Context, claim func(string, any, any)) error {
	var a agreement
	for length := range referenceLength + 1 {
		reference := NewReference(length)
		for marks := range uint64(1) << length {
			if worth, ok := reference.Of(marks); ok {
				if a.positions%1000 == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				a.compare(reference, marks, worth)
			}
		}
	}
	const positions = 46366
	claim(fmt.Sprintf("positions of strips of 0 to %d cells, two marks in a row forbidden", referenceLength), positions, a.positions)
	claim("of these, those whose value in closed form is that by brute force", positions, a.values)
	claim("of these, those whose moves and their values are those by brute force", positions, a.moves)
	claim("of these, those in which the moves of an incomplete answer are, by brute force, the first that wins in each part", positions, a.winning)
	claim("of these, those whose distance is that by brute force", positions, a.distances)
	return nil
}

// compare counts one more position, whose worth by the reference is given.
func (a *agreement) compare(r *Reference, marks uint64, worth Worth) {
	count := func(n *int, agrees bool) {
		if agrees {
			*n++
		}
	}
	p := positionOf(marks, r.length)
	a.positions++
	answer := p.Answer()
	count(&a.values, p.Grundy() == uint8(worth.Grundy) && answer.Grundy == p.Grundy() && (p.Grundy() == 0) == (worth.Plies%2 == 0))

	var moves, winning []Valued
	won := false // the part has a move that wins
	for cell := range r.length {
		child, ok := r.Of(marks | 1<<cell)
		if !ok || marks>>cell&1 == 1 {
			won = false // the part ends here
			continue
		}
		move := Valued{uint64(cell) + 1, uint8(child.Grundy)}
		moves = append(moves, move)
		if move.Grundy == 0 && !won {
			winning, won = append(winning, move), true
		}
	}
	count(&a.moves, answer.Complete && slices.Equal(answer.Moves, moves))
	count(&a.winning, slices.Equal(p.winning(MaxWinning), winning))
	d, ok := NewDistances(p)
	count(&a.distances, ok && d.Of(p) == int(worth.Plies))
}

// positionOf returns the position of so many cells with a set of marks, bit 0 being the first cell.
func positionOf(marks uint64, length int) Position {
	text, run := "", 0
	for cell := range length {
		if marks>>cell&1 == 0 {
			run++
			continue
		}
		if run > 0 {
			text += fmt.Sprint(run)
		}
		text += "X"
		run = 0
	}
	if run > 0 || length == 0 {
		text += fmt.Sprint(run)
	}
	p, err := Parse(text)
	if err != nil {
		panic(err) // the reference has no such position
	}
	return p
}

// listed returns numbers with spaces between, "none" if there are none.
func listed[N int | uint8](numbers []N) string {
	if len(numbers) == 0 {
		return "none"
	}
	return strings.Trim(fmt.Sprint(numbers), "[]")
}
