package main

import (
	"fmt"

	"solved/api"
	"solved/rules"
	"solved/rules/tictacchec"
)

// gameName is the name of the one game so far.
const gameName = "Tic Tac Chec"

// games is the list of what this program answers for, in the order in which it
// is listed everywhere.
func games() []*tictacchec.Rules { return tictacchec.Rulesets() }

// rulesets returns what table files are held against.
func rulesets() []rules.Ruleset {
	var list []rules.Ruleset
	for _, r := range games() {
		list = append(list, r.Ruleset())
	}
	return list
}

// findGame finds a ruleset by its name or tag.
func findGame(name string) (*tictacchec.Rules, error) {
	tag, tagErr := rules.ParseTag(name)
	known := make([]api.Rules, 0, 3)
	for _, r := range games() {
		ruleset := r.Ruleset()
		if ruleset.Name == name || tagErr == nil && ruleset.Tag == tag {
			return r, nil
		}
		known = append(known, api.Rules{Name: ruleset.Name, Tag: ruleset.Tag.String()})
	}
	return nil, api.UnknownRulesProblem(name, known)
}

// describe names a ruleset in a sentence.
func describe(r rules.Ruleset) string { return fmt.Sprintf("%s (%s)", r.Name, r.Tag) }

// extremes are positions of a ruleset that a scan of its table found: the first
// by index of those with the greatest distances, and a draw with as many moves
// as any that was found, of which one draws. (Three pieces in a line and all of
// one's own in hand give 52 moves; a draw with more has nothing to parry.)
type extremes struct {
	win, loss           string
	winPlies, lossPlies int
	draw, onlyMove      string
}

// extremesOf has the extremes of each ruleset, by name.
var extremesOf = map[string]extremes{
	tictacchec.CanonicalName: {
		win: "Pb2/n1R1/2rp/N3 w dd m", winPlies: 41,
		loss: "b2n/PR2/1r1N/2Bp w uu m", lossPlies: 40,
		draw: "b3/p3/4/n3 w -d m", onlyMove: "R@a2",
	},
	tictacchec.OutboundName: {
		win: "3R/1P1n/1p2/1Bb1 w dd m", winPlies: 41,
		loss: "1bBn/1P2/1p1N/3r w ud m", lossPlies: 40,
		draw: "2b1/2n1/2p1/4 w -u m", onlyMove: "R@c1",
	},
	tictacchec.TowardOpponentName: {
		win: "P3/Np1b/r3/2n1 w du m", winPlies: 43,
		loss: "2N1/R3/nP1B/pb2 w du m", lossPlies: 42,
		draw: "4/p1rn/4/4 w -u m", onlyMove: "R@b3",
	},
}

// examples are the positions worth a look under a ruleset.
func examples(r *tictacchec.Rules) []api.Example {
	x := extremesOf[r.Ruleset().Name]
	return []api.Example{{
		Name: "start", Position: tictacchec.Start().String(),
		Summary: "The empty board: a draw, whichever of its 64 moves White makes.",
	}, {
		Name: "longest-win", Position: x.win,
		Summary: fmt.Sprintf("White wins in %d plies, as long as any win takes.", x.winPlies),
	}, {
		Name: "longest-loss", Position: x.loss,
		Summary: fmt.Sprintf("White loses in %d plies, as long as any loss takes.", x.lossPlies),
	}, {
		Name: "zugzwang", Position: "2b1/2n1/P1N1/RBp1 w du m",
		Summary: "Black threatens nothing, yet each of White's three moves lets Black win at once.",
	}, {
		Name: "narrowest-draw", Position: x.draw,
		Summary: fmt.Sprintf("Of White's 52 moves only %s draws; the others lose.", x.onlyMove),
	}}
}
