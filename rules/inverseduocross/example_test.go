package inverseduocross_test

import (
	"fmt"

	"solved/rules/inverseduocross"
)

func Example() {
	p, err := inverseduocross.Parse("2X5X2")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p.Diagram())
	answer := p.Answer()
	fmt.Println("value", answer.Grundy)
	for _, move := range answer.Moves {
		fmt.Println(move.Cell, "leads to", move.Grundy)
	}
	_, err = inverseduocross.Parse("2XX5")
	fmt.Println(err)
	// Output:
	// .xXx...xXx.
	// 1       10
	// strip of 11 cells; x: a mark there would make two in a row
	// value 2
	// 1 leads to 3
	// 5 leads to 1
	// 6 leads to 0
	// 7 leads to 1
	// 11 leads to 3
	// illegal position "2XX5": marks-in-a-row: 2 marks in a row, and two are forbidden
}

func ExampleOpenStrip() {
	fmt.Println(inverseduocross.OpenStrip(14), inverseduocross.OpenStrip(48), inverseduocross.OpenStrip(1_000_000_000))
	// Output: 0 4 0
}
