package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"solved/api"
	"solved/rules"
	"solved/rules/inversetreblecross"
	"solved/rules/nim"
	"solved/rules/pig"
	"solved/rules/tictacchec"
	"solved/rules/tictactoe"
	"solved/tablebase"
	"solved/tablebase/audit"
	"solved/tablebase/probability"
)

// game is a ruleset with all that this program knows of it.
type game struct {
	rules.Game
	kind     api.Kind
	answers  answerer
	examples []api.Example
	// formats are those that table files of the ruleset can have, none where its values
	// are a closed form, file is what they are held against, and reading returns what
	// answers reads of an open one.
	formats []format
	file    *rules.Ruleset
	reading func(table any) any
	// embedded loads the table that the program carries, or the closed form that
	// there is instead of one.
	embedded func() (*loadedTable, error)
	// carried is the digest of the only right table of the ruleset, as the .ttb or .prob
	// that the program carries or knows to equal what it carries; nil where there are no tables.
	carried func() (tablebase.Digest, error)
	// making is how much memory it takes to make a table file of what the program carries, in
	// bytes, if that is much.
	making uint64
	// pending describes that before it is loaded.
	pending api.Table
	// solve works out the values from nothing and writes them to files of these formats.
	solve func(ctx context.Context, files []artifact, threads int, p *progress) error
	// audited is the game as an audit of a whole table sees it, and sampled as one of a
	// sample does, by the plain reference rules; nil where there is no such audit.
	audited func() audit.Game
	sampled func() audit.PlainGame
	// prove checks the certificate of the values again; nil where there is none, and
	// then instead says where to look.
	prove   func(context.Context, rules.Proof) error
	instead string
}

// games is the list of what this program answers for, in the order in which it
// is listed everywhere.
func games() []*game {
	var list []*game
	for _, r := range tictacchec.Rulesets() {
		list = append(list, ticTacChec(r))
	}
	for _, r := range tictactoe.Rulesets() {
		list = append(list, ticTacToe(r))
	}
	for _, r := range nim.Rulesets() {
		list = append(list, nimGame(r))
	}
	for _, r := range inversetreblecross.Rulesets() {
		list = append(list, treblecrossGame(r))
	}
	for _, r := range pig.Rulesets() {
		list = append(list, pigGame(r))
	}
	return list
}

// ticTacChec is a ruleset of Tic Tac Chec.
func ticTacChec(r *tictacchec.Rules) *game {
	file := r.Ruleset()
	g := &game{
		Game:     tictacchec.Game{Rules: r},
		kind:     api.KindPieces,
		answers:  pieces{r},
		examples: examples(r),
		formats:  []format{formatCompact, formatBytes, formatKernel},
		file:     &file,
		reading:  func(table any) any { return tableEntries{table.(*tablebase.Table)} },
		embedded: func() (*loadedTable, error) { return embeddedTable(r) },
		carried: func() (tablebase.Digest, error) {
			k, err := embeddedKernel(r)
			if err != nil {
				return tablebase.Digest{}, err
			}
			return k.Equal, nil
		},
		making:  2_200_000_000, // of which 1.96 GB were seen in use: BENCHMARKS.md
		pending: pendingKernel(r),
		instead: "its table is, and 'solved audit' checks it",
		solve: func(ctx context.Context, files []artifact, threads int, p *progress) error {
			table, err := solve(ctx, r, threads, p)
			if err != nil {
				return err
			}
			defer table.main.Free()
			return writeAll(ctx, files, file, table, threads, p)
		},
		audited: func() audit.Game { return auditedGame{r} },
	}
	if reference, ok := tictacchec.ReferenceOf(file.Tag); ok {
		g.sampled = func() audit.PlainGame { return sampledGame{reference} }
	}
	return g
}

// ticTacToe is tic-tac-toe.
func ticTacToe(r tictactoe.Rules) *game {
	g := &game{
		Game:    r,
		kind:    api.KindMarks,
		answers: anyGame{r, marks{}},
		formats: []format{formatCompact, formatBytes},
		file:    new(r.Ruleset()),
		reading: func(table any) any { return table },
		pending: pendingTable(r.Ruleset(), tablebase.CompactMagic),
		prove:   r.Prove,
		solve: func(ctx context.Context, files []artifact, threads int, p *progress) error {
			return writeAll(ctx, files, r.Ruleset(), tictactoe.Solve(), threads, p)
		},
		audited: func() audit.Game { return auditedMarks{r} },
		sampled: func() audit.PlainGame { return sampledMarks{tictactoe.NewReference()} },
	}
	g.embedded = func() (*loadedTable, error) { return embeddedFile(g) }
	g.carried = func() (tablebase.Digest, error) { return embeddedDigest(g) }
	g.examples = examplesOf(r.Examples())
	return g
}

