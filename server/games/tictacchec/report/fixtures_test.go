package report

import (
	"cmp"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"solved/rules"
	"solved/rules/tictacchec"
	"solved/tablebase/kernel"
)

// The tests have no whole table. They work out the entries of some positions by the
// embedded one, with those of all that is looked at from there, and count them again,
// one by one and by the plain reference rules.

// lookahead is the search of a ruleset with the embedded losses.
func lookahead(t testing.TB, r *tictacchec.Rules) *tictacchec.Lookahead {
	t.Helper()
	k, err := kernel.ReadFile(filepath.Join("..", "kernels", r.Ruleset().Name+".kernel"), tictacchec.LookaheadVersion, r.Ruleset())
	if err != nil {
		t.Fatal(err)
	}
	ahead := tictacchec.NewLookahead(r, len(k.Losses[rules.Main])+len(k.Losses[rules.Opening]))
	for section, losses := range k.Losses {
		for _, loss := range losses {
			p, _ := tictacchec.FromIndex(rules.Section(section), loss.Index)
			ahead.Add(p, loss.Distance)
		}
	}
	return ahead
}

// partial is a table of some positions.
type partial struct {
	*Table
	ahead *tictacchec.Lookahead
	known map[tictacchec.Position]bool
}

func newPartial(t testing.TB, r *tictacchec.Rules) *partial {
	t.Helper()
	table, err := newTable(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(table.Free)
	return &partial{table, lookahead(t, r), map[tictacchec.Position]bool{}}
}

// learn puts a position into the table.
func (p *partial) learn(at tictacchec.Position) rules.Entry {
	section, index := at.Index()
	// As the table has it: what is terminal, whoever owns the line, is lost in 0.
	at, _ = tictacchec.FromIndex(section, index)
	if !p.known[at] {
		p.known[at] = true
		p.section(section)[index] = p.ahead.Entry(at).Code()
	}
	return p.entry(at)
}

// learnMoves puts a position and those after its moves into the table.
func (p *partial) learnMoves(at tictacchec.Position) {
	p.learn(at)
	for _, m := range p.rules.Moves(at, nil) {
		p.learn(p.rules.Play(at, m))
	}
}

// sample is some positions of both sections, with all that a report looks at from
// there in the table: runs of indices and, one by one, their mirror images.
type sample struct {
	*partial
	spans [rules.Sections][]span
	// passed are those of the main phase with the other side to move.
	passed []span
	// from is a position whose line is asked for.
	from tictacchec.Position
}

// newSample takes runs that hold some of every value and of every set of pieces.
func newSample(t testing.TB, r *tictacchec.Rules, runs, length int) *sample {
	t.Helper()
	s := &sample{partial: newPartial(t, r)}
	random := rand.New(rand.NewPCG(5, uint64(r.Ruleset().Tag)))
	var indices [rules.Sections][]uint64
	take := func(section rules.Section, from uint64) {
		from = min(from, r.Ruleset().Positions[section]-uint64(length))
		for index := from; index < from+uint64(length); index++ {
			p, _ := tictacchec.FromIndex(section, index)
			_, mirrored := p.Mirror().Index()
			indices[section] = append(indices[section], index, mirrored)
		}
	}
	for section, n := range r.Ruleset().Positions {
		for range runs {
			take(rules.Section(section), random.Uint64N(n))
		}
	}
	take(rules.Main, 0)
	for _, text := range []string{"Pb2/n1R1/2rp/N3 w dd m", "b2n/PR2/1r1N/2Bp w uu m", "2b1/2n1/P1N1/RBp1 w du m", "2b1/2n1/2p1/4 w -u m",
		"opening:3507218", "opening:2594484"} {
		p, _, err := tictacchec.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		take(p.Index())
	}
	// Threats that are answered by a win which takes longer.
	for found := 0; found < 5; {
		index := random.Uint64N(tictacchec.MainPositions)
		p, _ := tictacchec.FromIndex(rules.Main, index)
		if passed := s.ahead.Entry(p.OtherToMove()); passed.Value != rules.Win || passed.Distance != 1 {
			continue
		}
		if e := s.ahead.Entry(p); e.Value == rules.Win && e.Distance > 1 {
			take(rules.Main, index)
			found++
		}
	}
	// The last ply of the opening, whose values the search finds soon enough.
	indices[rules.Opening] = slices.DeleteFunc(indices[rules.Opening], func(index uint64) bool {
		from, _ := tictacchec.OpeningPly(5)
		return index < from
	})
	for section := range indices {
		slices.Sort(indices[section])
		for _, index := range slices.Compact(indices[section]) {
			p, _ := tictacchec.FromIndex(rules.Section(section), index)
			s.learnMoves(p)
			s.spans[section] = append(s.spans[section], span{index, index + 1})
			if rules.Section(section) == rules.Main {
				q := p.OtherToMove()
				s.learn(q)
				_, passed := q.Index()
				s.passed = append(s.passed, span{passed, passed + 1})
			}
		}
		s.spans[section] = joined(s.spans[section])
	}
	slices.SortFunc(s.passed, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	s.passed = joined(slices.Compact(s.passed))
	return s
}

// learnt are the positions of the main phase in the table, and their mirror images,
// which are put into it.
func (s *sample) learnt() (spans []span) {
	var all []tictacchec.Position
	for p := range s.known {
		if p.Section() == rules.Main {
			all = append(all, p, p.Mirror())
		}
	}
	for _, p := range all {
		s.learn(p)
		_, index := p.Index()
		spans = append(spans, span{index, index + 1})
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return joined(slices.Compact(spans))
}

// joined joins neighbouring spans.
func joined(spans []span) (list []span) {
	for _, s := range spans {
		if n := len(list); n > 0 && list[n-1].to == s.from {
			list[n-1].to = s.to
		} else {
			list = append(list, s)
		}
	}
	return list
}

// each calls visit with every position of a section of the sample.
func (s *sample) each(section rules.Section, visit func(index uint64, p plain)) {
	reference, _ := tictacchec.ReferenceOf(s.rules.Ruleset().Tag)
	for _, sp := range s.spans[section] {
		for index := sp.from; index < sp.to; index++ {
			board, _ := tictacchec.ReferenceAt(section, index)
			visit(index, plain{s, reference, board})
		}
	}
}

// plain is a position as the plain reference rules see it.
type plain struct {
	sample    *sample
	reference tictacchec.Reference
	board     tictacchec.ReferenceBoard
}

func (p plain) entry() rules.Entry {
	at, _, err := tictacchec.Parse(p.board.String())
	if err != nil { // a line of the side to move, or two lines
		return rules.Entry{Value: rules.Loss}
	}
	return p.sample.ahead.Entry(at)
}

// moves are the positions after each move.
func (p plain) moves() (list []plain) {
	for _, m := range p.reference.Moves(p.board) {
		list = append(list, plain{p.sample, p.reference, p.reference.Play(p.board, m)})
	}
	return list
}

// threatened says whether the other side could complete a line at once.
func (p plain) threatened() bool {
	if p.board.Terminal() || p.board.Opening {
		return false
	}
	p.board.BlackToMove = !p.board.BlackToMove
	for _, next := range p.moves() {
		if next.board.Terminal() {
			return true
		}
	}
	return false
}

// threads are the numbers of goroutines that everything must be the same on.
var threads = []int{1, runtime.GOMAXPROCS(0) + 1}
