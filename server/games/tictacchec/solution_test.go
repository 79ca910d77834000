package tictacchec_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"solved/rules"
	"solved/rules/tictacchec"
	tictacchecgame "solved/server/games/tictacchec"
	"solved/server/games/tictacchec/tictacchectest"
)

// solutionPage reads the page for players, in one line.
func solutionPage(t *testing.T) (text, oneLine string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "rules", "tictacchec", "SOLUTION.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b), strings.Join(strings.Fields(string(b)), " ")
}

// page is the page for players, and what is held against it.
type page struct {
	*testing.T
	text, oneLine string
	rules         *tictacchec.Rules
	entries       tictacchecgame.EntryReader
}

func newPage(t *testing.T, name string) page {
	r := tictacchectest.RulesNamed(t, name)
	text, oneLine := solutionPage(t)
	return page{t, text, oneLine, r, tictacchectest.EntriesOf(tictacchectest.EmbeddedProber(t, name))}
}

// says demands that a sentence is on the page.
func (p page) says(format string, args ...any) {
	p.Helper()
	if s := fmt.Sprintf(format, args...); !strings.Contains(p.oneLine, strings.Join(strings.Fields(s), " ")) {
		p.Errorf("the page does not say %q", s)
	}
}

// shows demands that a position's diagram is on the page.
func (p page) shows(position tictacchec.Position) {
	p.Helper()
	if !strings.Contains(p.text, "```\n"+position.Diagram()+"```\n") {
		p.Errorf("the page does not show\n%s", position.Diagram())
	}
}

// Values looks positions up.
func (p page) Values(positions []tictacchec.Position) []rules.Entry {
	p.Helper()
	out := make([]rules.Entry, len(positions))
	if err := p.entries.Entries(positions, out); err != nil {
		p.Fatal(err)
	}
	return out
}

// choice is a position with its moves, and what they lead to for the side that makes
// them.
type choice struct {
	entry   rules.Entry
	moves   []tictacchec.Move
	entries []rules.Entry // after each
}

func (p page) choice(position tictacchec.Position) choice {
	p.Helper()
	c := choice{entry: p.Values([]tictacchec.Position{position})[0], moves: p.rules.Moves(position, nil)}
	var after []tictacchec.Position
	for _, m := range c.moves {
		after = append(after, p.rules.Play(position, m))
	}
	c.entries = p.Values(after)
	for i := range c.entries {
		c.entries[i].Value = c.entries[i].Value.Negate()
	}
	return c
}

// with lists the moves that come to a value.
func (c choice) with(v rules.Value) (list []string) {
	for i, e := range c.entries {
		if e.Value == v {
			list = append(list, c.moves[i].String())
		}
	}
	return list
}

// lines lists the moves that complete a line.
func (c choice) lines() (list []string) {
	for i, e := range c.entries {
		if e == (rules.Entry{Value: rules.Win}) {
			list = append(list, c.moves[i].String())
		}
	}
	return list
}

