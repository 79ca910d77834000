package retrograde

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"pgregory.net/rapid"

	"solved/rules"
)

// undecided is the distance of a draw, in the tests' own reckoning.
const undecided = -1

// fixpoint finds the distance of every position from the definition alone, given
// the moves: a position is won in one ply more than its nearest lost child; lost
// in one more than its farthest won child, if all children are won; and drawn
// otherwise. Round k finds, from the results of the round before, all that is
// decided within k plies.
func fixpoint(moves [][]int) []int {
	old := slices.Repeat([]int{undecided}, len(moves))
	for {
		now := make([]int, len(moves))
		for p := range moves {
			now[p] = judge(moves[p], old)
		}
		if slices.Equal(now, old) {
			return now
		}
		old = now
	}
}

func judge(children []int, distance []int) int {
	nearestLoss, farthestWin, allWon := undecided, undecided, true
	for _, child := range children {
		d := distance[child]
		lost := d >= 0 && d%2 == 0
		won := d >= 0 && d%2 == 1
		if lost && (nearestLoss == undecided || d < nearestLoss) {
			nearestLoss = d
		}
		if won && d > farthestWin {
			farthestWin = d
		}
		allWon = allWon && won
	}
	switch {
	case nearestLoss != undecided:
		return nearestLoss + 1
	case allWon:
		return farthestWin + 1 // 0 without children
	}
	return undecided
}

func codeOfDistance(d int) rules.Code {
	if d == undecided {
		return rules.CodeDraw
	}
	return rules.Code(d)
}

// madeUp is a graph held in lists. Its positions are numbered from 0; those that
// share an index are the holders of a class, and classes are numbered from 0, too.
type madeUp struct {
	class    []int   // of a position
	holders  [][]int // of a class
	moves    [][]int // of a position: positions
	before   [][]int // of a position: positions, as Predecessors gives them
	index    []uint64
	size     uint64
	at       map[uint64]int // the class of an index
	horizon  uint8
	distance []int // of a position, by fixpoint

	turn   atomic.Uint64 // chooses among holders
	abuses atomic.Uint64 // counts calls that the contract forbids
	calls  atomic.Uint64 // counts calls of OpenMoves
	open   func(p int) (int, bool)
}

// newMadeUp makes a graph of which class and moves are given, and before unless
// it is to be found by turning the moves round. Indices are stride apart, in a
// random order, so that some are nobody's.
func newMadeUp(class []int, moves, before [][]int, horizon, stride int, rnd *rand.Rand) *madeUp {
	g := &madeUp{class: class, moves: moves, before: before, horizon: uint8(horizon), at: map[uint64]int{}}
	if len(class) > 0 {
		g.holders = make([][]int, slices.Max(class)+1)
	}
	for p, c := range class {
		g.holders[c] = append(g.holders[c], p)
	}
	for _, i := range rnd.Perm(len(g.holders)) {
		index := uint64(i*stride + rnd.IntN(stride))
		g.at[index] = len(g.index)
		g.index = append(g.index, index)
	}
	g.size = uint64(len(g.holders) * stride)
	if before == nil {
		g.before = make([][]int, len(moves))
		for p, children := range moves {
			for _, child := range children {
				g.before[child] = append(g.before[child], p)
			}
		}
	}
	g.distance = fixpoint(moves)
	return g
}

// plain makes a graph in which position i has index i.
func plain(horizon int, moves ...[]int) *madeUp {
	class := make([]int, len(moves))
	for p := range class {
		class[p] = p
	}
	g := newMadeUp(class, moves, nil, horizon, 1, rand.New(rand.NewPCG(0, 0)))
	for p := range class {
		g.index[p], g.at[uint64(p)] = uint64(p), p
	}
	return g
}

// mirrored makes a graph in which 2k and 2k+1 are mirror images of each other and
// share an index. Of the given moves, those that a mirror image lacks are added.
func mirrored(moves [][]int, horizon, stride int, rnd *rand.Rand) *madeUp {
	class := make([]int, len(moves))
	both := make([][]int, len(moves))
	for p := range moves {
		class[p] = p / 2
		for _, child := range moves[p] {
			if !slices.Contains(both[p], child) {
				both[p] = append(both[p], child)
				both[p^1] = append(both[p^1], child^1)
			}
		}
	}
	return newMadeUp(class, both, nil, horizon, stride, rnd)
}

