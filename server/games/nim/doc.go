// Package nim makes the game of Nim, from the closed form in rules/nim.
//
// It may import rules/nim, and packages game, game/impartial and those below them. Only package
// main imports it.
package nim
