package probability_test

import (
	"bytes"
	"context"
	"fmt"

	"solved/rules"
	"solved/tablebase/probability"
)

func Example() {
	// A game of three positions.
	rs := rules.Ruleset{Name: "coin", Tag: 0x434f4901, Positions: [rules.Sections]uint64{3}}
	entries := []probability.Entry{{Probability: 0}, {Probability: 13107, Best: 1}, {Probability: probability.One}}

	var file bytes.Buffer
	if _, err := probability.Write(&file, rs, func(index uint64) probability.Entry { return entries[index] }); err != nil {
		fmt.Println(err)
		return
	}
	table, err := probability.OpenBytes(file.Bytes(), rs)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := table.Verify(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	e, err := table.Lookup(1)
	fmt.Println(e.Win(), e.Best, err)

	file.Bytes()[34]++
	_, err = table.Verify(context.Background())
	fmt.Println(err)
	// Output:
	// 0.2 1 <nil>
	// checksum does not match: checksum at byte 39 is 9b65101f589c9e12, expected 9d7ffb146cce610d
}
