// Package inversetreblecross holds Inverse Treblecross: a turn marks an empty cell of a strip
// or a ring, making three marks in a row is forbidden (or four, up to thirteen), and
// the player who cannot move loses. The game is impartial, so a position has a Grundy value:
// that of the Nim heap it is equal to, 0 when the side to move loses.
//
// # Positions
//
// A [Position] is read by [Rules.ParsePosition] from runs of empty cells as numbers and
// marks as X, "4X5" (package strip). It can have as many as 2⁶³−1 cells, as it is kept by its runs.
//
// # Values
//
// [Position.Answer] values a position and all its moves, [Position.Grundy] the position
// alone. The empty strip has a closed form when three in a row are forbidden
// ([EmptyStrip]); all else is searched. A position falls into pieces at cells that can
// never be marked again, and a piece of more than 64 cells, or one that takes more
// look-ups than the caller allows, is refused with a [TooHardError]. Values that take
// longest to search are embedded (values.go). What is refused
// depends on the position and the budget alone: nothing is kept from one answer to
// the next. A search takes at most [MaxSearchBytes] of memory. [Distances] counts the
// plies that are left on up to 20 cells.
//
// # The certificate
//
// [Rules.Prove] checks all this again: both published tables by brute force ([Sweep]) and by
// search, the reductions, the theorem on the empty strip with its strategy played out,
// and the conjectures about [aXb], longer rows and rings.
//
// # Concurrency
//
// [Rules], [Position], [Reference] and [Sweep] are immutable and may be used from many goroutines
// at once; a [Distances] is for one.
//
// # Trust
//
// [Rules.ParsePosition] and [Position.Play] are made for texts from strangers:
// they never panic, tell malformed from illegal with typed errors of package rules, and
// do work in proportion to the length of the text, which is for the caller to bound.
// A diagram or an answer takes time in proportion to the marks and the budget.
package inversetreblecross
