// Package notakto holds the rules and values of Notakto: both players mark X on boards of
// three by three squares, a board with three in a row is dead, and the player who kills the
// last live board loses.
//
// # Positions
//
// A [Position] is read by [Parse] from its boards, written as those of tic-tac-toe with commas
// between them, ".../.X./...,.../.../...", and printed back as it was written. A move names a
// board, from 1, and a square: "1:b2". Moves are listed by board, and on a board by square: a1,
// b1, c1, a2, … c3.
//
// # Values
//
// The player who makes the last move loses (misère play), so Grundy values do not give the
// value of a sum of boards. The misère quotient does: each board has an [Element] of a monoid of
// 18 elements, the element of a position is the product of those of its boards, and it tells
// whether the side to move loses. So [Position.Answer] values a position of any number of
// boards, and each of its moves, by one product for each.
//
// [Distances] counts the plies that are left, on at most [MaxDistanceBoards] live boards. The
// game ends with a win for the side that would be to move, so the distance of a won position
// is even, and that of a lost one odd.
//
// # The certificate
//
// A search over small sums finds the quotient when it is first needed (quotient.go). That
// search proves nothing about large sums. [Rules.Prove] does, by a finite check that holds for
// every number of boards (RESULTS.md). Prove also compares values and distances with those of
// the plain [Reference], for all sums of up to three boards.
//
// # Concurrency
//
// Everything here is immutable but [Distances] and [Reference], which remember results and
// belong to one goroutine at a time.
//
// # Trust
//
// [Parse], [Position.ParseMove] and [Position.Play] are made for texts from strangers: they
// never panic, tell malformed from illegal with typed errors of package rules, and do work in
// proportion to the length of the text. [Position.After] trusts its argument.
package notakto
