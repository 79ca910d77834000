package notakto

import (
	"slices"
	"strings"
	"sync"
)

// Element is an element of the misère quotient of Notakto. Positions of the same element
// can replace each other in every sum of positions without a change of its value. The zero
// Element is the identity, the element of dead boards.
type Element uint8

// String returns the element as a product of the generators a, b, c and d, such as "ab²";
// "1" for the identity.
func (e Element) String() string { return quotientOf().names[e] }

// quotient is the misère quotient: a finite commutative monoid with a subset, the elements of
// the positions that the side to move loses. It is immutable.
type quotient struct {
	names   []string    // by element, in the order of length and then of the alphabet
	product [][]Element // by two elements
	lost    []bool      // by element: whether the side to move loses
	shapes  []Element   // by shape
}

// generators are boards of the elements a, b, c and d, such that the elements get the names
// that they have in the literature. The board of c is the empty one.
var generators = [...]struct {
	name  string
	board Board
}{
	{"a", 0o012}, {"b", 0o005}, {"c", 0}, {"d", 0o016},
}

// of returns the element of a board.
func (q *quotient) of(b Board) Element { return q.shapes[gameTrees().of[b]] }

// quotientOf returns the misère quotient of the game, found by a search. The search takes
// equal outcomes in small sums for equality in all sums, so it proves nothing by itself;
// [Rules.Prove] does.
var quotientOf = sync.OnceValue(func() *quotient {
	o := &outcomes{known: map[string]bool{}}
	o.reduce(gameTrees())
	return o.quotient(gameTrees())
})

// outcomes works out which sums of a few representative shapes the side to move loses. Every
// shape is replaced by a representative that is equal to it in small sums.
type outcomes struct {
	of      []byte   // by shape: its representative, 0 for the identity
	options [][]byte // by representative, 1 and up: the representatives one move on
	known   map[string]bool
}

// lost says whether the side to move loses a sum, given as ascending representatives without 0.
func (o *outcomes) lost(sum []byte) bool {
	if len(sum) == 0 {
		return false // the other side has killed the last board
	}
	if lost, ok := o.known[string(sum)]; ok {
		return lost
	}
	lost := true
	for i := 0; i < len(sum) && lost; i++ {
		rest := slices.Delete(slices.Clone(sum), i, i+1)
		lost = !slices.ContainsFunc(o.options[sum[i]], func(option byte) bool { return o.lost(plus(rest, option)) })
	}
	o.known[string(sum)] = lost
	return lost
}

// plus returns a sum with more representatives, those of the identity left out.
func plus(sum []byte, representatives ...byte) []byte {
	more := slices.Clone(sum)
	for _, r := range representatives {
		if r != 0 {
			more = append(more, r)
		}
	}
	slices.Sort(more)
	return more
}

// contexts returns all sums of at most two representatives.
func (o *outcomes) contexts() [][]byte {
	var all [][]byte
	for i := range len(o.options) {
		for j := range i + 1 {
			all = append(all, plus(nil, byte(i), byte(j)))
		}
	}
	return all
}

// reduce finds the representatives of all shapes, options first. A shape becomes a new
// representative when it differs from each of those so far in some small sum.
func (o *outcomes) reduce(s *shapes) {
	o.options = [][]byte{nil}
	o.of = []byte{0}
	for _, options := range s.options[1:] {
		var reduced []byte
		for _, option := range options {
			reduced = append(reduced, o.of[option])
		}
		slices.Sort(reduced)
		candidate := byte(len(o.options))
		o.options = append(o.options, slices.Compact(reduced))
		contexts := o.contexts()
		o.of = append(o.of, candidate)
		for r := range candidate {
			if o.equal([]byte{candidate}, plus(nil, r), contexts) {
				o.of[len(o.of)-1] = r
				o.options = o.options[:candidate]
				o.forget(candidate)
				break
			}
		}
	}
}

// forget drops the outcomes of sums with a representative that reduce does not keep.
func (o *outcomes) forget(r byte) {
	for sum := range o.known {
		if strings.IndexByte(sum, r) >= 0 {
			delete(o.known, sum)
		}
	}
}

// equal says whether two sums have the same outcome in every one of some contexts.
func (o *outcomes) equal(a, b []byte, contexts [][]byte) bool {
	for _, context := range contexts {
		if o.lost(plus(a, context...)) != o.lost(plus(b, context...)) {
			return false
		}
	}
	return true
}

// quotient multiplies the generators until nothing new comes of it.
func (o *outcomes) quotient(s *shapes) *quotient {
	contexts := o.contexts()
	q := new(quotient)
	var sums [][]byte // of generators, by element
	find := func(sum []byte) (Element, bool) {
		for e := range sums {
			if o.equal(sum, sums[e], contexts) {
				return Element(e), true
			}
		}
		return 0, false
	}
	add := func(name string, sum []byte) {
		if _, ok := find(sum); !ok {
			q.names = append(q.names, name)
			sums = append(sums, sum)
			q.lost = append(q.lost, o.lost(sum))
		}
	}
	add("", nil)
	for i := 0; i < len(sums); i++ {
		for _, g := range generators {
			// Products are written in the order of the alphabet.
			if q.names[i] <= g.name || strings.HasSuffix(q.names[i], g.name) {
				add(q.names[i]+g.name, plus(sums[i], o.of[s.of[g.board]]))
			}
		}
	}
	for i := range sums {
		row := make([]Element, len(sums))
		for j := range sums {
			row[j], _ = find(plus(sums[i], sums[j]...))
		}
		q.product = append(q.product, row)
	}
	for _, r := range o.of {
		e, _ := find(plus(nil, r))
		q.shapes = append(q.shapes, e)
	}
	for i, name := range q.names {
		for _, g := range generators {
			name = strings.Replace(name, g.name+g.name, g.name+"²", 1)
		}
		q.names[i] = name
	}
	q.names[0] = "1"
	return q
}
