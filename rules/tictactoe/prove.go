package tictactoe

import (
	"context"
	"fmt"

	"solved/rules"
)

// Prove checks the game's certificate from the rules alone, and reports each claim. It
// takes about a second, and asks for three scripts to be found unsatisfiable. An error
// is that of the context or of the solver: then not all has been checked.
func (Rules) Prove(ctx context.Context, p rules.Proof) error {
	for _, check := range []func(context.Context, rules.Proof) error{
		provePositions, proveGames, proveValues, proveOdds, proveInduction,
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := check(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// provePositions counts positions, each count in two ways that share little.
func provePositions(_ context.Context, p rules.Proof) error {
	want := census{xWon: 626, oWon: 316, drawn: 16, unfinished: 4520}
	reached, legal := explore(same), legalBoards()
	p.Report(rules.Claimed("positions that can be reached, by playing on from the empty board", want, countAll(reached)))
	p.Report(rules.Claimed(fmt.Sprintf("boards of all %d that are legal by the rules of notation", boards), want, countAll(legal)))
	p.Report(rules.Claimed("boards that are in one of these two sets only", 0, differing(reached, legal)))

	forms := map[Position]bool{}
	for q := range reached {
		forms[canonical(q)] = true
	}
	p.Report(rules.Claimed("positions apart from symmetry, by giving each its canonical form", 765, len(forms)))
	p.Report(rules.Claimed("positions apart from symmetry, by playing on from canonical forms only", 765, len(explore(canonical))))
	return nil
}

// proveGames counts games in two ways.
func proveGames(_ context.Context, p rules.Proof) error {
	want := census{xWon: 131184, oWon: 77904, drawn: 46080}
	var walked census
	walkGames(Start(), &walked)
	p.Report(rules.Claimed("games as sequences of moves, by walking through each", want, walked))
	p.Report(rules.Claimed("games as sequences of moves, by adding up those that come to each position", want, addUpGames()))
	return nil
}

// proveValues solves the game and shows that neither side can do better.
func proveValues(_ context.Context, p rules.Proof) error {
	solution, reference := Solve(), NewReference()
	p.Report(rules.Claimed("value of the empty board", rules.Draw, solution.Entry(Start()).Value))
	differ := Positions - reference.Boards()
	for index := range min(Positions, reference.Boards()) {
		board := reference.At(uint64(index))
		position := numbered.positions[index]
		if position.String() != board.String() || solution.Entry(position) != reference.Entry(board) {
			differ++
		}
	}
	p.Report(rules.Claimed("entries in which the solver and the plain reference rules differ", 0, differ))
	for _, side := range []Side{X, O} {
		forced := forcible(side)
		p.Report(rules.Claimed(fmt.Sprintf("%s can force a win from the empty board", side), false, forced[Start().Index()]))
	}
	for _, side := range []Side{X, O} {
		played := solution.NeverLosing(side).Play()
		p.Report(rules.Claimed(
			fmt.Sprintf("positions lost for %s, or without a move, of the %d that its strategy comes to against every reply",
				side, played.Positions),
			0, played.Losses+played.Stuck))
	}
	return nil
}

// publishedForO is the published figures about O, and the player that each is about.
const publishedForO = "Published for a player O that never loses: 887/945 won, 43/945 drawn, 1/63 lost. " +
	"That is what most wins give, and such an O loses one game in 63; one that never loses wins a little less often."

// proveOdds computes the odds of each objective against a random opponent, and plays the
// strategies that get it through, on the reference rules' board.
func proveOdds(ctx context.Context, p rules.Proof) error {
	for _, row := range []struct {
		side      Side
		objective Objective
		want      string
		published string
	}{
		{X, MostWins, "191/192 won, 1/192 drawn, 0 lost", ""},
		{O, MostWins, "887/945 won, 43/945 drawn, 1/63 lost", ""},
		{O, BestBalance, "883/945 won, 53/945 drawn, 1/105 lost", ""},
		{O, NoLosses, "866/945 won, 79/945 drawn, 0 lost", publishedForO},
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		odds, strategy := AgainstRandom(row.side, row.objective)
		claim := rules.Claimed(fmt.Sprintf("%s against a random opponent: %s", row.side, row.objective), row.want, odds)
		claim.Published = row.published
		p.Report(claim)
		played, err := referenceOdds(strategy)
		if err != nil {
			return err
		}
		p.Report(rules.Claimed(fmt.Sprintf("the same, by adding up the games of that %s one by one", row.side), row.want, played))
	}
	for _, objective := range Objectives()[1:] {
		odds, _ := AgainstRandom(X, objective)
		p.Report(rules.Claimed(fmt.Sprintf("X against a random opponent: %s", objective), "191/192 won, 1/192 drawn, 0 lost", odds))
	}
	return nil
}

// proveInduction asks a solver for counterexamples to the induction.
func proveInduction(ctx context.Context, p rules.Proof) error {
	for _, q := range induction(rulesOfPlay) {
		none, err := p.Unsatisfiable(ctx, q.name, q.script)
		if err != nil {
			return err
		}
		p.Report(rules.Claimed("an SMT solver finds no counterexample: "+q.claim, true, none))
	}
	return nil
}
