// Package audit holds a finished table against the rules: does every entry follow
// from those of the positions that its moves lead to? It works forwards only, and
// shares no code with the solver. It knows no game: a [Game] numbers the
// positions and tells the successors of each.
//
// # The comparison
//
// A position that is over is lost in 0, or drawn, as the rules have it. Any other is
// won if a successor is lost, in one ply more than the nearest such; lost if all
// successors are won, in one more than the farthest; and else drawn, without a
// distance.
//
// A table of which this holds everywhere is the right one, and the only one. By
// induction over the distance, a win or a loss in d can be forced in d plies and not
// sooner, as it rests on entries of a lesser distance and at last on positions that
// are over. In a draw that is not over there is always a move to a draw, and none to a
// loss, for either side, so neither side can force a win.
//
// # Two audits
//
// [Table.Check] looks at every position. Tables are unpacked once, to a byte for each
// position, and their positions gone through in order. The numbers of the
// successors of some of them are gathered before the first is read, so that the
// waits for memory overlap.
//
// [Sample] looks at some positions at random, by other means: a [PlainGame], which
// is to be written without the one that made Check fast, and single look-ups.
//
// # Concurrency and trust
//
// Both run on as many goroutines as they are told, which have ended when they
// return, and find the same on any number. The methods of a game are called
// concurrently. Games are part of the program, and believed, but for numbers that
// are no position's, which are an error. It doubts the table.
package audit
