// Package tictactoe holds tic-tac-toe on three by three squares: its rules, all of its
// positions, their values, and a certificate that checks them.
//
// # What it does
//
// A [Position] is a small value: it is read by [Parse] from a position string
// ("X.O/.X./..O", the rows from the top) and printed back by String. Whose turn it is
// follows from the marks. It lists its moves ("b2": column a to c, row 1 to 3 from the
// bottom) in the published order, which is that of the squares: along the rows from the
// bottom, a1, b1, c1, a2, … c3. [Rules] is the one ruleset, and joins the package to what
// knows no game by name.
//
// The perfect index ([Position.Index] and [FromIndex]) numbers the 5,478 positions that
// can be reached, and no others, such that every move leads to a greater index. So
// [Solve] needs a single pass, and its result is the source of a table file like any
// other game's, whose opening section is empty.
//
// [Rules.Prove] checks the certificate: counts of positions and games, each in two ways;
// values; strategies that never lose, played against every reply; the exact chances
// against a random opponent; and a proof by induction, by an SMT solver, that no position
// has finished lines of both sides. The solver's scripts are in testdata.
//
// # Twice
//
// [Position] keeps two sets of squares as bits. [Reference] is written to be read against
// the printed rules: a board of letters, moves as text, values by plain recursion. The
// two share nothing, and the tests hold one against the other in every position.
//
// # Concurrency
//
// Everything here is a value or immutable: all of it may be used from many goroutines at
// once. There is no state to set up.
//
// # Trust
//
// [Parse], [Position.Play] and [Position.ParseMove] are made for texts from strangers:
// they never panic, and tell malformed from illegal with typed errors of package rules. An
// error keeps the text it was given, odd bytes and all; a program that prints it must escape it.
// All else trusts its arguments: [Position.Mark], for instance, does not check that a
// square is free.
package tictactoe
