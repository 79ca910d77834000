package tictacchec

import (
	"math/bits"
	"sync"

	"solved/rules"
)

// Lookahead answers for any position from a few known losses and a short search.
//
// A position is won exactly when a move leads to a loss, so whoever can tell the
// losses can tell everything. Most losses need no storage. A loss in 2 is seen on
// the board. And where the side to move has little choice, because a threat has
// to be parried or because few moves do not lose at once, a short search finds
// the win against each of its moves:
//
//	threat to be parried, one move parries:   up to 4 moves of the loser
//	                      two:                up to 3
//	                      more:               up to 2
//	no threat, but at most 4 moves are open:  up to 2
//	opening, ply 5:                           the placement to come
//
// The search takes the known losses into account wherever it comes across them.
// What it cannot find is known: [Rules.Losses] gives exactly that, for a solved
// table.
//
// All methods are safe for concurrent use, once no more losses are added.
type Lookahead struct {
	rules *Rules
	known lossSet
	// searchers are kept between uses: clearing one takes as long as a short
	// search.
	searchers sync.Pool
}

// LookaheadVersion names the search. A set of known losses is good only for the
// search that it was made for, so a file of them states this number, and any
// change to what the search finds must change it.
const LookaheadVersion = 1

// The number of the loser's moves that a search may look ahead, by the number of
// moves that do not lose at once (the last entry stands for all greater numbers):
// with a threat to be parried, and without. Found by trial: more would make the
// set of known losses a little smaller and some answers much slower.
var (
	depthThreatened = [...]int{0, 4, 3, 2}
	depthQuiet      = [...]int{0, 2, 2, 2, 2, 0}
)

const (
	maxDepth     = 4
	maxQuietOpen = len(depthQuiet) - 2
)

// noLoss is the distance of what is not known to be lost (or won).
const noLoss = 0xff

// NewLookahead returns a Lookahead that knows the given number of losses, to be
// added by Add.
func NewLookahead(r *Rules, losses int) *Lookahead {
	l := &Lookahead{rules: r, known: newLossSet(losses)}
	l.searchers.New = func() any { return &searcher{Lookahead: l} }
	return l
}

// Add makes a loss known: a position, its distance in plies (4 to 62, even). It
// stands for the mirror image, too. Not more than the number given to
// NewLookahead may be added.
func (l *Lookahead) Add(p Position, distance uint8) { l.known.add(p.lossKey(), distance) }

// Entry returns the value and distance of a position.
func (l *Lookahead) Entry(p Position) rules.Entry {
	s := l.searchers.Get().(*searcher)
	defer l.searchers.Put(s)
	return s.entry(p)
}

// Entries sets out[i] to the entry of positions[i]. It allocates nothing.
func (l *Lookahead) Entries(positions []Position, out []rules.Entry) {
	s := l.searchers.Get().(*searcher)
	defer l.searchers.Put(s)
	for i, p := range positions {
		out[i] = s.entry(p)
	}
}

func (s *searcher) entry(p Position) rules.Entry {
	b := p.withSquares()
	if lineAt[b.own] == completeLine || lineAt[b.enemy] == completeLine {
		return rules.Entry{Value: rules.Loss}
	}
	if p.phase == MainPhase && s.rules.winsAtOnce(&b) {
		return rules.Entry{Value: rules.Win, Distance: 1}
	}
	if d := s.loss(&b, maxDepth); d != noLoss {
		return rules.Entry{Value: rules.Loss, Distance: d}
	}
	if d := s.win(&b, maxDepth); d != noLoss {
		return rules.Entry{Value: rules.Win, Distance: d}
	}
	return rules.Entry{Value: rules.Draw}
}

// Loss returns the distance of a lost position, and false for any other.
func (l *Lookahead) Loss(p Position) (distance uint8, ok bool) {
	b := p.withSquares()
	if lineAt[b.own] == completeLine || lineAt[b.enemy] == completeLine {
		return 0, true
	}
	s := l.searchers.Get().(*searcher)
	defer l.searchers.Put(s)
	d := s.loss(&b, maxDepth)
	return d, d != noLoss
}

// Generations is the number of generations in which [Lookahead.Find] tells the
// losses: those that are known, and those that a search finds over 1, 2, … of the
// loser's moves.
func (l *Lookahead) Generations() int { return maxDepth + 1 }

