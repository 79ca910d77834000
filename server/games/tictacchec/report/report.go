package report

import (
	"context"
	"encoding/hex"
	"fmt"

	"solved/rules"
	"solved/rules/tictacchec"
	"solved/tablebase"
)

// Report is what a table holds. Every figure is counted from the table; what is about
// the main phase is about all positions of the index, or about those that can occur in
// a game. It holds nothing that differs from run to run.
type Report struct {
	Rules  Identity `json:"rules"`
	Digest Digest   `json:"table"`
	// Quick is set when what takes minutes has been left out: all moves of the main
	// phase.
	Quick       bool         `json:"quick"`
	Published   []Figure     `json:"published"`
	Main        Census       `json:"main"`
	Opening     Census       `json:"opening"`
	Plies       []Ply        `json:"openingByPly"`
	Start       Choice       `json:"start"`
	Longest     []Extreme    `json:"longest"`
	Lasso       *Line        `json:"lasso"`
	From        []*Line      `json:"from,omitempty"`
	Examples    []Shown      `json:"examples"`
	Threats     Threats      `json:"threats"`
	Choices     *Choices     `json:"choices,omitempty"`
	Pieces      []PieceSet   `json:"pieces"`
	Comparisons []Comparison `json:"comparisons,omitempty"`
	Reachable   Reached      `json:"reachable"`
}

// Identity names a ruleset.
type Identity struct {
	Name  string `json:"name"`
	Tag   string `json:"tag"`
	Title string `json:"title"`
}

// Digest identifies the table file, uncompressed.
type Digest struct {
	Bytes  int64  `json:"bytes"`
	CRC64  string `json:"crc64"`
	SHA256 string `json:"sha256"`
}

// Counts are positions by value, for the side to move.
type Counts struct {
	Wins   uint64 `json:"wins"`
	Losses uint64 `json:"losses"`
	Draws  uint64 `json:"draws"`
}

// All is how many positions there are.
func (c Counts) All() uint64 { return c.Wins + c.Losses + c.Draws }

// Census counts positions.
type Census struct {
	Counts
	// Distances counts wins and losses by distance in plies, from 0.
	Distances []uint64 `json:"distances"`
	// MoverOwnsLine is how many of those with distance 0 have a line of the side to
	// move, which no move can leave behind.
	MoverOwnsLine uint64 `json:"moverOwnsLine,omitempty"`
}

// Ply is a ply of the opening.
type Ply struct {
	Ply int `json:"ply"`
	Counts
	Moves        uint64 `json:"moves"` // from all its positions
	MovesInDraws uint64 `json:"movesInDraws"`
	DrawingMoves uint64 `json:"drawingMoves"` // of those
	AllDraw      uint64 `json:"allMovesDraw"` // drawn positions
	OneDraws     uint64 `json:"oneMoveDraws"`
}

// Example is a position.
type Example struct {
	Position string `json:"position"`
	Key      string `json:"key"`
	// Reachable says whether it can occur in a game.
	Reachable bool `json:"reachable"`
}

// Shown is a position that has been published as an example of something.
type Shown struct {
	What string `json:"what"`
	Choice
	Reachable bool `json:"reachable"`
}

// Extreme is about the positions of a section with one value and the greatest
// distance.
type Extreme struct {
	Section string `json:"section"`
	// Among says of which positions: "all", or "reachable" where that is another.
	Among     string `json:"among"`
	Value     string `json:"value"`
	Plies     int    `json:"plies"`
	Positions uint64 `json:"positions"` // with that value and distance
	// Example is the one of the lowest index.
	Example
	Line *Line `json:"line"`
}

// Threats counts positions of the main phase with a live threat: the side that is not
// to move could complete a line at once, if it were its turn on the same board.
type Threats struct {
	Counts
	// LossesInTwo are the losses in 2 under a threat, which cannot be answered.
	LossesInTwo uint64 `json:"unanswerable"`
	// Zugzwangs is how many are lost in 2 without a threat. List has one of each
	// pair of mirror images, by index; of all positions only, not again of those that
	// can occur.
	Zugzwangs uint64    `json:"zugzwangs"`
	List      []Example `json:"list,omitempty"`
}

// PieceSet counts the positions of the main phase with one set of pieces on the board.
type PieceSet struct {
	White string `json:"white"` // of PNBR
	Black string `json:"black"` // of pnbr
	Counts
	Reachable Counts `json:"reachable"`
}

