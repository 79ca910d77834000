package notakto

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"solved/rules"
)

// Prove checks the misère quotient for any number of boards, and values and distances of up
// to three boards against the plain [Reference]. It needs no solver.
func (Rules) Prove(ctx context.Context, p rules.Proof) error {
	q, trees := quotientOf(), gameTrees()
	claim := func(text string, want, found any) { p.Report(rules.Claimed(text, want, found)) }

	claim("boards that play can reach, of all 512 sets of marks", "230 live and 220 dead", countBoards())
	claim("live boards apart from symmetry", 46, len(canonicalBoards()))
	claim("game trees of live boards, equal ones counted once", 17, len(trees.options)-1)

	claim("elements of the misère quotient", "1 a b c d ab ac ad b² bc bd c² ab² abc abd ac² bc² abc²", strings.Join(q.names, " "))
	claim("elements of the positions that the side to move loses", "a b² bc c²", strings.Join(q.lostNames(), " "))
	claim("elements that are the product of the generators in their names", 18, q.spelled())
	claim("products of two or three elements that break the laws of a commutative monoid", 0, q.brokenLaws())
	claim("published relations a² = 1, b³ = b, b²c = c, c³ = ac², b²d = d, cd = ad, d² = c² that hold", 7, q.relations())
	claim("pairs of elements that no third element tells apart", 0, q.alike())

	sums, wrong, err := q.proveSums(ctx, trees)
	if err != nil {
		return err
	}
	claim("pairs of an element and a set of winning contexts, of all sums of one or more live boards", 143, sums)
	claim("pairs among these with an element that is not lost exactly when no move leads to a lost one", 0, wrong)
	claim("value of the sum of no live board, of the element 1: the other side has killed the last board", rules.Win, Element(0).Value())

	if err := proveSmall(ctx, claim); err != nil {
		return err
	}
	var values, distances []string
	for n := 1; n <= 5; n++ {
		d, _ := NewDistances(Empty(n))
		values = append(values, Empty(n).Value().String())
		distances = append(distances, fmt.Sprint(d.Of(Empty(n))))
	}
	claim("value of 1 to 5 empty boards", "win, loss, win, loss, win", strings.Join(values, ", "))
	claim("plies from 1 to 5 empty boards", "6, 11, 14, 21, 24", strings.Join(distances, ", "))
	return nil
}

// countBoards counts the boards that play can reach.
func countBoards() string {
	live, killed := 0, 0
	for b := range Board(markings) {
		switch {
		case !b.Dead():
			live++
		case b.legal():
			killed++
		}
	}
	return fmt.Sprintf("%d live and %d dead", live, killed)
}

// canonicalBoards returns the live boards, one of each set of symmetric ones.
func canonicalBoards() (all []Board) {
	for b := range Board(markings) {
		if !b.Dead() && b.canonical() == b {
			all = append(all, b)
		}
	}
	return all
}

func (q *quotient) lostNames() (names []string) {
	for e, lost := range q.lost {
		if lost {
			names = append(names, q.names[e])
		}
	}
	return names
}

// brokenLaws counts where the table of products is not that of a commutative monoid with the
// identity 0.
func (q *quotient) brokenLaws() (broken int) {
	count := func(left, right Element) {
		if left != right {
			broken++
		}
	}
	for x := range q.product {
		count(q.product[0][x], Element(x))
		for y := range q.product {
			count(q.product[x][y], q.product[y][x])
			for z := range q.product {
				count(q.product[q.product[x][y]][z], q.product[x][q.product[y][z]])
			}
		}
	}
	return broken
}

// word returns the product of generators: "abb".
func (q *quotient) word(text string) (e Element) {
	for _, c := range text {
		for _, g := range generators {
			if g.name == string(c) {
				e = q.product[e][q.of(g.board)]
			}
		}
	}
	return e
}

// spelled counts the elements that are the products of generators that their names say.
func (q *quotient) spelled() (elements int) {
	for e, name := range q.names {
		if q.word(strings.NewReplacer("1", "", "b²", "bb", "c²", "cc").Replace(name)) == Element(e) {
			elements++
		}
	}
	return elements
}

