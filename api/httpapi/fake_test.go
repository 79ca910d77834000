package httpapi_test

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"solved/api"
	"solved/rules"
)

// fake is a prober with answers made up by hand: one position, one move.
type fake struct {
	ruleset api.Ruleset
	// fail is what Probe and Line return instead, when it is set.
	fail error
	// malformed is what Canonical returns instead, when it is set.
	malformed error
	// replaces is the digest of a table that takes the other's place while
	// Probe answers, nil for none.
	replaces *string
	// panics makes Probe panic.
	panics bool
	// failFor is what Probe returns for some positions.
	failFor map[string]error
	// steps is how many steps a line has; 0 means one.
	steps int
	// asked is the last question.
	asked *asked
	// positions are those that were asked about.
	positions []string
	// entered, if not nil, is told when Probe begins, which then waits for let.
	entered, let chan struct{}
	// lookUps is what each answer adds to the work, takes how long it takes, and long the
	// length of its position.
	lookUps, long int
	takes         time.Duration
	// within counts the questions that are being answered, and most the most of them.
	within, most atomic.Int64
}

type asked struct {
	question api.Question
	plies    int
}

func pointer[T any](v T) *T { return &v }

func (f *fake) Ruleset() api.Ruleset { return f.ruleset }

func (f *fake) id() api.Rules { return api.Rules{Name: f.ruleset.Name, Tag: f.ruleset.Tag} }

func (f *fake) Canonical(api.Question) (api.Canonical, error) {
	if f.malformed != nil {
		return api.Canonical{}, f.malformed
	}
	return api.Canonical{Position: "X1/1o b"}, nil
}

// Probe asks probe for each question. An error that a problem type of positions or
// moves stands for is that question's own.
func (f *fake) Probe(ctx context.Context, questions []api.Question, work *api.Work) ([]api.Answer, error) {
	answers := make([]api.Answer, len(questions))
	f.most.Store(max(f.most.Load(), f.within.Add(1)))
	defer f.within.Add(-1)
	for i, q := range questions {
		if f.takes > 0 {
			select {
			case <-time.After(f.takes):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		work.Add(f.lookUps)
		answers[i].Probe, answers[i].Err = f.probe(q)
		if err := answers[i].Err; err != nil {
			switch api.ProblemOf(err).Kind() {
			case api.MalformedPosition, api.IllegalPosition, api.MalformedMove, api.IllegalMove:
			default:
				return nil, err
			}
		}
	}
	return answers, nil
}

func (f *fake) probe(q api.Question) (api.Probe, error) {
	if f.entered != nil {
		f.entered <- struct{}{}
		<-f.let
		return nil, f.fail
	}
	f.asked = &asked{question: q}
	if q.Position != nil {
		f.positions = append(f.positions, *q.Position)
		if err := f.failFor[*q.Position]; err != nil {
			return nil, err
		}
	}
	if f.replaces != nil {
		f.ruleset.Table.ContentSHA256 = f.replaces
	}
	if f.panics {
		panic("a secret of ours")
	}
	if f.fail != nil {
		return nil, f.fail
	}
	answer := &api.PiecesProbe{
		Rules: f.id(), Kind: "pieces", Position: "X1/1o b", Key: "k:7", Reachable: true, SideToMove: "black",
		Board:          api.Board{Shape: api.ShapeGrid, Files: 2, Ranks: 2, Squares: []*string{nil, pointer("o"), pointer("X"), nil}},
		PawnDirections: api.PawnDirections{Black: pointer(api.DirectionDown)},
		Hands:          api.Hands{White: "PN"}, Value: "win", Distance: pointer(3),
		Moves: []api.PiecesMove{
			{Move: "o@a1", Index: 1, Piece: "O", To: "a1", Value: "win", Distance: pointer(3), Optimal: true, PreservesValue: true,
				Child: api.PiecesChild{Position: "X1/oo w", Key: "k:9", Value: "loss", Distance: pointer(2)}},
			{Move: "b2-b1", Index: 0, Piece: "O", From: pointer("b2"), To: "b1", Captures: pointer("X"), Value: "draw",
				Child: api.PiecesChild{Position: "<&>", Key: "k:8", Value: "draw"}},
		},
	}
	if q.ValueOnly {
		answer.Moves = nil
	}
	if f.long > 0 {
		answer.Position = strings.Repeat("x", f.long)
	}
	return answer, nil
}

func (f *fake) Line(ctx context.Context, q api.Question, plies int, work *api.Work) (api.Line, error) {
	f.asked = &asked{q, plies}
	work.Add(f.lookUps)
	if err := work.Pause(ctx); err != nil {
		return nil, err
	}
	if f.fail != nil {
		return nil, f.fail
	}
	line := &api.PiecesLine{
		Rules: f.id(), Kind: "pieces", Position: "X1/1o b", Key: "k:7", SideToMove: "black", Value: "draw",
		End: api.EndCycle, CycleStart: pointer(0),
	}
	for ply := range max(f.steps, 1) {
		line.Line = append(line.Line, api.PiecesStep{Ply: ply + 1, Move: "o@a1", Position: "X1/oo w", Key: "k:9", Value: "draw"})
	}
	return line, nil
}

func (f *fake) Examples() []api.Example {
	return []api.Example{{Name: "start", Position: "2/2 w", Summary: "Nothing has happened yet."}}
}

// newFakes returns two rulesets, the first with a table.
func newFakes() []*fake {
	return []*fake{
		{ruleset: api.Ruleset{
			Name: "noughts", Tag: rules.Tag(0x0badcafe).String(), Kind: "pieces", Game: "Noughts", Title: "Noughts, plain",
			Summary: "Two by two.", Bounds: pointer("Boards of two by two are worked out."), Start: "2/2 w",
			Table: &api.Table{
				Source: api.SourceMapped, Format: pointer("FAKE0001"), File: pointer("noughts.ttb"),
				ContentSHA256: pointer("00ff"), CRC64: pointer("0123456789abcdef"), MainPositions: pointer(uint64(10)), OpeningPositions: pointer(uint64(2)),
				Decisive: pointer(uint64(3)), LoadedAt: "2026-01-02T03:04:05Z", LoadSeconds: 0.5,
			},
		}},
		{ruleset: api.Ruleset{
			Name: "noughts-wild", Tag: rules.Tag(2).String(), Kind: "pieces", Game: "Noughts", Title: "Noughts, wild",
			Summary: "Anything goes.", Start: "2/2 w",
		}, fail: api.ErrNoTable},
	}
}
