package tictacchec_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"

	"solved/rules"
	"solved/rules/tictacchec"
	tictacchecgame "solved/server/games/tictacchec"
	"solved/server/games/tictacchec/tictacchectest"
)

// TestKernelAnswers holds the embedded tables against the tables in the
// directory that SOLVED_TABLES names, at random positions, and at those of all
// vectors and their moves. A ruleset without a table there is held against what
// makes any table right, at fewer positions and none after a move: that a
// position's entry follows from those of its children, which are found by
// searches of their own.
func TestKernelAnswers(t *testing.T) {
	var vectors []tictacchec.Position // positions of all; every ruleset has entries for them
	for _, file := range tictacchectest.VectorFiles {
		if n := tictacchectest.EachLine(t, file.Rules+".jsonl", func(v tictacchectest.Vector) { vectors = append(vectors, tictacchectest.Parse(t, v.Position)) }); n != file.Lines {
			t.Errorf("saw %d positions, want %d", n, file.Lines)
		}
	}
	tables := 0
	for _, r := range tictacchec.Rulesets() {
		t.Run(r.Ruleset().Name, func(t *testing.T) {
			kernel := tictacchectest.EntriesOf(tictacchectest.EmbeddedProber(t, r.Ruleset().Name))
			asked := slices.Clip(vectors)
			other, number := tictacchecgame.EntryReader(childEntries{r, kernel}), [rules.Sections]int{rules.Main: 20_000, rules.Opening: 4_000}
			if table := tictacchectest.SolvedTable(t, r); table != nil {
				other, number = tictacchecgame.TableEntries{Table: table}, [rules.Sections]int{rules.Main: 1_000_000, rules.Opening: 100_000}
				tables++
				for _, p := range vectors {
					for _, m := range r.Moves(p, nil) {
						asked = append(asked, r.Play(p, m))
					}
				}
			}
			for section, n := range number {
				seen := compareEntries(t, kernel, other, randomPositions(t, r, rules.Section(section), n))
				t.Logf("%d positions of the %s phase: %d wins, %d draws, %d losses",
					n, rules.Section(section), seen[rules.Win], seen[rules.Draw], seen[rules.Loss])
				if section == int(rules.Main) && (seen[rules.Win] < n/20 || seen[rules.Loss] == 0) {
					t.Errorf("too few of %d positions are decisive", n)
				}
			}
			compareEntries(t, kernel, other, asked)
		})
	}
	if dir := os.Getenv(tictacchectest.TablesDir); dir != "" && tables == 0 {
		t.Errorf("there is no table in %s", dir)
	}
}

// childEntries works entries out from those of the children.
type childEntries struct {
	rules    *tictacchec.Rules
	children tictacchecgame.EntryReader
}

func (c childEntries) Entries(positions []tictacchec.Position, out []rules.Entry) error {
	v := new(tictacchecgame.Evaluation)
	for i, p := range positions {
		if err := v.Evaluate(c.rules, c.children, p); err != nil {
			return err
		}
		out[i] = v.Entry
	}
	return nil
}

// randomPositions returns n positions of a section, the same on every run, with
// the first and the last by index among them.
func randomPositions(t *testing.T, r *tictacchec.Rules, section rules.Section, n int) []tictacchec.Position {
	random := rand.New(rand.NewPCG(1, uint64(section)))
	last := r.Ruleset().Positions[section] - 1
	positions := make([]tictacchec.Position, n)
	for i := range positions {
		index := random.Uint64N(last)
		if i < 2 {
			index = uint64(i) * last
		}
		p, ok := tictacchec.FromIndex(section, index)
		if !ok {
			t.Fatalf("no position of the %s has index %d", section, index)
		}
		positions[i] = p
	}
	return positions
}

// compareEntries compares two sources at every position and counts values. A
// part of the positions ends at its first difference: one comes with thousands.
func compareEntries(t *testing.T, a, b tictacchecgame.EntryReader, positions []tictacchec.Position) (seen [rules.Draw + 1]int) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	part := (len(positions) + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
	for lo := 0; lo < len(positions); lo += part {
		wg.Go(func() {
			var counts [len(seen)]int
			var entryA, entryB [1]rules.Entry
			for i := lo; i < min(lo+part, len(positions)); i++ {
				err := errors.Join(a.Entries(positions[i:i+1], entryA[:]), b.Entries(positions[i:i+1], entryB[:]))
				if err != nil || entryA != entryB {
					t.Errorf("%s is %v and %v; %v", positions[i], entryA[0], entryB[0], err)
					break
				}
				counts[entryA[0].Value]++
			}
			mu.Lock()
			defer mu.Unlock()
			for value, n := range counts {
				seen[value] += n
			}
		})
	}
	wg.Wait()
	return seen
}
