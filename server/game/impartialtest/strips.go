// Package impartialtest holds the answers of impartial games against plain rules, for their tests.
package impartialtest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"solved/api"
	"solved/rules"
	"solved/server/game"
)

// Prober returns a prober of a game whose values come from no file.
func Prober(t testing.TB, g game.Game) game.Prober {
	t.Helper()
	table, err := g.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	p := game.NewProber(g)
	p.Slot().Table.Store(table)
	return p
}

// Strip answers about all positions of one length of a game on strips, from plain rules.
type Strip struct {
	Rules  api.Rules
	Length int
	// Worth is the worth of a position, bit 0 of marks being the first cell; ok is false for a
	// strip that is no position.
	Worth func(marks uint64) (w Worth, ok bool)
}

// Worth is the worth of a position for the side to move.
type Worth struct {
	Value    rules.Value
	Grundy   *uint64
	Distance int
	Over     bool
}

// Compare compares a game's probe and line of every position of the strip with the plain rules,
// and returns the number of positions. The game refuses each strip that is no position.
func (s Strip) Compare(t *testing.T, p game.Prober) (positions int) {
	t.Helper()
	for marks := range uint64(1) << s.Length {
		text := s.text(marks)
		q := api.Question{Position: &text}
		got, err := game.ProbeOne(t.Context(), p, q)
		if _, ok := s.Worth(marks); !ok {
			if err == nil {
				t.Errorf("%s is no position, and is answered", text)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		positions++
		want := s.probe(marks)
		if d := gocmp.Diff(api.Probe(want), got); d != "" {
			t.Fatalf("the probe of %s (-want +got):\n%s", text, d)
		}
		line, err := p.Line(t.Context(), q, api.MaxPlies, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if d := gocmp.Diff(api.Line(s.line(marks, want)), line); d != "" {
			t.Fatalf("the line of %s (-want +got):\n%s", text, d)
		}
	}
	return positions
}

// text writes a position: a number for each run of empty cells, X for a mark.
func (s Strip) text(marks uint64) string {
	var b strings.Builder
	empty := 0
	for cell := range s.Length + 1 {
		marked := marks>>cell&1 == 1
		if (marked || cell == s.Length) && empty > 0 {
			fmt.Fprint(&b, empty)
			empty = 0
		}
		if marked {
			b.WriteByte('X')
		} else {
			empty++
		}
	}
	return b.String()
}

// probe is the answer about a position.
func (s Strip) probe(marks uint64) *api.GrundyProbe {
	worth, _ := s.Worth(marks)
	x := "X"
	p := &api.GrundyProbe{Rules: s.Rules, Kind: "grundy", Position: s.text(marks), Terminal: worth.Over, Value: worth.Value.String(),
		Board:  &api.Board{Shape: "strip", Files: s.Length, Ranks: 1, Squares: make([]*string, s.Length)},
		Grundy: worth.Grundy, Source: "closed-form", Distance: &worth.Distance, MovesComplete: true, Moves: []api.GrundyMove{}}
	for cell := range s.Length {
		if marks>>cell&1 == 1 {
			p.Board.Squares[cell] = &x
			continue
		}
		next, ok := s.Worth(marks | 1<<cell)
		if !ok || worth.Over {
			continue
		}
		m := api.GrundyMove{Move: strconv.Itoa(cell + 1), Value: "win", Distance: new(next.Distance + 1),
			Child: api.GrundyChild{Position: s.text(marks | 1<<cell), Terminal: next.Over, Value: next.Value.String(), Grundy: next.Grundy, Distance: &next.Distance}}
		if next.Value == rules.Win {
			m.Value = "loss"
		}
		m.PreservesValue = m.Value == p.Value
		p.Moves = append(p.Moves, m)
	}
	// Wins first, the fastest before the others; then losses, the slowest first.
	rank := func(m api.GrundyMove) int {
		if m.Value == "win" {
			return *m.Distance
		}
		return 1000 - *m.Distance
	}
	slices.SortStableFunc(p.Moves, func(a, b api.GrundyMove) int { return cmp.Compare(rank(a), rank(b)) })
	for i := range p.Moves {
		p.Moves[i].Optimal = rank(p.Moves[i]) == rank(p.Moves[0])
	}
	return p
}

// line is the line from a position, of which the probe is given.
func (s Strip) line(marks uint64, p *api.GrundyProbe) *api.GrundyLine {
	l := &api.GrundyLine{Rules: p.Rules, Kind: p.Kind, Position: p.Position, Value: p.Value, Grundy: p.Grundy, Distance: p.Distance,
		Line: []api.GrundyStep{}, End: "terminal"}
	for len(p.Moves) > 0 {
		move := p.Moves[0].Move
		cell, _ := strconv.Atoi(move)
		marks |= 1 << (cell - 1)
		p = s.probe(marks)
		l.Line = append(l.Line, api.GrundyStep{Ply: len(l.Line) + 1, Move: move, Position: p.Position, Value: p.Value, Grundy: p.Grundy, Distance: p.Distance})
	}
	return l
}
