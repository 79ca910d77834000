package tictactoe_test

import (
	"errors"
	"fmt"

	"solved/rules"
	"solved/rules/tictactoe"
)

func Example() {
	p, err := tictactoe.Parse("O.X/.O./X..")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p.Diagram())

	solution := tictactoe.Solve()
	fmt.Println("a", solution.Entry(p))
	for square := range p.Free() {
		next := p.Mark(square)
		fmt.Println(square, "leads to", next, "for the other side a", solution.Entry(next))
	}
	// Output:
	// 3  O  .  X
	// 2  .  O  .
	// 1  X  .  .
	//    a  b  c
	// X to move
	// a win in 3
	// b1 leads to O.X/.O./XX. for the other side a win in 1
	// c1 leads to O.X/.O./X.X for the other side a loss in 2
	// a2 leads to O.X/XO./X.. for the other side a win in 1
	// c2 leads to O.X/.OX/X.. for the other side a win in 1
	// b3 leads to OXX/.O./X.. for the other side a win in 1
}

func ExampleParse_errors() {
	_, err := tictactoe.Parse("X.O/.x./..O")
	var malformed *rules.MalformedPositionError
	if errors.As(err, &malformed) {
		fmt.Println(malformed.Offset, malformed.Detail)
	}
	_, err = tictactoe.Parse("XXX/OO./O..")
	var illegal *rules.IllegalPositionError
	if errors.As(err, &illegal) {
		fmt.Println(illegal.Reason, illegal.Detail)
	}
	// Output:
	// 5 found "x", expected X, O or . for b2
	// mover-line X owns a line and is to move, but the game has ended with it
}
