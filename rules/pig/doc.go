// Package pig holds the rules of Pig for two players and one die. A turn rolls as often as
// it likes and adds up; a 1 loses the turn's total, and holding adds it to the score.
// The first player to hold 100 points wins.
//
// # What it does
//
// A [Position] is read by [Parse] from two scores and the turn total, "5,76,30", that of
// the side to move first. Its moves are "roll" and "hold"; a game is written with "hold" and
// the outcome of each roll, "roll-1" to "roll-6". Two details are our choice. Holding with
// a turn total of 0 is allowed, and passes; no value depends on it, as it is never best.
// And a roll that carries the turn total beyond 99 is held at once, and wins.
//
// [Solve] works out the probability that the side to move wins, in every position, under
// perfect play of both. A table of them has 16 bits a position, and one more for the best
// action, as rounding may hide which is better ([Solution.Entry], [Position.Index]).
// [Evaluate] answers from such a table. [NewMatch] gives the result of any two strategies
// against each other, and finds the best response to one.
//
// # Why the solution is right
//
// The probabilities are those that follow from one another, up to the rounding of 64-bit
// floating point, and [Sweep], a second method that shares nothing with the first, finds
// the same from nothing. [Rules.Prove] checks both, and the published figures.
//
// # Concurrency
//
// Everything here is immutable once made, and safe for concurrent use.
//
// # Trust
//
// [Parse] and [Position.Play] are made for texts from strangers: they never panic, and tell
// malformed from illegal with typed errors of package rules. [Evaluate] believes its table.
package pig
