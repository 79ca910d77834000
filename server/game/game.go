package game

import (
	"context"
	"errors"
	"fmt"
	"io"

	"solved/api"
	"solved/rules"
	"solved/server/tables"
	"solved/tablebase/audit"
)

// Game is a ruleset with its examples, tables and texts. New makes one. A game that can do more also
// implements Solver, Expander, Auditor, Sampler, Certified, Explorable, Reachable or Reporter.
type Game interface {
	rules.Game
	Kind() api.Kind
	// Values are those by which the answers about the ruleset are counted.
	Values() []string
	Examples() []api.Example
	// Files describes the table files of the ruleset; nil where its values come from no table.
	Files() *tables.TableKind
	// Placeholder describes the embedded table, or the closed form, before it is loaded.
	Placeholder() api.Table
	// Embedded loads the table that the program carries, or the closed form.
	Embedded() (*tables.Loaded, error)
	// ProberFor returns a prober of whole, which is this game with its abilities. Call NewProber.
	ProberFor(whole Game) Prober
	// ProbeText and LineText return answers as text for people.
	ProbeText(api.Probe) string
	LineText(api.Line) string
}

// Definition defines a game whose evaluator reads tables of type T.
type Definition[T any] struct {
	rules.Game
	Kind      api.Kind
	Examples  []api.Example
	Evaluator Evaluator[T]
	// Bind turns contents, embedded or of a file, into what the evaluator reads.
	Bind func(tables.Contents) (T, error)
	// Values are those by which answers are counted: win, loss and draw if nil.
	Values []string
	// Files describes the table files, nil where there are none.
	Files *tables.TableKind
	// Placeholder describes the embedded table before Embedded loads it.
	Placeholder api.Table
	Embedded    func() (*tables.Loaded, error)
	// ProbeText and LineText write the answers of the evaluator for people.
	ProbeText func(rules.Game, api.Probe) string
	LineText  func(rules.Game, api.Line) string
}

// New returns the game that a definition defines.
func New[T any](d Definition[T]) Game {
	if d.Values == nil {
		d.Values = []string{rules.Win.String(), rules.Loss.String(), rules.Draw.String()}
	}
	return defined[T]{d.Game, d}
}

// defined is the game of a definition.
type defined[T any] struct {
	rules.Game
	d Definition[T]
}

func (g defined[T]) Kind() api.Kind                    { return g.d.Kind }
func (g defined[T]) Values() []string                  { return g.d.Values }
func (g defined[T]) Examples() []api.Example           { return g.d.Examples }
func (g defined[T]) Files() *tables.TableKind          { return g.d.Files }
func (g defined[T]) Placeholder() api.Table            { return g.d.Placeholder }
func (g defined[T]) Embedded() (*tables.Loaded, error) { return g.d.Embedded() }
func (g defined[T]) ProbeText(p api.Probe) string      { return g.d.ProbeText(g.Game, p) }
func (g defined[T]) LineText(l api.Line) string        { return g.d.LineText(g.Game, l) }

func (g defined[T]) ProberFor(whole Game) Prober {
	about := g.About()
	id := rulesOf(about)
	var bounds *string
	if about.Bounds != "" {
		bounds = &about.Bounds
	}
	return &Reader[T]{
		of: whole, Rules: id, evaluator: g.d.Evaluator, bind: g.d.Bind, tables: tables.NewSlot(),
		described: api.Ruleset{Name: id.Name, Tag: id.Tag, Kind: string(g.d.Kind), Game: about.Game, Title: about.Title,
			Summary: about.Summary, Bounds: bounds, Start: g.Start().String()},
	}
}

// NewProber returns a prober of a game, without a table.
func NewProber(g Game) Prober { return g.ProberFor(g) }

// rulesOf is a ruleset's name and tag.
func rulesOf(a rules.About) api.Rules { return api.Rules{Name: a.Name, Tag: a.Tag.String()} }

// List lists games in the order in which they are shown everywhere.
type List []Game

