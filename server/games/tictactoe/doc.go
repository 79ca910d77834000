// Package tictactoe makes the game of tic-tac-toe: its answers, its texts, its embedded table, how
// it is solved and how its table is audited.
//
// It may import rules/tictactoe, tablebase, and packages game, tables and those below them. Only
// package main imports it.
package tictactoe
