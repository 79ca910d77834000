package tictacchec

import (
	"math/bits"
	"sync"

	"solved/rules"
)

// Lookahead answers for any position from a few known losses and a short search.
//
// A position is won exactly when a move leads to a loss, so a search that can tell the
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
// [Rules.Losses] gives exactly the losses that it cannot find, for a solved
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

// noLoss is the distance of a position that is not known to be lost (or won).
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

// KnownLosses calls found with the graph index and the distance of every known
// loss of the main phase. The work is cut into shards parts, of which this call
// does one, from 0; parts may run concurrently.
func (l *Lookahead) KnownLosses(shard, shards int, found func(index uint64, distance uint8)) {
	graph := l.rules.Graph()
	for i := shard; i < len(l.known.slots); i += shards {
		if p, distance, ok := unpackLoss(l.known.slots[i]); ok && p.phase == MainPhase {
			found(graph.Index(p), distance)
		}
	}
}

// Generations is the number of generations of losses that are not known: the
// greatest number of the loser's moves that a search looks ahead.
func (l *Lookahead) Generations() int { return maxDepth }

// Lost returns the distance of a main-phase position with White to move that Loss
// finds, without knowing it, by a search over exactly generation moves of the
// loser; false for any other. For the wins it asks won, which must tell just those
// that a search over one move less finds. So a whole table can be worked out, loss
// by loss as Loss would tell it, without searching the same positions over and
// over.
func (l *Lookahead) Lost(p Position, generation int, won func(Position) (uint8, bool)) (distance uint8, ok bool) {
	b := p.withSquares()
	if lineAt[b.own] == completeLine || lineAt[b.enemy] == completeLine {
		return 0, false
	}
	t, threatens := b.enemyThreat()
	if !l.rules.searchable(&b, &t, threatens) {
		return 0, false
	}
	s := l.searchers.Get().(*searcher)
	s.won = won
	d := s.search(&b, optional(&t, threatens), generation, generation)
	s.won = nil
	l.searchers.Put(s)
	return d, d != noLoss && d > GraphHorizon
}

// searchable reports whether a position may have few enough open moves to be
// searched: not if a piece can be placed out of the way.
func (r *Rules) searchable(b *board, t *threat, threatens bool) bool {
	return b.held() == 0 || threatens && r.completes(t, b.own|b.enemy, b.own)
}

func optional(t *threat, ok bool) *threat {
	if ok {
		return t
	}
	return nil
}

// searcher is one search at a time, with the boards of all its levels.
type searcher struct {
	*Lookahead
	// won, if not nil, stands in for win. It takes positions with White to move.
	won    func(Position) (uint8, bool)
	levels [2*maxDepth + 2][MaxMoves]board
}

// loss returns the distance of a position that is known to be lost or that a
// search over at most depth moves of its side finds to be lost; noLoss for any
// other. Neither side may own a line yet. The result is never less than the true
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
	if depth == 0 || !s.rules.searchable(b, &t, threatens) {
		return noLoss
	}
	return s.search(b, optional(&t, threatens), 1, depth)
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
	limits := depthQuiet[:]
	if t != nil && s.rules.completes(t, b.own|b.enemy, b.own) {
		limits = depthThreatened[:]
	}
	// Most positions are not lost, and the first open move shows it. It can be
	// tried before the others are made where their number does not matter.
	enough := len(limits) - 1
	if limits[enough] < least && t != nil && s.rules.parries(b, t, enough) >= enough || s.rules.winsAtOnce(b) {
		return noLoss
	}
	level := &s.levels[2*depth]
	if depth <= limits[enough] {
		if s.rules.replies(b, t, level, 1) == 0 || s.wonBy(&level[0], depth-1) == noLoss {
			return noLoss
		}
	}
	open := s.rules.replies(b, t, level, MaxMoves)
	if depth = min(depth, limits[min(open, enough)]); depth < least {
		return noLoss
	}
	worst := uint8(1)
	for i := range level[:open] {
		d := s.wonBy(&level[i], depth-1)
		if d == noLoss {
			return noLoss
		}
		worst = max(worst, d)
	}
	return worst + 1
}

// wonBy is win, or its replacement.
func (s *searcher) wonBy(b *board, depth int) uint8 {
	if s.won != nil {
		if d, ok := s.won(b.SwapColours()); ok {
			return d
		}
		return noLoss
	}
	return s.win(b, depth)
}

// win returns the distance of a position from which a move leads to a loss, as
// far as loss finds it at that depth; noLoss for any other. The side to move must
// not be able to complete a line at once.
func (s *searcher) win(b *board, depth int) uint8 {
	if b.phase == OpeningPhase {
		return s.openingWin(b)
	}
	best := uint8(noLoss)
	level := &s.levels[2*depth+1]
	for i := range level[:s.rules.replies(b, nil, level, MaxMoves)] {
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
	p = p.representative()
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
