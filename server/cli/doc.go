// Package cli holds the commands of the program solved. Each command has a file of its own,
// cmd_<name>.go. The other files hold what the commands share: the list of commands and the
// exit codes (command.go), signals, progress bars, and the reading of standard input.
//
// A command reads arguments and flags, calls another package for the work, and writes the
// result as text or JSON. [Main] runs the program with a list of games. No command knows a game
// by name: a command that a game need not support asks for an interface of package game, such
// as game.Solver.
//
// # Imports
//
// cli may import service, game, tables, listener and flags, and below them api, tablebase and
// rules. Only package main imports cli.
//
// # Trust
//
// Arguments, standard input and files are not trusted. A wrong command line is a usage error,
// exit code 64. Wrong input is exit code 1, and a damaged or wrong file exit code 3.
package cli
