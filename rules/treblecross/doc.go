// Package treblecross holds Treblecross: a turn marks an empty cell of a strip, and the player
// who completes three marks in a row wins.
//
// # Positions
//
// A [Position] is read by [Rules.ParsePosition] from runs of empty cells as numbers and marks as
// X, "4X5" (package strip). It has [MinLength] to [MaxLength] cells. A move is the number of a
// cell, and moves are listed by it.
//
// # Values
//
// A position is over, or a line can be completed in it, or it is quiet. The side to move wins at
// once where a line can be completed. In a quiet position no two marks are within two cells of
// each other, and a mark within two cells of another loses: the other side completes the line.
// The cells that are left are safe. A mark takes up to five of them, its own and two on either
// side, so the runs of safe cells are independent pieces. Each is a heap of the octal game
// 0.007, in which a turn takes three tokens from a heap and may split the rest in two.
//
// [Position.Worth] values any position so, and [Position.Answer] each of its moves as well. A
// Grundy number belongs to quiet positions only: it is that of the sum of the heaps, where a
// player moves to quiet positions as long as there are any. [Distances] counts the plies that
// are left.
//
// # The certificate
//
// [Rules.Prove] holds all of this against the plain [Reference], for every position of up to 16
// cells, and each value of a heap against its definition (RESULTS.md).
//
// # Concurrency
//
// Everything here is immutable but [Distances], which remembers results and is for one goroutine
// at a time. A [Rules] computes the values of heaps once, when they are first needed.
//
// # Trust
//
// [Rules.ParsePosition] and [Position.Play] are made for texts from strangers: they never panic,
// tell malformed from illegal with typed errors of package rules, and do work in proportion to
// the length of the text.
package treblecross
