// Package retrograde solves games: it finds the value and the distance of every
// position by working backwards from those where the game is over. It knows no
// game. A [Graph] numbers the positions and tells which positions lead to one; a
// [Layers] adds an opening that no game returns to, such as the placing of pieces.
//
// # The result
//
// A position is won if a move leads to a lost one, and its distance in plies is one
// more than that of the nearest; lost if all its moves lead to won ones, or it has
// none, at one more than the farthest; and drawn otherwise. A [Solution] gives each
// as a rules.Code, by index.
//
// # How
//
// Solve goes through the distances in turn. Everything at distance d is known when
// d's turn comes, and says something of the positions before it. If it is lost,
// they are won in d+1, unless they are won already. If it is won, each has one move
// less to hope for; one that has none left is lost in d+1. It ends with a distance
// at which there is nothing. A position that is still undecided then can be held for ever, and
// is drawn.
//
// A graph need not begin with the positions where the game is over. Wins in one are
// often most of the work, and plain to see on the board; a graph may know everything
// up to a horizon of its own and leave only the rest to the solver.
//
// Losses are few beside wins and draws, and the wins follow from them. [Expand] makes
// the whole solution from the losses, without counting a move; [ExpandLayers] does so
// for the beginning.
//
// # One byte for a position
//
// All that is kept of a position is one byte: nothing is known yet; or it is decided,
// at some distance; or some number of its moves are still open. The distance tells the
// value, too: an odd one is a win, an even one a loss. The open moves are counted when
// the first of them is closed, never for a position that is won before, and a decided
// position has no more use for the count, so that one byte serves for both.
//
// There are no lists of the positions at the next distance, which would need
// several bytes for a position, in the worst case for a good part of them at once.
// The array is searched for the byte that stands for distance d instead, eight at a
// time. Blocks of 16,384 bytes without any are passed over: a word for each block
// marks the distances that it has.
//
// The byte of a predecessor may be anywhere. Predecessors are gathered in a batch,
// their bytes are read once with nothing waiting for the result, so that many are on
// their way from memory at a time, and only then are they changed.
//
// # Memory
//
// One byte for an index, and a word for a block. On Linux the bytes lie outside the
// garbage collector's heap, in huge pages if the system has them, and those never
// written take no memory; [Solution.Free] gives them back, as do the solvers when they
// return an error.
//
// # Concurrency
//
// The solvers run on as many goroutines as they are told, which have ended when they
// return. A byte is changed by compare-and-swap of the word it is in. The order of
// such changes within a distance does not matter, so the result is the same on any
// number of threads. The methods of a Graph or Layers and the Progress are called
// concurrently. A Solution may be read from many goroutines until it is freed.
//
// # Trust
//
// A Graph and Layers are part of the program, and believed. An inconsistency that shows on the way is
// an error: a count of open moves that cannot be, something known past the horizon,
// a distance that does not fit. A wrong list of predecessors does not show; it gives
// wrong values, so hold it against the moves, both ways, in the game's tests. An index
// that is not below Size may panic.
package retrograde
