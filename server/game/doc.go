// Package game defines a game as the program sees it, and answers questions about any game.
//
// A [Game] is a ruleset with its table and the texts about it. [New] makes one of a
// [Definition], which a package in server/games gives. An [Encoder] turns one position into an
// answer of the contract, and an adapter parses questions and plays moves for it (adapter.go).
// A [Prober] answers the questions about one game from its current table (prober.go). [List] is
// the list of games, in which the program looks a game up by name or tag.
//
// A game that can do more implements an optional interface, such as [Solver] or [Auditor]
// (game.go). Commands ask for the interface and never for a game by name.
//
// # Imports
//
// game may import tables, api, tablebase and rules. It knows no game by name and no HTTP.
// Packages service, cli and server/games import it.
//
// # Concurrency
//
// A prober is safe for concurrent use. It holds its table in a tables.Slot: a table is replaced
// as a whole, and never changed.
package game
