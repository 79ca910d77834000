package pig_test

import (
	"fmt"

	"solved/rules/pig"
)

func Example() {
	s := pig.Solve()
	p, err := pig.Parse("5,76,33")
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := pig.Evaluate(p, func(index uint64) (uint16, pig.Action, error) {
		probability, best := s.Entry(index)
		return probability, best, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.5f to win: %.5f if you roll, %.5f if you hold\n", e.Win, e.Roll, e.Hold)
	fmt.Println("best:", e.Best, "- hold at", e.Holds)
	next, passes, _ := p.Play("roll-4")
	fmt.Println(next, passes)
	_, err = pig.Parse("5,76,1")
	fmt.Println(err)
	// Output:
	// 0.11730 to win: 0.11730 if you roll, 0.11716 if you hold
	// best: roll - hold at [{30 32} {45 81} {95 99}]
	// 5,76,37 false
	// illegal position "5,76,1": turn-one: the turn total is 1, but a 1 is lost and other rolls add 2 or more
}