// Find finds a ruleset by its name or tag. Its error is api.UnknownRulesProblem.
func (l List) Find(name string) (Game, error) {
	tag, tagErr := rules.ParseTag(name)
	var known []api.Rules
	for _, g := range l {
		about := g.About()
		if about.Name == name || tagErr == nil && about.Tag == tag {
			return g, nil
		}
		known = append(known, rulesOf(about))
	}
	return nil, api.UnknownRulesProblem(name, known)
}

// OfTag returns the ruleset with a tag that a file carries.
func (l List) OfTag(tag rules.Tag) (Game, error) { return l.Find(tag.String()) }

// Catalog describes the table files of all rulesets.
func (l List) Catalog() (c tables.Catalog) {
	for _, g := range l {
		if files := g.Files(); files != nil {
			c = append(c, *files)
		}
	}
	return c
}

// Solver is a game that can be solved from the rules alone.
type Solver interface {
	// Solve solves the game and writes its table to files.
	Solve(ctx context.Context, files []tables.Artifact, threads int, p tables.ProgressFunc) error
}

// Expander is a game that can write the table that the program carries for it as a file.
type Expander interface {
	Expand(ctx context.Context, files []tables.Artifact, threads int, p tables.ProgressFunc) error
	// ExpandMemory is the memory that Expand takes, in bytes; 0 if it is little.
	ExpandMemory() uint64
	// Decisive are the decisive positions of that table, as far as they are known without expanding it.
	Decisive() [rules.Sections]uint64
}

// Auditor is a game with rules for an audit of a whole table.
type Auditor interface{ AuditRules() audit.Game }

// Sampler is a game with reference rules, by which a sample of a table can be audited.
type Sampler interface{ ReferenceRules() audit.PlainGame }

// Certified is a game whose values have a certificate that can be checked again.
type Certified interface {
	Prove(ctx context.Context, how rules.Proof) error
}

// ProofHint is implemented by a game without a certificate of its own. It says which command
// checks its values.
type ProofHint interface{ ProofHint() string }

// Explorable is a game for which a prober also answers in the published explorer's contract.
type Explorable interface{ Explorer(p Prober) api.Explorer }

// Reachable is a game for which 'solved reach' finds the positions that can occur.
type Reachable interface {
	// Reach finds the positions, checks them backwards, and writes the result.
	Reach(ctx context.Context, threads int, p tables.ProgressFunc, out io.Writer) error
}

// Reporter is a game for which 'solved report' writes statistics of tables.
type Reporter interface {
	// Report counts the table in an open file, and writes the report into a directory. It closes the
	// file when it has read it: counting takes much memory of its own.
	Report(ctx context.Context, in tables.EntrySource, o ReportOptions, p tables.ProgressFunc, out io.Writer) error
}

// ReportOptions are the options of 'solved report'.
type ReportOptions struct {
	Dir       string   // for the report
	Compare   []string // tables to compare with
	From      []string // positions to show lines from
	Quick     bool     // leave out the statistics that take minutes
	AnyDigest bool     // accept tables that are not the right ones
	Threads   int
	Catalog   tables.Catalog
}

// ErrRefuted marks, for errors.Is, the error of a claim or a published figure that does not hold.
var ErrRefuted = errors.New("a claim does not hold")

// RefutedError is the error of a claim that does not hold.
type RefutedError struct{ Text string }

func (e RefutedError) Error() string        { return e.Text }
func (e RefutedError) Is(target error) bool { return target == ErrRefuted }

// ExamplesOf converts a game's examples to the contract's type.
func ExamplesOf[P rules.Position](list []rules.Example[P]) []api.Example {
	var all []api.Example
	for _, e := range list {
		all = append(all, api.Example{Name: e.Name, Position: e.Position.String(), Summary: e.Summary})
	}
	return all
}

// DescribeAbout returns the name and tag of a ruleset.
func DescribeAbout(a rules.About) string { return fmt.Sprintf("%s (%s)", a.Name, a.Tag) }
