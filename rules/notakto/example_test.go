package notakto_test

import (
	"context"
	"fmt"

	"solved/rules"
	"solved/rules/notakto"
)

func Example() {
	p, err := notakto.Parse("XXX/.../...,.../.../...")
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := p.Answer(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	if d, ok := notakto.NewDistances(p); ok {
		fmt.Println(answer.Element, "is a", answer.Value, "in", d.Of(p))
	}
	for _, m := range answer.Moves {
		if m.Element.Value() == rules.Loss {
			after := p.After(m.Move)
			fmt.Println(m.Move, "leaves", after, "of the element", m.Element)
		}
	}
	_, err = notakto.Parse("XXX/XXX/...")
	fmt.Println(err)
	// Output:
	// c is a win in 6
	// 2:b2 leaves XXX/.../...,.../.X./... of the element c²
	// illegal position "XXX/XXX/...": mark-after-line: board 1 keeps three in a row whichever mark is removed, but no mark is made on a board after its first line
}