// relations counts the published relations that hold.
func (q *quotient) relations() (hold int) {
	for _, r := range [][2]string{{"aa", ""}, {"bbb", "b"}, {"bbc", "c"}, {"ccc", "acc"}, {"bbd", "d"}, {"cd", "ad"}, {"dd", "cc"}} {
		if q.word(r[0]) == q.word(r[1]) {
			hold++
		}
	}
	return hold
}

// alike counts the pairs of elements that have lost products with the same elements. There is
// none in a misère quotient: two such elements would be one.
func (q *quotient) alike() (pairs int) {
	for x := range q.product {
		for y := range x {
			if !slices.ContainsFunc(q.product[0], func(z Element) bool { return q.lost[q.product[x][z]] != q.lost[q.product[y][z]] }) {
				pairs++
			}
		}
	}
	return pairs
}

// summary is what the proof knows of a sum of boards.
type summary struct {
	element Element
	// winning is a set of elements: bit e is set when some move in the sum leads to a lost
	// element in the context of e, that is, when multiplied by e.
	winning uint32
}

// summaryOf returns the summary of one shape.
func (q *quotient) summaryOf(s *shapes, tree shape) summary {
	m := summary{element: q.shapes[tree]}
	for e := range q.product {
		if slices.ContainsFunc(s.options[tree], func(option shape) bool { return q.lost[q.product[e][q.shapes[option]]] }) {
			m.winning |= 1 << e
		}
	}
	return m
}

// plus returns the summary of a sum of two sums. A move is made in one of them, and the other
// is then part of its context.
func (q *quotient) plus(m, n summary) summary {
	out := summary{element: q.product[m.element][n.element]}
	for e := range q.product {
		if m.winning>>q.product[e][n.element]&1 == 1 || n.winning>>q.product[e][m.element]&1 == 1 {
			out.winning |= 1 << e
		}
	}
	return out
}

// proveSums goes through the summaries of all sums of one or more live boards. They are
// finitely many: the first are those of single boards, and each of them with each board gives
// the others. It returns how many there are, and how many are wrong: a sum must have a lost
// element exactly when no move leads to a lost one, in the context of the identity.
func (q *quotient) proveSums(ctx context.Context, s *shapes) (sums, wrong int, err error) {
	var single, all []summary
	seen := map[summary]bool{}
	add := func(m summary) {
		if !seen[m] {
			seen[m] = true
			all = append(all, m)
		}
	}
	for tree := 1; tree < len(s.options); tree++ {
		m := q.summaryOf(s, shape(tree))
		single = append(single, m)
		add(m)
	}
	for i := 0; i < len(all); i++ {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		for _, m := range single {
			add(q.plus(all[i], m))
		}
		if q.lost[all[i].element] == (all[i].winning&1 == 1) {
			wrong++
		}
	}
	return len(all), wrong, nil
}

// proveSmall holds values and distances against the reference, for every multiset of at most
// three live boards apart from symmetry.
func proveSmall(ctx context.Context, claim func(text string, want, found any)) error {
	r := NewReference()
	texts := r.Boards()
	parsed := make([]Board, len(texts))
	for i, text := range texts {
		p, err := Parse(text[:3] + "/" + text[3:6] + "/" + text[6:])
		if err != nil {
			return err
		}
		parsed[i] = p.boards[0]
	}
	var sums, values, distances [4]int // by the number of boards
	check := func(numbers ...int) {
		var p Position
		var plain []string
		for _, i := range numbers {
			p.boards, plain = append(p.boards, parsed[i]), append(plain, texts[i])
		}
		worth := r.Of(plain...)
		n := len(numbers)
		sums[n]++
		if p.Value() == worth.Value {
			values[n]++
		}
		if d, ok := NewDistances(p); ok && d.Of(p) == worth.Distance {
			distances[n]++
		}
	}
	for i := range texts {
		if err := ctx.Err(); err != nil {
			return err
		}
		check(i)
		for j := range i + 1 {
			check(i, j)
			for k := range j + 1 {
				check(i, j, k)
			}
		}
	}
	claim("multisets of one, two and three live boards apart from symmetry", "46, 1081, 17296", list(sums))
	claim("of these, those with the value that the plain reference finds", "46, 1081, 17296", list(values))
	claim("of these, those with the distance that the plain reference finds", "46, 1081, 17296", list(distances))
	return nil
}

func list(counts [4]int) string { return fmt.Sprintf("%d, %d, %d", counts[1], counts[2], counts[3]) }
