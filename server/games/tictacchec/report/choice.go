package report

import (
	"context"
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"solved/rules"
	"solved/rules/tictacchec"
)

// byMoves counts positions by a number of moves, 0 to MaxMoves.
type byMoves [tictacchec.MaxMoves + 1]uint64

// choices is what a pass over all moves counts, of positions in which the game goes
// on.
type choices struct {
	// edges counts moves by the value of the position before and after them, each
	// for the side to move there. The value after a move is rules.Unknown when the
	// game is over, which is a loss, too.
	edges [values][values]uint64
	most  int // moves of one position

	// drawn counts drawn positions by their legal moves, drawing by those that draw;
	// answered counts those under a live threat by the moves that draw.
	drawn, drawing, answered byMoves
	// shares counts drawn positions by the share of moves that draw, in tenths of the
	// legal moves, rounded down; ten tenths are all.
	shares [11]uint64
	// answers adds up positions under a live threat that are not won at once, by
	// value; parries counts them by the moves that leave the other side no win in 1.
	answers [values]answers
	parries byMoves
	// completing counts wins in 1 by the moves that end the game, besides by those
	// that win at all; winning counts all wins by the moves that win, fastest by the
	// moves that win soonest.
	completing, besides, winning, fastest byMoves
	// resisting counts losses by the moves that lose latest.
	resisting byMoves

	// narrowest is, for each number of legal moves, the first drawn position of which
	// one move draws; none if there is none.
	narrowest [tictacchec.MaxMoves + 1]uint64
}

// answers is what can be done against a threat.
type answers struct {
	positions, moves uint64
	parrying         uint64 // moves after which the other side has no win in 1
	keeping          uint64 // moves that keep the position's value
}

// values is how many values of type rules.Value there are, rules.Unknown included.
const values = int(rules.Draw) + 1

func newChoices() *choices {
	c := new(choices)
	for i := range c.narrowest {
		c.narrowest[i] = none
	}
	return c
}

// see counts a position of an index, in a section, by the codes after its moves, as
// often as it has mirror images that are not looked at.
func (c *choices) see(own rules.Code, after []rules.Code, threat bool, index, weight uint64) {
	if len(after) == 0 {
		return
	}
	var over, lost, won, wonAtOnce, drawing int
	nearest, farthest := rules.Code(rules.CodeDraw), rules.Code(0)
	for _, code := range after {
		// Without branches that would be mispredicted.
		odd := code & 1
		draw := code >> 7
		drawing += int(draw)
		won += int(odd &^ draw)
		over += int(isZero(code))
		wonAtOnce += int(isZero(code ^ 1))
		nearest = min(nearest, code|-odd)
		farthest = max(farthest, code&^-draw)
	}
	legal := len(after)
	lost = legal - won - drawing
	value := rules.EntryOf(own).Value
	c.most = max(c.most, legal)
	edges := &c.edges[value]
	edges[rules.Unknown] += weight * uint64(over)
	edges[rules.Loss] += weight * uint64(lost-over)
	edges[rules.Win] += weight * uint64(won)
	edges[rules.Draw] += weight * uint64(drawing)
	if threat && own != 1 {
		kept := legal - wonAtOnce
		keeping := [values]int{rules.Win: lost, rules.Draw: drawing, rules.Loss: legal}[value]
		c.parries[kept] += weight
		a := &c.answers[value]
		a.positions += weight
		a.moves += weight * uint64(legal)
		a.parrying += weight * uint64(kept)
		a.keeping += weight * uint64(keeping)
	}
	switch value {
	case rules.Draw:
		c.seeDraw(legal, drawing, threat, index, weight)
	case rules.Win:
		c.winning[lost] += weight
		c.fastest[count(after, nearest)] += weight
		if own == 1 {
			c.completing[over] += weight
			c.besides[lost] += weight
		}
	case rules.Loss:
		c.resisting[count(after, farthest)] += weight
	}
}

// seeQuiet counts a drawn position without a threat by its legal and its drawing moves.
// The others lose, as in a draw no move wins.
func (c *choices) seeQuiet(legal, drawing int, index, weight uint64) {
	c.most = max(c.most, legal)
	c.edges[rules.Draw][rules.Draw] += weight * uint64(drawing)
	c.edges[rules.Draw][rules.Win] += weight * uint64(legal-drawing)
	c.seeDraw(legal, drawing, false, index, weight)
}

