// Package tictacchectest holds what tests of Tic Tac Chec share: published vectors, fake tables, and
// probers on the embedded tables.
package tictacchectest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"solved/api"
	"solved/rules"
	"solved/rules/tictacchec"
	"solved/server/game"
	tictacchecgame "solved/server/games/tictacchec"
	"solved/server/tables"
)

// KnownEntries are those of the positions in it; asking for another is an
// error.
type KnownEntries map[tictacchec.Position]rules.Entry

func (k KnownEntries) Entries(positions []tictacchec.Position, out []rules.Entry) error {
	for i, p := range positions {
		entry, ok := k[p]
		if !ok {
			return fmt.Errorf("no entry for %s", p)
		}
		out[i] = entry
	}
	return nil
}

// DrawnEntries has a draw for every position whose game is not over, and makes
// ending it a mistake, so that lines go on.
type DrawnEntries struct{}

func (DrawnEntries) Entries(positions []tictacchec.Position, out []rules.Entry) error {
	for i, p := range positions {
		if out[i] = (rules.Entry{Value: rules.Draw}); p.Terminal() {
			out[i] = rules.Entry{Value: rules.Win, Distance: 1}
		}
	}
	return nil
}

// Vector is one line of a file of positions with known answers.
type Vector struct {
	Position, Key, Value string
	Distance             *int
	Moves                []VectorMove
}

type VectorMove struct {
	Move, Position, Key, Value string
	Distance                   *int
	Optimal                    bool
	Captures                   *string
}

// vectorsDir returns the directory of the published vectors, from any package of the module.
func vectorsDir() string {
	dir := "."
	for range 8 {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Join(dir, "..")
	}
	return filepath.Join(dir, "rules", "tictacchec", "testdata") + string(filepath.Separator)
}

// EachLine decodes every line of a file and returns how many there were.
func EachLine[T any](t testing.TB, name string, f func(T)) int {
	t.Helper()
	file, err := os.Open(vectorsDir() + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("%s:%d: %v", name, n+1, err)
		}
		f(v)
		n++
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}

func RulesNamed(t testing.TB, name string) *tictacchec.Rules {
	t.Helper()
	for _, r := range tictacchec.Rulesets() {
		if r.Ruleset().Name == name {
			return r
		}
	}
	t.Fatalf("there is no %s", name)
	return nil
}

func Parse(t testing.TB, text string) tictacchec.Position {
	t.Helper()
	p, _, err := tictacchec.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func EntryOf(t testing.TB, value string, distance *int) rules.Entry {
	t.Helper()
	e := rules.Entry{Value: map[string]rules.Value{"win": rules.Win, "loss": rules.Loss, "draw": rules.Draw}[value]}
	if e.Value == rules.Unknown || (e.Value == rules.Draw) != (distance == nil) {
		t.Fatalf("value %q, distance %v", value, distance)
	}
	if distance != nil {
		e.Distance = uint8(*distance)
	}
	return e
}

// ProberOn returns a prober with a table that is ready.
func ProberOn(r *tictacchec.Rules, e tictacchecgame.EntryReader) game.Prober {
	p := game.NewProber(tictacchecgame.New(r))
	p.Slot().Table.Store(&tables.Loaded{Contents: Table{e}, State: api.StateReady})
	return p
}

// TicTacChecRules returns the rules of a prober of Tic Tac Chec.
func TicTacChecRules(p game.Prober) *tictacchec.Rules { return p.Game().(tictacchecgame.Game).Rules }

// Table is a table made of entries.
type Table struct{ tictacchecgame.EntryReader }

func (Table) Wire() api.Table { return api.Table{} }

// EntriesOf are those that a prober of Tic Tac Chec answers from.
func EntriesOf(p game.Prober) tictacchecgame.EntryReader {
	return Must(tictacchecgame.BindEntries(p.Slot().Table.Load().Contents))
}

// Probe asks a prober of Tic Tac Chec one question.
func Probe(ctx context.Context, p game.Prober, q api.Question) (*api.PiecesProbe, error) {
	answer, err := game.ProbeOne(ctx, p, q)
	if err != nil {
		return nil, err
	}
	return answer.(*api.PiecesProbe), nil
}

// Line asks a prober of Tic Tac Chec for a line.
func Line(p game.Prober, q api.Question, plies int) (*api.PiecesLine, error) {
	answer, err := p.Line(context.Background(), q, plies, nil)
	if err != nil {
		return nil, err
	}
	return answer.(*api.PiecesLine), nil
}

// VectorFiles are the files of answers, with the number of lines in each.
var VectorFiles = []struct {
	Rules string
	Lines int
}{
	{tictacchec.CanonicalName, 730},
	{tictacchec.OutboundName, 413},
}

// embeddedProbers are the probers on the embedded tables, by name of the
// ruleset. Loading them takes a moment, so it is done once.
var embeddedProbers = sync.OnceValues(func() (map[string]game.Prober, error) {
	probers := map[string]game.Prober{}
	for _, r := range tictacchec.Rulesets() {
		t, err := tictacchecgame.New(r).Embedded()
		if err != nil {
			return nil, err
		}
		probers[r.Ruleset().Name] = ProberOn(r, t.Contents.(tictacchecgame.KernelEntries))
	}
	return probers, nil
})

func EmbeddedProber(t testing.TB, name string) game.Prober {
	t.Helper()
	probers, err := embeddedProbers()
	if err != nil {
		t.Fatal(err)
	}
	if probers[name] == nil {
		t.Fatalf("no table of %s is embedded", name)
	}
	return probers[name]
}

func ProbeOf(t testing.TB, p game.Prober, position string) *api.PiecesProbe {
	t.Helper()
	answer, err := Probe(context.Background(), p, api.Question{Position: &position})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// Must returns a value that cannot fail to be there.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Refusal is a position that is refused, and how.
type Refusal struct {
	Position, Name, Reason string
	Status                 int
}
