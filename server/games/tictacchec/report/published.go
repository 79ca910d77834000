package report

import (
	"fmt"
	"slices"
	"strings"

	"solved/rules"
	"solved/rules/tictacchec"
)

// Figure is a published figure beside what the table gives.
type Figure struct {
	What      string `json:"what"`
	Published string `json:"published"`
	Found     string `json:"found"` // empty where it has been left out
	// State is "agrees", "differs", "left out", or "corrected": what was published is
	// not right, and Why says why.
	State string `json:"state"`
	Why   string `json:"why,omitempty"`
}

// The states of a Figure.
const (
	Agrees    = "agrees"
	Differs   = "differs"
	LeftOut   = "left out"
	Corrected = "corrected"
)

// Differing lists the published figures that the table does not bear out, and for
// which there is no reason.
func (r *Report) Differing() (list []Figure) {
	for _, f := range r.Published {
		if f.State == Differs {
			list = append(list, f)
		}
	}
	return list
}

// publishedResults are what has been published about a ruleset: by the solve that
// named the tags and the two formats (its record of the canonical and of the outbound
// solve, its census and its audits).
type publishedResults struct {
	main, opening Counts
	distances     []uint64
	longest       [rules.Sections][2]uint64 // plies of the longest win and loss; 0 where it does not say
	edges         uint64
	examples      []publishedExample
}

// publishedExample is a position that has been published as an example.
type publishedExample struct{ what, position string }

// published returns what has been published about a ruleset; of the third, nothing
// has.
func published(tag rules.Tag) publishedResults {
	switch tag {
	case 0x54544303:
		return publishedResults{
			main:    Counts{184_895_598, 24_178_920, 2_253_286_227},
			opening: Counts{147_472, 30_468, 14_058_925},
			distances: []uint64{18_516_912, 121_017_608, 3_763_248, 44_671_112, 1_213_110, 13_475_374, 444_228, 4_114_500, 132_854,
				941_496, 55_888, 366_616, 24_430, 147_160, 12_220, 73_198, 6_158, 34_412, 2_926, 16_302, 2_114, 11_550, 1_124,
				5_638, 678, 3_642, 806, 4_472, 788, 4_184, 528, 2_874, 424, 2_680, 252, 1_570, 148, 842, 74, 340, 10, 28},
			longest: [rules.Sections][2]uint64{{41, 40}, {39, 28}},
			edges:   28_730_418_180,
			examples: []publishedExample{
				{"longest win", "Pb2/n1R1/2rp/N3 w dd m"},
				{"longest loss", "b2n/PR2/1r1N/2Bp w uu m"},
				{"zugzwang", "2b1/2n1/P1N1/RBp1 w du m"},
				{"ply 19 of the drawing lasso", "4/1Nn1/BPRr/b3 b u- m"},
			},
		}
	case 0x54544301:
		return publishedResults{
			main:    Counts{191_895_754, 25_329_088, 2_245_135_903},
			opening: Counts{161_264, 33_472, 14_042_129},
			longest: [rules.Sections][2]uint64{{41, 0}, {37, 0}},
			edges:   28_304_244_300,
		}
	}
	return publishedResults{}
}

