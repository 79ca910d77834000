package tictactoe

import (
	"maps"
	"math/big"
	"testing"

	"solved/rules"
)

// A strategy that never loses comes to no loss, and has a plan for just the positions of
// its side that it comes to.
func TestNeverLosing(t *testing.T) {
	solution := Solve()
	for side, want := range map[Side]Played{X: {Positions: 153}, O: {Positions: 776}} {
		s := solution.NeverLosing(side)
		if played := s.Play(); played != want || s.Side() != side {
			t.Errorf("%s: %+v, want %+v", side, played, want)
		}
		for p, square := range s.squares {
			before, after := solution.Entry(p).Value, solution.Entry(p.Mark(square)).Value
			if p.Side() != side || after != before.Negate() || before == rules.Loss {
				t.Errorf("%s: %s turns a %s into a %s for the other", p, square, before, after)
			}
		}
	}
}

// Playing a strategy out finds each fault: a bad move, no move, one that is not to be had.
func TestPlayFindsFaults(t *testing.T) {
	good := Solve().NeverLosing(O)
	changed := func(p Position, square Square) Strategy {
		s := Strategy{O, maps.Clone(good.squares)}
		s.squares[p] = square
		return s
	}
	// X has begun in a corner, and O answers at the edge; from there O knows nothing.
	if played := changed(played(A1), B1).Play(); played.Stuck == 0 {
		t.Errorf("an unknown position: %+v", played)
	}
	if played := changed(played(A1), A1).Play(); played.Stuck == 0 {
		t.Errorf("a marked square: %+v", played)
	}
	if played := (Strategy{O, nil}).Play(); played != (Played{Positions: 10, Stuck: 9}) {
		t.Errorf("no strategy: %+v", played)
	}
	// The first free square, always, loses for either side.
	for _, side := range []Side{X, O} {
		lazy := newStrategy(side, func(p Position) (first Square) {
			for first = range p.Free() {
				break
			}
			return first
		})
		if played := lazy.Play(); played.Losses == 0 || played.Stuck != 0 {
			t.Errorf("%s, always the first: %+v", side, played)
		}
	}
}

// What a side can force, found without values or distances, are the positions that are won
// for it.
func TestForcible(t *testing.T) {
	solution := Solve()
	for _, side := range []Side{X, O} {
		forced := forcible(side)
		some := 0
		for index, p := range numbered.positions {
			value := solution.Entry(p).Value
			if p.Side() != side {
				value = value.Negate()
			}
			if forced[index] != (value == rules.Win) {
				t.Errorf("%s can force a win from %s: %v", side, p, forced[index])
			}
			if forced[index] {
				some++
			}
		}
		if forced[0] || some == 0 {
			t.Errorf("%s can force a win in %d positions, in the first: %v", side, some, forced[0])
		}
	}
}

// The chances against a random opponent, by a plain recursion over the reference rules: no
// index, no order of positions, no strategy. All four published or corrected rows.
func TestOddsAgainstPlainRecursion(t *testing.T) {
	type odds [3]*big.Rat // won, drawn, lost
	prefer := map[Objective]func(a, b odds) bool{
		MostWins: func(a, b odds) bool {
			return a[0].Cmp(b[0]) > 0 || a[0].Cmp(b[0]) == 0 && a[2].Cmp(b[2]) < 0
		},
		BestBalance: func(a, b odds) bool {
			// w + l' > w' + l, so that nothing is subtracted.
			left, right := new(big.Rat).Add(a[0], b[2]), new(big.Rat).Add(b[0], a[2])
			return left.Cmp(right) > 0 || left.Cmp(right) == 0 && a[0].Cmp(b[0]) > 0
		},
		NoLosses: func(a, b odds) bool {
			return a[2].Cmp(b[2]) < 0 || a[2].Cmp(b[2]) == 0 && a[0].Cmp(b[0]) > 0
		},
	}
	want := map[string]map[Objective][3]string{
		"X": {MostWins: {"191/192", "1/192", "0"}, BestBalance: {"191/192", "1/192", "0"}, NoLosses: {"191/192", "1/192", "0"}},
		"O": {MostWins: {"887/945", "43/945", "1/63"}, BestBalance: {"883/945", "53/945", "1/105"}, NoLosses: {"866/945", "79/945", "0"}},
	}
	rows := 0
	for _, side := range []Side{X, O} {
		for _, objective := range Objectives() {
			known := map[ReferenceBoard]odds{}
			own := side.String()[0]
			var of func(b ReferenceBoard) odds
			of = func(b ReferenceBoard) odds {
				if o, ok := known[b]; ok {
					return o
				}
				o := odds{new(big.Rat), new(big.Rat), new(big.Rat)}
				moves := b.Moves()
				switch {
				case b.Owns(own):
					o[0].SetInt64(1)
				case b.Owns('X') || b.Owns('O'):
					o[2].SetInt64(1)
				case len(moves) == 0:
					o[1].SetInt64(1)
				case b.Mover() == own:
					o = of(b.Play(moves[0]))
					for _, move := range moves[1:] {
						if after := of(b.Play(move)); prefer[objective](after, o) {
							o = after
						}
					}
				default:
					for _, move := range moves {
						for i, chance := range of(b.Play(move)) {
							o[i].Add(o[i], chance)
						}
					}
					for _, chance := range o {
						chance.Quo(chance, big.NewRat(int64(len(moves)), 1))
					}
				}
				known[b] = o
				return o
			}
			plain := of(ReferenceStart())
			fast, strategy := AgainstRandom(side, objective)
			for i, chance := range []*big.Rat{fast.Win, fast.Draw, fast.Loss} {
				published, ok := new(big.Rat).SetString(want[side.String()][objective][i])
				if !ok || chance.Cmp(plain[i]) != 0 || chance.Cmp(published) != 0 {
					t.Errorf("%s, %s: %s, plainly %s, want %s", side, objective, chance, plain[i], published)
				}
			}
			sum := new(big.Rat).Add(fast.Win, fast.Draw)
			if sum.Add(sum, fast.Loss).Cmp(big.NewRat(1, 1)) != 0 {
				t.Errorf("%s, %s: chances add up to %s", side, objective, sum)
			}
			if played, err := referenceOdds(strategy); err != nil || played.String() != fast.String() {
				t.Errorf("%s, %s: %s, %v", side, objective, played, err)
			}
			// Only a strategy that never loses against a random opponent never loses at all.
			if played := strategy.Play(); (played.Losses == 0) != (fast.Loss.Sign() == 0) || played.Stuck != 0 {
				t.Errorf("%s, %s: %+v, and %s lost", side, objective, played, fast.Loss)
			}
			rows++
		}
	}
	if rows != 6 {
		t.Errorf("%d rows", rows)
	}
	if _, err := referenceOdds(Strategy{O, nil}); err == nil {
		t.Error("a strategy without a plan is played")
	}
}
