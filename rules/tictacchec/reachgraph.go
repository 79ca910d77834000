package tictacchec

import (
	"math/bits"

	"solved/rules"
)

// ReachGraph is the graph of the main phase from the end of the opening on, for the
// search for reachable positions: positions with White to move, numbered by the perfect index, of which only the
// smaller of a position's and its mirror image's is used. With Black to move, the
// colours are swapped. It is immutable and safe for concurrent use.
//
// It goes forwards by [ReachGraph.Roots] and [ReachGraph.Successors], which play, and
// backwards by [ReachGraph.Root] and [ReachGraph.Predecessors], which look at the board. The
// two ways share no code but the index.
type ReachGraph struct{ rules *Rules }

// ReachGraph returns the ruleset's graph of the main phase.
func (r *Rules) ReachGraph() ReachGraph { return ReachGraph{r} }

// Size returns the number of indices.
func (g ReachGraph) Size() uint64 { return MainPositions }

// Roots calls found with the positions that the opening can end in, more than once
// for each: those after every placement in every position of its last ply. The work
// is cut into shards parts, of which this call does one, from 0; parts may run
// concurrently.
func (g ReachGraph) Roots(shard, shards int, found func(index uint64)) {
	lo, n := openingPlies[OpeningPlies-1].offset, openingPlies[OpeningPlies].offset-openingPlies[OpeningPlies-1].offset
	var after []uint64
	for index := lo + n*uint64(shard)/uint64(shards); index < lo+n*uint64(shard+1)/uint64(shards); index++ {
		if !openingAt(index).firstOnLeft() {
			continue // its mirror image leads to the same
		}
		after = OpeningLayers{}.Children(index, after[:0])
		for _, index := range after {
			found(index)
		}
	}
}

// Successors appends the positions that the moves of a position lead to.
func (g ReachGraph) Successors(index uint64, dst []uint64) []uint64 {
	var after [MaxMoves]Position
	for _, p := range g.rules.mainSuccessors(mainAt(index), after[:0]) {
		dst = append(dst, p.representative().mainIndex())
	}
	return dst
}

// OrbitSize returns for how many positions an index stands: 2 for the smaller one of a
// position and its mirror image, 0 for the other. The empty board is its own mirror
// image, and the only such: 1.
func (g ReachGraph) OrbitSize(index uint64) int {
	p := mainAt(index)
	switch {
	case p.board == 0:
		return 1
	case p.representative() == p:
		return 2
	}
	return 0
}

// Root tells whether the opening can end in a position: each side has placed three
// pieces, and the pawns travel as they do when they are placed.
func (g ReachGraph) Root(index uint64) bool {
	p := mainAt(index)
	for _, player := range [2]rules.Player{rules.White, rules.Black} {
		if bits.OnesCount8(p.board>>(4*player)&15) != 3 {
			return false
		}
		pawn := PieceOf(player, Pawn)
		if p.On(pawn) && p.PawnUp(player) != pawnPlaced(player, p.square(pawn)) {
			return false
		}
	}
	return true
}

// Predecessors appends the positions from which a move leads to a position.
func (g ReachGraph) Predecessors(index uint64, dst []uint64) []uint64 {
	var before [maxPredecessors]Position
	for _, p := range g.rules.Predecessors(mainAt(index).SwapColours(), before[:0]) {
		dst = append(dst, p.representative().mainIndex())
	}
	return dst
}

// Reachable is [Rules.Reachable] by index.
func (g ReachGraph) Reachable(index uint64) bool { return g.rules.Reachable(mainAt(index)) }

// maxPredecessors is room for the predecessors of most positions.
const maxPredecessors = 128