// seeDraw counts what see and seeQuiet count alike.
func (c *choices) seeDraw(legal, drawing int, threat bool, index, weight uint64) {
	c.drawn[legal] += weight
	c.drawing[drawing] += weight
	c.shares[10*drawing/legal] += weight
	if threat {
		c.answered[drawing] += weight
	}
	if drawing == 1 {
		c.narrowest[legal] = min(c.narrowest[legal], index)
	}
}

// isZero is 1 for 0 and else 0.
func isZero(c rules.Code) uint8 { return uint8(bits.LeadingZeros8(c)) >> 3 }

func count(codes []rules.Code, code rules.Code) (n int) {
	for _, c := range codes {
		if c == code {
			n++
		}
	}
	return n
}

func (c *choices) add(d *choices) {
	for i := range c.edges {
		for j := range c.edges[i] {
			c.edges[i][j] += d.edges[i][j]
		}
	}
	c.most = max(c.most, d.most)
	for i := range c.shares {
		c.shares[i] += d.shares[i]
	}
	for v := range c.answers {
		a, b := &c.answers[v], &d.answers[v]
		a.positions += b.positions
		a.moves += b.moves
		a.parrying += b.parrying
		a.keeping += b.keeping
	}
	for i := range c.drawn {
		c.drawn[i] += d.drawn[i]
		c.drawing[i] += d.drawing[i]
		c.answered[i] += d.answered[i]
		c.parries[i] += d.parries[i]
		c.completing[i] += d.completing[i]
		c.besides[i] += d.besides[i]
		c.winning[i] += d.winning[i]
		c.fastest[i] += d.fastest[i]
		c.resisting[i] += d.resisting[i]
		c.narrowest[i] = min(c.narrowest[i], d.narrowest[i])
	}
}

// losing counts, for one of each pair of mirror images of the main phase, the moves that
// lead to a decided position: in a draw, those that lose. Most moves lead from draws to
// draws, and are not looked at at all, as they are known by their number.
type losing struct {
	words []uint32 // a byte for each index
	free  func()
}

func newLosing() (*losing, error) {
	memory, free, err := newMemory((tictacchec.MainPositions + 3) / 4 * 4)
	if err != nil {
		return nil, err
	}
	return &losing{unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/4), free}, nil
}

// add counts a move from the position with an index. It may be called concurrently. A
// byte never overflows, as there are at most MaxMoves.
func (l *losing) add(index uint64) { atomic.AddUint32(&l.words[index>>2], 1<<(index&3*8)) }

func (l *losing) count(index uint64) int { return int(l.words[index>>2] >> (index & 3 * 8) & 0xff) }

// losingBatch is about how many moves are found before the first is counted, so that the
// waits for memory overlap.
const losingBatch = 4096

// choicePiece is how many positions of the main phase a goroutine takes at a time.
const choicePiece = 1 << 18

// findLosing goes back from the decided positions among the spans, of which one of each
// pair of mirror images is enough.
func findLosing(ctx context.Context, t *Table, spans []span, threads int, tell progress) (*losing, error) {
	found, err := newLosing()
	if err != nil {
		return nil, err
	}
	graph := t.rules.Graph()
	codes := t.section(rules.Main)
	err = concurrently(ctx, threads, cut(spans, choicePiece), tell, "going back from wins and losses", func(_ int, s span) error {
		batch := make([]uint64, 0, 2*losingBatch)
		before := make([]tictacchec.Position, 0, tictacchec.MaxMoves)
		count := func() {
			for _, index := range batch {
				found.add(index)
			}
			batch = batch[:0]
		}
		for from, to := range graph.Representatives(s.from, s.to) {
			for index := from; index < to; index++ {
				if codes[index] == rules.CodeDraw {
					continue
				}
				before = graph.Predecessors(graph.Position(index), before[:0])
				for _, p := range before {
					batch = append(batch, graph.Index(p))
				}
				if len(batch) >= losingBatch {
					count()
				}
			}
		}
		count()
		return nil
	})
	if err != nil {
		found.free()
		return nil, err
	}
	return found, nil
}

// chooserBatch is how many positions have the codes after their moves read together.
const chooserBatch = 128

// chooser looks at the codes after all moves of positions. It is one goroutine's.
type chooser struct {
	table   *Table
	section rules.Section
	visit   func(index uint64, own rules.Code, after []rules.Code)

	indices    []uint64
	successors []uint64
	ends       []int
	codes      []rules.Code
}

