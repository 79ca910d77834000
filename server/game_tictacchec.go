package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"solved/api"
	"solved/rules"
	"solved/rules/tictacchec"
	"solved/tablebase"
	"solved/tablebase/audit"
	"solved/tablebase/kernel"
)

// ticTacChecGame is a ruleset of Tic Tac Chec.
type ticTacChecGame struct {
	game
	rules     *tictacchec.Rules
	evaluator pieces
}

func newTicTacChec(r *tictacchec.Rules) game {
	g := ticTacChecGame{rules: r, evaluator: pieces{r}}
	g.game = newGame(definition[entries]{
		Game: tictacchec.Game{Rules: r}, Kind: api.KindPieces, Examples: examples(r),
		Evaluator: g.evaluator, Bind: bindEntries,
		Files:       &tableKind{r.Ruleset(), []format{formatCompact{}, formatBytes{}, formatKernel{}}, g.rightDigest},
		Placeholder: placeholderKernel(r), Embedded: g.loadKernel,
		ProbeText: piecesText, LineText: piecesLineText,
	})
	return g
}

// rulesOfTag finds a ruleset of Tic Tac Chec.
func rulesOfTag(tag rules.Tag) (*tictacchec.Rules, error) {
	for _, r := range tictacchec.Rulesets() {
		if r.Ruleset().Tag == tag {
			return r, nil
		}
	}
	return nil, fmt.Errorf("the rules tag %s is not one of Tic Tac Chec", tag)
}

// bindEntries binds a table, or the search that a kernel completes.
func bindEntries(c contents) (entries, error) {
	switch c := c.(type) {
	case compactStore:
		return tableEntries{c.Table}, nil
	case entries: // the search
		return c, nil
	}
	return nil, boundError(c)
}

// kernel reads the kernel that the program carries.
func (g ticTacChecGame) kernel() (*kernel.Table, error) {
	rs := g.rules.Ruleset()
	data, err := kernels.ReadFile("kernels/" + rs.Name + ".kernel")
	if err != nil {
		return nil, fmt.Errorf("no table of %s is embedded; name one with --table", describe(rs))
	}
	return kernel.Decode(data, tictacchec.LookaheadVersion, rs)
}

// rightDigest is that of the compact table which the kernel equals.
func (g ticTacChecGame) rightDigest() (tablebase.Digest, error) {
	k, err := g.kernel()
	if err != nil {
		return tablebase.Digest{}, err
	}
	return k.Equal, nil
}

// placeholderKernel describes an embedded kernel before it is loaded.
func placeholderKernel(r *tictacchec.Rules) api.Table {
	positions := r.Ruleset().Positions
	return api.Table{
		Source:           api.SourceEmbedded,
		Format:           new(kernel.Magic),
		MainPositions:    new(positions[rules.Main]),
		OpeningPositions: new(positions[rules.Opening]),
	}
}

// loadKernel loads the kernel that the program carries, and completes it to a search.
func (g ticTacChecGame) loadKernel() (*loadedTable, error) {
	start := time.Now()
	k, err := g.kernel()
	if err != nil {
		return nil, err
	}
	ahead := lookahead(g.rules, k)
	wire := placeholderKernel(g.rules)
	wire.ContentSHA256, wire.CRC64 = new(hex.EncodeToString(k.Equal.SHA256[:])), new(fmt.Sprintf("%016x", k.Digest.CRC64))
	wire.Decisive = new(k.Equal.Decisive[rules.Main] + k.Equal.Decisive[rules.Opening])
	wire.LoadedAt = start.UTC().Format(time.RFC3339)
	wire.LoadSeconds = time.Since(start).Seconds()
	return &loadedTable{contents: kernelEntries{ahead, wire}, state: api.StateReady, size: k.Digest.Bytes, wire: wire}, nil
}

func (g ticTacChecGame) solve(ctx context.Context, files []artifact, threads int, p progressFunc) error {
	table, err := solve(ctx, g.rules, threads, p)
	if err != nil {
		return err
	}
	defer table.main.Free()
	return writeAll(ctx, files, g.rules.Ruleset(), table, threads, p)
}

func (g ticTacChecGame) expand(ctx context.Context, files []artifact, threads int, p progressFunc) error {
	k, err := g.kernel()
	if err != nil {
		return err
	}
	return writeExpanded(ctx, k, files, threads, p)
}

// expandMemory is how much memory expanding the kernel takes, with a margin: BENCHMARKS.md.
func (ticTacChecGame) expandMemory() uint64 { return 2_200_000_000 }

func (g ticTacChecGame) decisive() [rules.Sections]uint64 {
	k, err := g.kernel()
	if err != nil {
		return [rules.Sections]uint64{}
	}
	return k.Equal.Decisive
}

func (ticTacChecGame) proofHint() string { return "its table is, and 'solved audit' checks it" }

func (g ticTacChecGame) auditRules() audit.Game { return auditedGame{g.rules} }

func (g ticTacChecGame) referenceRules() audit.PlainGame {
	reference, ok := tictacchec.ReferenceOf(g.rules.Ruleset().Tag)
	if !ok {
		return nil
	}
	return sampledGame{reference}
}

func (g ticTacChecGame) explorer(p prober) api.Explorer { return explorer{p, g.rules} }

// auditedGame is Tic Tac Chec as a whole audit sees it.
type auditedGame struct{ *tictacchec.Rules }

func (g auditedGame) Result(s rules.Section, index uint64) rules.Value {
	if p, ok := tictacchec.FromIndex(s, index); ok && p.Terminal() {
		return rules.Loss
	}
	return rules.Unknown
}

func (g auditedGame) Spell(s rules.Section, index uint64) string {
	p, _ := tictacchec.FromIndex(s, index)
	return p.String()
}

// sampledGame is Tic Tac Chec as a sample sees it, by the reference rules alone.
type sampledGame struct{ reference tictacchec.Reference }

func (g sampledGame) Successors(p audit.Position) ([]audit.Position, rules.Value) {
	b, _ := tictacchec.ReferenceAt(p.Section, p.Index)
	var successors []audit.Position
	for _, move := range g.reference.Moves(b) {
		section, index := g.reference.Play(b, move).Index()
		successors = append(successors, audit.Position{Section: section, Index: index})
	}
	if b.Terminal() {
		return successors, rules.Loss
	}
	return successors, rules.Unknown
}

func (g sampledGame) Spell(p audit.Position) string {
	b, _ := tictacchec.ReferenceAt(p.Section, p.Index)
	return b.String()
}

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
