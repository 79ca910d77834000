package tictactoe

import (
	"cmp"
	"fmt"
	"math/big"

	"solved/rules"
)

// Objective is the quantity to maximise against an opponent who marks any free square,
// all equally likely.
type Objective uint8

const (
	// MostWins is to win most often, and among such ways to lose least often.
	MostWins Objective = iota
	// BestBalance is the greatest difference of wins and losses, and then most wins.
	BestBalance
	// NoLosses is never to lose, and then to win most often. Where a loss can no longer
	// be ruled out, it is to lose least often.
	NoLosses
)

// Objectives returns all objectives.
func Objectives() []Objective { return []Objective{MostWins, BestBalance, NoLosses} }

// String names the quantity.
func (o Objective) String() string {
	switch o {
	case MostWins:
		return "most wins, then fewest losses"
	case BestBalance:
		return "best wins − losses, then most wins"
	}
	return "never losing, then most wins"
}

// Odds are the exact chances of one side. They add up to 1 and are not to be changed.
type Odds struct {
	Win, Draw, Loss *big.Rat
}

// String writes the three fractions in lowest terms.
func (o Odds) String() string {
	return fmt.Sprintf("%s won, %s drawn, %s lost", o.Win.RatString(), o.Draw.RatString(), o.Loss.RatString())
}

// newOdds returns chances of nothing, to add to.
func newOdds() Odds { return Odds{new(big.Rat), new(big.Rat), new(big.Rat)} }

// add adds chances that are met with a weight.
func (o Odds) add(weight *big.Rat, more Odds) {
	for _, pair := range [...][2]*big.Rat{{o.Win, more.Win}, {o.Draw, more.Draw}, {o.Loss, more.Loss}} {
		pair[0].Add(pair[0], new(big.Rat).Mul(weight, pair[1]))
	}
}

// count adds a finished game that is met with a weight.
func (o Odds) count(weight *big.Rat, won, lost bool) {
	to := o.Draw
	switch {
	case won:
		to = o.Win
	case lost:
		to = o.Loss
	}
	to.Add(to, weight)
}

// compare is positive when the first odds serve the objective better.
func (o Objective) compare(a, b Odds) int {
	wins, losses := a.Win.Cmp(b.Win), b.Loss.Cmp(a.Loss)
	switch o {
	case MostWins:
		return cmp.Or(wins, losses)
	case BestBalance:
		balance := func(o Odds) *big.Rat { return new(big.Rat).Sub(o.Win, o.Loss) }
		return cmp.Or(balance(a).Cmp(balance(b)), wins)
	}
	return cmp.Or(losses, wins)
}

// AgainstRandom returns the best result of a side from the empty board against an opponent
// who marks any free square, all equally likely, and a strategy that gets it.
//
// Chances are worked out from the end backwards: the mean over the opponent's moves,
// the best of one's own. Taking the best by one measure and then another is right
// there, as the mean keeps that order too.
func AgainstRandom(side Side, objective Objective) (Odds, Strategy) {
	var (
		odds [Positions]Odds // by index; every move leads to a greater one
		best [Positions]Square
	)
	for index := Positions - 1; index >= 0; index-- {
		p := numbered.positions[index]
		if p.Result() != rules.Unknown {
			winner, won := p.Winner()
			odds[index] = newOdds()
			odds[index].count(big.NewRat(1, 1), won && winner == side, won && winner != side)
			continue
		}
		if p.Side() != side {
			odds[index] = newOdds()
			each := big.NewRat(1, int64(Squares-p.Marks()))
			for square := range p.Free() {
				odds[index].add(each, odds[p.Mark(square).Index()])
			}
			continue
		}
		for square := range p.Free() {
			after := odds[p.Mark(square).Index()]
			if odds[index].Win == nil || objective.compare(after, odds[index]) > 0 {
				odds[index], best[index] = after, square
			}
		}
	}
	strategy := newStrategy(side, func(p Position) Square { return best[p.Index()] })
	return odds[Start().Index()], strategy
}

// referenceOdds plays a strategy against a random opponent, game by game, on the board
// of the reference rules: the chance of a game is the product of those of the
// opponent's moves.
func referenceOdds(s Strategy) (Odds, error) {
	total := newOdds()
	var visit func(b ReferenceBoard, chance *big.Rat) error
	visit = func(b ReferenceBoard, chance *big.Rat) error {
		own := s.Side().String()[0]
		if b.Result() != rules.Unknown {
			total.count(chance, b.Owns(own), b.Owns('X'+'O'-own))
			return nil
		}
		moves := b.Moves()
		if b.Mover() == own {
			p, err := Parse(b.String())
			if err != nil {
				return err
			}
			square, ok := s.Square(p)
			if !ok {
				return fmt.Errorf("tic-tac-toe: %s has no plan for %s", s.Side(), p)
			}
			return visit(b.Play(square.String()), chance)
		}
		each := new(big.Rat).Mul(chance, big.NewRat(1, int64(len(moves))))
		for _, move := range moves {
			if err := visit(b.Play(move), each); err != nil {
				return err
			}
		}
		return nil
	}
	return total, visit(ReferenceStart(), big.NewRat(1, 1))
}