// look takes a position, to be visited now or later.
func (c *chooser) look(index uint64) {
	c.indices = append(c.indices, index)
	if c.section == rules.Opening {
		c.successors = openingMoves(index, c.successors)
		c.ends = append(c.ends, len(c.successors))
	} else {
		c.successors, c.ends = c.table.rules.Successors(rules.Main, index, 1, c.successors, c.ends)
	}
	if len(c.indices) == chooserBatch {
		c.flush()
	}
}

// openingMoves appends the numbers of the positions after each placement, or of their
// mirror images.
func openingMoves(index uint64, dst []uint64) []uint64 {
	before := len(dst)
	dst = tictacchec.OpeningLayers{}.Children(index, dst)
	if last, _ := tictacchec.OpeningPly(tictacchec.OpeningPlies - 1); index < last {
		for i := range dst[before:] {
			dst[before+i] += tictacchec.MainPositions
		}
	}
	return dst
}

// flush visits what has not been visited.
func (c *chooser) flush() {
	c.codes = c.codes[:0]
	for _, number := range c.successors {
		c.codes = append(c.codes, c.table.codes[number])
	}
	own := c.table.section(c.section)
	start := 0
	for i, index := range c.indices {
		c.visit(index, own[index], c.codes[start:c.ends[i]])
		start = c.ends[i]
	}
	c.indices, c.successors, c.ends = c.indices[:0], c.successors[:0], c.ends[:0]
}

// countChoices counts all moves of spans of the main phase: of one of each pair of
// mirror images, which counts twice. The second result leaves the unreachable positions
// out.
//
// Drawn positions without a threat, nine in ten, have their moves counted and those that
// lose subtracted. Of all others every move is looked at.
func countChoices(ctx context.Context, t *Table, lost *losing, threats, unreachable bitset, spans []span, threads int, tell progress) (all, reached *choices, err error) {
	all, reached = newChoices(), newChoices()
	graph := t.rules.Graph()
	codes := t.section(rules.Main)
	var mu sync.Mutex // guards all and reached
	err = concurrently(ctx, threads, cut(spans, choicePiece), tell, "counting moves", func(_ int, s span) error {
		possible, impossible := newChoices(), newChoices()
		of := func(index uint64) *choices {
			if unreachable.has(index) {
				return impossible
			}
			return possible
		}
		weight := func(index uint64) uint64 { return min(index+1, 2) } // the empty board is its own mirror image
		c := chooser{table: t, section: rules.Main, visit: func(index uint64, own rules.Code, after []rules.Code) {
			of(index).see(own, after, threats.has(index), index, weight(index))
		}}
		for from, to := range graph.Representatives(s.from, s.to) {
			for index := from; index < to; index++ {
				if codes[index] != rules.CodeDraw || threats.has(index) {
					c.look(index)
					continue
				}
				legal := t.rules.CountMoves(graph.Position(index))
				of(index).seeQuiet(legal, legal-lost.count(index), index, weight(index))
			}
		}
		c.flush()
		mu.Lock()
		defer mu.Unlock()
		all.add(possible)
		all.add(impossible)
		reached.add(possible)
		return nil
	})
	return all, reached, err
}

// countOpeningChoices goes over all moves of spans of the opening, by ply.
func countOpeningChoices(ctx context.Context, t *Table, spans []span, threads int, tell progress) (plies [tictacchec.OpeningPlies]*choices, err error) {
	for ply := range plies {
		plies[ply] = newChoices()
	}
	pieces, plyOf := cutByPly(spans, choicePiece)
	var mu sync.Mutex // guards plies
	err = concurrently(ctx, threads, pieces, tell, "going over the moves of the opening", func(i int, s span) error {
		found := newChoices()
		c := chooser{table: t, section: rules.Opening, visit: func(index uint64, own rules.Code, after []rules.Code) {
			found.see(own, after, false, index, min(index+1, 2))
		}}
		for index := s.from; index < s.to; index++ {
			// As in the main phase, one of each pair of mirror images is enough; the empty
			// board is its own.
			if (tictacchec.OpeningLayers{}).Representative(index) == index {
				c.look(index)
			}
		}
		c.flush()
		mu.Lock()
		defer mu.Unlock()
		plies[plyOf[i]].add(found)
		return nil
	})
	return plies, err
}
