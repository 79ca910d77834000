package tictacchec_test

import (
	"errors"
	"fmt"

	"solved/rules"
	"solved/rules/tictacchec"
)

func Example() {
	canonical := tictacchec.Rulesets()[0]
	p, _, err := tictacchec.Parse("4/1Nn1/BPRr/b3 b u- m")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p.Diagram())
	fmt.Println(p.Key())
	fmt.Println(len(canonical.Moves(p, nil)), "moves")

	p, _, err = canonical.PlayMoves(p, "d2-c2")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p)
	// Output:
	// 4  .  .  .  .
	// 3  .  N  n  .
	// 2  B  P^ R  r
	// 1  b  .  .  .
	//    a  b  c  d
	// Black to move, main phase; in hand: White -, Black p
	// post:1276048331
	// 18 moves
	// 4/1Nn1/BPr1/b3 w u- m
}

func ExampleParse_errors() {
	_, _, err := tictacchec.Parse("4/4/4/5 w -- o")
	var malformed *rules.MalformedPositionError
	if errors.As(err, &malformed) {
		fmt.Println(malformed.Offset, malformed.Detail)
	}
	_, _, err = tictacchec.Parse("PNBR/4/4/4 w d- m")
	var illegal *rules.IllegalPositionError
	if errors.As(err, &illegal) {
		fmt.Println(illegal.Reason)
	}
	// Output:
	// 6 found "5", expected a piece of PNBRpnbr or a number of empty squares, as the row has 0 of 4 squares
	// mover-line
}