// alike makes a graph from the moves between classes, with a number of holders for
// each: every holder has a move to some holder of each class moved to. What leads
// to a position is as the contract has it, and no more.
func alike(classMoves [][]int, holders []int, horizon, stride int, rnd *rand.Rand) *madeUp {
	var class []int
	of := make([][]int, len(classMoves))
	for c := range classMoves {
		for range holders[c] {
			of[c] = append(of[c], len(class))
			class = append(class, c)
		}
	}
	moves := make([][]int, len(class))
	before := make([][]int, len(class))
	some := func(c int) int { return of[c][rnd.IntN(len(of[c]))] }
	for c := range classMoves {
		for _, d := range classMoves[c] {
			for _, p := range of[c] {
				moves[p] = append(moves[p], some(d))
			}
			for _, q := range of[d] {
				before[q] = append(before[q], some(c))
			}
		}
	}
	return newMadeUp(class, moves, before, horizon, stride, rnd)
}

// kind is a kind of random graph.
type kind struct {
	positions int // a multiple of 2
	mirrored  bool
	horizon   int
	stride    int // between indices
	reach     int // how far down a move leads
	fewest    int // moves of a position, but for those that would lead below the first
	most      int
	back      int // of a hundred moves, how many lead back up
}

func drawKind(t *rapid.T) kind {
	return kind{
		positions: 2 * rapid.IntRange(0, 50).Draw(t, "half of the positions"),
		mirrored:  rapid.Bool().Draw(t, "mirrored"),
		horizon:   rapid.IntRange(0, 5).Draw(t, "horizon"),
		stride:    rapid.SampledFrom([]int{1, 2, 8, 3000}).Draw(t, "stride"),
		reach:     rapid.IntRange(1, 100).Draw(t, "reach"),
		fewest:    rapid.IntRange(0, 1).Draw(t, "fewest moves"),
		most:      rapid.IntRange(1, 5).Draw(t, "most moves"),
		back:      rapid.IntRange(0, 30).Draw(t, "moves back up"),
	}
}

// kinds is a grid of them.
func kinds() (all []kind) {
	for _, mirrored := range []bool{false, true} {
		for horizon := range 4 {
			for i, reach := range []int{1, 2, 100} {
				for fewest := range 2 {
					for _, most := range []int{1, 2, 4} {
						for _, back := range []int{0, 5} {
							all = append(all, kind{100, mirrored, horizon, []int{1, 8, 400}[i], reach, fewest, most, back})
						}
					}
				}
			}
		}
	}
	return all
}

// make makes one graph of the kind.
func (k kind) make(seed uint64) *madeUp {
	rnd := rand.New(rand.NewPCG(seed, 0))
	moves := make([][]int, k.positions)
	for p := range moves {
		for range k.fewest + rnd.IntN(k.most+1-k.fewest) {
			move := p - 1 - rnd.IntN(k.reach)
			if rnd.IntN(100) < k.back {
				move = (p + rnd.IntN(k.positions)) % k.positions
			}
			if move >= 0 {
				moves[p] = append(moves[p], move)
			}
		}
	}
	if k.mirrored {
		return mirrored(moves, k.horizon, k.stride, rnd)
	}
	holders := make([]int, k.positions)
	for c := range holders {
		holders[c] = 1 + rnd.IntN(3)
	}
	return alike(moves, holders, k.horizon, k.stride, rnd)
}

// lawful checks what the contract says of positions that share an index.
func (g *madeUp) lawful() error {
	to := make([]map[int]int, len(g.moves)) // the number of moves from a position, by class
	for p := range g.moves {
		to[p] = map[int]int{}
		for _, child := range g.moves[p] {
			to[p][g.class[child]]++
		}
	}
	for q := range g.before {
		from := map[int]int{}
		for _, p := range g.before[q] {
			from[g.class[p]]++
		}
		for p := range g.moves {
			if n, m := to[p][g.class[q]], from[g.class[p]]; n != m {
				return fmt.Errorf("%d has %d moves to the class of %d, which gives %d", p, n, q, m)
			}
		}
	}
	for p, c := range g.class {
		if first := g.holders[c][0]; g.distance[p] != g.distance[first] {
			return fmt.Errorf("%d and %d share an index and differ", first, p)
		}
	}
	return nil
}

func (g *madeUp) known(p int) bool {
	return g.distance[p] >= 0 && g.distance[p] <= int(g.horizon)
}

func (g *madeUp) Size() uint64   { return g.size }
func (g *madeUp) Horizon() uint8 { return g.horizon }

