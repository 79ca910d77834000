package report

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"solved/rules"
	"solved/rules/tictacchec"
)

// madeUp is a source of made-up codes, a function of section and index.
type madeUp func(section rules.Section, index uint64) rules.Code

func (m madeUp) Codes(section rules.Section, lo uint64, dst []rules.Code) error {
	for i := range dst {
		dst[i] = m(section, lo+uint64(i))
	}
	return nil
}

// scrambled gives codes with few decided positions, another table with each seed.
func scrambled(seed uint64) madeUp {
	return func(section rules.Section, index uint64) rules.Code {
		random := rand.New(rand.NewPCG(index/3, uint64(section)))
		if index*0x9e3779b97f4a7c15>>60 == seed {
			random.Uint64() // and so another
		}
		if random.IntN(4) != 0 {
			return rules.CodeDraw
		}
		return rules.Code(random.IntN(42))
	}
}

// naiveMatrix compares two sources in the words of the definitions.
func naiveMatrix(section rules.Section, spans []span, a, b madeUp) matrix {
	var m matrix
	for _, s := range spans {
		for index := s.from; index < s.to; index++ {
			before, after := rules.EntryOf(a(section, index)), rules.EntryOf(b(section, index))
			x, y := int(before.Value)-1, int(after.Value)-1 // classes are in the order of the values
			m.count[x][y]++
			if m.count[x][y] == 1 {
				m.first[x][y] = index
			}
			if x != y || before == after {
				continue
			}
			m.farther[x]++
			change := int(before.Distance) - int(after.Distance)
			if change < 0 {
				change = -change
			}
			if change == m.greatest[x] {
				m.most[x]++
			} else if change > m.greatest[x] {
				m.greatest[x], m.most[x], m.at[x] = change, 1, index
			}
		}
	}
	return m
}

func TestCompare(t *testing.T) {
	r := tictacchec.Rulesets()
	table, err := newTable(r[0])
	if err != nil {
		t.Fatal(err)
	}
	defer table.Free()
	sources := []madeUp{scrambled(1), scrambled(2), scrambled(3)}
	for section, spans := range [rules.Sections][]span{
		{{0, 20_000}, {1_000_000, 1_000_100}, {tictacchec.MainPositions - 5000, tictacchec.MainPositions}},
		{{0, 3000}, {tictacchec.OpeningPositions - 3000, tictacchec.OpeningPositions}},
	} {
		section := rules.Section(section)
		for _, s := range spans {
			if err := sources[0].Codes(section, s.from, table.section(section)[s.from:s.to]); err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range threads {
			found, err := compareTables(t.Context(), table, []Other{{r[1], sources[1]}, {r[2], sources[2]}}, section, spans, n, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range []pair{{0, 1}, {0, 2}, {1, 2}} {
				want := naiveMatrix(section, spans, sources[p.a], sources[p.b])
				if d := cmp.Diff(want, found[i], cmp.AllowUnexported(matrix{})); d != "" {
					t.Errorf("%s, %v, on %d goroutines: %s", section, p, n, d)
				}
				for x := range classes {
					if want.farther[x] == 0 && x < 2 || want.count[x][(x+1)%3] == 0 {
						t.Errorf("%s, %v: too little changes", section, p)
					}
				}
			}
		}
	}

	// What cannot be read is told.
	broken := errors.New("broken")
	_, err = compareTables(t.Context(), table, []Other{{r[1], failing{broken}}}, rules.Main, []span{{0, 10}}, 1, nil)
	if !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}

// failing is a source that cannot be read.
type failing struct{ err error }

func (f failing) Codes(rules.Section, uint64, []rules.Code) error { return f.err }
