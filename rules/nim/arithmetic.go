package nim

import "fmt"

// nimSum and balance state the theorem's terms once, and calculate them in
// two ways: with numbers, for answers, and with terms of SMT-LIB, for the proof.

// arithmetic is a way to calculate with sizes of heaps; T stands for truth values.
type arithmetic[N, T any] interface {
	zero() N
	xor(a, b N) N
	less(a, b N) T // as unsigned numbers
}

// nimSum returns the exclusive or of the heaps: the Grundy number of them all together,
// by the theorem of Sprague and Grundy, as a heap's own is its size (Bouton 1901).
func nimSum[N, T any](a arithmetic[N, T], heaps []N) N {
	sum := a.zero()
	for _, heap := range heaps {
		sum = a.xor(sum, heap)
	}
	return sum
}

// balance returns the size to reduce a heap to, among heaps with that nim-sum, so that
// the nim-sum becomes want, and whether a move can do that: whether it is less.
func balance[N, T any](a arithmetic[N, T], heap, sum, want N) (rest N, possible T) {
	rest = a.xor(heap, a.xor(sum, want))
	return rest, a.less(rest, heap)
}

// numbers calculates.
type numbers struct{}

func (numbers) zero() uint64           { return 0 }
func (numbers) xor(a, b uint64) uint64 { return a ^ b }
func (numbers) less(a, b uint64) bool  { return a < b }

// terms writes down: N and T are terms of SMT-LIB 2 over bit-vectors as wide as a heap's
// size, which so have just the values that a heap can have.
type terms struct{}

func (terms) zero() string            { return fmt.Sprintf("(_ bv0 %d)", HeapBits) }
func (terms) xor(a, b string) string  { return "(bvxor " + a + " " + b + ")" }
func (terms) less(a, b string) string { return "(bvult " + a + " " + b + ")" }