// Choices is what a pass over all moves of the main phase found. A pass over the
// reachable positions only is of the same shape.
type Choices struct {
	Moves    uint64 `json:"moves"`    // from all positions: edges of the graph
	MostFrom int    `json:"mostFrom"` // one position
	// FromLosses are those out of losses; IntoDecided those into wins and losses.
	FromLosses  uint64 `json:"fromLosses"`
	IntoDecided uint64 `json:"intoDecided"`

	MovesInDraws uint64 `json:"movesInDraws"`
	DrawingMoves uint64 `json:"drawingMoves"`
	AllDraw      uint64 `json:"allMovesDraw"`
	OneDraws     uint64 `json:"oneMoveDraws"`
	// Drawn counts drawn positions by legal moves, Drawing by drawing moves, from 0;
	// Shares by the share of drawing moves in tenths, rounded down.
	Drawn   []uint64 `json:"drawnByMoves"`
	Drawing []uint64 `json:"drawnByDrawingMoves"`
	Shares  []uint64 `json:"drawnByShare"`
	// Threatened counts drawn positions under a live threat by drawing moves.
	Threatened []uint64 `json:"drawnUnderThreatByDrawingMoves"`
	// Narrowest is a drawn position with the most moves of which one draws: the one of
	// the lowest index.
	Narrowest *Choice `json:"narrowest,omitempty"`

	// Answers is about positions under a live threat that are not won in 1, by value;
	// Parries counts them by parrying moves, from 0.
	Answers []Answers `json:"answers"`
	Parries []uint64  `json:"threatenedByParries"`

	// WinsInOne counts wins in 1 by the moves that complete a line; WinsInOneAll by
	// the moves that win, at once or later. Winning counts all wins by winning moves,
	// Fastest by those that win soonest; Resisting losses that are not over by the
	// moves that lose latest. All from 0.
	WinsInOne    []uint64 `json:"winsInOneByCompletingMoves"`
	WinsInOneAll []uint64 `json:"winsInOneByWinningMoves"`
	Winning      []uint64 `json:"winsByWinningMoves"`
	Fastest      []uint64 `json:"winsByFastestMoves"`
	Resisting    []uint64 `json:"lossesByLongestMoves"`
}

// Answers adds up the moves against threats.
type Answers struct {
	Value     string `json:"value"`
	Positions uint64 `json:"positions"`
	Moves     uint64 `json:"moves"`
	Parrying  uint64 `json:"parrying"` // after which the other side has no win in 1
	Keeping   uint64 `json:"keeping"`  // that keep the value
}

// Comparison compares the values of two rulesets, position by position.
type Comparison struct {
	From     string   `json:"from"` // the names of the rulesets
	To       string   `json:"to"`
	Sections []Matrix `json:"sections"`
}

// Matrix counts positions by their value in one table and in the other.
type Matrix struct {
	Section string    `json:"section"`
	Rows    []Row     `json:"rows"` // wins, losses, draws in the first
	Changed uint64    `json:"changed"`
	Farther []Farther `json:"distances"`
}

// Row is a row of a Matrix.
type Row struct {
	Counts            // in the second
	First  [3]Changed `json:"first"` // for a win, a loss and a draw in the second
}

