// Package impartial makes the answers about all games whose positions have Grundy values.
//
// A game gives a [Rules]: functions that work out a position and its moves. [Definition] makes
// of it a definition of a game, with the JSON answers and the texts for people.
//
// impartial may import game, tables, api and rules. The packages in server/games import it.
package impartial