// figures holds the published figures against those of the report.
func (r *Report) figures() []Figure {
	var l figureList
	tag, _ := rules.ParseTag(r.Rules.Tag)
	p := published(tag)

	l.add("positions of the main phase", uint64(2_462_360_745), r.Main.All())
	l.add("positions of the opening", 14_236_865, r.Opening.All())
	l.add("ended games in the main phase's index", 18_516_912, at(r.Main.Distances, 0))
	l.add("of them, with a line of the side to move", 9_275_016, r.Main.MoverOwnsLine)
	l.add("value of the empty board", "draw", r.Start.Entry)
	if p.main.All() > 0 {
		l.counts("main phase", p.main, r.Main.Counts)
		l.counts("opening", p.opening, r.Opening.Counts)
	}
	for d, n := range p.distances {
		l.add(fmt.Sprintf("main phase, %s in %d", rules.EntryOf(rules.Code(d)).Value, d), n, at(r.Main.Distances, d))
	}
	for section, byValue := range p.longest {
		for i, plies := range byValue {
			if plies > 0 {
				value := []string{"win", "loss"}[i]
				e := r.extreme(rules.Section(section).String(), value)
				l.add(fmt.Sprintf("longest %s of the %s phase, plies", value, e.Section), plies, e.Plies)
			}
		}
	}
	openingMoves := uint64(0)
	for _, ply := range r.Plies {
		openingMoves += ply.Moves
	}
	l.add("moves from all positions of the opening", 317_806_144, openingMoves)
	if p.edges > 0 {
		l.choice(r.Choices, "moves from all positions of the main phase", p.edges, func(c *Choices) any { return c.Moves })
	}
	l.choice(r.Choices, "most moves from one position", 64, func(c *Choices) any { return c.MostFrom })
	if tag == 0x54544303 {
		r.canonicalFigures(&l)
	}
	for _, c := range r.Comparisons {
		if c.From == tictacchec.CanonicalName && c.To == tictacchec.OutboundName {
			l.matrix(c.Sections[rules.Main], [3][3]uint64{{180_747_956, 9_366, 4_138_276}, {810, 24_131_682, 46_428}, {11_146_988, 1_188_040, 2_240_951_199}})
			l.add("main phase, positions that change value", 16_529_908, c.Sections[rules.Main].Changed)
			l.matrix(c.Sections[rules.Opening], [3][3]uint64{{147_418, 0, 54}, {0, 30_464, 4}, {13_846, 3_008, 14_042_071}})
		}
	}
	return l.list
}

// canonicalFigures adds those that have been published of the canonical ruleset only.
func (r *Report) canonicalFigures(l *figureList) {
	drawing := "no"
	if len(r.Start.Holding) == r.Start.Legal && r.Start.Legal == 64 {
		drawing = "all 64"
	}
	l.add("first moves that keep the draw", "all 64", drawing)
	byPly := []Counts{{0, 0, 1}, {0, 0, 64}, {0, 0, 3_840}, {0, 0, 80_640}, {60_404, 0, 1_512_076}, {87_068, 30_468, 12_462_304}}
	for ply, want := range byPly {
		l.counts(fmt.Sprintf("opening, ply %d", ply), want, r.Plies[ply].Counts)
	}
	for _, e := range []struct {
		section, value, key string
		positions           uint64
	}{
		{"main", "win", "post:1059850930", 28}, {"main", "loss", "post:1937912181", 10},
		{"opening", "win", "opening:3507218", 4}, {"opening", "loss", "opening:2594484", 6},
	} {
		found := r.extreme(e.section, e.value)
		l.add(fmt.Sprintf("longest %s of the %s phase, positions", e.value, e.section), e.positions, found.Positions)
		l.add(fmt.Sprintf("longest %s of the %s phase, lowest index", e.value, e.section), e.key, found.Key)
	}

	l.add("drawing lasso, plies before the cycle", 32, r.Lasso.Prefix)
	l.add("drawing lasso, plies of the cycle", 18, r.Lasso.Cycle)
	l.add("drawing lasso, position that returns", "post:2148899478", r.Lasso.Returns)
	at19, holds := "", ""
	if len(r.Lasso.Steps) > 19 {
		at19 = r.Lasso.Steps[18].Result
	}
	for _, e := range r.Examples {
		if e.Position == at19 {
			holding := slices.Clone(e.Holding)
			slices.Sort(holding)
			holds = fmt.Sprintf("%d moves; %s draw", e.Legal, strings.Join(holding, ", "))
			for _, w := range e.Others {
				holds += fmt.Sprintf("; %d: %s", w.Moves, w.Entry)
			}
		}
	}
	l.add("drawing lasso, ply 19", "4/1Nn1/BPRr/b3 b u- m", at19)
	l.add("its moves", "18 moves; a1-b2, c3-a2, d2-c2 draw; 15: loss in 2", holds)

	l.add("positions with a live threat", 121_017_608, r.Threats.All())
	l.counts("under a live threat", Counts{7_456_340, 5_500_978, 108_060_290}, r.Threats.Counts)
	l.corrected("losses in 2 under a live threat", 3_763_248, 3_762_536, r.Threats.LossesInTwo,
		"the published census takes all losses in 2 for threats that cannot be answered; 712 of them are zugzwangs")
	l.add("losses in 2 without a threat (zugzwangs)", 712, r.Threats.Zugzwangs)
	zugzwang := ""
	for _, e := range r.Examples {
		if e.What == "zugzwang" {
			zugzwang = fmt.Sprintf("%s, %d moves", e.Entry, e.Legal)
		}
	}
	l.add("2b1/2n1/P1N1/RBp1 w du m, a zugzwang", "loss in 2, 3 moves", zugzwang)
	four := uint64(0)
	for d := 4; d < len(r.Main.Distances); d += 2 {
		four += r.Main.Distances[d]
	}
	l.add("losses in 4 or more, main phase", 1_898_760, four)

	l.choice(r.Choices, "moves out of losses that are not over", 76_499_658, func(c *Choices) any { return c.FromLosses })
	l.choice(r.Choices, "moves into decided positions", uint64(2_192_996_014), func(c *Choices) any { return c.IntoDecided })
	l.choice(r.Choices, "moves from drawn positions", uint64(26_538_178_222), func(c *Choices) any { return c.MovesInDraws })
	l.choice(r.Choices, "of them, moves that draw", uint64(24_734_672_866), func(c *Choices) any { return c.DrawingMoves })
	l.choice(r.Choices, "drawn positions of which every move draws", 1_745_115_483, func(c *Choices) any { return c.AllDraw })
	l.choice(r.Choices, "drawn positions of which one move draws", 17_340_704, func(c *Choices) any { return c.OneDraws })
	l.choice(r.Choices, "wins in 1 with exactly one move that wins at once", 121_017_608, func(c *Choices) any { return at(c.WinsInOne, 1) })
}

