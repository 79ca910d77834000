package tictacchec

import (
	"context"
	"embed"
	"encoding/hex"
	"fmt"
	"time"

	"solved/api"
	"solved/rules"
	"solved/rules/tictacchec"
	"solved/server/game"
	"solved/server/tables"
	"solved/tablebase"
	"solved/tablebase/audit"
	"solved/tablebase/kernel"
)

// Game is a ruleset of Tic Tac Chec.
type Game struct {
	game.Game
	Rules     *tictacchec.Rules
	evaluator pieces
}

// kernels are the embedded tables, one for each ruleset. Each is made by
// 'solved solve RULES -o server/games/tictacchec/kernels/RULES.kernel'.
//
//go:embed kernels/*.kernel
var kernels embed.FS

// New returns the game of a ruleset.
func New(r *tictacchec.Rules) game.Game {
	g := Game{Rules: r, evaluator: pieces{r}}
	g.Game = game.New(game.Definition[EntryReader]{
		Game: tictacchec.Game{Rules: r}, Kind: api.KindPieces, Examples: examples(r),
		Evaluator: g.evaluator, Bind: BindEntries,
		Files:       &tables.TableKind{Ruleset: r.Ruleset(), Formats: []tables.Format{tables.FormatCompact{}, tables.FormatBytes{}, formatKernel{}}, Right: g.rightDigest},
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

// BindEntries binds a table, or the search that a kernel completes.
func BindEntries(c tables.Contents) (EntryReader, error) {
	switch c := c.(type) {
	case tables.CompactStore:
		return TableEntries{c.Table}, nil
	case EntryReader: // the search
		return c, nil
	}
	return nil, tables.BoundError(c)
}

// Kernel reads the kernel that the program carries.
func (g Game) Kernel() (*kernel.Table, error) {
	rs := g.Rules.Ruleset()
	data, err := kernels.ReadFile("kernels/" + rs.Name + ".kernel")
	if err != nil {
		return nil, fmt.Errorf("no table of %s is embedded; name one with --table", tables.Describe(rs))
	}
	return kernel.Decode(data, tictacchec.LookaheadVersion, rs)
}

// rightDigest is that of the compact table which the kernel equals.
func (g Game) rightDigest() (tablebase.Digest, error) {
	k, err := g.Kernel()
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
func (g Game) loadKernel() (*tables.Loaded, error) {
	start := time.Now()
	k, err := g.Kernel()
	if err != nil {
		return nil, err
	}
	ahead := lookahead(g.Rules, k)
	wire := placeholderKernel(g.Rules)
	wire.ContentSHA256, wire.CRC64 = new(hex.EncodeToString(k.Equal.SHA256[:])), new(fmt.Sprintf("%016x", k.Digest.CRC64))
	wire.Decisive = new(k.Equal.Decisive[rules.Main] + k.Equal.Decisive[rules.Opening])
	wire.LoadedAt = start.UTC().Format(time.RFC3339)
	wire.LoadSeconds = time.Since(start).Seconds()
	return &tables.Loaded{Contents: KernelEntries{ahead, wire}, State: api.StateReady, Size: k.Digest.Bytes, Wire: wire}, nil
}

func (g Game) Solve(ctx context.Context, files []tables.Artifact, threads int, p tables.ProgressFunc) error {
	table, err := solve(ctx, g.Rules, threads, p)
	if err != nil {
		return err
	}
	defer table.main.Free()
	return tables.WriteAll(ctx, files, g.Rules.Ruleset(), table, threads, p)
}

func (g Game) Expand(ctx context.Context, files []tables.Artifact, threads int, p tables.ProgressFunc) error {
	k, err := g.Kernel()
	if err != nil {
		return err
	}
	return writeExpanded(ctx, k, files, threads, p)
}

// ExpandMemory is how much memory expanding the kernel takes, with a margin: BENCHMARKS.md.
func (Game) ExpandMemory() uint64 { return 2_200_000_000 }

func (g Game) Decisive() [rules.Sections]uint64 {
	k, err := g.Kernel()
	if err != nil {
		return [rules.Sections]uint64{}
	}
	return k.Equal.Decisive
}

func (Game) ProofHint() string { return "its table is, and 'solved audit' checks it" }

func (g Game) AuditRules() audit.Game { return AuditedGame{g.Rules} }

func (g Game) ReferenceRules() audit.PlainGame {
	reference, ok := tictacchec.ReferenceOf(g.Rules.Ruleset().Tag)
	if !ok {
		return nil
	}
	return SampledGame{reference}
}

func (g Game) Explorer(p game.Prober) api.Explorer { return Explorer{p, g.Rules} }

// AuditedGame is Tic Tac Chec as a whole audit sees it.
type AuditedGame struct{ *tictacchec.Rules }

func (g AuditedGame) Result(s rules.Section, index uint64) rules.Value {
	if p, ok := tictacchec.FromIndex(s, index); ok && p.Terminal() {
		return rules.Loss
	}
	return rules.Unknown
}

func (g AuditedGame) Spell(s rules.Section, index uint64) string {
	p, _ := tictacchec.FromIndex(s, index)
	return p.String()
}

// SampledGame is Tic Tac Chec as a sample sees it, by the reference rules alone.
type SampledGame struct{ Reference tictacchec.Reference }

func (g SampledGame) Successors(p audit.Position) ([]audit.Position, rules.Value) {
	b, _ := tictacchec.ReferenceAt(p.Section, p.Index)
	var successors []audit.Position
	for _, move := range g.Reference.Moves(b) {
		section, index := g.Reference.Play(b, move).Index()
		successors = append(successors, audit.Position{Section: section, Index: index})
	}
	if b.Terminal() {
		return successors, rules.Loss
	}
	return successors, rules.Unknown
}

func (g SampledGame) Spell(p audit.Position) string {
	b, _ := tictacchec.ReferenceAt(p.Section, p.Index)
	return b.String()
}

// extremes are positions of a ruleset that a scan of its table found: the first
// by index of those with the greatest distances, and a draw with as many moves
// as any that was found, of which one draws. (Three pieces in a line and all of
// one's own in hand give 52 moves; a draw with more has nothing to parry.)
type extremes struct {
	Win, Loss           string
	WinPlies, LossPlies int
	draw, OnlyMove      string
}

// ExtremesOf has the extremes of each ruleset, by name.
var ExtremesOf = map[string]extremes{
	tictacchec.CanonicalName: {
		Win: "Pb2/n1R1/2rp/N3 w dd m", WinPlies: 41,
		Loss: "b2n/PR2/1r1N/2Bp w uu m", LossPlies: 40,
		draw: "b3/p3/4/n3 w -d m", OnlyMove: "R@a2",
	},
	tictacchec.OutboundName: {
		Win: "3R/1P1n/1p2/1Bb1 w dd m", WinPlies: 41,
		Loss: "1bBn/1P2/1p1N/3r w ud m", LossPlies: 40,
		draw: "2b1/2n1/2p1/4 w -u m", OnlyMove: "R@c1",
	},
	tictacchec.TowardOpponentName: {
		Win: "P3/Np1b/r3/2n1 w du m", WinPlies: 43,
		Loss: "2N1/R3/nP1B/pb2 w du m", LossPlies: 42,
		draw: "4/p1rn/4/4 w -u m", OnlyMove: "R@b3",
	},
}

// examples are the positions worth a look under a ruleset.
func examples(r *tictacchec.Rules) []api.Example {
	x := ExtremesOf[r.Ruleset().Name]
	return []api.Example{{
		Name: "start", Position: tictacchec.Start().String(),
		Summary: "The empty board: a draw, whichever of its 64 moves White makes.",
	}, {
		Name: "longest-win", Position: x.Win,
		Summary: fmt.Sprintf("White wins in %d plies, as long as any win takes.", x.WinPlies),
	}, {
		Name: "longest-loss", Position: x.Loss,
		Summary: fmt.Sprintf("White loses in %d plies, as long as any loss takes.", x.LossPlies),
	}, {
		Name: "zugzwang", Position: "2b1/2n1/P1N1/RBp1 w du m",
		Summary: "Black threatens nothing, yet each of White's three moves lets Black win at once.",
	}, {
		Name: "narrowest-draw", Position: x.draw,
		Summary: fmt.Sprintf("Of White's 52 moves only %s draws; the others lose.", x.OnlyMove),
	}}
}
