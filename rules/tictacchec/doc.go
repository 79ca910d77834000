// Package tictacchec holds the rules of Tic Tac Chec: chess pieces on a 4×4
// board, where the first side with its four pieces in a line wins.
//
// # What it does
//
// A [Position] is a small value: it is read by [Parse] from a position string
// ("Pb2/n1R1/2rp/N3 w dd m") or a key ("post:1059850930") and printed back by its
// methods String and Key. A [Rules] is one of the three readings of the printed
// rules ([Rulesets]), which differ in how a pawn captures; it lists the legal
// moves in the published order, plays them, and goes back to the positions that
// a position can have come from. The perfect index ([Position.Index] and
// [FromIndex]) numbers the positions of each phase without gaps, as a
// table of values needs.
//
// # Fast and plain
//
// The rules exist twice. [Rules] keeps the board in eight bytes and looks
// attacks up in small tables. [Reference] is written to be read against the
// printed rules: a board of letters, moves as text, an index that counts. The
// two share nothing, and the tests hold one against the other.
//
// # Concurrency
//
// Everything here is a value or immutable: all of it may be used from many
// goroutines at once. There is no state to set up.
//
// # Trust
//
// [Parse], [Rules.ParseMove] and [Rules.PlayMoves] are made for texts from
// strangers: they never panic, tell malformed from illegal with typed errors of
// package rules, and do work in proportion to the length of the text, which is
// for the caller to bound. An error keeps the text it was given, odd bytes and all; a program
// that prints it must escape it. All else trusts its arguments: [Rules.Play], for
// instance, does not check that a move is legal.
package tictacchec