// Known finds every holder, and some of them twice.
func (g *madeUp) Known(shard, shards int, found func(uint64, uint8)) {
	for p := shard; p < len(g.class); p += shards {
		if g.known(p) {
			for range 1 + p%2 {
				found(g.Index(p), uint8(g.distance[p]))
			}
		}
	}
}

func (g *madeUp) Position(index uint64) int {
	c, ok := g.at[index]
	if !ok {
		g.abuses.Add(1)
		return 0
	}
	return g.holders[c][g.turn.Add(1)%uint64(len(g.holders[c]))]
}

func (g *madeUp) Index(p int) uint64 { return g.index[g.class[p]] }

func (g *madeUp) Predecessors(p int, dst []int) []int { return append(dst, g.before[p]...) }

func (g *madeUp) OpenMoves(p int) int {
	g.calls.Add(1)
	if g.known(p) {
		g.abuses.Add(1)
	}
	if g.open != nil {
		if n, ok := g.open(p); ok {
			return n
		}
	}
	n := 0
	for _, child := range g.moves[p] {
		if d := g.distance[child]; d%2 != 1 || d >= int(g.horizon) {
			n++
		}
	}
	return n
}

// check holds a solution against the graph's own distances.
func (g *madeUp) check(s *Solution) error {
	if n := g.abuses.Load(); n != 0 {
		return fmt.Errorf("%d calls that the contract forbids", n)
	}
	if s.Size() != g.size {
		return fmt.Errorf("size %d, want %d", s.Size(), g.size)
	}
	codes := make([]rules.Code, g.size)
	s.Codes(0, codes)
	for index, code := range codes {
		c, ok := g.at[uint64(index)]
		if !ok {
			if code != rules.CodeDraw {
				return fmt.Errorf("index %d, which no position has: %v", index, rules.EntryOf(code))
			}
			continue
		}
		for _, p := range g.holders[c] {
			if want := codeOfDistance(g.distance[p]); code != want {
				return fmt.Errorf("position %d, index %d: %v, want %v", p, index, rules.EntryOf(code), rules.EntryOf(want))
			}
		}
	}
	return nil
}

// lattice is a graph of 2^logSize positions that needs no lists, for tests and
// benchmarks of any size. Move j of a position leads to its image under an affine
// map, which can be undone; a hash says which of the moves a position has.
type lattice struct{ logSize int }

// steps are the factor, its inverse modulo 2⁶⁴, and the summand of each map.
var steps = func() (t [6][3]uint64) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for j := range t {
		a := rnd.Uint64() | 1
		inverse := a
		for range 6 { // each turn of Newton's method doubles the bits that are right
			inverse *= 2 - a*inverse
		}
		t[j] = [3]uint64{a, inverse, rnd.Uint64()}
	}
	return t
}()

// available returns the set of the moves that a position has, one bit each. One
// position in 16 has none.
func (g lattice) available(p uint64) uint64 {
	h := (p + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>31) * 0x94d049bb133111eb
	h ^= h >> 29
	if h>>60 == 0 {
		return 0
	}
	// Three of the six moves on average, and one at least.
	return max(h>>7&63, 1)
}

func (g lattice) mask() uint64                 { return 1<<g.logSize - 1 }
func (g lattice) Size() uint64                 { return 1 << g.logSize }
func (g lattice) Horizon() uint8               { return 0 }
func (g lattice) Position(index uint64) uint64 { return index }
func (g lattice) Index(p uint64) uint64        { return p }
func (g lattice) OpenMoves(p uint64) int       { return bits.OnesCount64(g.available(p)) }

func (g lattice) Known(shard, shards int, found func(uint64, uint8)) {
	for p := uint64(shard); p < g.Size(); p += uint64(shards) {
		if g.available(p) == 0 {
			found(p, 0)
		}
	}
}

func (g lattice) Predecessors(p uint64, dst []uint64) []uint64 {
	for j, s := range steps {
		if q := (p - s[2]) * s[1] & g.mask(); g.available(q)>>j&1 == 1 {
			dst = append(dst, q)
		}
	}
	return dst
}

func (g lattice) moves() [][]int {
	moves := make([][]int, g.Size())
	for p := range moves {
		for j, s := range steps {
			if g.available(uint64(p))>>j&1 == 1 {
				moves[p] = append(moves[p], int((uint64(p)*s[0]+s[2])&g.mask()))
			}
		}
	}
	return moves
}