// TestSolution holds the page for players against the embedded tables: its boards, its
// lines, and the figures about them.
func TestSolution(t *testing.T) {
	p := newPage(t, tictacchec.CanonicalName)

	// All positions that are written are positions, and those with few words are right.
	positions := regexp.MustCompile(`[1-4PNBRpnbr]+(/[1-4PNBRpnbr]+){3} [wb] [ud-]{2} [om]`).FindAllString(p.oneLine, -1)
	if len(positions) < 9 {
		t.Errorf("only %d positions are on the page", len(positions))
	}
	for _, text := range positions {
		if position := tictacchectest.Parse(t, text); !p.rules.Reachable(position) {
			t.Errorf("%s cannot occur", text)
		}
	}

	t.Run("trap", func(t *testing.T) {
		position := tictacchectest.Parse(t, "P2N/4/2r1/4 b d- o")
		p.shows(position)
		c := p.choice(position)
		p.says("`%s`, %d of the %d placements lose", position, len(c.with(rules.Loss)), len(c.moves))
		p.says("has more that do; %d draw.", len(c.with(rules.Draw)))
		p.Line(position, "P@b2,R@b4,N@c4,B@b3", "Should Black place the pawn on b2, `P@b2`, White wins in five: `R@b4` makes "+
			"three on the row, `N@c4` fills the gap, and `B@b3`", 5)
	})
	t.Run("zugzwang", func(t *testing.T) {
		position := tictacchectest.Parse(t, "2b1/2n1/P1N1/RBp1 w du m")
		p.shows(position)
		c := p.choice(position)
		if len(c.moves) != 3 || c.entry != (rules.Entry{Value: rules.Loss, Distance: 2}) {
			t.Errorf("%d moves, %s", len(c.moves), c.entry)
		}
		for _, m := range c.moves {
			if m.Piece != tictacchec.WhiteKnight {
				t.Errorf("%s is no move of the knight", m)
			}
			after := p.choice(p.rules.Play(position, m))
			if lines := after.lines(); len(lines) != 1 || lines[0] != "R@c2" {
				t.Errorf("after %s these are lines: %s", m, lines)
			}
		}
		// If White could pass, Black could not complete a line.
		passed := tictacchectest.Parse(t, "2b1/2n1/P1N1/RBp1 b du m")
		if lines := p.choice(passed).lines(); len(lines) != 0 {
			t.Errorf("Black threatens %s", lines)
		}
	})
	t.Run("narrow", func(t *testing.T) {
		position := tictacchectest.Parse(t, "b3/p3/4/n3 w -d m")
		p.shows(position)
		c := p.choice(position)
		p.says("Here White has %d moves, and %d of them lose.", len(c.moves), len(c.with(rules.Loss)))
		p.says("`%s`, and only the rook holds: `%s`.", position, strings.Join(c.with(rules.Draw), " "))
	})
	t.Run("longest", func(t *testing.T) {
		position := tictacchectest.Parse(t, "Pb2/n1R1/2rp/N3 w dd m")
		p.shows(position)
		end := strings.Index(p.text, "## Perfect play")
		begin := strings.Index(p.text, "\n 1. `")
		if begin < 0 || end < begin {
			t.Fatal("there is no line")
		}
		var line []string
		for _, m := range regexp.MustCompile(`(?m)^ [1-5]\. .*$`).FindAllString(p.text[begin:end], -1) {
			for _, move := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(m, -1) {
				line = append(line, move[1])
			}
		}
		plies, only, rooks, knights := 0, 0, 0, 0
		for at := position; !at.Terminal(); plies++ {
			if plies == len(line) {
				t.Fatal("the line ends before the game")
			}
			c := p.choice(at)
			if plies%2 == 0 && len(c.with(rules.Win)) == 1 {
				only++
			}
			m, err := p.rules.ParseMove(at, line[plies])
			if err != nil {
				t.Fatal(err)
			}
			if victim, ok := at.Captured(m); ok && plies >= 15 {
				switch victim {
				case tictacchec.WhiteRook:
					rooks++
				case tictacchec.BlackKnight:
					knights++
				}
			}
			next := p.rules.Play(at, m)
			if e := p.Values([]tictacchec.Position{next})[0]; e.Distance+1 != c.entry.Distance {
				t.Errorf("after ply %d, %s: %s, before that %s", plies+1, m, e, c.entry)
			}
			at = next
		}
		p.says("No win takes longer than %d plies, %d moves of the winner's", plies, (plies+1)/2)
		p.says("At %d of the %d moves only one wins.", only, (plies+1)/2)
		p.says("The rook is taken %s times and the knight %s:", [8]string{6: "six", 7: "seven"}[rooks], [8]string{6: "six", 7: "seven"}[knights])
		loss := tictacchectest.Parse(t, tictacchecgame.ExtremesOf[tictacchec.CanonicalName].Loss)
		p.says("The longest loss takes %d plies, `%s`.", p.choice(loss).entry.Distance, loss)
	})
	t.Run("perfect play", func(t *testing.T) {
		// The line that always takes the first drawing move, placements first.
		at := tictacchec.Start()
		seen := map[tictacchec.Position]int{}
		for ply := 0; ; ply++ {
			if first, ok := seen[at]; ok {
				p.says("the position after %d plies comes back after %d.", first, ply)
				break
			}
			seen[at] = ply
			c := p.choice(at)
			if ply == 19 {
				p.shows(at)
				draws := c.with(rules.Draw)
				p.says("On the way, after %d, Black is close to the edge: %d moves, of which three draw, and the other %d lose at once.",
					ply, len(c.moves), len(c.with(rules.Loss)))
				p.says("`%s`, `%s` and `%s` take a piece out of the row", draws[0], draws[1], draws[2])
				p.says("'%s'", at)
			}
			at = p.rules.Play(at, leastMove(t, c))
		}
	})
}

// placements counts ways to make the fourth placement, Black's second.
type placements struct {
	made, lose uint64
	// by what Black then has on the board, and by what stands on a line that White's two
	// pieces share
	pairs                             map[string][2]uint64
	sharedFree, sharedTaken, unshared [2]uint64
	most                              int // that lose in one position
}

// lineSets are the lines as sets of squares.
func lineSets() (lines []uint16) {
	for i := range 4 {
		lines = append(lines, 0xf<<(4*i), 0x1111<<i)
	}
	return append(lines, 0x8421, 0x1248)
}

