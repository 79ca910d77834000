package nim

import "solved/rules"

// Example is a position of the game worth a look.
type Example = rules.Example[Position]

// Examples returns a few positions worth a look, the start first.
func Examples() []Example {
	return []Example{
		{Name: "start", Position: Position{[]uint64{3, 5, 7}}, Summary: "The start: 3 ⊕ 5 ⊕ 7 = 1, so taking one from any heap wins."},
		{Name: "balanced", Position: Position{[]uint64{1, 2, 3}}, Summary: "The smallest lost position of three different heaps: 1 ⊕ 2 = 3."},
		{Name: "twins", Position: Position{[]uint64{6, 6}}, Summary: "Two equal heaps are lost: the other side copies every move in the other heap."},
		{Name: "one-way", Position: Position{[]uint64{1, 2, 4, 8, 16}},
			Summary: "Only one move wins: the highest bit of the nim-sum is that of a single heap, so leave 15 of the 16."},
		{Name: "singles", Position: Position{[]uint64{1, 1, 1, 1, 1}}, Summary: "Five heaps of one: nothing to decide, and an odd number of turns."},
		{Name: "immense", Position: Position{[]uint64{MaxHeap, MaxHeap - 1, 1}}, Summary: "Nineteen digits and lost all the same: the bits cancel out."},
	}
}
