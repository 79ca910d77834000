package nim

import (
	"fmt"
	"slices"

	"solved/rules"
)

// Reference works positions out from the definitions alone: it looks at every move, and
// knows no theorem. It is here to be read and to hold the closed forms against, and has
// nothing in common with them. It remembers its results, and serves one goroutine at a time.
type Reference struct{ found map[string]Worth }

// Worth is the reference's result for a position.
type Worth struct {
	// Grundy is the least number that is not the Grundy number of a position one move
	// on.
	Grundy uint64
	// Value is Win if some move leads to a Loss, and Loss otherwise.
	Value rules.Value
	// Distance is how many plies are left when the winner hurries and the loser delays.
	Distance int
}

// NewReference returns a reference that has found nothing yet.
func NewReference() *Reference { return &Reference{map[string]Worth{}} }

// Of works out some heaps. It takes time in proportion to the product of the sizes of the
// heaps and their sum.
func (r *Reference) Of(heaps []uint64) Worth {
	key := fmt.Sprint(heaps)
	if worth, ok := r.found[key]; ok {
		return worth
	}
	var (
		grundy      = map[uint64]bool{} // of the positions one move on
		win         bool
		fewest, all int // plies from here by the fastest win, and by the slowest move
	)
	for i := range heaps {
		for rest := uint64(0); rest < heaps[i]; rest++ {
			next := slices.Clone(heaps)
			next[i] = rest
			child := r.Of(next)
			grundy[child.Grundy] = true
			if plies := child.Distance + 1; child.Value == rules.Loss {
				if !win || plies < fewest {
					fewest = plies
				}
				win = true
			} else if plies > all {
				all = plies
			}
		}
	}
	worth := Worth{Value: rules.Loss, Distance: all}
	if win {
		worth.Value, worth.Distance = rules.Win, fewest
	}
	for grundy[worth.Grundy] {
		worth.Grundy++
	}
	r.found[key] = worth
	return worth
}
