package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"solved/api"
	"solved/rules"
	"solved/tablebase/audit"
)

// game is a ruleset with all that the program knows of it. newGame makes one. A game that can
// do more implements solver, expander, auditor, sampler, certified, explorable, reachable or reporter.
type game interface {
	rules.Game
	kind() api.Kind
	// values are those by which the answers about the ruleset are counted.
	values() []string
	examples() []api.Example
	// files describes the table files of the ruleset; nil where its values come from no table.
	files() *tableKind
	// placeholder describes the embedded table, or the closed form, before it is loaded.
	placeholder() api.Table
	// embedded loads the table that the program carries, or the closed form.
	embedded() (*loadedTable, error)
	// proberFor returns a prober of whole, which is this game with its abilities: see newProber.
	proberFor(whole game) prober
	// probeText and lineText write answers for people.
	probeText(api.Probe) string
	lineText(api.Line) string
}

// definition defines a game whose evaluator reads tables of type T.
type definition[T any] struct {
	rules.Game
	Kind      api.Kind
	Examples  []api.Example
	Evaluator evaluator[T]
	// Bind turns contents, embedded or of a file, into what the evaluator reads.
	Bind func(contents) (T, error)
	// Values are those by which answers are counted: win, loss and draw if nil.
	Values []string
	// Files describes the table files, nil where there are none.
	Files *tableKind
	// Placeholder describes the embedded table before Embedded loads it.
	Placeholder api.Table
	Embedded    func() (*loadedTable, error)
	// ProbeText and LineText write the answers of the evaluator for people.
	ProbeText func(rules.Game, api.Probe) string
	LineText  func(rules.Game, api.Line) string
}

// newGame returns the game that a definition defines.
func newGame[T any](d definition[T]) game {
	if d.Values == nil {
		d.Values = []string{rules.Win.String(), rules.Loss.String(), rules.Draw.String()}
	}
	return defined[T]{d.Game, d}
}

// defined is a game.
type defined[T any] struct {
	rules.Game
	d definition[T]
}

func (g defined[T]) kind() api.Kind                  { return g.d.Kind }
func (g defined[T]) values() []string                { return g.d.Values }
func (g defined[T]) examples() []api.Example         { return g.d.Examples }
func (g defined[T]) files() *tableKind               { return g.d.Files }
func (g defined[T]) placeholder() api.Table          { return g.d.Placeholder }
func (g defined[T]) embedded() (*loadedTable, error) { return g.d.Embedded() }
func (g defined[T]) probeText(p api.Probe) string    { return g.d.ProbeText(g.Game, p) }
func (g defined[T]) lineText(l api.Line) string      { return g.d.LineText(g.Game, l) }

func (g defined[T]) proberFor(whole game) prober {
	about := g.About()
	id := rulesOf(about)
	var bounds *string
	if about.Bounds != "" {
		bounds = &about.Bounds
	}
	return &reader[T]{
		of: whole, rules: id, evaluator: g.d.Evaluator, bind: g.d.Bind, tables: newSlot(),
		described: api.Ruleset{Name: id.Name, Tag: id.Tag, Kind: string(g.d.Kind), Game: about.Game, Title: about.Title,
			Summary: about.Summary, Bounds: bounds, Start: g.Start().String()},
	}
}

// newProber returns a prober of a game, without a table.
func newProber(g game) prober { return g.proberFor(g) }

// rulesOf is a ruleset's name and tag.
func rulesOf(a rules.About) api.Rules { return api.Rules{Name: a.Name, Tag: a.Tag.String()} }

// gameList lists games in the order in which they are shown everywhere.
type gameList []game

// find finds a ruleset by its name or tag. Its error is api.UnknownRulesProblem.
func (l gameList) find(name string) (game, error) {
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

// ofTag returns the ruleset with a tag that a file carries.
func (l gameList) ofTag(tag rules.Tag) (game, error) { return l.find(tag.String()) }

// catalog describes the table files of all rulesets.
func (l gameList) catalog() (c catalog) {
	for _, g := range l {
		if files := g.files(); files != nil {
			c = append(c, *files)
		}
	}
	return c
}

// solver is a game whose values can be worked out from nothing.
type solver interface {
	// solve works the values out and writes them to files, of formats that the game has.
	solve(ctx context.Context, files []artifact, threads int, p progressFunc) error
}

// expander is a game that can write the table that the program carries for it as a file.
type expander interface {
	expand(ctx context.Context, files []artifact, threads int, p progressFunc) error
	// expandMemory is how much memory that takes, in bytes, if it is much, and else 0.
	expandMemory() uint64
	// decisive are the decisive positions of that table, as far as they are known without expanding it.
	decisive() [rules.Sections]uint64
}

// auditor is a game by whose rules a whole table can be audited.
type auditor interface{ auditRules() audit.Game }

// sampler is a game with reference rules, by which a sample of a table can be audited.
type sampler interface{ referenceRules() audit.PlainGame }

// certified is a game whose values have a certificate that can be checked again.
type certified interface {
	Prove(ctx context.Context, how rules.Proof) error
}

// proofHint is implemented by a game without a certificate of its own. It says which command
// checks its values.
type proofHint interface{ proofHint() string }

// explorable is a game for which a prober also answers in the published explorer's contract.
type explorable interface{ explorer(p prober) api.Explorer }

// reachable is a game whose positions that can occur are found by 'solved reach'.
type reachable interface {
	// reach finds them, checks them backwards, and writes what was found.
	reach(ctx context.Context, threads int, p progressFunc, out io.Writer) error
}

// reporter is a game whose tables 'solved report' counts.
type reporter interface {
	// report counts the table in a file, and writes the report into a directory.
	report(ctx context.Context, o reportOptions, p progressFunc, out io.Writer) error
}

// reportOptions say what 'solved report' is to count.
type reportOptions struct {
	path      string   // of the table
	dir       string   // for the report
	compare   []string // tables to compare with
	from      []string // positions to show lines from
	quick     bool     // leave out what takes minutes
	anyDigest bool     // accept tables that are not the right ones
	threads   int
	catalog   catalog
}

// errRefuted is what an error is, by errors.Is, that says that a claim, or a figure that was
// published, is not borne out.
var errRefuted = errors.New("a claim does not hold")

// refutedError says how a claim does not hold.
type refutedError struct{ text string }

func (e refutedError) Error() string        { return e.text }
func (e refutedError) Is(target error) bool { return target == errRefuted }

// examplesOf are a game's examples in the contract's words.
func examplesOf[P rules.Position](list []rules.Example[P]) []api.Example {
	var all []api.Example
	for _, e := range list {
		all = append(all, api.Example{Name: e.Name, Position: e.Position.String(), Summary: e.Summary})
	}
	return all
}

// describe names a ruleset in a sentence.
func describe(r rules.Ruleset) string { return fmt.Sprintf("%s (%s)", r.Name, r.Tag) }

func describeAbout(a rules.About) string { return fmt.Sprintf("%s (%s)", a.Name, a.Tag) }
