// Package inverseduocross makes the game of Inverse Duocross, from the closed form in
// rules/inverseduocross.
//
// It may import rules/inverseduocross, and packages game, game/impartial and those below them. Only
// package main imports it.
package inverseduocross