// extreme finds the longest win or loss among all positions of a section.
func (r *Report) extreme(section, value string) Extreme {
	for _, e := range r.Longest {
		if e.Section == section && e.Value == value && e.Among == "all" {
			return e
		}
	}
	return Extreme{Section: section, Value: value}
}

func at(numbers []uint64, i int) uint64 {
	if i < len(numbers) {
		return numbers[i]
	}
	return 0
}

// figureList gathers figures.
type figureList struct{ list []Figure }

func (l *figureList) add(what string, published, found any) {
	f := Figure{What: what, Published: written(published), Found: written(found), State: Agrees}
	if f.Published != f.Found {
		f.State = Differs
	}
	l.list = append(l.list, f)
}

// corrected adds a figure that was published wrong.
func (l *figureList) corrected(what string, published, right, found any, why string) {
	f := Figure{What: what, Published: written(published), Found: written(found), State: Corrected, Why: why}
	if f.Found != written(right) {
		f.State, f.Why = Differs, fmt.Sprintf("%s, so it should be %s", why, written(right))
	}
	l.list = append(l.list, f)
}

// choice adds a figure for which all moves have to be gone over.
func (l *figureList) choice(c *Choices, what string, published any, found func(*Choices) any) {
	if c == nil {
		l.list = append(l.list, Figure{What: what, Published: written(published), State: LeftOut, Why: "a quick report does not go over all moves"})
		return
	}
	l.add(what, published, found(c))
}

func (l *figureList) counts(of string, published, found Counts) {
	l.add(of+", wins", published.Wins, found.Wins)
	l.add(of+", losses", published.Losses, found.Losses)
	l.add(of+", draws", published.Draws, found.Draws)
}

func (l *figureList) matrix(m Matrix, published [3][3]uint64) {
	for x, from := range classes {
		for y, to := range classes {
			row := m.Rows[x].Counts
			l.add(fmt.Sprintf("%s phase, canonical %s and outbound %s", m.Section, from, to),
				published[x][y], [3]uint64{row.Wins, row.Losses, row.Draws}[y])
		}
	}
}

// written writes a figure: numbers with commas.
func written(v any) string {
	switch n := v.(type) {
	case int:
		return grouped(uint64(n))
	case uint64:
		return grouped(n)
	}
	return fmt.Sprint(v)
}

// grouped writes a number with commas between groups of three digits.
func grouped(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
