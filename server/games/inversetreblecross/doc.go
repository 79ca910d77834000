// Package inversetreblecross makes the games of Inverse Treblecross, from the closed form and the
// search in rules/inversetreblecross.
//
// It may import rules/inversetreblecross, and packages game, game/impartial and those below them.
// Only package main imports it.
package inversetreblecross
