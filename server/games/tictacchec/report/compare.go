package report

import (
	"context"
	"fmt"
	"sync"

	"solved/rules"
	"solved/rules/tictacchec"
	"solved/tablebase"
)

// Other is another table to compare with. Its source is read in any order and
// concurrently, more than once.
type Other struct {
	Rules  *tictacchec.Rules
	Source tablebase.Source
}

// matrix compares two tables of one section, position by position.
type matrix struct {
	// count and first are by the value in the one table and in the other, in the
	// order of classes.
	count, first [3][3]uint64
	// farther is how many positions keep a value and change the distance; greatest
	// is the greatest change, in plies, by value, most how many have it and at the
	// first of them.
	farther  [3]uint64
	greatest [3]int
	most, at [3]uint64
}

// classes are the values in the order of the published matrices.
var classes = [3]rules.Value{rules.Win, rules.Loss, rules.Draw}

// classOf gives the place of a code's value in classes.
var classOf = func() (t [256]uint8) {
	for c := range t {
		for class, v := range classes {
			if rules.EntryOf(rules.Code(c)).Value == v {
				t[c] = uint8(class)
			}
		}
	}
	return t
}()

// see compares the codes of a run of positions.
func (m *matrix) see(from uint64, a, b []rules.Code) {
	b = b[:len(a)]
	for i, c := range a {
		d := b[i]
		x, y := classOf[c], classOf[d]
		if m.count[x][y] == 0 {
			m.first[x][y] = from + uint64(i)
		}
		m.count[x][y]++
		if c == d || x != y {
			continue
		}
		m.farther[x]++
		change := max(int(c), int(d)) - min(int(c), int(d))
		if change > m.greatest[x] {
			m.greatest[x], m.most[x], m.at[x] = change, 0, from+uint64(i)
		}
		if change == m.greatest[x] {
			m.most[x]++
		}
	}
}

func (m *matrix) add(n *matrix) {
	for x := range classes {
		for y := range classes {
			if n.count[x][y] > 0 && (m.count[x][y] == 0 || n.first[x][y] < m.first[x][y]) {
				m.first[x][y] = n.first[x][y]
			}
			m.count[x][y] += n.count[x][y]
		}
		m.farther[x] += n.farther[x]
		switch {
		case n.greatest[x] > m.greatest[x]:
			m.greatest[x], m.most[x], m.at[x] = n.greatest[x], n.most[x], n.at[x]
		case n.greatest[x] == m.greatest[x] && n.most[x] > 0:
			m.most[x] += n.most[x]
			m.at[x] = min(m.at[x], n.at[x])
		}
	}
}

// pair is which two of several tables are compared, the first being 0.
type pair struct{ a, b int }

// pairsOf lists the pairs of n tables.
func pairsOf(n int) (pairs []pair) {
	for a := range n {
		for b := a + 1; b < n; b++ {
			pairs = append(pairs, pair{a, b})
		}
	}
	return pairs
}

// compareTables compares tables with one another, of which t is the first, over
// spans of a section.
func compareTables(ctx context.Context, t *Table, others []Other, section rules.Section, spans []span, threads int, tell progress) ([]matrix, error) {
	pairs := pairsOf(1 + len(others))
	result := make([]matrix, len(pairs))
	var mu sync.Mutex // guards result
	codes := t.section(section)
	pool := sync.Pool{New: func() any {
		buffers := make([][]rules.Code, len(others))
		for i := range buffers {
			buffers[i] = make([]rules.Code, spanSize)
		}
		return &buffers
	}}
	err := concurrently(ctx, threads, cut(spans, spanSize), tell, "comparing the "+section.String(), func(_ int, s span) error {
		buffers := pool.Get().(*[][]rules.Code)
		defer pool.Put(buffers)
		parts := [][]rules.Code{codes[s.from:s.to]}
		for i, o := range others {
			part := (*buffers)[i][:s.to-s.from]
			if err := o.Source.Codes(section, s.from, part); err != nil {
				return fmt.Errorf("%s: %w", o.Rules.Ruleset().Name, err)
			}
			parts = append(parts, part)
		}
		found := make([]matrix, len(pairs))
		for i, p := range pairs {
			found[i].see(s.from, parts[p.a], parts[p.b])
		}
		mu.Lock()
		defer mu.Unlock()
		for i := range found {
			result[i].add(&found[i])
		}
		return nil
	})
	return result, err
}
