// Package treblecross makes the game of Treblecross, from the values of heaps in rules/treblecross.
//
// It may import rules/treblecross, and packages game, game/impartial and those below them. Only
// package main imports it.
package treblecross
