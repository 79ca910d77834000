package nim_test

import (
	"fmt"

	"solved/rules/nim"
)

func Example() {
	p, err := nim.Parse("3,5,7")
	if err != nil {
		fmt.Println(err)
		return
	}
	plies, _ := p.Distance()
	fmt.Println("Grundy number", p.Grundy(), "so it is a", p.Value(), "in", plies)
	for _, m := range p.WinningMoves() {
		fmt.Println(m, "leaves", p.After(m))
	}
	_, err = nim.Parse("3,05")
	fmt.Println(err)
	// Output:
	// Grundy number 1 so it is a win in 15
	// 1-1 leaves 2,5,7
	// 2-1 leaves 3,4,7
	// 3-1 leaves 3,5,6
	// malformed position "3,05" at byte 3: found "5", expected a comma or the end of the text, as no number begins with a zero
}
