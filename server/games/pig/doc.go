// Package pig makes the game of Pig: its answers, its texts, its embedded table and its solver.
//
// It may import rules/pig, tablebase/probability, and packages game, tables and those below them.
// Only package main imports it.
package pig