// countPlacements counts those in every so many-th position of three placements, and
// demands that all positions up to there are drawn.
func (p page) countPlacements(every uint64) placements {
	p.Helper()
	n := placements{pairs: map[string][2]uint64{}}
	ends := tictacchec.OpeningLayers{}.Ends()
	for index := uint64(0); index < ends[3]; index++ {
		if index >= ends[2] && index%every != 0 {
			continue
		}
		position, _ := tictacchec.FromIndex(rules.Opening, index)
		if index < ends[2] {
			if e := p.Values([]tictacchec.Position{position})[0]; e.Value != rules.Draw {
				p.Errorf("%s: %s", position, e)
			}
			continue
		}
		c := p.choice(position)
		if c.entry.Value != rules.Draw {
			p.Errorf("%s: %s", position, c.entry)
		}
		for i, m := range c.moves {
			after := p.rules.Play(position, m)
			var sides [2]uint16
			pair := ""
			for piece := range tictacchec.Piece(tictacchec.Pieces) {
				if s, ok := after.SquareOf(piece); ok {
					sides[piece.Owner()] |= 1 << s
					if piece.Owner() == rules.Black {
						pair += string(piece.Letter())
					}
				}
			}
			where := &n.unshared
			for _, line := range lineSets() {
				if sides[rules.White]&^line == 0 {
					where = &n.sharedFree
					if sides[rules.Black]&line != 0 {
						where = &n.sharedTaken
					}
				}
			}
			lost := uint64(0)
			if c.entries[i].Value == rules.Loss {
				lost = 1
			}
			n.made++
			n.lose += lost
			where[0]++
			where[1] += lost
			n.pairs[pair] = [2]uint64{n.pairs[pair][0] + 1, n.pairs[pair][1] + lost}
		}
		n.most = max(n.most, len(c.with(rules.Loss)))
	}
	return n
}

// TestSolutionOpening counts what the page says of the opening, under each ruleset: in
// the table in the directory that SOLVED_TABLES names (see TestKernelAnswers), or else in
// every 128th position, by the embedded table.
func TestSolutionOpening(t *testing.T) {
	all := map[string]uint64{tictacchec.CanonicalName: 120_808, tictacchec.OutboundName: 130_840, tictacchec.TowardOpponentName: 130_796}
	some := map[string]uint64{tictacchec.CanonicalName: 720, tictacchec.OutboundName: 789, tictacchec.TowardOpponentName: 789}
	for name := range all {
		t.Run(name, func(t *testing.T) {
			p := newPage(t, name)
			table := tictacchectest.SolvedTable(t, p.rules)
			if table == nil {
				n := p.countPlacements(128)
				if n.lose != some[name] {
					t.Errorf("%d of %d placements lose, want %d", n.lose, n.made, some[name])
				}
				return
			}
			p.entries = tictacchecgame.TableEntries{Table: table}
			n := p.countPlacements(1)
			if n.lose != all[name] {
				t.Errorf("%d of %d placements lose, want %d", n.lose, n.made, all[name])
			}
			p.says("| %s |", tictacchectest.Grouped(n.lose))
			if name != tictacchec.CanonicalName {
				return
			}
			p.says("| Black's second | %s | %s (%.1f %%) |", tictacchectest.Grouped(n.made), tictacchectest.Grouped(n.lose), percent([2]uint64{n.made, n.lose}))
			p.says("save in %d of %s cases", n.sharedTaken[1], tictacchectest.Grouped(n.sharedTaken[0]))
			p.says("in all but %d of %s.", n.unshared[1], tictacchectest.Grouped(n.unshared[0]))
			p.says("all but %d have one thing in common", n.sharedTaken[1]+n.unshared[1])
			if most := len(p.choice(tictacchectest.Parse(t, "P2N/4/2r1/4 b d- o")).with(rules.Loss)); most != n.most {
				t.Errorf("in the trap %d placements lose, in another position %d", most, n.most)
			}
			for pair, names := range map[string]string{
				"pn": "pawn, knight | bishop, rook", "nb": "knight, bishop | pawn, rook", "br": "bishop, rook | pawn, knight",
				"nr": "knight, rook | pawn, bishop", "pb": "pawn, bishop | knight, rook", "pr": "pawn, rook | knight, bishop",
			} {
				digits := 1
				if percent(n.pairs[pair]) < 1 {
					digits = 2
				}
				p.says("| %s | %.*f %% |", names, digits, percent(n.pairs[pair]))
			}
			t.Logf("%+v", n)
		})
	}
}

// percent is how many percent are the second of the first.
func percent(n [2]uint64) float64 { return 100 * float64(n[1]) / float64(n[0]) }

// leastMove returns the least drawing move: placements first, by kind and square, then
// moves by source and target.
func leastMove(t *testing.T, c choice) tictacchec.Move {
	t.Helper()
	least, found := tictacchec.Move{}, false
	key := func(m tictacchec.Move) int {
		if m.From == tictacchec.NoSquare {
			return int(m.Piece.Kind())<<4 | int(m.To)
		}
		return 1<<16 | int(m.From)<<8 | int(m.To)
	}
	for i, m := range c.moves {
		if c.entries[i].Value == rules.Draw && (!found || key(m) < key(least)) {
			least, found = m, true
		}
	}
	if !found {
		t.Fatal("no move draws")
	}
	return least
}

// Line holds a line, of which the first move is a mistake and the others are the best,
// against a sentence; the win takes so many plies after the mistake.
func (p page) Line(from tictacchec.Position, moves, sentence string, plies uint8) {
	p.Helper()
	p.says("%s", sentence)
	for i, text := range strings.Split(moves, ",") {
		m, err := p.rules.ParseMove(from, text)
		if err != nil {
			p.Fatal(err)
		}
		from = p.rules.Play(from, m)
		if e := p.choice(from).entry; e.Value == rules.Draw || e.Distance != plies-uint8(i) {
			p.Errorf("%s after %s: %s", from, text, e)
		}
	}
}