// Find calls found with the graph index and the distance of every loss beyond
// [GraphHorizon] that Loss finds by a search over at most generation moves of the
// loser and did not find over fewer; it may find others of them again. For wins it
// asks won, which must know those by a move to a loss of an earlier generation:
// so it finds just what the search does, without searching the same positions
// over and over. The work is cut into shards parts, of which this call does one,
// from 0; parts may run concurrently.
func (l *Lookahead) Find(generation, shard, shards int, won func(index uint64) (uint8, bool), found func(index uint64, distance uint8)) {
	graph := l.rules.Graph()
	n := 0
	mine := func() bool {
		n++
		return n%shards == shard
	}
	if generation == 0 {
		for _, slot := range l.known.slots {
			if p, distance, ok := unpackLoss(slot); ok && p.phase == MainPhase && mine() {
				found(graph.Index(p), distance)
			}
		}
		return
	}
	s := searcher{Lookahead: l, won: func(b *board) uint8 {
		if d, ok := won(graph.Index(b.SwapColours())); ok { // Black is to move
			return d
		}
		return noLoss
	}}
	search := func(b *board, t *threat) {
		if d := s.search(b, t, generation, generation); d != noLoss && d > GraphHorizon {
			found(graph.Index(b.Position), d)
		}
	}
	// Only where there is little choice is a position searched at all: either the
	// other side has three on a line, or the side to move has all its pieces on
	// the board and little room. White is to move; one of each pair of mirror
	// images is enough.
	eachSide(Position{}, 0, rules.Black, func(p Position, enemy uint16) {
		if lineAt[enemy] >= completeLine || !p.firstOnLeft() || !mine() {
			return
		}
		t := p.threatOf(rules.Black, enemy, lineAt[enemy])
		eachSide(p, enemy, rules.White, func(p Position, occupied uint16) {
			own := occupied &^ enemy
			b := board{p, own, enemy}
			if lineAt[own] == completeLine || b.held() > 0 && !l.rules.completes(&t, occupied, own) {
				return // nobody loses who can place a piece out of the way
			}
			search(&b, &t)
		})
	})
	eachSide(Position{}, 0, rules.White, func(p Position, own uint16) {
		if p.board != 15 || lineAt[own] == completeLine || !p.firstOnLeft() || leastMoves(p, own) > maxQuietOpen || !mine() {
			return
		}
		eachSide(p, own, rules.Black, func(p Position, occupied uint16) {
			if enemy := occupied &^ own; lineAt[enemy] == noLine {
				search(&board{p, own, enemy}, nil)
			}
		})
	})
}

// leastMoves returns a lower bound for the number of moves of White, who has all
// its pieces on the board, on the squares own, wherever Black stands: a knight
// can move to any square that is not its own side's, a slider at least to the
// next one on each ray.
func leastMoves(p Position, own uint16) int {
	bishop, rook := p.square(WhiteBishop), p.square(WhiteRook)
	return bits.OnesCount16(knightFrom[p.square(WhiteKnight)].set&^own) +
		bits.OnesCount16(bishopFrom[bishop][15].set&nextTo[bishop]&^own) +
		bits.OnesCount16(rookFrom[rook][15].set&nextTo[rook]&^own)
}

// searcher is one search at a time, with the boards of all its levels.
type searcher struct {
	*Lookahead
	// won, if not nil, gives the distance of a won position in place of win.
	won    func(*board) uint8
	levels [2*maxDepth + 2][MaxMoves]board
}

// loss returns the distance of a position that is known to be lost or that a
// search over at most depth moves of its side finds to be lost; noLoss for any
// other. Nobody must own a line yet. The result is never less than the true
// distance, and equal to it where the search is as deep as Entry's.
func (s *searcher) loss(b *board, depth int) uint8 {
	if b.phase == OpeningPhase {
		return s.openingLoss(b)
	}
	t, threatens := b.enemyThreat()
	if threatens {
		if s.rules.winsAtOnce(b) {
			return noLoss
		}
		if s.rules.parries(b, &t, 1) == 0 {
			return 2
		}
	}
	if d := s.known.distance(b.lossKey()); d != 0 {
		return d
	}
	switch {
	case depth == 0:
		return noLoss
	case threatens:
		if b.held() > 0 && !s.rules.completes(&t, b.own|b.enemy, b.own) {
			return noLoss // too many open moves
		}
		return s.search(b, &t, 1, depth)
	case b.held() > 0:
		return noLoss
	}
	return s.search(b, nil, 1, depth)
}

// search returns the distance of a position that is lost as far as the wins
// against each of its open moves are found; noLoss for any other. t is the other
// side's threat, nil for none. The depth is limited by the number of open moves;
// where that leaves less than least, nothing is found.
func (s *searcher) search(b *board, t *threat, least, depth int) uint8 {
	if t == nil {
		// Counting is cheaper than making the moves, and mostly ends it.
		open := 0
		for _, set := range s.rules.reached(b) {
			open += bits.OnesCount16(set)
		}
		if open > maxQuietOpen {
			return noLoss
		}
	}
	if s.rules.winsAtOnce(b) {
		return noLoss
	}
	level := &s.levels[2*depth%len(s.levels)]
	open := s.rules.replies(b, t, level)
	if t != nil && s.rules.completes(t, b.own|b.enemy, b.own) {
		depth = min(depth, depthThreatened[min(open, len(depthThreatened)-1)])
	} else {
		depth = min(depth, depthQuiet[min(open, maxQuietOpen+1)])
	}
	if depth < least {
		return noLoss
	}
	worst := uint8(1)
	for i := range level[:open] {
		var d uint8
		if s.won != nil {
			d = s.won(&level[i])
		} else {
			d = s.win(&level[i], depth-1)
		}
		if d == noLoss {
			return noLoss
		}
		worst = max(worst, d)
	}
	return worst + 1
}

