package nim

// Example is a position worth a look.
type Example struct {
	Name     string
	Position Position
	Summary  string // one sentence
}

// Examples returns a few positions worth a look, the start first.
func Examples() []Example {
	return []Example{
		{"start", Position{[]uint64{3, 5, 7}}, "The start: 3 ⊕ 5 ⊕ 7 = 1, so taking one from any heap wins."},
		{"balanced", Position{[]uint64{1, 2, 3}}, "The smallest lost position of three different heaps: 1 ⊕ 2 = 3."},
		{"twins", Position{[]uint64{6, 6}}, "Two equal heaps are lost: the other side copies every move in the other heap."},
		{"one-way", Position{[]uint64{1, 2, 4, 8, 16}},
			"Only one move wins: the highest bit of the nim-sum is that of a single heap, so leave 15 of the 16."},
		{"singles", Position{[]uint64{1, 1, 1, 1, 1}}, "Five heaps of one: nothing to decide, and an odd number of turns."},
		{"immense", Position{[]uint64{MaxHeap, MaxHeap - 1, 1}}, "Nineteen digits and lost all the same: the bits cancel out."},
	}
}
