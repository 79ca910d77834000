//go:build whole

package inversetreblecross

import (
	"encoding/binary"
	"math/bits"
	"os"
	"slices"
	"testing"
)

// valuedPart is a part with its value, under a number of marks in a row.
type valuedPart struct {
	row   int
	part  part
	value uint8
}

// stripValues returns the values of all parts of at least valuedEmpty cells that come of an
// empty strip of up to valuedStrip cells, each from those of all its moves.
func stripValues(row int) []valuedPart {
	levels := make([][]part, valuedStrip+1) // by the number of empty cells
	values := make(map[part]uint8)
	add := func(x *parts) {
		for _, g := range x.list[:x.count] {
			if _, ok := values[g]; !ok {
				values[g] = none
				levels[g.empty()] = append(levels[g.empty()], g)
			}
		}
	}
	for length := row; length <= valuedStrip; length++ {
		var x parts
		x.addCells(row, 0, length, false)
		add(&x)
	}
	for n := valuedStrip; n > 0; n-- {
		for _, g := range levels[n] {
			for cell := range n {
				var x parts
				x.after(row, g, cell)
				add(&x)
			}
		}
	}
	var out []valuedPart
	for n, level := range levels {
		for _, g := range level {
			seen := uint64(0)
			for cell := range n {
				var x parts
				x.after(row, g, cell)
				value := uint8(x.free & 1)
				for _, h := range x.list[:x.count] {
					value ^= values[h]
				}
				seen |= 1 << value
			}
			values[g] = uint8(bits.TrailingZeros64(^seen))
			if n >= valuedEmpty {
				out = append(out, valuedPart{row, g, values[g]})
			}
		}
	}
	return out
}

// ringValues returns the values of the rings that the file has, by search, and of the strips
// that they leave and that are not short.
func ringValues(t *testing.T) []valuedPart {
	s := certifying(t.Context(), MinRow, unbounded)
	s.plain = true
	var out []valuedPart
	for length := MinRow; length <= valuedRing; length++ {
		seen := map[part]bool{}
		for marks := range ringMarks(length) {
			var x parts
			x.addCells(MinRow, marks, length, true)
			if g := x.list[0]; x.count == 1 && !seen[g] && inFile(MinRow, g, false) {
				seen[g] = true
				out = append(out, valuedPart{MinRow, g, s.part(g)})
			}
		}
		t.Logf("ring of %d cells: %d look-ups so far", length, s.spent())
	}
	return out
}

// makeValues returns a file of values. It tries seeds until it can take one part after the
// other off the table that is alone in one of its entries; set in the reverse order,
// each has an entry that no later one changes.
func makeValues(t *testing.T, all []valuedPart) []byte {
	entries := (len(all)*123/100 + 64) / 6 * 6
	for seed := uint64(1); seed < 100; seed++ {
		count := make([]int, entries)
		sum := make([]int, entries) // exclusive or of the numbers of parts
		for i, v := range all {
			for _, at := range valuePlaces(v.row, v.part, seed, entries) {
				count[at]++
				sum[at] ^= i
			}
		}
		type placed struct{ part, at int }
		var order []placed
		var alone []int
		for at, n := range count {
			if n == 1 {
				alone = append(alone, at)
			}
		}
		for len(alone) > 0 {
			at := alone[len(alone)-1]
			alone = alone[:len(alone)-1]
			if count[at] != 1 {
				continue
			}
			i := sum[at]
			order = append(order, placed{i, at})
			for _, other := range valuePlaces(all[i].row, all[i].part, seed, entries) {
				count[other]--
				sum[other] ^= i
				if count[other] == 1 {
					alone = append(alone, int(other))
				}
			}
		}
		if len(order) < len(all) {
			continue
		}
		file := append([]byte(valuesMagic), binary.LittleEndian.AppendUint64(nil, seed)...)
		table := make([]byte, entries/2)
		for _, p := range slices.Backward(order) {
			v := all[p.part]
			value := v.value
			for _, at := range valuePlaces(v.row, v.part, seed, entries) {
				value ^= table[at/2] >> (at % 2 * 4) & 15
			}
			table[p.at/2] |= value << (p.at % 2 * 4)
		}
		return append(file, table...)
	}
	t.Fatal("no seed does: is a part there twice?")
	return nil
}

// TestValues makes the file of values anew and holds it against the one that is there.
func TestValues(t *testing.T) {
	var all []valuedPart
	for row := MinRow; row <= MaxRow; row++ {
		all = append(all, stripValues(row)...)
		t.Logf("%d in a row: %d parts so far", row, len(all))
	}
	all = append(all, ringValues(t)...)
	// Some strips that a ring leaves are short.
	found := make(map[valuedPart]bool)
	all = slices.DeleteFunc(all, func(v valuedPart) bool {
		again := found[v]
		found[v] = true
		return again
	})
	for _, v := range all {
		if v.value > 15 {
			t.Fatalf("%+v: the value takes more than four bits", v)
		}
	}
	file := makeValues(t, all)
	if *update {
		if err := os.WriteFile("values.bin", file, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d values, %d bytes", len(all), len(file))
		return
	}
	if string(file) != valuesFile {
		t.Error("values.bin is not what is found")
	}
}