// win returns the distance of a position from which a move leads to a loss, as
// far as loss finds it at that depth; noLoss for any other. The side to move must
// not be able to complete a line at once.
func (s *searcher) win(b *board, depth int) uint8 {
	if b.phase == OpeningPhase {
		return s.openingWin(b)
	}
	best := uint8(noLoss)
	level := &s.levels[(2*depth+1)%len(s.levels)]
	for i := range level[:s.rules.replies(b, nil, level)] {
		d := s.loss(&level[i], depth)
		if d == 2 {
			return 3
		}
		best = min(best, d)
	}
	if best == noLoss {
		return noLoss
	}
	return best + 1
}

// openingLoss is loss for the opening. All of the opening's losses are at ply 5.
func (s *searcher) openingLoss(b *board) uint8 {
	if bits.OnesCount8(b.board) != OpeningPlies-1 {
		return noLoss
	}
	if d := s.known.distance(b.lossKey()); d != 0 {
		return d
	}
	worst := uint8(1)
	var buffer [MaxMoves]Move
	for _, m := range s.rules.Moves(b.Position, buffer[:0]) {
		c := s.rules.Play(b.Position, m).withSquares()
		d := uint8(1)
		if !s.rules.winsAtOnce(&c) {
			d = s.win(&c, 0)
		}
		if d == noLoss {
			return noLoss
		}
		worst = max(worst, d)
	}
	return worst + 1
}

// openingWin is win for the opening.
func (s *searcher) openingWin(b *board) uint8 {
	best := uint8(noLoss)
	var buffer [MaxMoves]Move
	for _, m := range s.rules.Moves(b.Position, buffer[:0]) {
		c := s.rules.Play(b.Position, m).withSquares()
		best = min(best, s.loss(&c, maxDepth))
	}
	if best == noLoss {
		return noLoss
	}
	return best + 1
}

// lossKey packs a position, or its mirror image, whichever stands for both, with
// the mover as White in the main phase. It is never zero: a loss has pieces on
// the board. Its top 16 bits are zero.
func (p Position) lossKey() uint64 {
	opening := uint64(p.phase)
	if p.phase == MainPhase && p.side == rules.Black {
		p = p.SwapColours()
	}
	p = p.halved()
	return uint64(p.squares) | uint64(p.board)<<32 | uint64(p.up)<<40 | opening<<42
}

// unpackLoss returns the position and the distance that a slot of a lossSet
// holds, and false for an empty one.
func unpackLoss(slot uint64) (p Position, distance uint8, ok bool) {
	p = Position{squares: uint32(slot), board: uint8(slot >> 32), up: uint8(slot >> 40 & 3), phase: Phase(slot >> 42 & 1)}
	if p.phase == OpeningPhase && bits.OnesCount8(p.board)%2 == 1 {
		p.side = rules.Black
	}
	return p, uint8(slot >> distanceShift), slot != 0
}

// lossSet is a hash table from loss keys to distances. Almost every question is
// for a key that is not there, so a bitmap small enough for the processor's cache
// is asked first.
type lossSet struct {
	shift  uint // of a hash, to a slot
	slots  []uint64
	filter []uint64 // four bits a slot
}

func newLossSet(n int) lossSet {
	size := max(bits.Len(uint(2*n)), 4)
	return lossSet{
		shift:  uint(64 - size),
		slots:  make([]uint64, 1<<size),
		filter: make([]uint64, 1<<size/16),
	}
}

const (
	// hashFactor is 2⁶⁴ over the golden ratio, made odd (Fibonacci hashing;
	// Knuth, The Art of Computer Programming, vol. 3, 6.4).
	hashFactor    = 0x9e3779b97f4a7c15
	keyMask       = 1<<48 - 1
	distanceShift = 48
)

func (s *lossSet) add(key uint64, distance uint8) {
	hash := key * hashFactor
	f := hash >> (s.shift - 2)
	s.filter[f/64] |= 1 << (f % 64)
	i := hash >> s.shift
	for s.slots[i] != 0 {
		i = (i + 1) % uint64(len(s.slots))
	}
	s.slots[i] = key | uint64(distance)<<distanceShift
}

// distance returns the distance of a key, or 0 if it is not there.
func (s *lossSet) distance(key uint64) uint8 {
	hash := key * hashFactor
	f := hash >> (s.shift - 2)
	if s.filter[f/64]>>(f%64)&1 == 0 {
		return 0
	}
	for i := hash >> s.shift; ; i = (i + 1) & uint64(len(s.slots)-1) {
		switch slot := s.slots[i]; {
		case slot == 0:
			return 0
		case slot&keyMask == key:
			return uint8(slot >> distanceShift)
		}
	}
}
