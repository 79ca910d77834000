package tictacchec

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"slices"
	"testing"

	"solved/rules"
)

// madeUpTable is a table of a small part of the main phase, and of the opening, with a
// few hundred losses among draws. What it says need not be so: Losses takes it at its
// word.
type madeUpTable struct {
	rules *Rules
	codes [rules.Sections]map[uint64]rules.Code
}

func (m *madeUpTable) Codes(s rules.Section, lo uint64, dst []rules.Code) error {
	for i := range dst {
		dst[i] = rules.CodeDraw
	}
	for index, code := range m.codes[s] {
		if index >= lo && index-lo < uint64(len(dst)) {
			dst[index-lo] = code
		}
	}
	return nil
}

// newMadeUpTable marks the first losses that the search finds, at their distance or
// another, the positions two moves before, and others.
func newMadeUpTable() *madeUpTable {
	r := Rulesets()[0]
	r.ruleset.Positions[rules.Main] = 1 << 26 // up to six pieces on the board
	m := &madeUpTable{rules: r, codes: [rules.Sections]map[uint64]rules.Code{{}, {}}}
	rng := newRand(80)
	bare := NewLookahead(r, 0)
	mark := func(p Position, code rules.Code) {
		section, index := p.Index()
		if index < r.ruleset.Positions[section] {
			m.codes[section][index] = code
		}
		if _, mirrored := p.Mirror().Index(); mirrored < r.ruleset.Positions[section] {
			m.codes[section][mirrored] = code
		}
	}
	for len(m.codes[rules.Main]) < 400 {
		p := mainAt(rng.Uint64N(r.ruleset.Positions[rules.Main]))
		d, ok := bare.Loss(p)
		switch {
		case ok && d > GraphHorizon && rng.IntN(4) == 0:
			d += 2 // kept, as it is not found there
			fallthrough
		case ok && d > GraphHorizon:
			mark(p, d)
		case ok && rng.IntN(20) == 0:
			mark(p, d) // seen on the board
		case !ok && rng.IntN(500) == 0:
			mark(p, rules.Code(rng.IntN(rules.MaxDistance+1)))
		case !ok && rng.IntN(100) == 0:
			// A threat to be parried, and losses past the parries: it is found
			// thanks to them, at the greatest of their distances and two.
			b := p.withSquares()
			threat, threatens := b.enemyThreat()
			if !threatens || r.winsAtOnce(&b) {
				continue
			}
			var replies [MaxMoves]board
			if n := r.replies(&b, &threat, &replies, MaxMoves); n > 0 && n < 4 {
				for _, c := range replies[:n] {
					moves := r.Moves(c.Position, nil)
					mark(r.Play(c.Position, moves[rng.IntN(len(moves))]), 4)
				}
				mark(p, 6)
			}
		}
	}
	for len(m.codes[rules.Opening]) < 60 {
		if p := randomOpening(rng); bits.OnesCount8(p.board) == OpeningPlies-1 {
			mark(p, rules.Code(2*rng.IntN(12)))
		}
	}
	return m
}

// plainLosses is Losses by the slow search, one loss at a time.
func (m *madeUpTable) plainLosses() (kept [rules.Sections][]rules.IndexedLoss, asked int) {
	slow := newSlowSearch(m.rules)
	for distance := uint8(4); distance <= rules.MaxDistance; distance += 2 {
		var missed []Position
		for section, codes := range m.codes {
			for index, code := range codes {
				p, _ := FromIndex(rules.Section(section), index)
				if code != distance || smallerIndex(p) != index {
					continue
				}
				asked++
				if slow.loss(p, 4) != distance {
					missed = append(missed, p)
					kept[section] = append(kept[section], rules.IndexedLoss{Index: index, Distance: distance})
				}
			}
		}
		for _, p := range missed {
			slow.add(p, distance)
		}
	}
	for section := range kept {
		slices.SortFunc(kept[section], func(a, b rules.IndexedLoss) int { return cmp.Compare(a.Index, b.Index) })
	}
	return kept, asked
}

func TestLosses(t *testing.T) {
	m := newMadeUpTable()
	want, asked := m.plainLosses()
	n := len(want[rules.Main]) + len(want[rules.Opening])
	if n < 30 || asked-n < 30 {
		t.Fatalf("%d losses of %d are kept: too few, or too many, to mean anything", n, asked)
	}
	for _, threads := range []int{1, 3} {
		got, err := m.rules.Losses(context.Background(), m.Codes, threads)
		if err != nil {
			t.Fatal(err)
		}
		for section := range got {
			if !slices.Equal(got[section], want[section]) {
				t.Errorf("%d threads, %s: %d losses, want %d", threads, rules.Section(section), len(got[section]), len(want[section]))
			}
		}
	}
	// With those losses every other one is found where the table has it.
	l := NewLookahead(m.rules, n)
	for section, losses := range want {
		for _, loss := range losses {
			p, _ := FromIndex(rules.Section(section), loss.Index)
			l.Add(p, loss.Distance)
		}
	}
	for section, codes := range m.codes {
		for index, code := range codes {
			p, _ := FromIndex(rules.Section(section), index)
			if code >= 4 && code%2 == 0 {
				if d, ok := l.Loss(p); !ok || d != code {
					t.Errorf("%s: %d, %v; want %d", p, d, ok, code)
				}
			}
		}
	}
}

func TestLossesFail(t *testing.T) {
	r := Rulesets()[0]
	r.ruleset.Positions = [rules.Sections]uint64{1 << 21, 1 << 21}
	broken := errors.New("broken")
	codes := func(fail rules.Section, code rules.Code, err error) func(rules.Section, uint64, []rules.Code) error {
		return func(s rules.Section, lo uint64, dst []rules.Code) error {
			for i := range dst {
				dst[i] = rules.CodeDraw
			}
			if s == fail && lo > 0 {
				dst[5] = code
				return err
			}
			return nil
		}
	}
	for section := range rules.Section(rules.Sections) {
		if _, err := r.Losses(context.Background(), codes(section, rules.CodeDraw, broken), 2); !errors.Is(err, broken) {
			t.Errorf("%s: %v", section, err)
		}
		if _, err := r.Losses(context.Background(), codes(section, 254, nil), 2); err == nil {
			t.Errorf("%s: a code of 254 is taken for a loss", section)
		}
	}
	stopped, stop := context.WithCancelCause(context.Background())
	stop(broken)
	if _, err := r.Losses(stopped, codes(0, rules.CodeDraw, nil), 2); !errors.Is(err, broken) {
		t.Errorf("stopped: %v", err)
	}
}
