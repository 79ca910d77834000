// Package tictacchec makes the games of Tic Tac Chec: their answers (evaluation.go, pieces.go),
// their texts, their embedded tables (kernel.go), and how a table is solved, expanded, audited,
// explored and reported. It also answers the published explorer's contract (explorer.go).
//
// It may import rules/tictacchec, the packages of tablebase, its own package report, and packages
// game, tables and those below them. Only package main imports it.
package tictacchec
