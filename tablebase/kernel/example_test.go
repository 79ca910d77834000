package kernel_test

import (
	"errors"
	"fmt"
	"log"

	"solved/rules"
	"solved/tablebase"
	"solved/tablebase/kernel"
)

// A made-up game for the example: who is to move at i takes one or two from i, and
// who cannot has lost. So multiples of three are lost, in two plies for every three.
// A search two moves ahead finds the losses in up to 4; the kernel holds the others.
func Example() {
	countdown := rules.Ruleset{Name: "countdown", Tag: 0x434e5401, Positions: [rules.Sections]uint64{30, 1}, Longest: [rules.Sections]uint8{19, 0}}
	const search = 1 // its version: other searches need other losses

	table := kernel.Table{Ruleset: countdown, Search: search}
	table.Equal.Decisive[rules.Main] = 30 // the rest of Equal comes from tablebase.Write
	for i := uint64(9); i < 30; i += 3 {
		loss := rules.IndexedLoss{Index: i, Distance: uint8(2 * (i / 3))}
		table.Losses[rules.Main] = append(table.Losses[rules.Main], loss)
	}
	file, err := table.Encode()
	if err != nil {
		log.Fatal(err)
	}

	known, err := kernel.Decode(file, search, countdown)
	if err != nil {
		log.Fatal(err)
	}
	for _, loss := range known.Losses[rules.Main][:3] {
		fmt.Printf("%d is lost in %d\n", loss.Index, loss.Distance)
	}

	// A program with another search must not use it.
	_, err = kernel.Decode(file, search+1, countdown)
	fmt.Println(errors.Is(err, tablebase.BadSearch), err)

	// Output:
	// 9 is lost in 6
	// 12 is lost in 8
	// 15 is lost in 10
	// true made for another search: search version at byte 16 is 1, expected 2
}
