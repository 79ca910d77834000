package httpapi_test

import (
	"context"

	"solved/api"
)

// fixed is a prober of a ruleset with one position, of a kind that fake does not answer in.
type fixed struct {
	ruleset api.Ruleset
	probe   api.Probe
	line    api.Line
}

func (f *fixed) Ruleset() api.Ruleset { return f.ruleset }

func (f *fixed) Canonical(api.Question) (api.Canonical, error) { return f.probe.Canonical(), nil }

func (f *fixed) Probe(_ context.Context, questions []api.Question, _ *api.Work) ([]api.Answer, error) {
	answers := make([]api.Answer, len(questions))
	for i := range answers {
		answers[i].Probe = f.probe
	}
	return answers, nil
}

func (f *fixed) Line(context.Context, api.Question, int, *api.Work) (api.Line, error) {
	return f.line, nil
}

func (f *fixed) Examples() []api.Example { return nil }

// computed is the table of a ruleset that has none.
func computed(source string) *api.Table {
	return &api.Table{Source: source, LoadedAt: "2026-01-02T03:04:05Z"}
}

// newCrosses returns two rulesets about three in a row. In the first, three in a row win, so
// that the position has no Grundy value. In the second, they lose on the last board.
func newCrosses() []*fixed {
	x := pointer("X")
	row := api.Rules{Name: "row", Tag: "0x00000003"}
	boards := api.Rules{Name: "boards", Tag: "0x00000004"}
	// On the second board, every move completes three in a row; the first board is dead.
	const dead, alive = "XXX/.../...", "XX./.XX/X.."
	misere := &api.MisereProbe{
		Rules: boards, Kind: string(api.KindMisere), Position: dead + "," + alive,
		Boards: []api.Board{
			{Shape: api.ShapeGrid, Files: 3, Ranks: 3, Squares: []*string{nil, nil, nil, nil, nil, nil, x, x, x}},
			{Shape: api.ShapeGrid, Files: 3, Ranks: 3, Squares: []*string{x, nil, nil, nil, x, x, x, x, nil}},
		},
		Value: "loss", Quotient: "a", Distance: pointer(1), MovesComplete: true,
	}
	for _, move := range [][2]string{{"2:b1", "XX./.XX/XX."}, {"2:c1", "XX./.XX/X.X"}, {"2:a2", "XX./XXX/X.."}, {"2:c3", "XXX/.XX/X.."}} {
		misere.Moves = append(misere.Moves, api.MisereMove{Move: move[0], Value: "loss", Distance: pointer(1), Optimal: true, PreservesValue: true,
			Child: api.MisereChild{Position: dead + "," + move[1], Terminal: true, Value: "win", Quotient: "1", Distance: pointer(0)}})
	}
	first := misere.Moves[0]
	return []*fixed{
		{
			ruleset: api.Ruleset{Name: row.Name, Tag: row.Tag, Kind: string(api.KindGrundy), Game: "Row", Title: "Row, three cells",
				Summary: "Three in a row win.", Start: "X1X", Table: computed(api.SourceClosedForm)},
			probe: &api.GrundyProbe{
				Rules: row, Kind: string(api.KindGrundy), Position: "X1X", Board: &api.Board{Shape: api.ShapeStrip, Files: 3, Ranks: 1, Squares: []*string{x, nil, x}},
				Value: "win", Source: api.SourceClosedForm, Distance: pointer(1), MovesComplete: true,
				Moves: []api.GrundyMove{{Move: "2", Value: "win", Distance: pointer(1), Optimal: true, PreservesValue: true,
					Child: api.GrundyChild{Position: "XXX", Terminal: true, Value: "loss", Distance: pointer(0)}}},
			},
			line: &api.GrundyLine{Rules: row, Kind: string(api.KindGrundy), Position: "X1X", Value: "win", Distance: pointer(1),
				Line: []api.GrundyStep{{Ply: 1, Move: "2", Position: "XXX", Value: "loss", Distance: pointer(0)}}, End: api.EndTerminal},
		},
		{
			ruleset: api.Ruleset{Name: boards.Name, Tag: boards.Tag, Kind: string(api.KindMisere), Game: "Boards", Title: "Boards, misère",
				Summary: "Three in a row kill a board; the last one killed loses.", Start: misere.Position, Table: computed(api.SourceClosedForm)},
			probe: misere,
			line: &api.MisereLine{Rules: boards, Kind: string(api.KindMisere), Position: misere.Position, Value: "loss", Quotient: "a", Distance: pointer(1),
				Line: []api.MisereStep{{Ply: 1, Move: first.Move, Position: first.Child.Position, Value: "win", Quotient: "1", Distance: pointer(0)}},
				End:  api.EndTerminal},
		},
	}
}
