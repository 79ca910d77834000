package nim

import (
	"fmt"
	"slices"
	"strings"
)

// A script is a question to an SMT solver: is there a counterexample? Its variables are
// sizes of heaps, and what it asserts is written by nimSum and balance, calculating with
// terms. All scripts are free of quantifiers, and over bit-vectors.
type script struct{ strings.Builder }

func newScript(about string, variables ...string) *script {
	s := new(script)
	fmt.Fprintf(s, "; Nim: %s\n; Unsatisfiable: there is no counterexample.\n(set-logic QF_BV)\n", about)
	for _, v := range variables {
		fmt.Fprintf(s, "(declare-const %s (_ BitVec %d))\n", v, HeapBits)
	}
	return s
}

func (s *script) assert(term string) { s.WriteString("(assert " + term + ")\n") }

func (s *script) text() string { return s.String() + "(check-sat)\n" }

func not(term string) string          { return "(not " + term + ")" }
func and(terms ...string) string      { return "(and true " + strings.Join(terms, " ") + ")" }
func or(terms ...string) string       { return "(or false " + strings.Join(terms, " ") + ")" }
func equal(left, right string) string { return "(= " + left + " " + right + ")" }

// heapNames returns x1, x2 and so on.
func heapNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("x%d", i+1)
	}
	return names
}

// replaced returns the heaps with one of them changed.
func replaced(heaps []string, i int, by string) []string {
	out := slices.Clone(heaps)
	out[i] = by
	return out
}

// progress asks for heaps and a number below their nim-sum that no move makes the nim-sum:
// for every heap, the move that balance says is none, or leads elsewhere. With the number
// 0 this is: from a nim-sum other than 0, some move reaches 0.
func progress(a arithmetic[string, string], heaps int) string {
	x := heapNames(heaps)
	s := newScript(fmt.Sprintf("from %d heaps, some move reaches any nim-sum below theirs.", heaps), append(x, "want")...)
	sum := nimSum(a, x)
	s.assert(a.less("want", sum))
	for i, heap := range x {
		rest, possible := balance(a, heap, sum, "want")
		s.assert(not(and(possible, equal(nimSum(a, replaced(x, i, rest)), "want"))))
	}
	return s.text()
}

// closure asks for heaps and a move that leaves their nim-sum as it is. So from a nim-sum
// of 0 no move reaches 0, and from one of n none reaches n.
func closure(a arithmetic[string, string], heaps int) string {
	x := heapNames(heaps)
	s := newScript(fmt.Sprintf("from %d heaps, no move leaves the nim-sum as it is.", heaps), append(x, "rest")...)
	var kept []string
	for i, heap := range x {
		kept = append(kept, and(a.less("rest", heap), equal(nimSum(a, replaced(x, i, "rest")), nimSum(a, x))))
	}
	s.assert(or(kept...))
	return s.text()
}

// The same for any number of heaps, by induction over their number. A move changes one
// heap, x; all others matter only through their nim-sum, others.

// closureAny is closure with all other heaps as one number.
func closureAny(a arithmetic[string, string]) string {
	s := newScript("from any number of heaps, no move leaves the nim-sum as it is.", "x", "others", "rest")
	s.assert(a.less("rest", "x"))
	s.assert(equal(a.xor("others", "rest"), a.xor("others", "x")))
	return s.text()
}

// progressStart asks for a nim-sum that, if it were that of a single heap, no move would
// make a number below it.
func progressStart(a arithmetic[string, string]) string {
	s := newScript("a number can be balanced to any below it.", "sum", "want")
	_, possible := balance(a, "sum", "sum", "want")
	s.assert(a.less("want", "sum"))
	s.assert(not(possible))
	return s.text()
}

// progressSplit asks for two numbers neither of which can be balanced, though their
// exclusive or can: with the nim-sum of all heaps but one as left and that one as right,
// taken apart again and again, a number that can be balanced in the sum can be balanced in a heap.
func progressSplit(a arithmetic[string, string]) string {
	s := newScript("what can be balanced in a nim-sum can be in one of its parts.", "left", "right", "sum", "want")
	_, both := balance(a, a.xor("left", "right"), "sum", "want")
	_, left := balance(a, "left", "sum", "want")
	_, right := balance(a, "right", "sum", "want")
	s.assert(both)
	s.assert(not(left))
	s.assert(not(right))
	return s.text()
}

// progressReach asks for a heap that balance makes such that the nim-sum is not the one
// wanted.
func progressReach(a arithmetic[string, string]) string {
	s := newScript("a heap that is balanced gives the nim-sum wanted.", "x", "others", "want")
	rest, _ := balance(a, "x", a.xor("others", "x"), "want")
	s.assert(not(equal(a.xor("others", rest), "want")))
	return s.text()
}
