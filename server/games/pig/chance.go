package pig

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"solved/api"
	"solved/rules"
	"solved/rules/pig"
	"solved/server/game"
	"solved/tablebase/probability"
)

// chance encodes positions of Pig.
type chance struct{}

// written is a probability as it is written: no more digits than there are in a table.
func written(p float64) float64 { return math.Round(p*1e5) / 1e5 }

// evaluated evaluates a position.
func evaluated(table *probability.Table, p pig.Position) (pig.Evaluation, error) {
	return pig.Evaluate(p, func(index uint64) (uint16, pig.Action, error) {
		e, err := table.Lookup(index)
		return e.Probability, pig.Action(e.Best), err
	})
}

// chanceSize is the bound of an answer's bytes: a roll has six outcomes, a hold one.
const chanceSize = 4096

func (chance) Size(pig.Position, bool) int { return chanceSize }

func (chance) Probe(_ context.Context, table *probability.Table, id api.Rules, p pig.Position, valueOnly bool) (game.Encoded, error) {
	e, err := evaluated(table, p)
	if err != nil {
		return game.Encoded{}, err
	}
	answer := &api.ChanceProbe{Rules: id, Kind: string(api.KindChance), Position: p.String(),
		Terminal: p.Result() != rules.Unknown, PWin: written(e.Win), HoldAt: []api.Interval{}}
	for _, i := range e.Holds {
		answer.HoldAt = append(answer.HoldAt, api.Interval{From: i.From, To: i.To})
	}
	if valueOnly {
		return game.Encoded{Answer: answer, Counted: CountedAs}, nil
	}
	answer.Moves = []api.ChanceMove{}
	for index, move := range slices.Collect(p.Moves()) {
		m := api.ChanceMove{Move: move, Index: index, PWin: written(e.Roll), Optimal: move == e.Best.String()}
		if move == pig.Hold.String() {
			m.PWin = written(e.Hold)
		}
		if m.Outcomes, err = outcomesOf(table, p, move); err != nil {
			return game.Encoded{}, err
		}
		answer.Moves = append(answer.Moves, m)
	}
	// The better one first. They are never equally good, but may look so when rounded.
	slices.SortStableFunc(answer.Moves, func(a, b api.ChanceMove) int {
		switch {
		case a.Optimal == b.Optimal:
			return 0
		case a.Optimal:
			return -1
		}
		return 1
	})
	return game.Encoded{Answer: answer, Counted: CountedAs}, nil
}

// outcomesOf is what can come of a move.
func outcomesOf(table *probability.Table, p pig.Position, move string) ([]api.ChanceOutcome, error) {
	texts := p.Outcomes(move)
	if len(texts) == 0 {
		texts = []string{move}
	}
	outcomes := make([]api.ChanceOutcome, len(texts))
	for i, text := range texts {
		next, passes, err := p.Play(text)
		if err != nil {
			return nil, err
		}
		child := next.(pig.Position)
		e, err := evaluated(table, child)
		if err != nil {
			return nil, err
		}
		outcomes[i] = api.ChanceOutcome{Move: text, Probability: 1 / float64(len(texts)), Child: api.ChanceChild{
			Position: positionText(child), Terminal: child.Result() != rules.Unknown, Passes: passes, PWin: written(e.Win)}}
	}
	return outcomes, nil
}

// positionText is a position's text, nil when the game is over.
func positionText(p pig.Position) *string {
	if p.Result() != rules.Unknown {
		return nil
	}
	return new(p.String())
}

// chanceLine is a line that grows.
type chanceLine struct {
	api.ChanceLine
	next, ends string
}

func (chance) Begin(_ context.Context, table *probability.Table, id api.Rules, p pig.Position) (game.Line[pig.Position, *probability.Table], error) {
	e, err := evaluated(table, p)
	if err != nil {
		return nil, err
	}
	l := &chanceLine{ChanceLine: api.ChanceLine{Rules: id, Kind: string(api.KindChance), Position: p.String(), PWin: written(e.Win), Line: []api.ChanceStep{}}}
	l.at(p, e)
	return l, nil
}

// at notes what the line is at.
func (l *chanceLine) at(p pig.Position, e pig.Evaluation) {
	l.next, l.ends = "", ""
	switch {
	case p.Result() != rules.Unknown:
	case e.Best == pig.Roll:
		l.ends = api.EndChance
	default:
		l.next = e.Best.String()
	}
}

func (l *chanceLine) Counted() string           { return CountedAs }
func (l *chanceLine) LookUps() int              { return 0 }
func (l *chanceLine) Best() (move, ends string) { return l.next, l.ends }
func (l *chanceLine) Done(end string) api.Line  { l.End = end; return &l.ChanceLine }
func (l *chanceLine) Add(_ context.Context, table *probability.Table, ply int, move string, p pig.Position) error {
	e, err := evaluated(table, p)
	if err != nil {
		return err
	}
	l.Line = append(l.Line, api.ChanceStep{Ply: ply, Move: move, Position: positionText(p), PWin: written(e.Win)})
	l.at(p, e)
	return nil
}

// CountedAs is the value by which an answer that is a probability is counted.
const CountedAs = "probability"

// chanceText writes a probe for people.
func chanceText(g rules.Game, probe api.Probe) string {
	p := probe.(*api.ChanceProbe)
	var b strings.Builder
	game.WritePosition(&b, g, p.Rules, p.Position, "", false)
	fmt.Fprintf(&b, "The side to move wins with probability %.4f.\n\n", p.PWin)
	game.WriteTable(&b, func(w *tabwriter.Writer) {
		for _, m := range p.Moves {
			fmt.Fprintf(w, "%s %s\t%.4f\n", game.Star(m.Optimal), m.Move, m.PWin)
		}
	})
	if len(p.HoldAt) > 0 {
		var ranges []string
		for _, r := range p.HoldAt {
			if r.From == r.To {
				ranges = append(ranges, fmt.Sprint(r.From))
			} else {
				ranges = append(ranges, fmt.Sprintf("%d to %d", r.From, r.To))
			}
		}
		fmt.Fprintf(&b, "\nAt these scores, hold with %s in the turn.\n", strings.Join(ranges, ", "))
	}
	return game.TrimLines(b.String())
}

// chanceLineText writes a line of play for people.
func chanceLineText(g rules.Game, line api.Line) string {
	l := line.(*api.ChanceLine)
	var b strings.Builder
	game.WritePosition(&b, g, l.Rules, l.Position, "", false)
	fmt.Fprintf(&b, "The side to move wins with probability %.4f.\n\n", l.PWin)
	game.WriteTable(&b, func(w *tabwriter.Writer) {
		for _, s := range l.Line {
			position := "-"
			if s.Position != nil {
				position = *s.Position
			}
			fmt.Fprintf(w, "%d\t%s\t%s\t%.4f\n", s.Ply, s.Move, position, s.PWin)
		}
	})
	game.WriteEnd(&b, l.End)
	return game.TrimLines(b.String())
}
