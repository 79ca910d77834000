// Package inverseduocross holds Inverse Duocross: a turn marks an empty cell of a strip, two
// marks in a row are forbidden, and the player who cannot move loses. The game is equal to
// Dawson's Chess, the octal game 0.137. It is impartial, so a position has a Grundy value: that of
// the Nim heap it is equal to, 0 when the side to move loses.
//
// # Positions
//
// A [Position] is read by [Parse] from runs of empty cells as numbers and marks as X, "4X5"
// (package strip). It can have as many as 2⁶³−1 cells, as it is kept by its runs.
//
// # Values
//
// A mark closes the cells next to it. So the open cells fall into parts, and a move in one part
// changes no other. The value of a part follows from its length alone, with period 34
// from 52 cells on ([OpenStrip]). The value of a position is the exclusive or of those of
// its parts, so every position has one ([Position.Grundy]). [Position.Answer] values the moves
// as well. How long a game lasts has no such form. [Distances] works it out for positions with few
// enough positions below them.
//
// # The certificate
//
// [Rules.Prove] checks all this again. It computes the values anew by mex, proves the period by
// the octal periodicity theorem, and holds values, moves and distances against a brute
// force over all positions of small strips ([Reference]).
//
// # Concurrency
//
// Everything here is immutable but [Distances], which remembers its results and belongs to one
// goroutine at a time.
//
// # Trust
//
// [Parse] and [Position.Play] are made for texts from strangers: they never panic, tell
// malformed from illegal with typed errors of package rules, and do work in proportion to the
// length of the text, which is for the caller to bound.
package inverseduocross
