package main

import (
	"context"
	"os"
	"strings"

	"solved/server/cli"
)

// The program without its process: what it is asked on the command line, it
// answers from the table it carries.
func Example() {
	cli.Run(context.Background(), allGames(), []string{"probe", "tic-tac-chec", "2b1/2n1/P1N1/RBp1 w du m"}, nil, strings.NewReader(""), os.Stdout, os.Stderr)
	// Output:
	// 4  .  .  b  .
	// 3  .  .  n  .
	// 2  Pv .  N  .
	// 1  R  B  p^ .
	//    a  b  c  d
	// White to move, main phase; in hand: White -, Black r
	//
	// 2b1/2n1/P1N1/RBp1 w du m  post:127109883
	// tic-tac-chec (0x54544303)
	// Loss in 2 for White.
	//
	// * c2-d4  Loss in 2  2bN/2n1/P3/RBp1 b du m
	// * c2-a3  Loss in 2  2b1/N1n1/P3/RBp1 b du m
	// * c2-b4  Loss in 2  1Nb1/2n1/P3/RBp1 b du m
}
