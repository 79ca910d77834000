// Package reach finds which positions of a game can occur, and how soon. It knows no
// game: [Forwards] numbers the positions and plays, [Backwards] gives the
// predecessors.
//
// # The result
//
// Games begin from the roots, and a game that is over does not go on. The depth of a
// position is the least number of plies in which a game can come to it: 0 for a root,
// and for any other position one more than the least depth of those from which a move
// leads to it. A position without a depth cannot occur.
//
// # Twice
//
// [Explore] plays. It marks the roots, and in each wave the positions after one more move,
// until a wave marks nothing.
//
// [Set.Check] believes none of that. For every position, marked or not, it generates
// its predecessors, looks up the depths of these, and sees whether its own
// follows. A set that passes is the right one, and the only one. A position with a depth has a
// predecessor of a depth that is less by one, and so on down to a root; so it can occur,
// in so many plies. A position without one is no root and has no predecessor that can occur; so
// no game comes to it. That is why depths are kept, and not only marks: positions that
// lead to one another in a circle could bear one another out.
//
// # Memory
//
// One byte for an index. On Linux it lies outside the garbage collector's heap, and a page
// that is never written takes no memory; [Set.Free] gives it back.
//
// # Concurrency and trust
//
// Both run on as many goroutines as they are told, which have ended when they return.
// Within a wave all write the same, so the set is the same on any number. The methods of
// a game are called concurrently. Games are part of the program, and believed, but for
// numbers that are no position's, which are an error. A check doubts the set.
package reach
