package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"pgregory.net/rapid"

	"solved/api"
	"solved/rules/inversetreblecross"
	"solved/rules/nim"
	"solved/server/game"
	"solved/server/game/impartial"
	inversetreblecrossgame "solved/server/games/inversetreblecross"
	nimgame "solved/server/games/nim"
)

// plainNim answers about Nim from the recursion of the reference, for heaps that are small
// enough to have a distance and few moves.
type plainNim struct{ *nim.Reference }

var nimRules = api.Rules{Name: "nim", Tag: "0x4e494d01"}

func heapsText(heaps []uint64) string {
	texts := make([]string, len(heaps))
	for i, heap := range heaps {
		texts[i] = strconv.FormatUint(heap, 10)
	}
	return strings.Join(texts, ",")
}

func isOver(heaps []uint64) bool {
	return !slices.ContainsFunc(heaps, func(n uint64) bool { return n > 0 })
}

func (r plainNim) Probe(heaps []uint64) *api.GrundyProbe {
	w := r.Of(heaps)
	p := &api.GrundyProbe{Rules: nimRules, Source: api.SourceClosedForm, Kind: "grundy", Position: heapsText(heaps), Terminal: isOver(heaps), Value: w.Value.String(),
		Grundy: new(w.Grundy), Distance: new(w.Distance), MovesComplete: true, Moves: []api.GrundyMove{}}
	for i, heap := range heaps {
		for take := uint64(1); take <= heap; take++ {
			after := slices.Clone(heaps)
			after[i] -= take
			child := r.Of(after)
			value := child.Value.Negate()
			p.Moves = append(p.Moves, api.GrundyMove{Move: fmt.Sprintf("%d-%d", i+1, take), Value: value.String(), Distance: new(child.Distance + 1),
				PreservesValue: value == w.Value, Child: api.GrundyChild{Position: heapsText(after), Terminal: isOver(after),
					Value: child.Value.String(), Grundy: new(child.Grundy), Distance: new(child.Distance)}})
		}
	}
	// Wins, fast ones first; losses, long ones first.
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

// TestSmallNim holds every answer about small heaps against the reference, to the last field,
// and the counts of what was answered with them.
func TestSmallNim(t *testing.T) {
	s := quietService(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	handler := answersTo{checkedSometimes(t, s.Handler(), 7)}
	reference := plainNim{nim.NewReference()}
	same := func(what string, want, got any) {
		t.Helper()
		if d := gocmp.Diff(want, got); d != "" {
			t.Fatalf("%s (-want +got):\n%s", what, d)
		}
	}
	var all [][]uint64
	for a := range uint64(7) {
		all = append(all, []uint64{a})
		for b := range uint64(7) {
			all = append(all, []uint64{a, b})
			for c := range uint64(7) {
				all = append(all, []uint64{a, b, c})
			}
		}
	}
	all = append(all, []uint64{3, 5, 7}, []uint64{12, 0, 3, 1}, []uint64{20, 20}, []uint64{1, 1, 1, 1, 1, 1, 1})
	counted := map[string]int{}
	var positions []string
	for _, heaps := range all {
		text := heapsText(heaps)
		positions = append(positions, text)
		want := reference.Probe(heaps)
		var probe, best api.GrundyProbe
		handler.get(t, "/v1/nim/probe?position="+text, &probe)
		same(text, want, &probe)
		handler.get(t, "/v1/nim/best?position="+text, &best)
		same("the best of "+text, want.Best(), api.Probe(&best))
		counted[want.Value] += 3 // and one for the line

		wantLine := &api.GrundyLine{Rules: nimRules, Kind: "grundy", Position: text, Value: want.Value, Grundy: want.Grundy,
			Distance: want.Distance, Line: []api.GrundyStep{}, End: "terminal"}
		for now := want; len(now.Moves) > 0; {
			move := now.Moves[0]
			var after []uint64
			for part := range strings.SplitSeq(move.Child.Position, ",") {
				n, err := strconv.ParseUint(part, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				after = append(after, n)
			}
			now = reference.Probe(after)
			wantLine.Line = append(wantLine.Line, api.GrundyStep{Ply: len(wantLine.Line) + 1, Move: move.Move, Position: now.Position,
				Value: now.Value, Grundy: now.Grundy, Distance: now.Distance})
			counted[now.Value]++
		}
		var line api.GrundyLine
		handler.get(t, "/v1/nim/line?position="+text, &line)
		same("the line from "+text, wantLine, &line)
		if len(line.Line) != *want.Distance {
			t.Errorf("the line from %s has %d moves, for a %s in %d", text, len(line.Line), want.Value, *want.Distance)
		}
	}
	if len(all) != 399+4 {
		t.Fatalf("%d positions", len(all))
	}
	for _, moves := range []bool{true, false} {
		for i, result := range handler.batches(t, "nim", positions, moves) {
			want := reference.Probe(all[i])
			if counted[want.Value]++; !moves {
				want.Moves, want.MovesComplete = nil, false
			}
			same(fmt.Sprintf("%s in a batch, moves %t", positions[i], moves), api.BatchResult{Probe: want}, result)
		}
	}
	for _, value := range []string{"win", "loss"} {
		if got := testutil.ToFloat64(s.Metrics.Probes.WithLabelValues("nim", value)); got != float64(counted[value]) {
			t.Errorf("%v answers are counted as a %s, want %d", got, value, counted[value])
		}
	}
}

// TestLargeNim asks about heaps of all sizes, up to the largest. The exclusive or says what is
// won and how; where there are too many moves to list, those that win are listed.
func TestLargeNim(t *testing.T) {
	s := quietService(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	handler := answersTo{checkedSometimes(t, s.Handler(), 11)}
	const largest = 1<<63 - 1
	lists := map[bool]int{}
	won := 0
	ask := func(heaps []uint64) {
		text, sum, total := heapsText(heaps), uint64(0), 0.0
		for _, heap := range heaps {
			sum ^= heap
			total += float64(heap)
		}
		var winning []string // in published order
		for i, heap := range heaps {
			if rest := heap ^ sum; rest < heap {
				winning = append(winning, fmt.Sprintf("%d-%d", i+1, heap-rest))
			}
		}
		value := map[bool]string{true: "loss", false: "win"}[sum == 0]
		var p api.GrundyProbe
		handler.get(t, "/v1/nim/probe?position="+text, &p)
		if p.Position != text || *p.Grundy != sum || p.Value != value || p.MovesComplete != (total <= 1000) || p.Terminal != (total == 0) {
			t.Errorf("%s: %+v", text, p)
		}
		lists[p.MovesComplete]++
		var wins []string
		for _, m := range p.Moves {
			if m.Value == "win" {
				wins = append(wins, m.Move)
				won++
			}
			if (m.Value == "win") != (m.Child.Value == "loss") || (*m.Child.Grundy == 0) != (m.Child.Value == "loss") ||
				m.PreservesValue != (m.Value == p.Value) {
				t.Errorf("%s: %+v", text, m)
			}
		}
		order := func(a, b string) int { return cmp.Compare(slices.Index(winning, a), slices.Index(winning, b)) }
		if slices.SortFunc(wins, order); !slices.Equal(wins, winning) {
			t.Errorf("%s: %v win, want %v", text, wins, winning)
		}
		if p.MovesComplete && float64(len(p.Moves)) != total || !p.MovesComplete && len(p.Moves) != len(winning) {
			t.Errorf("%s: %d moves", text, len(p.Moves))
		}
		var best api.GrundyProbe
		handler.get(t, "/v1/nim/best?position="+text, &best)
		for _, m := range best.Moves {
			if !m.Optimal || m.Value != p.Value {
				t.Errorf("the best of %s: %+v", text, m)
			}
		}
		if (len(best.Moves) > 0) != (len(p.Moves) > 0) {
			t.Errorf("%s has %d best moves of %d", text, len(best.Moves), len(p.Moves))
		}
	}
	ask([]uint64{largest})
	ask([]uint64{largest, largest})
	ask([]uint64{largest, largest - 1, 1})
	ask([]uint64{largest, 0, largest, 1})
	ask(slices.Repeat([]uint64{largest}, nim.MaxHeaps))
	ask(slices.Repeat([]uint64{15}, nim.MaxHeaps))
	ask([]uint64{1000})
	ask([]uint64{1001})
	ask([]uint64{500, 500})
	ask([]uint64{500, 501})
	random := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		heaps, small := make([]uint64, 1+random.IntN(6)), uint(0)
		if random.IntN(4) == 0 {
			small = 55
		}
		for i := range heaps {
			heaps[i] = random.Uint64N(largest) >> (small + random.UintN(63-small))
		}
		if random.IntN(3) == 0 { // balanced, often
			var sum uint64
			for _, heap := range heaps {
				sum ^= heap
			}
			heaps = append(heaps, sum)
		}
		ask(heaps)
	}
	if lists[true] < 30 || lists[false] < 100 || won < 100 {
		t.Errorf("%d complete lists, %d others, %d winning moves", lists[true], lists[false], won)
	}
}

// TestNimLines plays lines on from wherever: each move is legal and among the best, the value
// alternates, and the line ends with the game, at the limit, or where nothing is known.
func TestNimLines(t *testing.T) {
	s := quietService(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	handler := answersTo{checkedSometimes(t, s.Handler(), 11)}
	ended := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		heaps := rapid.SliceOfN(rapid.OneOf(rapid.Uint64Range(0, 12), rapid.Uint64Range(0, 1<<63-1)), 1, 5).Draw(rt, "heaps")
		most := rapid.IntRange(1, 15).Draw(rt, "most")
		text := heapsText(heaps)
		var line api.GrundyLine
		handler.get(t, fmt.Sprintf("/v1/nim/line?position=%s&max_plies=%d", text, most), &line)
		ended[line.End]++
		now := line.Position
		value := line.Value
		for i, step := range line.Line {
			var probe, after api.GrundyProbe
			handler.get(t, "/v1/nim/probe?position="+now, &probe)
			listed := slices.IndexFunc(probe.Moves, func(m api.GrundyMove) bool { return m.Move == step.Move })
			if listed < 0 || !probe.Moves[listed].Optimal {
				rt.Fatalf("%s: ply %d is %s, which is not among the best", text, i+1, step.Move)
			}
			handler.get(t, "/v1/nim/probe?position="+now+"&moves="+step.Move, &after)
			if after.Position != step.Position || after.Value != step.Value || *after.Grundy != *step.Grundy || step.Ply != i+1 || step.Value == value {
				rt.Fatalf("%s: ply %d is %+v, but %+v", text, i+1, step, after)
			}
			now, value = step.Position, step.Value
		}
		var last api.GrundyProbe
		handler.get(t, "/v1/nim/probe?position="+now, &last)
		var want string
		switch {
		case last.Terminal:
			want = "terminal"
		case last.Value == "loss" && !last.MovesComplete: // nothing is known to be better than the rest
			want = "bound"
		default:
			want = "limit"
		}
		if line.End != want || want == "limit" && len(line.Line) != most {
			rt.Fatalf("%s: the line ends at %s with %s after %d plies, want %s", text, now, line.End, len(line.Line), want)
		}
	})
	if ended["limit"] == 0 || ended["terminal"] == 0 || ended["bound"] == 0 {
		t.Errorf("lines end %v", ended)
	}
}

// TestNimBatch asks for good and bad positions at once.
func TestNimBatch(t *testing.T) {
	handler := contractHandler(t)
	positions := []string{"3,5,7", "", "0", "03", "9223372036854775808", "1,1", "1,,1", ".../.../...", strings.Repeat("1,", nim.MaxHeaps) + "1"}
	for i, result := range (answersTo{handler}).batches(t, "nim", positions, false) {
		good := i == 0 || i == 2 || i == 5
		if (result.Probe != nil) != good || (result.Problem != nil) == good {
			t.Errorf("%q: %+v", positions[i], result)
		} else if !good && result.Problem.Kind() != api.MalformedPosition {
			t.Errorf("%q: %+v", positions[i], result.Problem)
		}
	}
	for _, body := range []string{`{"positions":[]}`, `{"positions":[3]}`, `{"heaps":["3"]}`} {
		if w := request(handler, http.MethodPost, "/v1/nim/probe", body); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", body, w.Code)
		}
	}
}

// TestGrundySize holds the bound of an answer's bytes against answers: none is longer, and
// long ones are not much shorter. The same holds of an answer without moves.
func TestGrundySize(t *testing.T) {
	s := quietService(t)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	handler, all := s.Handler(), allGames()
	for _, test := range []struct{ name, position string }{
		{"nim", "0"},
		{"nim", "3,5,7"},
		{"nim", "9999"},
		{"nim", strings.Repeat("15,", 63) + "15"},
		{"nim", strings.Repeat("15,", 63) + "14"},
		{"nim", strings.Repeat("9223372036854775807,", 62) + "9223372036854775807"},
		{"nim", strings.Repeat("0,", 63) + "1000"},
		{"inverse-treblecross", "0"},
		{"inverse-treblecross", "16"},
		{"inverse-treblecross", "1000000005"},
		{"inverse-treblecross", "1XX" + strings.Repeat("1XX", 300) + "12"},
		{"inverse-treblecross-13", "XXXXXXXXXXXX15"},
		{"inverse-treblecross-ring", "X4X"},
	} {
		g := all[slices.IndexFunc(all, func(g game.Game) bool { return g.About().Name == test.name })]
		p, err := g.Parse(test.position)
		if err != nil {
			t.Fatal(err)
		}
		size := func(valueOnly bool) int {
			if p, ok := p.(nim.Position); ok {
				return impartial.Encoder[nim.Position]{Rules: nimgame.NimImpartial()}.Size(p, valueOnly)
			}
			return impartial.Encoder[inversetreblecross.Position]{Rules: inversetreblecrossgame.TreblecrossImpartial()}.Size(p.(inversetreblecross.Position), valueOnly)
		}
		for _, valueOnly := range []bool{false, true} {
			body := fmt.Sprintf(`{"positions":[%q],"moves":%v}`, test.position, !valueOnly)
			w := request(handler, http.MethodPost, "/v1/"+test.name+"/probe", body)
			if w.Code != http.StatusOK {
				t.Fatalf("%s %s: %d %s", test.name, test.position, w.Code, w.Body)
			}
			bound, length := size(valueOnly), w.Body.Len()
			if length > bound || bound > 32<<10 && 2*length < bound {
				t.Errorf("%s %s, value only %v: %d bytes, bounded by %d", test.name, test.position, valueOnly, length, bound)
			}
		}
	}
}

// TestNimWork holds the work that answers report: a position whose distances take work says
// so, with its moves hardly more than without; a line works them out once.
func TestNimWork(t *testing.T) {
	g := impartial.Encoder[nim.Position]{Rules: nimgame.NimImpartial()}
	p, err := nim.Parse("139,139")
	if err != nil {
		t.Fatal(err)
	}
	alone, err := g.Probe(t.Context(), struct{}{}, nimRules, p, true)
	if err != nil || alone.LookUps < 10_000 {
		t.Fatalf("%d look-ups, %v", alone.LookUps, err)
	}
	listed, err := g.Probe(t.Context(), struct{}{}, nimRules, p, false)
	if err != nil || listed.LookUps < alone.LookUps || listed.LookUps > 2*alone.LookUps {
		t.Errorf("with moves %d look-ups, without %d, %v", listed.LookUps, alone.LookUps, err)
	}
	line, err := g.Begin(t.Context(), struct{}{}, nimRules, p)
	if err != nil {
		t.Fatal(err)
	}
	plies := 0
	for at := p; ; plies++ {
		move, ends := line.Best()
		if ends != "" {
			t.Fatalf("ends with %s after %d plies", ends, plies)
		}
		if move == "" {
			break
		}
		next, _, err := at.Play(move)
		if err != nil {
			t.Fatal(err)
		}
		at = next.(nim.Position)
		if err := line.Add(t.Context(), struct{}{}, plies+1, move, at); err != nil {
			t.Fatal(err)
		}
	}
	if plies != 278 || line.LookUps() > 5*alone.LookUps {
		t.Errorf("%d plies, %d look-ups, the first position %d", plies, line.LookUps(), alone.LookUps)
	}
}