// Changed is the position of the lowest index in a cell of a Matrix; an empty one
// where there is none, or the values are equal.
type Changed struct {
	Example
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// Farther is about the positions with the same value in both tables and another
// distance.
type Farther struct {
	Value     string  `json:"value"`
	Positions uint64  `json:"positions"`
	Greatest  int     `json:"greatest"`  // change, in plies
	Count     uint64  `json:"count"`     // with that change
	Example   Changed `json:"lowestKey"` // among them
}

// Reached is about the positions of the main phase that can occur in a game.
type Reached struct {
	Census
	Threats Threats  `json:"threats"`
	Choices *Choices `json:"choices,omitempty"`
}

// Options are how to report.
type Options struct {
	Digest  tablebase.Digest
	Quick   bool
	Others  []Other
	From    []tictacchec.Position
	Threads int
	// Progress, if not nil, is told how far a stage has come. It is called
	// concurrently.
	Progress func(stage string, done, total uint64)

	// spans are what is counted of each section; all where there are none.
	// decided is where to look for the decided positions of the main phase, all of them
	// where there is nothing.
	spans   [rules.Sections][]span
	decided []span
}

// Make counts everything. Errors are those of a context that ended, of the other
// tables, and a *ContradictionError when a line that was replayed does not agree with
// the rules.
func Make(ctx context.Context, t *Table, o Options) (*Report, error) {
	for section, n := range t.rules.Ruleset().Positions {
		if o.spans[section] == nil {
			o.spans[section] = []span{{0, n}}
		}
	}
	if o.decided == nil {
		o.decided = o.spans[rules.Main]
	}
	m := &maker{ctx: ctx, table: t, o: o, report: newReport(t.rules, o)}
	for _, step := range []func() error{m.count, m.opening, m.lines, m.choices, m.compare} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	m.report.Published = m.report.figures()
	return m.report, nil
}

func newReport(r *tictacchec.Rules, o Options) *Report {
	rs := r.Ruleset()
	return &Report{
		Rules: Identity{rs.Name, rs.Tag.String(), r.Title()},
		Digest: Digest{o.Digest.Bytes, fmt.Sprintf("%016x", o.Digest.CRC64),
			hex.EncodeToString(o.Digest.SHA256[:])},
		Quick: o.Quick,
	}
}

// maker makes a report.
type maker struct {
	ctx    context.Context
	table  *Table
	o      Options
	report *Report
	census *census

	threats, unreachable bitset
}

// count counts the main phase by value, distance, threat and pieces.
func (m *maker) count() (err error) {
	if m.threats, err = findThreats(m.ctx, m.table, m.o.spans[rules.Main], m.o.Threads, m.o.Progress); err != nil {
		return err
	}
	if m.unreachable, err = findUnreachable(m.ctx, m.table, m.o.spans[rules.Main], m.o.Threads, m.o.Progress); err != nil {
		return err
	}
	if m.census, err = takeCensus(m.ctx, m.table, m.threats, m.unreachable, m.o.spans[rules.Main], m.o.Threads, m.o.Progress); err != nil {
		return err
	}
	moverOwns, err := countOver(m.ctx, m.table, m.o.spans[rules.Main], m.o.Threads, m.o.Progress)
	if err != nil {
		return err
	}
	r := m.report
	r.Main = censusOf(m.among(0))
	r.Main.MoverOwnsLine = moverOwns
	r.Threats = m.threatsAmong(0)
	r.Reachable.Census = censusOf(m.among(reachable))
	r.Reachable.Threats = m.threatsAmong(reachable)
	for set := range 256 {
		only := func(kinds int) Counts {
			return countsOf(m.census.sum(func(s uint8, kind int) bool { return int(s) == set && kind&kinds == kinds }))
		}
		r.Pieces = append(r.Pieces, PieceSet{White: letters(uint8(set)&15, "PNBR"), Black: letters(uint8(set)>>4, "pnbr"),
			Counts: only(0), Reachable: only(reachable)})
	}
	return nil
}

// among adds up the positions of some kinds.
func (m *maker) among(kinds int) *tally {
	return m.census.sum(func(_ uint8, kind int) bool { return kind&kinds == kinds })
}

// letters writes a set of pieces.
func letters(set uint8, names string) string {
	s := ""
	for i := range len(names) {
		if set>>i&1 == 1 {
			s += names[i : i+1]
		}
	}
	return s
}

// threatsAmong counts threats among all positions, or those of a kind.
func (m *maker) threatsAmong(kinds int) Threats {
	sum := m.among(threatened | kinds)
	t := Threats{Counts: countsOf(sum), LossesInTwo: sum.count[2]}
	graph := m.table.rules.Graph()
	for _, index := range m.census.zugzwangs {
		if kinds == reachable && m.unreachable.has(index) {
			continue
		}
		t.Zugzwangs++
		if kinds == 0 && graph.Index(graph.Position(index)) == index {
			t.List = append(t.List, m.example(rules.Main, index))
		}
	}
	return t
}

func countsOf(t *tally) Counts {
	wins, losses, draws := t.values()
	return Counts{wins, losses, draws}
}

func censusOf(t *tally) Census {
	return Census{Counts: countsOf(t), Distances: trimmed(t.count[:drawn])}
}

// trimmed returns numbers without the zeros at their end.
func trimmed(numbers []uint64) []uint64 {
	n := len(numbers)
	for n > 0 && numbers[n-1] == 0 {
		n--
	}
	return append([]uint64{}, numbers[:n]...)
}

// example spells a position out.
func (m *maker) example(section rules.Section, index uint64) Example {
	p, _ := tictacchec.FromIndex(section, index)
	return m.exampleOf(p)
}

func (m *maker) exampleOf(p tictacchec.Position) Example {
	section, index := p.Index()
	return Example{p.String(), p.Key(), section == rules.Opening || !m.unreachable.has(index)}
}

// opening counts the opening by ply, with all its moves.
func (m *maker) opening() error {
	tallies := countOpening(m.table, m.o.spans[rules.Opening])
	chosen, err := countOpeningChoices(m.ctx, m.table, m.o.spans[rules.Opening], m.o.Threads, m.o.Progress)
	if err != nil {
		return err
	}
	all := new(tally)
	for ply := range tallies {
		all.add(&tallies[ply])
		c := choicesOf(chosen[ply])
		m.report.Plies = append(m.report.Plies, Ply{Ply: ply, Counts: countsOf(&tallies[ply]), Moves: c.Moves,
			MovesInDraws: c.MovesInDraws, DrawingMoves: c.DrawingMoves, AllDraw: c.AllDraw, OneDraws: c.OneDraws})
	}
	m.report.Opening = censusOf(all)
	m.longest(rules.Opening, "all", all)
	return nil
}

// longest adds the longest win and loss that a tally knows of.
func (m *maker) longest(section rules.Section, among string, t *tally) {
	for _, value := range []rules.Value{rules.Win, rules.Loss} {
		for d := drawn - 1; d > 0; d-- {
			if t.count[d] == 0 || rules.EntryOf(rules.Code(d)).Value != value {
				continue
			}
			e := Extreme{Section: section.String(), Among: among, Value: value.String(), Plies: d, Positions: t.count[d], Example: m.example(section, t.first[d])}
			if all := m.report.extreme(e.Section, e.Value); among == "all" || e.Plies != all.Plies || e.Positions != all.Positions || e.Key != all.Key {
				m.report.Longest = append(m.report.Longest, e)
			}
			break
		}
	}
}

// lines replays everything that is shown as a line.
func (m *maker) lines() error {
	m.longest(rules.Main, "all", m.among(0))
	m.longest(rules.Main, "reachable", m.among(reachable))
	for i := range m.report.Longest {
		e := &m.report.Longest[i]
		p, _, err := tictacchec.Parse(e.Position)
		if err != nil {
			return err
		}
		if e.Line, err = m.table.line(p); err != nil {
			return err
		}
	}
	list, err := m.table.explore(tictacchec.Start())
	if err != nil {
		return err
	}
	m.report.Start = choice(0, tictacchec.Start(), list)
	if m.report.Lasso, err = m.table.line(tictacchec.Start()); err != nil {
		return err
	}
	for _, e := range published(m.table.rules.Ruleset().Tag).examples {
		p, _, err := tictacchec.Parse(e.position)
		if err != nil {
			return err
		}
		list, err := m.table.explore(p)
		if err != nil {
			return err
		}
		m.report.Examples = append(m.report.Examples, Shown{e.what, choice(0, p, list), m.exampleOf(p).Reachable})
	}
	for _, p := range m.o.From {
		l, err := m.table.line(p)
		if err != nil {
			return err
		}
		m.report.From = append(m.report.From, l)
	}
	return nil
}

// choices goes over all moves of the main phase.
func (m *maker) choices() error {
	if m.o.Quick {
		return nil
	}
	lost, err := findLosing(m.ctx, m.table, m.o.decided, m.o.Threads, m.o.Progress)
	if err != nil {
		return err
	}
	defer lost.free()
	all, reached, err := countChoices(m.ctx, m.table, lost, m.threats, m.unreachable, m.o.spans[rules.Main], m.o.Threads, m.o.Progress)
	if err != nil {
		return err
	}
	if m.report.Choices, err = m.choicesFound(all); err != nil {
		return err
	}
	m.report.Reachable.Choices, err = m.choicesFound(reached)
	return err
}

func (m *maker) choicesFound(c *choices) (*Choices, error) {
	found := choicesOf(c)
	for legal := len(c.narrowest) - 1; legal >= 0; legal-- {
		if index := c.narrowest[legal]; index != none {
			p, _ := tictacchec.FromIndex(rules.Main, index)
			list, err := m.table.explore(p)
			if err != nil {
				return nil, err
			}
			narrow := choice(0, p, list)
			found.Narrowest = &narrow
			break
		}
	}
	return found, nil
}

// choicesOf puts what was counted into words.
func choicesOf(c *choices) *Choices {
	found := &Choices{MostFrom: c.most, Drawn: trimmed(c.drawn[:]), Drawing: trimmed(c.drawing[:]), Shares: c.shares[:],
		Threatened: trimmed(c.answered[:]), Parries: trimmed(c.parries[:]), WinsInOne: trimmed(c.completing[:]),
		WinsInOneAll: trimmed(c.besides[:]), Winning: trimmed(c.winning[:]), Fastest: trimmed(c.fastest[:]),
		Resisting: trimmed(c.resisting[:]), AllDraw: c.shares[10], OneDraws: c.drawing[1]}
	for before, row := range c.edges {
		for after, n := range row {
			found.Moves += n
			if rules.Value(before) == rules.Loss {
				found.FromLosses += n
			}
			if rules.Value(after) != rules.Draw {
				found.IntoDecided += n
			}
			if rules.Value(before) == rules.Draw {
				found.MovesInDraws += n
				if rules.Value(after) == rules.Draw {
					found.DrawingMoves += n
				}
			}
		}
	}
	for _, v := range classes {
		a := c.answers[v]
		found.Answers = append(found.Answers, Answers{v.String(), a.positions, a.moves, a.parrying, a.keeping})
	}
	return found
}

// compare compares all tables with one another.
func (m *maker) compare() error {
	if len(m.o.Others) == 0 {
		return nil
	}
	tables := []*tictacchec.Rules{m.table.rules}
	for _, other := range m.o.Others {
		tables = append(tables, other.Rules)
	}
	pairs := pairsOf(len(tables))
	for _, p := range pairs {
		m.report.Comparisons = append(m.report.Comparisons, Comparison{From: tables[p.a].Ruleset().Name, To: tables[p.b].Ruleset().Name})
	}
	for section := range rules.Section(rules.Sections) {
		found, err := compareTables(m.ctx, m.table, m.o.Others, section, m.o.spans[section], m.o.Threads, m.o.Progress)
		if err != nil {
			return err
		}
		for i, p := range pairs {
			matrix, err := m.matrixOf(section, &found[i], p)
			if err != nil {
				return err
			}
			m.report.Comparisons[i].Sections = append(m.report.Comparisons[i].Sections, matrix)
		}
	}
	return nil
}

func (m *maker) matrixOf(section rules.Section, found *matrix, p pair) (Matrix, error) {
	result := Matrix{Section: section.String()}
	changed := func(index uint64) (Changed, error) {
		from, err := m.lookUp(p.a, section, index)
		if err != nil {
			return Changed{}, err
		}
		to, err := m.lookUp(p.b, section, index)
		return Changed{m.example(section, index), from.String(), to.String()}, err
	}
	for x, value := range classes {
		row := Row{Counts: Counts{found.count[x][0], found.count[x][1], found.count[x][2]}}
		for y, n := range found.count[x] {
			if x == y {
				continue
			}
			result.Changed += n
			if n > 0 {
				var err error
				if row.First[y], err = changed(found.first[x][y]); err != nil {
					return Matrix{}, err
				}
			}
		}
		result.Rows = append(result.Rows, row)
		if found.farther[x] > 0 {
			f := Farther{Value: value.String(), Positions: found.farther[x], Greatest: found.greatest[x], Count: found.most[x]}
			var err error
			if f.Example, err = changed(found.at[x]); err != nil {
				return Matrix{}, err
			}
			result.Farther = append(result.Farther, f)
		}
	}
	return result, nil
}

// lookUp looks a position up in one of the tables that are compared.
func (m *maker) lookUp(table int, section rules.Section, index uint64) (rules.Entry, error) {
	if table == 0 {
		return rules.EntryOf(m.table.section(section)[index]), nil
	}
	var one [1]rules.Code
	err := m.o.Others[table-1].Source.Codes(section, index, one[:])
	return rules.EntryOf(one[0]), err
}