// nimGame is a ruleset of Nim.
func nimGame(r *nim.Rules) *game {
	g := tableless(api.SourceClosedForm, &game{Game: r, kind: api.KindGrundy, answers: anyGame{r, grundy{workOut: workOutNim}}, prove: r.Prove})
	g.examples = examplesOf(nim.Examples())
	return g
}

// treblecrossGame is a ruleset of Inverse Treblecross.
func treblecrossGame(r *inversetreblecross.Rules) *game {
	source := api.SourceSearch
	if r.Row() == 3 && !r.Ring() {
		source = api.SourceClosedForm // of empty strips
	}
	g := tableless(source, &game{Game: r, kind: api.KindGrundy, answers: anyGame{r, grundy{workOut: workOutTreblecross, board: treblecrossBoard}}, prove: r.Prove})
	g.examples = examplesOf(r.Examples())
	return g
}

// pigGame is a ruleset of Pig.
func pigGame(r *pig.Rules) *game {
	g := &game{
		Game:    r,
		kind:    api.KindChance,
		answers: anyGame{r, chance{}},
		formats: []format{formatProbability},
		file:    new(r.Ruleset()),
		reading: func(table any) any { return probabilityEntries{table.(*probability.Table)} },
		pending: pendingTable(r.Ruleset(), probability.Magic),
		prove:   r.Prove,
		solve: func(_ context.Context, files []artifact, _ int, _ *progress) error {
			solution := pig.Solve()
			for _, file := range files {
				err := writeProbability(file.path, r.Ruleset(), func(index uint64) probability.Entry {
					p, best := solution.Entry(index)
					return probability.Entry{Probability: p, Best: uint8(best)}
				})
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	g.embedded = func() (*loadedTable, error) { return embeddedFile(g) }
	g.carried = func() (tablebase.Digest, error) { return embeddedDigest(g) }
	g.examples = examplesOf(pig.Examples())
	return g
}

// examplesOf are a game's examples in the contract's words.
func examplesOf[P rules.Position](list []rules.Example[P]) []api.Example {
	var all []api.Example
	for _, e := range list {
		all = append(all, api.Example{Name: e.Name, Position: e.Position.String(), Summary: e.Summary})
	}
	return all
}

// tableless completes a game whose values come from no table.
func tableless(source string, g *game) *game {
	g.pending = api.Table{Source: source}
	g.embedded = func() (*loadedTable, error) {
		wire := g.pending
		wire.LoadedAt = time.Now().UTC().Format(time.RFC3339)
		return &loadedTable{entries: source, state: api.StateReady, wire: wire}, nil
	}
	return g
}

// rulesets returns what table files of a format are held against.
func rulesets(f format) []rules.Ruleset {
	var list []rules.Ruleset
	for _, g := range games() {
		if slices.Contains(g.formats, f) {
			list = append(list, *g.file)
		}
	}
	return list
}

// findGame finds a ruleset by its name or tag.
func findGame(name string) (*game, error) {
	tag, tagErr := rules.ParseTag(name)
	var known []api.Rules
	for _, g := range games() {
		about := g.About()
		if about.Name == name || tagErr == nil && about.Tag == tag {
			return g, nil
		}
		known = append(known, api.Rules{Name: about.Name, Tag: about.Tag.String()})
	}
	return nil, api.UnknownRulesProblem(name, known)
}

// findTicTacChec finds a ruleset of Tic Tac Chec by its name or tag. Others are
// refused: they have no kernels.
func findTicTacChec(name string) (*tictacchec.Rules, error) {
	g, err := findGame(name)
	if err != nil {
		return nil, err
	}
	if p, ok := g.answers.(pieces); ok {
		return p.rules, nil
	}
	return nil, &otherGameError{g.About()}
}

// otherGameError says that something is for Tic Tac Chec only.
type otherGameError struct{ asked rules.About }

func (e *otherGameError) Error() string {
	return fmt.Sprintf("that is for Tic Tac Chec only, not for %s", describeAbout(e.asked))
}

// describe names a ruleset in a sentence.
func describe(r rules.Ruleset) string { return fmt.Sprintf("%s (%s)", r.Name, r.Tag) }

func describeAbout(a rules.About) string { return fmt.Sprintf("%s (%s)", a.Name, a.Tag) }

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
