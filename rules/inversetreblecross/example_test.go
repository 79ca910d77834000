package inversetreblecross_test

import (
	"context"
	"fmt"

	"solved/rules/inversetreblecross"
)

func Example() {
	canonical := inversetreblecross.Rulesets()[0]
	p, err := canonical.ParsePosition("2XX5X2")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p.Diagram())
	answer, err := p.Answer(context.Background(), inversetreblecross.DefaultBudget)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("value", answer.Grundy)
	for _, move := range answer.Moves {
		fmt.Print(move.Cell, " leads to ", move.Grundy, "\n")
	}
	// Output:
	// .xXXx....X..
	// 1       10
	// strip of 12 cells; x: a mark there would make three in a row
	// value 3
	// 1 leads to 2
	// 6 leads to 2
	// 7 leads to 2
	// 8 leads to 1
	// 9 leads to 0
	// 11 leads to 1
	// 12 leads to 2
}
