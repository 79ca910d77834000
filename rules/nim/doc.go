// Package nim holds the rules of Nim: heaps of counters, of which a turn takes any
// number from one heap. In normal play, the only ruleset here, the player who takes the last
// counter wins.
//
// # What it does
//
// A [Position] is read by [Parse] from the sizes of its heaps, "3,5,7", and printed
// back as it was written. Its value is a closed form, for heaps of any size: the
// Grundy number is the exclusive or of the sizes ([Position.Grundy]), the side to
// move loses exactly when that is 0, and the moves that win are those that make it 0
// ([Position.WinningMoves]). How long a game lasts has no such form; [Solve] works it
// out, for positions with few enough positions below them, and counts the look-ups of that.
//
// # Why the closed form is right
//
// [Rules.Prove] checks it in two ways. A recursion straight from the definition
// ([Reference]) gives the same numbers for small heaps. And an SMT solver finds no
// counterexample to the two statements from which it follows for heaps of every size.
// The scripts for it are written by the very functions that compute it: they are
// generic in how they calculate, with numbers or with text (arithmetic.go).
//
// # Concurrency
//
// Everything here is immutable but [Distances], which remembers its results and
// belongs to one goroutine at a time.
//
// # Trust
//
// [Parse], [ParseMove] and [Position.Play] are made for texts from strangers: they
// never panic, tell malformed from illegal with typed errors of package rules, and do
// work in proportion to the length of the text. [Position.After] trusts its argument.
package nim
