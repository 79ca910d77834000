package treblecross_test

import (
	"fmt"

	"solved/rules"
	"solved/rules/treblecross"
)

func Example() {
	ruleset := treblecross.Rulesets()[0]
	p, err := ruleset.ParsePosition("4X9")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p.Diagram())
	answer := p.Answer()
	if d, ok := treblecross.NewDistances(p); ok {
		fmt.Println("Grundy number", answer.Grundy, "so it is a", answer.Value, "in", d.Of(p))
	}
	for _, m := range answer.Moves {
		if m.Worth.Value == rules.Loss {
			after, _ := p.Mark(m.Cell)
			fmt.Println(m.Cell, "leaves", after)
		}
	}
	_, err = ruleset.ParsePosition("XXX2XXXX")
	fmt.Println(err)
	// Output:
	// ..xxXxx.......
	// 1       10
	// strip of 14 cells; x: after a mark there, the other side completes three in a row
	// Grundy number 2 so it is a win in 5
	// 9 leaves 4X3X5
	// 10 leaves 4X4X4
	// 12 leaves 4X6X2
	// 13 leaves 4X7X1
	// illegal position "XXX2XXXX": mark-after-line: rows of 3 and of 4 marks, but the first three in a row end the game
}
